#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cli11_forward.h"
#include "cli/point_list.h"

namespace hbmscope {

// An option that names a part of a point. This table is the only list of them: the command line, its help and
// its errors read it.
struct PointOption {
  std::string_view name;          // "--seqlen"
  std::string_view placeholder;   // "AXIS": numbers; "LIST": words; "N": one number
  std::string_view group;         // heading in the help
  std::string_view help;          // what it is, and what it takes
  std::string_view default_text;  // parsed as if it had been given
  // Reads the text into the axes. Throws UserError.
  void (*parse)(std::string_view option, std::string_view text, PointAxes& axes);
  bool repeatable = false;  // each text is parsed in turn
};
std::span<const PointOption> point_options();

// The point options of one command line.
class PointArguments {
 public:
  // Registers the options; the arguments must outlive the command.
  void add_to(CLI::App& command);
  // Throws UserError for what is not accepted.
  PointList points() const;
  // Each option with its text, as given or by default: what the points are made of. Numbers stand as
  // axis_text() writes them, so that equal values have equal texts.
  std::vector<std::pair<std::string, std::string>> texts() const;

 private:
  std::vector<std::string> texts_of(const PointOption& option) const;

  std::map<std::string_view, std::vector<std::string>> texts_;  // by option; only those that were given
  bool causal_ = false;
};

}  // namespace hbmscope
