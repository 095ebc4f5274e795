// The point options of a command line, one argument a line: whatever is accepted gives points that the model
// takes, no two of them the same.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "cli/axis.h"
#include "cli/point_options.h"
#include "reports/field_value.h"
#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {
namespace {

constexpr std::size_t kMostPoints = 100'000;  // every problem is checked, so more take seconds
constexpr std::size_t kPointsLookedAt = 50;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

// GPUs and models may be files; what stands in them is for the other fuzzers. A rate has a slash too.
bool name_files(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    const bool has_slash = word.find('/') != std::string::npos && !word.starts_with("--set=");
    return has_slash || word.find(".toml") != std::string::npos;
  });
}

// How many values a word gives an axis, if it is one.
std::size_t values_of(std::string_view word) {
  const std::string_view text = word.substr(word.find('=') + 1);
  constexpr NumberRange kAny{0, std::numeric_limits<std::int64_t>::max()};
  const auto numbers = accepted([&] { return parse_number_axis("", text, kAny); });
  if (numbers) return numbers->size();
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
}

bool too_many(const std::vector<std::string>& words) {
  std::size_t points = 1;
  for (const std::string& word : words) {
    points *= values_of(word);
    if (points > kMostPoints) return true;
  }
  return false;
}

// Whether CLI11 takes the words; its own errors become UserErrors in cli/command.cpp.
bool parse(std::vector<std::string> words, PointArguments& arguments) {
  CLI::App app;
  arguments.add_to(app);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError&) {
    return false;
  }
  return true;
}

std::string key_of(const Point& point) {
  const Record record{.point = point};
  std::string key;
  for (const Field& field : record_fields()) {
    if (!field.key) continue;
    append_value(key, written_value(field, record));
    key += '\n';
  }
  return key;
}

bool check_points(const PointArguments& arguments) {
  const PointList points = arguments.points();
  require(points.size() >= 1 && points.size() <= kLargestPointCount, "there are 1 to kLargestPointCount");
  std::set<std::string> keys;
  Point point;
  const std::size_t count = std::min(points.size(), kPointsLookedAt);
  for (std::size_t i = 0; i < count; ++i) {
    const PointContext context = points.fill(points.size() / count * i, point);
    require(context.gpu != nullptr && context.algorithm != nullptr && context.variant != nullptr,
            "a point has a GPU, an algorithm and a variant");
    check_problem(point.problem);
    require(keys.insert(key_of(point)).second, "no two points are the same");
  }
  return true;
}

}  // namespace

bool check_input(std::string_view input) {
  const std::vector<std::string> words = lines_of(input);
  PointArguments arguments;
  return !name_files(words) && !too_many(words) && parse(words, arguments) &&
         accepted([&] { return check_points(arguments); }).has_value();
}

}  // namespace hbmscope::fuzz
