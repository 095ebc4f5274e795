#include "kernels/ptxas_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace hbmscope {

namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The number that stands right before `words`: "40" in "Used 40 registers" for " registers".
std::optional<int> number_before(std::string_view line, std::string_view words) {
  const std::size_t end = line.find(words);
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int number = 0;
  const auto [stop, error] = std::from_chars(line.data() + begin, line.data() + end, number);
  if (error != std::errc() || stop != line.data() + end) return std::nullopt;
  return number;
}

// What follows `words`, up to a quote or the end of the line.
std::optional<std::string_view> text_after(std::string_view line, std::string_view words) {
  const std::size_t found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  line.remove_prefix(found + words.size());
  return line.substr(0, line.find('\''));
}

}  // namespace

std::vector<KernelResources> parse_ptxas_log(std::string_view log) {
  std::vector<KernelResources> kernels;
  bool of_entry = false;  // device functions that were not inlined have lines of their own
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    if (const auto entry = text_after(line, "Compiling entry function '")) {
      kernels.push_back({.entry = std::string(*entry)});
      of_entry = true;
      continue;
    }
    if (kernels.empty()) continue;
    if (const auto function = text_after(line, "Function properties for ")) {
      of_entry = *function == kernels.back().entry;
    }
    if (!of_entry) continue;
    KernelResources& kernel = kernels.back();
    kernel.stack_bytes = number_before(line, " bytes stack frame").value_or(kernel.stack_bytes);
    kernel.spill_store_bytes = number_before(line, " bytes spill stores").value_or(kernel.spill_store_bytes);
    kernel.spill_load_bytes = number_before(line, " bytes spill loads").value_or(kernel.spill_load_bytes);
    kernel.registers = number_before(line, " registers").value_or(kernel.registers);
    kernel.static_shared_bytes = number_before(line, " bytes smem").value_or(kernel.static_shared_bytes);
  }
  if (kernels.empty()) throw std::runtime_error("the compiler's log names no entry function");
  for (const KernelResources& kernel : kernels) {
    if (kernel.registers == 0)
      throw std::runtime_error("the compiler's log gives no registers for " + kernel.entry);
  }
  return kernels;
}

}  // namespace hbmscope
