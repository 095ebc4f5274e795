// What calibrate prints of a GPU that was measured.
#include "cli/calibration_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hbmscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CalibrationOutcome outcome_with_ways() {
  CalibrationOutcome outcome;
  outcome.described = load_gpu("h200");
  outcome.findings.bounds = LatencyBounds{true, 380, 505, 60};
  outcome.findings.ways = 16;
  return outcome;
}

std::string text_of(const CalibrationOutcome& outcome) {
  return calibration_text(outcome, {.gpu = *outcome.described, .refused = {}}, false);
}

TEST(CalibrationText, SaysHowMuchOfTheL2AddressesReach) {
  CalibrationOutcome outcome = outcome_with_ways();
  EXPECT_THAT(text_of(outcome), Not(HasSubstr("rows of")));
  MemoryRows rows;
  rows.row_pages = 47;
  rows.classes = 20;
  rows.swaps = {6, 7, 4, 13};
  outcome.findings.rows = rows;
  EXPECT_THAT(text_of(outcome),
              HasSubstr("runs of 16 rows, swapped by each bit of their number: 6 7 4 13\n"));
  EXPECT_THAT(text_of(outcome), HasSubstr("20 rows of 188 KiB meet every set of a side once: addresses reach "
                                          "58.75 of 60.00 MiB\n"));
  EXPECT_THAT(text_of(outcome), Not(HasSubstr("rings in that memory")));
}

// 20 rows meet every set once, so that 200 are more than 8 pages of each, and 100 are not.
TEST(CalibrationText, SaysHowCloseRowsComeToRings) {
  CalibrationOutcome outcome = outcome_with_ways();
  MemoryRows rows;
  rows.row_pages = 47;
  rows.classes = 20;
  outcome.findings.rows = rows;
  outcome.findings.rings = {{0, Bytes{200} * 47 * kPageBytes, 0.99}, {0, Bytes{100} * 47 * kPageBytes, 0.03}};
  EXPECT_THAT(
      text_of(outcome),
      HasSubstr(
          "2 rings in that memory: rows say the share that misses to 2.0 % of the ring, at worst 3.0 %"));
}

}  // namespace
}  // namespace hbmscope
