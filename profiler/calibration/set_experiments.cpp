#include "profiler/calibration/set_experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

namespace hbmscope {
namespace {

// Takes `word` and a blank from the front of the text.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != ' ') return false;
  text.remove_prefix(word.size() + 1);
  return true;
}

[[noreturn]] void refuse(std::string_view part) {
  throw std::logic_error(fmt::format("no use of lines: '{}'", part));
}

unsigned take_number(std::string_view& text, std::string_view part) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) refuse(part);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

LineUse::Kind take_kind(std::string_view& text, std::string_view part) {
  LineUse::Kind kind = LineUse::kRead;
  if (take(text, "write")) return LineUse::kWrite;
  if (take(text, "first"))
    kind = LineUse::kReadFirst;
  else if (take(text, "last"))
    kind = LineUse::kReadLast;
  if (!take(text, "read")) refuse(part);
  return kind;
}

void add_uses(std::string_view part, std::vector<SetUse>& uses) {
  std::string_view text = part;
  SetUse use;
  use.by_other_side = take(text, "far");
  use.kind = take_kind(text, part);
  const auto group = std::ranges::find(kSetGroups, text.empty() ? ' ' : text.front(), &SetGroup::name);
  if (group == std::end(kSetGroups)) refuse(part);
  use.group = group->name;
  text.remove_prefix(1);
  const unsigned begin = take_number(text, part);
  if (!text.starts_with('-')) refuse(part);
  text.remove_prefix(1);
  const unsigned end = take_number(text, part);
  if (!text.empty() || end > group->lines) refuse(part);
  for (use.line = begin; use.line < end; ++use.line) uses.push_back(use);
}

}  // namespace

std::vector<SetUse> parse_set_uses(std::string_view text) {
  std::vector<SetUse> uses;
  for (;;) {
    const std::size_t end = std::min(text.find("; "), text.size());
    add_uses(text.substr(0, end), uses);
    if (end == text.size()) return uses;
    text.remove_prefix(end + 2);
  }
}

std::vector<std::string> set_experiments(unsigned ways) {
  std::vector<std::string> all;
  // Loads make room in a set with dirty lines.
  for (unsigned written = 1; written <= 12; ++written) {
    for (unsigned read = 0; read <= 20; ++read)
      all.push_back(fmt::format("write w0-{}; read r0-{}", written, read));
  }
  // Stores do.
  for (const unsigned written : {1U, 2U, 4U, 6U}) {
    for (unsigned others = 0; others <= 6; ++others)
      all.push_back(fmt::format("write w0-{}; read r0-{}; write o0-{}", written, ways - written, others));
  }
  for (unsigned read = 6; read <= 16; ++read) {
    // Which of eight dirty lines is written back, if the first was used once more.
    all.push_back(fmt::format("write w0-7; read w0-1; write w7-8; read r0-{}", read));
    all.push_back(fmt::format("write w0-7; write w0-1; write w7-8; read r0-{}", read));
    all.push_back(fmt::format("far write w0-8; read r0-{}", read));
    all.push_back(fmt::format("write w0-4; far read r0-{}", read));
  }
  for (const unsigned hinted : {2U, 4U, 8U}) {
    for (unsigned others = 0; others <= 8; ++others) {
      all.push_back(fmt::format("first read h0-{}; read r0-{}; read o0-{}", hinted, ways - hinted, others));
      all.push_back(fmt::format("read r0-{}; first read h0-{}; read o0-{}", ways - hinted, hinted, others));
    }
  }
  for (const unsigned hinted : {2U, 3U, 4U, 8U})
    all.push_back(fmt::format("last read h0-{}; read r0-20; read o0-14; read r0-20", hinted));
  return all;
}

}  // namespace hbmscope
