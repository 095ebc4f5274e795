#include "kernels/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "kernels/fnv.h"
#include "sim/error.h"

namespace hbmscope {

namespace {

std::string source_name(std::string_view algorithm, std::string_view variant) {
  return fmt::format("kernels/device/{}_{}.cu", algorithm, variant);
}

const EmbeddedFile* find_file(std::span<const EmbeddedFile> files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  return found == files.end() ? nullptr : &*found;
}

// The name in a line `#include "name"`; blanks are allowed where the preprocessor allows them.
std::optional<std::string_view> quoted_include(std::string_view line) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  for (const std::string_view word : {"#", "include", "\""}) {
    skip_blanks();
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
  }
  return line.substr(0, line.find('"'));
}

std::vector<std::string_view> quoted_includes(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto name = quoted_include(text.substr(0, end))) names.push_back(*name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

}  // namespace

bool has_kernel(std::string_view algorithm, std::string_view variant) {
  return find_file(device_sources(), source_name(algorithm, variant)) != nullptr;
}

KernelBuild kernel_build(std::string_view algorithm, std::string_view variant, const Problem& problem,
                         const Tile& tile) {
  if (!has_kernel(algorithm, variant)) {
    throw UserError("--variant", std::string(variant),
                    fmt::format("a variant of {} that has a kernel (hbmscope list variants)", algorithm));
  }
  KernelBuild build{source_name(algorithm, variant),
                    {{"HBMSCOPE_BR", std::to_string(tile.br)},
                     {"HBMSCOPE_BC", std::to_string(tile.bc)},
                     {"HBMSCOPE_STAGES", std::to_string(tile.stages)},
                     {"HBMSCOPE_HEAD_DIM", std::to_string(problem.head_dim)},
                     {"HBMSCOPE_DTYPE_BF16", problem.dtype == DataType::bf16 ? "1" : "0"},
                     {"HBMSCOPE_CAUSAL", problem.mask == Mask::causal ? "1" : "0"}}};
  std::ranges::sort(build.macros, {}, &KernelMacro::name);
  return build;
}

std::vector<EmbeddedFile> needed_sources(const KernelBuild& build, std::span<const EmbeddedFile> files) {
  std::vector<EmbeddedFile> needed;
  const auto need = [&](std::string_view name, std::string_view because_of) {
    if (find_file(needed, name) != nullptr) return;
    const EmbeddedFile* file = find_file(files, name);
    if (file == nullptr) {
      throw std::logic_error(fmt::format("{} includes \"{}\", which is not embedded", because_of, name));
    }
    needed.push_back(*file);
  };
  need(build.source, "a kernel build");
  for (std::size_t next = 0; next < needed.size(); ++next) {
    const EmbeddedFile file = needed[next];
    for (const std::string_view name : quoted_includes(file.text)) need(name, file.name);
  }
  return needed;
}

std::string kernel_hash(const KernelBuild& build, std::span<const EmbeddedFile> files) {
  Fnv1a hash;
  for (const EmbeddedFile& file : needed_sources(build, files)) {
    hash.add(file.name);
    hash.add(file.text);
  }
  for (const KernelMacro& macro : build.macros) {
    hash.add(macro.name);
    hash.add(macro.value);
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace hbmscope
