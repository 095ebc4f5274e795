// hbmscope: parse, run, and turn what went wrong into one line and an exit code.
#include <fmt/format.h>

#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/output_file.h"
#include "sim/error.h"

int main(int argc, char** argv) {
  using namespace hbmscope;
  hold_standard_streams();
  watch_signals();
  const auto complain = [](const char* what, int code) {
    write_stderr(fmt::format("hbmscope: {}\n", one_line(what)));
    return code;
  };
  try {
    return run_command_line(argc, argv);
  } catch (const BrokenPipe&) {
    return kDone;  // as under `| head`: whoever read has seen enough
  } catch (const UserError& error) {
    return complain(error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return complain("memory: not enough for so many points or such large tensors; use fewer or smaller ones",
                    kUsage);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}
