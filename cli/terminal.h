#pragma once

#include <string>
#include <string_view>

#include "cli/cli11_forward.h"

namespace hbmscope {

// How this run talks to whoever watches.
struct Terminal {
  bool color_out = false;
  bool color_err = false;
  bool bar = false;    // standard error can redraw a line
  bool quiet = false;  // errors only
};

// --quiet and --color auto|always|never; auto colours a terminal unless NO_COLOR is set (no-color.org).
class TerminalArguments {
 public:
  // Registers the options; the arguments must outlive the command.
  void add_to(CLI::App& command);
  // Throws UserError for an unknown --color.
  Terminal terminal() const;

 private:
  bool quiet_ = false;
  std::string color_ = "auto";
};

// Throws BrokenPipe (reports/output_file.h), or UserError if standard output takes no more.
void write_stdout(std::string_view text);

// A line to standard error; failures are ignored.
void write_stderr(std::string_view text);

// From now on the first SIGINT or SIGTERM is only noted, so that what is finished can be kept; a second one
// ends the program.
void watch_signals();
bool interrupted();

}  // namespace hbmscope
