#include "cli/roof_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/hbm_text.h"

namespace hbmscope {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The tensor cores do 1000 FLOP in the time of 10 HBM bytes, 20 L2 bytes or one exponential.
Record record_of(const std::string& limiter) {
  Record record;
  record.feasible = true;
  record.prediction.emplace();
  record.prediction->time_s = 0.002;
  record.prediction->limiter = limiter;
  record.launches.resize(1);
  record.roofs = {{"hbm", 2, 10, 0.0001, limiter == "hbm" ? 0.002 : 0},
                  {"l2", 80, 20, 0.002, limiter == "l2" ? 0.002 : 0},
                  {"tensor", 1600, 1000, 0.0016, 0},
                  {"exp", 4, 1, 0.0004, limiter == "exp" ? 0.002 : 0}};
  return record;
}

std::string text_of(const Record& record) { return roof_text(std::span(&record, 1), false); }

TEST(RoofText, NamesTheLimiterAndTheOtherRoofs) {
  EXPECT_THAT(text_of(record_of("l2")),
              HasSubstr("limiter: l2, at least 2.000 ms (tensor 1.600, exp 0.400, hbm 0.100)"));
}

// Of several launches a roof may take longest in all, and another one limit for longer.
TEST(RoofText, SaysHowLongARoofHoldsOfSeveralLaunches) {
  Record record = record_of("l2");
  record.launches.resize(2);
  record.roofs[1].binds_s = 0.0015;
  EXPECT_THAT(text_of(record),
              HasSubstr("limiter: l2, 1.500 of at least 2.000 ms (each roof alone: l2 2.000, "
                        "tensor 1.600, exp 0.400, hbm 0.100)"));
}

// 1600 FLOP for 2 HBM bytes, 80 L2 bytes and 4 exponentials.
TEST(RoofText, SaysWhyInWords) {
  EXPECT_THAT(text_of(record_of("hbm")),
              HasSubstr("why: memory-bound: 800 FLOP per HBM byte, ridge point 100\n"));
  EXPECT_THAT(text_of(record_of("tensor")),
              HasSubstr("why: compute-bound: 800 FLOP per HBM byte, ridge point 100\n"));
  EXPECT_THAT(text_of(record_of("l2")), HasSubstr("why: memory-bound at the L2: 20 FLOP per L2 byte, ridge "
                                                  "point 50; 800 FLOP per HBM byte, ridge point 100\n"));
  EXPECT_THAT(text_of(record_of("exp")), HasSubstr("why: compute-bound by exponentials: 400 FLOP per "
                                                   "exponential, ridge point 1000; 800 FLOP per HBM byte"));
  Record unknown = record_of("hbm");
  unknown.roofs.erase(unknown.roofs.begin() + 2);
  EXPECT_THAT(text_of(unknown), HasSubstr("why: memory-bound\n"));
}

TEST(RoofText, NamesTheRoofsThatAreNotKnown) {
  Record record = record_of("hbm");
  EXPECT_THAT(text_of(record),
              HasSubstr("left out: sram (the rate, or what is asked of it, is not known)\n"));
  record.roofs.push_back({"sram", 100, 40, 0.0001, 0});
  EXPECT_THAT(text_of(record), Not(HasSubstr("left out")));
}

TEST(RoofText, SaysWhereTheLimiterChangesHands) {
  Record record = record_of("l2");
  record.crossovers = {{"seqlen",
                        64,
                        512,
                        64,
                        8,
                        {{64, 128, "hbm"}, {192, 192, "l2"}, {256, 384, "exp"}, {448, 512, "tensor"}}},
                       {"batch", 1, 64, 1, 64, {{1, 64, "l2"}}},
                       {"br", 16, 256, 16, 0, {}}};
  const std::string text = text_of(record);
  EXPECT_THAT(text,
              ContainsRegex("--seqlen +64..512\\+64 +8  hbm <= 128; l2 192; exp 256..384; tensor >= 448\n"));
  EXPECT_THAT(text, ContainsRegex("--batch +1..64\\+1 +64  never: l2\n"));
  EXPECT_THAT(text, ContainsRegex("--br +16..256\\+16 +0  -\n"));
}

TEST(RoofText, ShowsTheFirstAndTheLastOfManyStretches) {
  Record record = record_of("l2");
  CrossoverRow row{"br", 1, 9, 1, 9, {}};
  for (std::int64_t i = 1; i <= 9; ++i) row.stretches.push_back({i, i, i % 2 == 0 ? "hbm" : "l2"});
  record.crossovers = {row};
  EXPECT_THAT(text_of(record), HasSubstr("l2 <= 1; hbm 2; l2 3; hbm 4; ... 4 more in JSON ...; l2 >= 9\n"));
}

TEST(RoofText, SaysWhyHbmBytesDiffer) {
  Record record = record_of("l2");
  EXPECT_THAT(text_of(record), Not(HasSubstr("HBM bytes, and why")));
  record.hbm_reasons = {"K is read 4 times."};
  record.point.l2_mode = L2Mode::none;
  EXPECT_THAT(text_of(record),
              HasSubstr("HBM bytes, and why:\n  K is read 4 times.\n  Predicted HBM bytes are the "
                        "compulsory ones (--l2 none); --l2 replay"));
}

// Of points that were measured, a few; of more, none.
TEST(MeasuredHbmText, NamesAFewPoints) {
  std::vector<Record> records{record_of("l2"), record_of("hbm")};
  records[1].point.problem.seqlen_q = 777;
  for (Record& record : records) record.hbm_reasons = {"K is read 4 times."};
  EXPECT_EQ(measured_hbm_text(records, false), "");
  records[1].measurement = {.hbm_read_bytes = 2000000, .hbm_write_bytes = 0, .hbm_deferred_write_bytes = 0};
  EXPECT_THAT(measured_hbm_text(records, false),
              AllOf(StartsWith("\nseqlen 777"), HasSubstr("K is read 4 times.\n"),
                    HasSubstr("Measured: 2.00 MB at DRAM")));
  records.resize(5, records[1]);
  EXPECT_EQ(measured_hbm_text(records, false), "");
}

TEST(RoofText, IsEmptyWithoutRoofs) {
  Record record = record_of("l2");
  record.roofs.clear();
  EXPECT_EQ(text_of(record), "");
}

}  // namespace
}  // namespace hbmscope
