#include "cli/terminal.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdlib>

#include "reports/output_file.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void note_interrupt(int signal) {
  interrupt_seen = 1;
  std::signal(signal, SIG_DFL);
}

bool colors(const std::string& choice, int descriptor) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace

void TerminalArguments::add_to(CLI::App& command) {
  command.add_flag("--quiet", quiet_, "no progress and no context on standard error")->group("Terminal");
  command.add_option("--color", color_, "auto, always, never [auto]")->type_name("WHEN")->group("Terminal");
}

Terminal TerminalArguments::terminal() const {
  constexpr std::array<std::string_view, 3> kChoices{"auto", "always", "never"};
  bool known = false;
  for (const std::string_view choice : kChoices) known = known || choice == color_;
  if (!known) throw UserError("--color", color_, "expected auto, always or never");
  return {.color_out = colors(color_, STDOUT_FILENO),
          .color_err = colors(color_, STDERR_FILENO),
          .bar = isatty(STDERR_FILENO) == 1,
          .quiet = quiet_};
}

void write_stdout(std::string_view text) {
  OutputFile output("standard output", "-");
  output.write(text);
  output.commit();
}

void write_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;  // nobody is left to be told
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void watch_signals() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace hbmscope
