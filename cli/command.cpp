#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "cli/version_text.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::array kCommands{
    Command{"predict", "the bytes of one problem or a few, as a table", add_predict},
    Command{"sweep", "the bytes of many points, as CSV, JSON or a page", add_sweep},
    Command{"validate",
            "predicted beside measured bytes: run the kernels under the GPU's counters, or compare with "
            "recorded ones",
            add_validate},
    Command{"compile", "compile the points' kernels ahead; shows registers and spills, needs no GPU",
            add_compile},
    Command{"calibrate", "measure the installed GPU's L2, rates and scheduling; writes a GPU file",
            add_calibrate},
    Command{"report", "make a page of CSV, JSON or JSONL files, or convert them", add_report},
    Command{"merge", "put the journals of a run's shards together, as CSV, JSON or a page", add_merge},
    Command{"list", "what there is: gpus, settings, models, algorithms, variants, counters, recorded",
            add_list},
};

// CLI11's message without its exception's decoration, as one line of ours.
[[noreturn]] void rethrow_parse_error(const CLI::ParseError& error, const std::string& help) {
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const std::size_t colon = message.find(':');
  if (message.starts_with("--") && colon != std::string::npos) {
    throw UserError(message.substr(0, colon), "", fmt::format("expected one value; see {}", help));
  }
  throw UserError("arguments", "", fmt::format("{}; see {}", message, help));
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : kCommands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// CLI11 is told to keep what it does not know, so that the error can name it.
void refuse_unknown(const CLI::App& app, const CLI::App* chosen) {
  if (chosen == nullptr) {
    const std::vector<std::string> unknown = app.remaining();
    throw UserError("command", unknown.empty() ? "" : unknown.front(),
                    fmt::format("expected one of {}; see hbmscope --help", command_names()));
  }
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return;
  throw UserError(
      chosen->get_name(), unknown.front(),
      fmt::format("expected the options of hbmscope {0}; see hbmscope {0} --help", chosen->get_name()));
}

void set_up(CLI::App& app) {
  app.name("hbmscope");
  app.description(
      "How many bytes an attention kernel moves through each level of the memory hierarchy:\n"
      "predicted from algorithm, shape, tile and GPU, and measured by the GPU's counters.");
  app.set_version_flag("--version", version_text, "version, commit, CUDA and CUPTI");
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(26);
  app.footer(
      "hbmscope COMMAND --help shows a command's options.\n"
      "Exit codes: 0 done, 1 a point failed or broke a tolerance, 2 wrong usage or environment, 130 "
      "interrupted.");
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int run_command_line(int argc, const char* const* argv) {
  CLI::App app;
  set_up(app);
  std::vector<Action> actions;
  for (const Command& command : kCommands) {
    CLI::App* added = app.add_subcommand(std::string(command.name), std::string(command.summary));
    added->allow_extras();
    actions.push_back(command.add(*added));
  }
  const auto chosen = [&]() -> const CLI::App* {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    return parsed.empty() ? nullptr : parsed.front();
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_stdout(app.help());
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + "\n");
    return kDone;
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = chosen();
    rethrow_parse_error(
        error, command == nullptr ? "hbmscope --help" : "hbmscope " + command->get_name() + " --help");
  }
  refuse_unknown(app, chosen());
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    if (kCommands[i].name == chosen()->get_name()) return actions[i](this_run({argv, argv + argc}));
  }
  throw std::logic_error("a command without an action");
}

}  // namespace hbmscope
