#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "reports/output_file.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

std::atomic<bool> interrupt_seen = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note_interrupt(int signal) {
  if (interrupt_seen) {
    remove_unfinished_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  interrupt_seen = true;
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

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

void hold_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free number is this one; opened for reading, so that a write still fails.
    if (open("/dev/null", O_RDONLY) < 0) return;
  }
}

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool interrupted() { return interrupt_seen; }
StopFlag interrupt_flag() { return &interrupt_seen; }

}  // namespace hbmscope
