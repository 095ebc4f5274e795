#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "cli/cli11_forward.h"
#include "reports/run_info.h"

namespace hbmscope {

// Exit codes. Usage and environment errors are UserErrors, which end the program with kUsage.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  // ran, but a point failed or broke a tolerance
inline constexpr int kUsage = 2;
inline constexpr int kInterrupted = 130;

// Runs a command whose options have been parsed; returns the exit code.
using Action = std::function<int(const RunInfo& run)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  // Registers the command's options; the action owns what they are stored in.
  Action (*add)(CLI::App& command);
};

// All commands, in the order of the help.
std::span<const Command> commands();

Action add_predict(CLI::App& command);
Action add_sweep(CLI::App& command);
Action add_validate(CLI::App& command);
Action add_compile(CLI::App& command);
Action add_calibrate(CLI::App& command);
Action add_report(CLI::App& command);
Action add_merge(CLI::App& command);
Action add_list(CLI::App& command);

// Parses the arguments and runs the command they name.
int run_command_line(int argc, const char* const* argv);

}  // namespace hbmscope
