// docs/cli.md shows commands with what they print; scripts/update_cli_docs brings it up to date.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/command.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

struct Example {
  std::string arguments;  // "predict --help"
  std::string output;
};

// The blocks that begin with "$ hbmscope".
std::vector<Example> examples() {
  std::ifstream file(HBMSCOPE_SOURCE_DIR "/docs/cli.md");
  const std::string prompt = "$ hbmscope ";
  std::vector<Example> found;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(prompt)) {
      found.push_back({line.substr(prompt.size()), ""});
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back().output += line + "\n";
    }
  }
  return found;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(Documentation, ShowsWhatTheProgramPrints) {
  const Workspace workspace;
  for (const Example& example : examples()) {
    const Result result = workspace.run(words(example.arguments));
    EXPECT_EQ(result.code, 0) << example.arguments;
    EXPECT_EQ(example.output, result.out)
        << "hbmscope " << example.arguments << ": run scripts/update_cli_docs";
  }
}

TEST(Documentation, ShowsTheHelpOfEveryCommand) {
  std::set<std::string> shown;
  for (const Example& example : examples()) shown.insert(example.arguments);
  EXPECT_TRUE(shown.contains("--help"));
  for (const Command& command : commands()) {
    EXPECT_TRUE(shown.contains(std::string(command.name) + " --help")) << command.name;
  }
}

}  // namespace
}  // namespace hbmscope::testing
