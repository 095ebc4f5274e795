// docs/cli.md shows each command's help; it must be what the program prints.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/command.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

std::string document() {
  std::ifstream file(std::string(HBMSCOPE_SOURCE_DIR) + "/docs/cli.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string block(const std::string& command, const std::string& output) {
  return "```text\n$ hbmscope " + command + "\n" + output + "```\n";
}

TEST(Documentation, ShowsTheHelpOfEveryCommand) {
  const Workspace workspace;
  const std::string text = document();
  EXPECT_NE(text.find(block("--help", workspace.run({"--help"}).out)), std::string::npos)
      << "docs/cli.md lacks the current text of hbmscope --help";
  for (const Command& command : commands()) {
    const std::string name(command.name);
    EXPECT_NE(text.find(block(name + " --help", workspace.run({name, "--help"}).out)), std::string::npos)
        << "docs/cli.md lacks the current text of hbmscope " << name << " --help";
  }
}

TEST(Documentation, ShowsWhatTheExamplesPrint) {
  const Workspace workspace;
  const std::string text = document();
  EXPECT_NE(
      text.find(block("predict --seqlen 1k..4k*2", workspace.run({"predict", "--seqlen", "1k..4k*2"}).out)),
      std::string::npos);
  EXPECT_NE(text.find(block("sweep --seqlen 512..16k*2 --br 64,128 --mask full,causal --dry-run",
                            workspace
                                .run({"sweep", "--seqlen", "512..16k*2", "--br", "64,128", "--mask",
                                      "full,causal", "--dry-run"})
                                .out)),
            std::string::npos);
}

}  // namespace
}  // namespace hbmscope::testing
