#include "cli/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cli/point_parsers.h"
#include "reports/field_value.h"
#include "sim/record_fields.h"
#include "tests/cli/default_axes.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

// flash2 at two lengths under two masks: four plans for each L2 mode.
PointAxes replayed_axes() {
  PointAxes axes = default_axes();
  parse_algorithms("--algorithm", "flash2", axes);
  axes.seqlens = {512, 640};
  parse_masks("--mask", "full,causal", axes);
  axes.l2_modes = {L2Mode::replay};
  return axes;
}

PointWork work_of(const PointList& points, std::size_t threads, Journal* journal = nullptr) {
  return {.points = points,
          .range = {0, points.size()},
          .terminal = {.quiet = true},
          .journal = journal,
          .threads = threads};
}

std::vector<Record> made_by(Predictions& predictions, const PointList& points) {
  std::vector<Record> records;
  Point point;
  for (std::size_t index = 0; index < points.size(); ++index) {
    const PointContext context = points.fill(index, point);
    records.push_back(predictions.make(context, point));
  }
  return records;
}

std::string text_of(const Record& record) {
  std::string text;
  for (const Field& field : record_fields()) {
    append_value(text, field.get(record));
    text += ',';
  }
  return text;
}

TEST(Predictions, ReplayAPlanOnceForAllItsPlacementsAndSeeds) {
  PointAxes axes = replayed_axes();
  axes.placements = {0, 1, 2};
  axes.seeds = {1, 7};
  const PointList points(axes);
  ASSERT_EQ(points.size(), 24U);
  for (const std::size_t threads : {1U, 3U}) {
    const PointWork work = work_of(points, threads);
    Predictions predictions(work, true);
    const std::vector<Record> records = made_by(predictions, points);
    EXPECT_EQ(predictions.replayed(), 4U) << threads;
    PredictionScratch scratch;
    Point point;
    for (std::size_t index = 0; index < points.size(); ++index) {
      const PointContext context = points.fill(index, point);
      const Record alone = predict_point(context, point, scratch, true);
      EXPECT_EQ(text_of(records[index]), text_of(alone));
      EXPECT_EQ(records[index].traffic, alone.traffic);
    }
  }
}

// Seeds come before masks: with one plan kept, each is forgotten before it is asked for again.
TEST(Predictions, KeepAsManyPlansAsTheyAreTold) {
  PointAxes axes = replayed_axes();
  axes.seqlens = {512};
  axes.seeds = {1, 7, 8};
  const PointList points(axes);
  const PointWork work = work_of(points, 1);
  for (const auto& [most, replayed] : {std::pair<std::size_t, std::size_t>{1, 6}, {2, 2}}) {
    Predictions predictions(work, false, most);
    made_by(predictions, points);
    EXPECT_EQ(predictions.replayed(), replayed);
    EXPECT_LE(predictions.kept(), most);
  }
}

TEST(Predictions, AreNotMadeAheadOfWhatTheJournalHolds) {
  const Workspace workspace;
  const PointList points(replayed_axes());
  Point point;
  {
    Journal journal({.path = workspace.path("run.journal")}, {}, {{"command", "test"}});
    for (const std::size_t known : {1U, 2U, 3U}) {
      points.fill(known, point);
      journal.add({.point = point});
    }
  }
  Journal again({.path = workspace.path("run.journal"), .resume = true}, {}, {{"command", "test"}});
  const PointWork resumed = work_of(points, 2, &again);
  Predictions predictions(resumed, false);
  const PointContext context = points.fill(0, point);
  predictions.make(context, point);
  EXPECT_EQ(predictions.replayed(), 1U);
}

// Of closed forms nothing is kept.
TEST(Predictions, MakeClosedFormsWhenTheyAreAskedFor) {
  PointAxes axes = replayed_axes();
  axes.l2_modes = {L2Mode::none, L2Mode::replay};
  const PointList points(axes);
  const PointWork work = work_of(points, 2);
  Predictions predictions(work, false);
  const std::vector<Record> records = made_by(predictions, points);
  EXPECT_EQ(predictions.replayed(), 4U);
  EXPECT_FALSE(records[0].prediction->hbm_read_bytes_p05);
  EXPECT_TRUE(records[1].prediction->hbm_read_bytes_p05);
}

}  // namespace
}  // namespace hbmscope::testing
