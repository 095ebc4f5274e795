#include "profiler/recorded_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Record record_of(std::int64_t seqlen, std::string hash, std::optional<std::uint64_t> hbm_read) {
  Record record;
  record.point.gpu = "h200";
  record.point.algorithm = "flash2";
  record.point.variant = "mma";
  record.point.problem.seqlen_q = seqlen;
  record.point.problem.seqlen_kv = seqlen;
  record.kernel_hash = std::move(hash);
  if (hbm_read) {
    record.measurement.emplace();
    record.measurement->hbm_read_bytes = hbm_read;
  }
  return record;
}

TEST(RecordedSource, FindsTheSamePointAndKernel) {
  const RecordedSource source({record_of(1024, "a", 1), record_of(2048, "a", 2)});
  Record wanted = record_of(2048, "a", std::nullopt);
  EXPECT_EQ(source.fill(wanted), RecordedFit::fresh);
  EXPECT_EQ(wanted.measurement->hbm_read_bytes, 2U);
  EXPECT_EQ(wanted.provenance.source, "recorded");
  EXPECT_FALSE(wanted.provenance.stale);
  EXPECT_EQ(wanted.provenance.note, "");
}

TEST(RecordedSource, AnotherKernelIsStaleAndSaysSo) {
  const RecordedSource source({record_of(1024, "old", 1)});
  Record wanted = record_of(1024, "new", std::nullopt);
  EXPECT_EQ(source.fill(wanted), RecordedFit::stale);
  EXPECT_TRUE(wanted.provenance.stale);
  EXPECT_THAT(wanted.provenance.note, AllOf(HasSubstr("stale"), HasSubstr("old"), HasSubstr("new")));
}

TEST(RecordedSource, AFreshRowWinsWhereverItStands) {
  for (const bool fresh_first : {true, false}) {
    std::vector<Record> rows{record_of(1024, "old", 1), record_of(1024, "new", 2)};
    if (fresh_first) std::swap(rows[0], rows[1]);
    const RecordedSource source(rows);
    const RecordedMatch match = source.find(rows[0].point, "new");
    ASSERT_EQ(match.fit, RecordedFit::fresh);
    EXPECT_EQ(match.record->measurement->hbm_read_bytes, 2U);
  }
}

TEST(RecordedSource, TwoRowsOfOnePointAndKernelAreRefused) {
  EXPECT_THROW(RecordedSource({record_of(1024, "a", 1), record_of(1024, "a", 2)}), UserError);
  EXPECT_NO_THROW(RecordedSource({record_of(1024, "a", 1), record_of(1024, "b", 2)}));
  EXPECT_NO_THROW(RecordedSource({record_of(1024, "a", 1), record_of(1024, "a", std::nullopt)}));
}

TEST(RecordedSource, EveryKeyColumnSeparatesPoints) {
  const RecordedSource source({record_of(1024, "a", 1)});
  const auto fit = [&](auto change) {
    Record record = record_of(1024, "a", std::nullopt);
    change(record.point);
    return source.find(record.point, "a").fit;
  };
  EXPECT_EQ(fit([](Point&) {}), RecordedFit::fresh);
  EXPECT_EQ(fit([](Point& p) { p.gpu = "h100"; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.variant = "wgmma"; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.problem.mask = Mask::causal; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.problem.dtype = DataType::fp16; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.tile.br = 16; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.cache_state = CacheState::warm; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.placement = 3; }), RecordedFit::none);
  EXPECT_EQ(fit([](Point& p) { p.seed = 3; }), RecordedFit::none);
}

// The L2 mode is how a prediction was made; a measurement does not depend on it.
TEST(RecordedSource, TheL2ModeDoesNotSeparatePoints) {
  const RecordedSource source({record_of(1024, "a", 1)});
  Record wanted = record_of(1024, "a", std::nullopt);
  wanted.point.l2_mode = L2Mode::replay;
  EXPECT_EQ(source.fill(wanted), RecordedFit::fresh);
}

TEST(RecordedSource, RowsWithoutAMeasurementAreNoRecords) {
  const RecordedSource source({record_of(1024, "a", std::nullopt)});
  EXPECT_EQ(source.size(), 0U);
  Record wanted = record_of(1024, "a", std::nullopt);
  EXPECT_EQ(source.fill(wanted), RecordedFit::none);
  EXPECT_EQ(wanted.measurement, std::nullopt);
  EXPECT_EQ(wanted.provenance.source, "");
}

TEST(RecordedSource, KeepsTheNoteOfTheRow) {
  Record row = record_of(1024, "old", 1);
  row.provenance.note = "sram_read absent: busy";
  const RecordedSource source({row});
  Record wanted = record_of(1024, "new", std::nullopt);
  source.fill(wanted);
  EXPECT_THAT(wanted.provenance.note, HasSubstr("sram_read absent: busy; stale:"));
}

}  // namespace
}  // namespace hbmscope
