#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/program.h"

// A sweep of the model, which prints the same each time, for tests of long runs.
namespace hbmscope::testing {

inline const std::vector<std::string> kSweep{"sweep", "--quiet", "--seqlen", "512..4k*2", "--br", "64,128"};

inline Result run(const Workspace& workspace, std::vector<std::string> arguments,
                  const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return workspace.run(arguments);
}

inline std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  for (int line = 0; line < count; ++line) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

// Behind the header, which has arguments and a date.
inline std::string records_of(const std::string& text) { return text.substr(text.find("\n{\"point\"")); }

// The outputs of a run that nothing interrupted.
struct Uninterrupted {
  std::string csv;
  std::string json;
  std::string jsonl;

  explicit Uninterrupted(const Workspace& workspace) {
    EXPECT_EQ(run(workspace, kSweep, {"--csv", "u.csv", "--json", "u.json", "--jsonl", "u.jsonl"}).code, 0);
    csv = workspace.read("u.csv");
    json = records_of(workspace.read("u.json"));
    jsonl = records_of(workspace.read("u.jsonl"));
  }
};

}  // namespace hbmscope::testing
