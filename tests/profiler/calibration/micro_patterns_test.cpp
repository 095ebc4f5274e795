#include "profiler/calibration/micro_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hbmscope {
namespace {

const MicroPattern& find(const std::vector<MicroPattern>& patterns, const std::string& name, Bytes mib) {
  const auto found = std::ranges::find_if(patterns, [&](const MicroPattern& pattern) {
    return pattern.name == name && pattern.bytes == mib * kMiB;
  });
  if (found == patterns.end()) throw std::runtime_error("no pattern " + name);
  return *found;
}

}  // namespace

// MB that the counters of an H200 said.
TEST(MicroPatterns, ReplayAsCountedOnAnH200) {
  struct Counted {
    const char* name;
    Bytes mib;
    double mb;
    double tolerance;  // of the bytes
  };
  const std::vector<Counted> rows{{"read by all SMs, 4 rounds", 20, 21.0, 0.01},
                                  {"read by all SMs, 4 rounds", 28, 29.38, 0.01},
                                  {"read by all SMs, 4 rounds", 40, 167.80, 0.01},
                                  {"read by all SMs to and fro, 4 rounds", 40, 75.51, 0.05},
                                  {"read by all SMs to and fro, 4 rounds", 64, 176.14, 0.05},
                                  {"read by one SM, 4 rounds", 28, 29.51, 0.01},
                                  {"read by one SM, 4 rounds", 40, 104.90, 0.05},
                                  {"read by one SM, 4 rounds", 64, 268.43, 0.05},
                                  {"streamed by all SMs, read again", 64, 67.11, 0.05},
                                  {"written by all SMs", 48, 20.63, 0.05},
                                  {"written by all SMs", 64, 37.61, 0.05},
                                  {"written by all SMs", 128, 105.06, 0.05},
                                  {"written, another streamed, read again", 24, 10.8, 0.05},
                                  {"written, read again", 48, 31.4, 0.05},
                                  {"written, copied", 28, 5.0, 0.05},
                                  {"written, copied by a quarter of the SMs", 40, 38.7, 0.05}};
  const GpuSpec h200 = load_gpu("h200");
  const std::vector<MicroPattern> patterns = micro_patterns(h200);
  for (const Counted& row : rows) {
    const PatternBytes replayed = replay_pattern(find(patterns, row.name, row.mib), h200);
    EXPECT_NEAR(replayed.median / 1e6, row.mb, row.tolerance * row.mb) << row.name << ", " << row.mib;
    EXPECT_LE(replayed.least, replayed.median);
    EXPECT_LE(replayed.median, replayed.most);
  }
}

// What is not explained (docs/model.md): what was counted, and what is replayed, MB.
TEST(MicroPatterns, MissWhatIsNotExplained) {
  struct Missed {
    const char* name;
    Bytes mib;
    double counted;
    double replayed;
  };
  const std::vector<Missed> rows{{"written, another streamed, read again", 32, 30.4, 32.22},
                                 {"written, copied", 30, 8.4, 9.44},
                                 {"written, copied", 32, 12.5, 14.96}};
  const GpuSpec h200 = load_gpu("h200");
  const std::vector<MicroPattern> patterns = micro_patterns(h200);
  for (const Missed& row : rows) {
    const double replayed = replay_pattern(find(patterns, row.name, row.mib), h200).median / 1e6;
    EXPECT_NEAR(replayed, row.replayed, 0.05) << row.name << ", " << row.mib;
    EXPECT_GT(std::abs(replayed / row.counted - 1), 0.05) << "met: " << row.name << ", " << row.mib;
  }
}

TEST(MicroPatterns, AreAsLargeAsTheL2Asks) {
  GpuSpec half = load_gpu("h200");
  half.caches.front().capacity_bytes.value /= 2;
  const std::vector<MicroPattern> patterns = micro_patterns(half);
  EXPECT_EQ(patterns.size(), micro_patterns(load_gpu("h200")).size());
  EXPECT_NO_THROW(find(patterns, "read by all SMs, 4 rounds", 15));
  EXPECT_NO_THROW(find(patterns, "written by all SMs", 64));
}

TEST(PatternRow, DistanceIsThatOfTheNearestEnds) {
  PatternRow row{.pattern = {}, .counted = {90, 100, 110}, .written_later = {}, .replayed = {95, 98, 101}};
  EXPECT_EQ(row.distance(), 0);
  EXPECT_NEAR(row.error(), -0.02, 1e-12);
  row.replayed = {121, 130, 140};
  EXPECT_NEAR(row.distance(), 0.1, 1e-12);
  row.replayed = {40, 60, 81};
  EXPECT_NEAR(row.distance(), -0.1, 1e-12);
  EXPECT_EQ(pattern_bytes({3, 1, 2}).median, 2);
  EXPECT_EQ(pattern_bytes({3, 1, 2}).most, 3);
}

}  // namespace hbmscope
