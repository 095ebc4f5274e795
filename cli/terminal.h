#pragma once

#include <string>
#include <string_view>

#include "cli/cli11_forward.h"
#include "sim/stop.h"

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

// The text with its control characters escaped ("\\x0a"), so that what a user gave stays on one line and
// moves no cursor.
std::string one_line(std::string_view text);

// Standard streams that were closed stay unusable, but their numbers are taken: otherwise the next file that
// is opened would be standard output.
void hold_standard_streams();

// From now on the first SIGINT, SIGTERM or SIGHUP is only noted, so that what is finished can be kept; a
// second one ends the program. A signal that is ignored, as under nohup, stays so.
void watch_signals();
bool interrupted();
// The same for what runs long: true from the first signal on.
StopFlag interrupt_flag();

}  // namespace hbmscope
