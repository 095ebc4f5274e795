#include "sim/l2/hbm_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/predict.h"

namespace hbmscope::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// On an H200, by its own kernels, bf16, head dim 128.
Point point_of(std::string algorithm, std::int64_t heads, std::int64_t seqlen, L2Mode mode = L2Mode::replay) {
  Point point;
  point.gpu = "h200";
  point.algorithm = std::move(algorithm);
  point.variant = "mma";
  point.problem = {.batch = 1, .heads = heads, .kv_heads = heads, .seqlen_q = seqlen, .seqlen_kv = seqlen};
  point.l2_mode = mode;
  return point;
}

std::vector<std::string> reasons_of(const Point& point) { return predict_record(point).hbm_reasons; }

}  // namespace

// Two CTAs on each of 132 SMs, 32 q tiles of 128 rows to a head: 264 / 32 heads of 2 · 4096 · 128 · 2 bytes.
TEST(HbmReasons, SayThatLiveHeadsFit) {
  const std::vector<std::string> reasons = reasons_of(point_of("flash2", 16, 4096));
  EXPECT_THAT(reasons[0],
              StartsWith("io counts every access, 1.11 GB, and compulsory every byte once, 67.4 MB: "
                         "1/16.4 of that. The difference is K 50 % and V 50 %."));
  EXPECT_THAT(
      reasons,
      Contains(HasSubstr("Of 58.8 MiB of L2 that addresses reach, 29.4 MiB count for what all SMs read")));
  EXPECT_THAT(reasons, Contains(StartsWith(
                           "flash2: 264 of 512 CTAs in flight. K and V are read 32 times, 32 CTAs to a head; "
                           "8.2 heads live at once: 16.5 MiB of them against 29.4 MiB effective. They fit")));
  // 8 heads are finished before the next ones begin: hardly a tile is read from DRAM twice.
  EXPECT_THAT(reasons.back(), StartsWith("Beyond the compulsory bytes DRAM moves 508 kB: K 92 % and V 8 %."));
}

// One head's K and V are 64 MiB, and 264 of its 1024 CTAs run at once.
TEST(HbmReasons, SayThatAHeadIsTooLargeAndHowFarCtasDrift) {
  const std::vector<std::string> reasons = reasons_of(point_of("flash2", 1, 131072, L2Mode::none));
  EXPECT_THAT(reasons, Contains(AllOf(HasSubstr("1 head live at once: 64.0 MiB of them against 29.4 MiB"),
                                      HasSubstr("each of the 3.9 waves of a head"),
                                      HasSubstr("0.907 of the older one's rate and is 5.87 MiB behind"))));
}

// CTAs of 64 rows and heads of 64 columns wait for DRAM longer than the younger one needs more.
TEST(HbmReasons, SayThatCtasKeepInStep) {
  Point point = point_of("flash2", 1, 131072, L2Mode::none);
  point.problem.head_dim = point.problem.head_dim_v = 64;
  point.tile.br = 64;
  EXPECT_THAT(
      reasons_of(point),
      Contains(HasSubstr("0.953 of the older one's rate, but keeps in step: both wait for what neither")));
}

TEST(HbmReasons, SayWhatLaterLaunchesFind) {
  EXPECT_THAT(reasons_of(point_of("standard", 16, 512)),
              Contains("P = softmax(S) reads 8.00 MiB of S that launches before it had, against 39.2 MiB "
                       "effective: all of it is found in the L2."));
  EXPECT_THAT(
      reasons_of(point_of("standard", 16, 2048)),
      Contains(AllOf(StartsWith("P = softmax(S) reads 128 MiB of S"), HasSubstr("comes back from DRAM"))));
  EXPECT_THAT(
      reasons_of(point_of("standard", 16, 2048, L2Mode::none)),
      Contains(AllOf(StartsWith("P = softmax(S) reads 128 MiB of S"), HasSubstr("too much to be found"))));
}

// One CTA walks a head's Q and O again for each K/V tile: what one SM reads has 39 MiB.
TEST(HbmReasons, SayWhatIsRewrittenAndReadByOneCta) {
  const std::vector<std::string> reasons = reasons_of(point_of("flash1", 16, 4096));
  EXPECT_THAT(reasons,
              Contains(AllOf(HasSubstr("1 CTA to a head; 16 heads live at once: 48.5 MiB of them against "
                                       "39.2 MiB effective. They do not fit: what a walk leaves"))));
  EXPECT_THAT(reasons, Contains(AllOf(StartsWith("O fp32, l and m are written over and over"),
                                      HasSubstr("no more than 25.7 MiB of lines stay dirty"))));
}

TEST(HbmReasons, SayThatSpilledRegistersTakeSpace) {
  Point point = point_of("flash2", 16, 4096);
  point.variant = "fa2";
  point.kv_walk = Walk::down;
  EXPECT_THAT(reasons_of(point), Contains(StartsWith("Spilled registers take 1.80 MiB of the L2: 264 CTAs")));
}

// A GPU with one side has no copies to speak of.
TEST(HbmReasons, SayNothingOfSidesWhereThereIsOne) {
  Point point = point_of("flash2", 16, 4096);
  point.gpu = "l4";
  const std::vector<std::string> reasons = reasons_of(point);
  EXPECT_THAT(reasons, Contains(HasSubstr("against 48.0 MiB of L2")));
  EXPECT_THAT(reasons, Not(Contains(HasSubstr("count for"))));
}

// One query tile for each head: nothing is read twice.
TEST(HbmReasons, SayThatIoAndCompulsoryCoincide) {
  const std::vector<std::string> reasons = reasons_of(point_of("flash2", 16, 64));
  EXPECT_THAT(reasons[0], HasSubstr("coincide"));
}

TEST(HbmConclusions, NameTheOptionThatSaysMore) {
  Record record = predict_record(point_of("flash2", 16, 4096, L2Mode::none));
  EXPECT_THAT(hbm_conclusions(record), testing::ElementsAre(HasSubstr("--l2 replay predicts")));
  record.measurement = {.hbm_read_bytes = record.prediction->compulsory_bytes,
                        .hbm_write_bytes = 0,
                        .hbm_deferred_write_bytes = record.prediction->compulsory_bytes};
  EXPECT_THAT(hbm_conclusions(record),
              testing::ElementsAre(HasSubstr("--l2 replay predicts"),
                                   "Measured: 135 MB at DRAM, 2.00 times compulsory and 1/8.2 of io."));
}

TEST(HbmConclusions, CompareThePredictionOfTheReplay) {
  const Record record = predict_record(point_of("flash2", 16, 4096));
  EXPECT_THAT(hbm_conclusions(record),
              testing::ElementsAre(
                  "Predicted by --l2 replay: 67.9 MB at DRAM, 1.01 times compulsory and 1/16.3 of io."));
}

}  // namespace hbmscope::test
