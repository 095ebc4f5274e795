#include "cli/tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verdict.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Record measured_record() {
  Record record;
  record.point.algorithm = "flash2";
  record.prediction.emplace();
  record.prediction->l2_read_bytes = 1010;
  record.prediction->l2_write_bytes = 500;
  record.measurement.emplace();
  record.measurement->l2_read_bytes = 1000;
  record.measurement->l2_write_bytes = 500;
  record.provenance.source = "recorded";
  record.provenance.gpu = "NVIDIA H200";
  record.provenance.date = "2026-11-29T10:00:00Z";
  return record;
}

TEST(Tolerance, ReadsBoundariesInPercent) {
  const Tolerance tolerance = parse_tolerance("l2=0.5%,sram=2%,hbm=150%");
  EXPECT_DOUBLE_EQ(*tolerance.l2, 0.005);
  EXPECT_DOUBLE_EQ(*tolerance.sram, 0.02);
  EXPECT_DOUBLE_EQ(*tolerance.hbm, 1.5);
  EXPECT_FALSE(parse_tolerance("l2=0%").hbm);
}

TEST(Tolerance, RefusesWhatIsNoList) {
  for (const char* text : {"", "l2", "l2=", "l2=1", "l2=-1%", "l2=nan%", "l2=inf%", "l2=1e9%", "dram=1%",
                           "l2=1%,l2=2%", "l2=1%,", "l2=1 %"}) {
    EXPECT_THROW(parse_tolerance(text), UserError) << text;
  }
}

TEST(Tolerance, HoldsUpToItsLimit) {
  EXPECT_THAT(violations(measured_record(), parse_tolerance("l2=1.1%")), IsEmpty());
  EXPECT_THAT(violations(measured_record(), parse_tolerance("l2=0.9%")),
              ElementsAre(HasSubstr("l2 read is +1.00 % off")));
}

TEST(Tolerance, AValueThatIsNotThereDoesNotHold) {
  EXPECT_THAT(violations(measured_record(), parse_tolerance("sram=1000%")),
              ElementsAre(HasSubstr("sram read was not measured"), HasSubstr("sram write was not measured")));
}

TEST(Tolerance, ZeroHoldsOnlyAgainstZero) {
  Record record = measured_record();
  record.measurement->l2_write_bytes = 0;
  EXPECT_THAT(violations(record, parse_tolerance("l2=1000%")),
              ElementsAre(HasSubstr("l2 write cannot be compared")));
  record.prediction->l2_write_bytes = 0;
  EXPECT_THAT(violations(record, parse_tolerance("l2=1000%")), IsEmpty());
}

TEST(Tolerance, StaleRowsDoNotHold) {
  Record record = measured_record();
  record.provenance.stale = true;
  EXPECT_THAT(violations(record, parse_tolerance("l2=10%")), ElementsAre(HasSubstr("other kernels")));
  EXPECT_THAT(violations(record, Tolerance{}), IsEmpty());
}

TEST(Verdict, NamesTheOrigin) {
  const std::vector<Record> records{measured_record(), measured_record()};
  EXPECT_THAT(verdict(records, false), HasSubstr("2 points recorded on NVIDIA H200, 2026-11-29"));
}

TEST(Verdict, NamesSpills) {
  Record record = measured_record();
  EXPECT_THAT(verdict(std::vector<Record>{record}, false), ::testing::Not(HasSubstr("spill")));
  record.provenance.spill_bytes = 52;
  EXPECT_THAT(verdict(std::vector<Record>{record}, false),
              HasSubstr("Kernels of 1 point spill registers, up to 52 B"));
}

TEST(Verdict, LeavesFailedPointsOut) {
  Record wrong = measured_record();
  wrong.status = Status::failed;
  wrong.measurement->max_error = 0.9;
  wrong.prediction->l2_read_bytes = 9000;
  const std::vector<Record> records{measured_record(), wrong};
  EXPECT_THAT(verdict(records, false), HasSubstr("+1.00"));
  EXPECT_THAT(verdict(records, false), ::testing::Not(HasSubstr("float64")));
}

TEST(Verdict, SaysWhenNothingWasMeasured) {
  EXPECT_EQ(verdict(std::vector<Record>{Record{}}, false), "No point was measured.\n");
}

TEST(Verdict, ListsPointsBeyondTheTolerance) {
  const std::vector<Record> records{measured_record()};
  EXPECT_THAT(tolerance_report(records, parse_tolerance("l2=0.5%")), HasSubstr("flash2"));
  EXPECT_EQ(tolerance_report(records, parse_tolerance("l2=2%")), "");
}

}  // namespace
}  // namespace hbmscope
