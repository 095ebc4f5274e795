#include "cli/point_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "cli/command.h"
#include "cli/point_parsers.h"
#include "sim/error.h"
#include "tests/cli/default_axes.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// flash2 at these lengths.
PointList points_of(std::vector<std::int64_t> seqlens, std::int64_t batch = 1) {
  PointAxes axes = default_axes();
  parse_algorithms("--algorithm", "flash2", axes);
  axes.seqlens = std::move(seqlens);
  axes.batches = {batch};
  return PointList(std::move(axes));
}

PointWork work_of(const PointList& points, Journal* journal = nullptr) {
  return {.points = points, .range = {0, points.size()}, .terminal = {.quiet = true}, .journal = journal};
}

struct Lengths {
  std::vector<std::int64_t> made;
  std::vector<std::int64_t> taken;
};

Lengths work_through_lengths(const PointWork& work) {
  Lengths lengths;
  const auto make = [&](const PointContext&, const Point& point) {
    lengths.made.push_back(point.problem.seqlen_q);
    return MadeRecord{.record = {.point = point}};
  };
  const std::size_t done = work_through(work, "working", make, [&](const Record& record) {
    lengths.taken.push_back(record.point.problem.seqlen_q);
  });
  EXPECT_EQ(done, lengths.taken.size());
  return lengths;
}

TEST(PointWork, MakesThePointsOfItsRangeInOrder) {
  const PointList points = points_of({64, 128, 256, 512});
  PointWork work = work_of(points);
  EXPECT_THAT(work_through_lengths(work).taken, ElementsAre(64, 128, 256, 512));
  work.range = {1, 3};
  EXPECT_THAT(work_through_lengths(work).taken, ElementsAre(128, 256));
}

TEST(PointWork, HandsOnWhatTheJournalHoldsAndMakesTheRest) {
  const Workspace workspace;
  const std::string path = workspace.path("run.journal");
  {
    Journal journal({.path = path}, {}, {{"command", "test"}});
    work_through_lengths(work_of(points_of({128, 512}), &journal));
  }
  Journal journal({.path = path, .resume = true}, {}, {{"command", "test"}});
  const PointList points = points_of({64, 128, 256, 512});
  const Lengths lengths = work_through_lengths(work_of(points, &journal));
  EXPECT_THAT(lengths.made, ElementsAre(64, 256));
  EXPECT_THAT(lengths.taken, ElementsAre(64, 128, 256, 512));
  EXPECT_EQ(read_journal(path).records.size(), 4U);
}

TEST(PointWork, EndsWithinAPointThatIsStopped) {
  const PointList points = points_of({64, 128, 256});
  std::size_t taken = 0;
  const auto make = [&](const PointContext&, const Point& point) {
    if (point.problem.seqlen_q == 128) throw Stopped();
    return MadeRecord{.record = {.point = point}};
  };
  EXPECT_EQ(work_through(work_of(points), "working", make, [&](const Record&) { ++taken; }), 1U);
  EXPECT_EQ(taken, 1U);
}

// 2^30 batches of 2^30 rows exceed 64 bits.
TEST(PredictedPoints, CountThoseWithoutAPrediction) {
  const PointList points = points_of({64, kLargestSize, kLargestSize / 2}, kLargestSize);
  std::vector<Status> statuses;
  const PredictedPoints made = predict_points(
      work_of(points), false, [&](const Record& record) { statuses.push_back(record.status); });
  EXPECT_THAT(statuses, ElementsAre(Status::ok, Status::skipped, Status::skipped));
  EXPECT_EQ(made.done, 3U);
  EXPECT_EQ(made.skipped, 2U);
  EXPECT_THAT(made.reason, HasSubstr("exceeds 64 bits"));
}

TEST(PredictedPoints, GiveTheExitCode) {
  const PointList points = points_of({64, 128});
  const PointWork work = work_of(points);
  EXPECT_EQ(prediction_exit_code({.done = 2}, work), kDone);
  EXPECT_EQ(prediction_exit_code({.done = 2, .skipped = 1, .reason = "too large"}, work), kDone);
  EXPECT_EQ(prediction_exit_code({.done = 1}, work), kInterrupted);
  try {
    prediction_exit_code({.done = 2, .skipped = 2, .reason = "too large"}, work);
    FAIL() << "nothing was predicted";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "points: none of 2 can be predicted: too large");
  }
}

TEST(PredictPoint, KeepsThePointOfWhatItCannotCount) {
  const PointList points = points_of({kLargestSize}, kLargestSize);
  Point point;
  const PointContext context = points.fill(0, point);
  PredictionScratch scratch;
  const Record record = predict_point(context, point, scratch, true);
  EXPECT_EQ(record.point.problem.seqlen_q, kLargestSize);
  EXPECT_EQ(record.status, Status::skipped);
  EXPECT_FALSE(record.prediction || record.feasible);
  EXPECT_THAT(record.launches, IsEmpty());
}

}  // namespace
}  // namespace hbmscope::testing
