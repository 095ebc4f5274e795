// What a set of an H200's L2 does, line by line, and what the replay's cache does: the same uses of as many
// lines as blocks of one unit.
#include "profiler/calibration/set_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sim/l2/l2_state.h"
#include "tests/profiler/calibration/recorded_probe.h"

namespace hbmscope {
namespace {

constexpr int kWays = 16;
constexpr int kOthers = 40;  // read before, so that the set is full

// One unit of 16 blocks, 7 of them dirty at most. Of two sides; all lines are homed on side 0.
L2State one_set() {
  const L2Geometry geometry{.sides = 2,
                            .homes = 1,
                            .home_is_a_side = true,
                            .side_bytes = kWays * kL2BlockBytes,
                            .stretch_bytes = kL2BlockBytes,
                            .groups = 1,
                            .dirty_bytes = 7 * kL2BlockBytes};
  constexpr int kBlocks = 128;
  L2State state(geometry, kBlocks);
  for (int block = 0; block < kBlocks; ++block) state.describe_block(block, kL2BlockBytes, 0);
  for (int block = 0; block < kOthers; ++block) state.load(block, 0, 1);
  return state;
}

std::int64_t block_of(char group, unsigned line) {
  std::int64_t first = kOthers;
  for (const SetGroup& each : kSetGroups) {
    if (each.name == group) break;
    first += each.lines;
  }
  return first + line;
}

L2State after(const std::string& uses) {
  L2State state = one_set();
  for (const SetUse& use : parse_set_uses(uses)) {
    const std::int64_t block = block_of(use.group, use.line);
    if (use.kind == LineUse::kWrite) {
      state.store(block, use.by_other_side ? 1 : 0, 1);
    } else {
      const L2Hint hint = use.kind == LineUse::kReadFirst  ? L2Hint::evict_first
                          : use.kind == LineUse::kReadLast ? L2Hint::evict_last
                                                           : L2Hint::normal;
      state.load(block, use.by_other_side ? 1 : 0, 1, hint);
    }
  }
  return state;
}

}  // namespace

TEST(SetExperiments, UsesAreReadAsTheyAreWritten) {
  const std::vector<SetUse> uses = parse_set_uses("write w0-2; far last read h3-4");
  ASSERT_EQ(uses.size(), 3U);
  EXPECT_EQ(uses[1].kind, LineUse::kWrite);
  EXPECT_EQ(uses[1].line, 1U);
  EXPECT_FALSE(uses[1].by_other_side);
  EXPECT_EQ(uses[2].kind, LineUse::kReadLast);
  EXPECT_EQ(uses[2].group, 'h');
  EXPECT_EQ(uses[2].line, 3U);
  EXPECT_TRUE(uses[2].by_other_side);
  for (const char* wrong : {"write", "write w", "write x0-1", "write w0", "write w0-13", "write w0-1,",
                            "erase w0-1", "first write w0-1", "write w0-1; "}) {
    EXPECT_THROW(parse_set_uses(wrong), std::logic_error) << wrong;
  }
}

TEST(SetExperiments, AllCanBeRead) {
  const std::vector<std::string> experiments = set_experiments(kWays);
  EXPECT_EQ(std::set<std::string>(experiments.begin(), experiments.end()).size(), experiments.size());
  for (const std::string& experiment : experiments) EXPECT_NO_THROW(parse_set_uses(experiment)) << experiment;
}

// Every line of every experiment: kept in all tries or in none, as the replay keeps it.
TEST(SetExperiments, AnH200KeepsTheLinesThatTheReplayKeeps) {
  int lines = 0;
  int differ = 0;
  for (const auto& row : recorded_probe("set_uses.csv", "calibrate_h200")) {
    const L2State state = after(row.at("uses"));
    for (const char group : {'w', 'r', 'h'}) {
      std::stringstream counts(row.at(std::string(1, group) + "_kept"));
      unsigned line = 0;
      for (int kept = 0; counts >> kept; ++line) {
        const bool here = state.find(block_of(group, line), 0, 0) == L2State::Found::near;
        ++lines;
        if (kept == (here ? std::stoi(row.at("tries")) : 0)) continue;
        ++differ;
        ADD_FAILURE() << row.at("uses") << ": " << group << line << " kept " << kept << " times, replayed "
                      << (here ? "kept" : "gone");
      }
    }
  }
  EXPECT_GT(lines, 5000);
  EXPECT_EQ(differ, 0);
}

}  // namespace hbmscope
