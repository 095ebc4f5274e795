#include "cli/point_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/point_columns.h"
#include "cli/point_options.h"
#include "sim/error.h"
#include "tests/cli/default_axes.h"

namespace hbmscope {
namespace {

using testing::default_axes;

Point point_at(const PointList& points, std::size_t index) {
  Point point;
  points.fill(index, point);
  return point;
}

TEST(PointOptions, AreNamedOnceAndExplained) {
  std::set<std::string_view> names;
  for (const PointOption& option : point_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.name.starts_with("--"));
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
}

TEST(PointOptions, RefuseAnEmptyValue) {
  PointAxes axes = default_axes();
  for (const PointOption& option : point_options()) {
    EXPECT_THROW(option.parse(option.name, "", axes), UserError) << option.name;
  }
}

TEST(PointOptions, DefaultsAreThoseOfTheModel) {
  const PointList points(default_axes());
  const Point point = point_at(points, points.size() - 1);
  EXPECT_EQ(points.size(), 2U);
  EXPECT_EQ(describe_point(point), [] {
    Point usual;
    usual.gpu = "h200";
    usual.algorithm = "flash2";
    usual.variant = "mma";
    return describe_point(usual);
  }());
}

TEST(PointList, FollowersTakeTheValueTheyFollow) {
  PointAxes axes = default_axes();
  axes.heads = {4, 8};
  axes.seqlens = {64, 128};
  axes.head_dims = {32};
  const PointList points(std::move(axes));
  for (std::size_t index = 0; index < points.size(); ++index) {
    const Problem problem = point_at(points, index).problem;
    EXPECT_EQ(problem.kv_heads, problem.heads);
    EXPECT_EQ(problem.seqlen_kv, problem.seqlen_q);
    EXPECT_EQ(problem.head_dim_v, 32);
  }
}

// A kernel that others built brings its own tile, order and walk; a value that is given has to agree.
TEST(PointList, TakesFromTheVariantWhatItImplies) {
  PointAxes axes = default_axes();
  const Algorithm& flash2 = find_algorithm("flash2");
  axes.implementations = {{&flash2, &find_variant(flash2, "mma")}, {&flash2, &find_variant(flash2, "fa2")}};
  axes.head_dims = {64, 128};
  axes.bcs.clear();
  axes.stages.clear();
  axes.orders.clear();
  axes.kv_walks.clear();
  const PointList points(axes);
  ASSERT_EQ(points.size(), 4U);
  const std::vector<std::int64_t> bcs{64, 128, 64, 64};
  for (std::size_t index = 0; index < points.size(); ++index) {
    const Point point = point_at(points, index);
    EXPECT_EQ(point.tile.br, 128) << index;
    EXPECT_EQ(point.tile.bc, bcs[index]) << index;
    EXPECT_EQ(point.tile.stages, 1) << index;
    EXPECT_EQ(point.kv_walk, point.variant == "mma" ? Walk::up : Walk::down) << index;
  }
  axes.bcs = {64};
  EXPECT_THROW(PointList{axes}, UserError);
}

TEST(PointList, TokensKeepBatchTimesSeqlen) {
  PointAxes axes = default_axes();
  axes.tokens = {16384};
  axes.seqlens = {512, 1024, 16384};
  const PointList points(std::move(axes));
  for (std::size_t index = 0; index < points.size(); ++index) {
    const Problem problem = point_at(points, index).problem;
    EXPECT_EQ(problem.batch * problem.seqlen_q, 16384);
  }
}

TEST(PointList, TokensMustBeAMultipleOfSeqlen) {
  PointAxes axes = default_axes();
  axes.tokens = {16384};
  axes.seqlens = {512, 1000};
  EXPECT_THROW(PointList{std::move(axes)}, UserError);
}

TEST(PointList, MakesEveryCombinationOnceTheLastAxisFastest) {
  PointAxes axes = default_axes();
  axes.seqlens = {64, 128};
  axes.masks = {{Mask::full, 0}, {Mask::causal, 0}};
  axes.brs = {16, 32, 48};
  const PointList points(std::move(axes));
  ASSERT_EQ(points.size(), 2U * 2 * 2 * 3);
  std::set<std::string> seen;
  for (std::size_t index = 0; index < points.size(); ++index) {
    EXPECT_TRUE(seen.insert(describe_point(point_at(points, index))).second) << index;
  }
  EXPECT_EQ(point_at(points, 0).tile.br, 16);
  EXPECT_EQ(point_at(points, 1).tile.br, 32);
  EXPECT_EQ(point_at(points, 3).algorithm, "flash2");
  EXPECT_EQ(point_at(points, 6).problem.mask, Mask::causal);
  EXPECT_EQ(point_at(points, 12).problem.seqlen_q, 128);
}

TEST(PointList, ChecksEveryProblem) {
  PointAxes axes = default_axes();
  axes.heads = {8, 16};
  axes.kv_heads = {16};
  EXPECT_THROW(PointList{std::move(axes)}, UserError);
}

TEST(PointList, RefusesMorePointsThanItsLimit) {
  PointAxes axes = default_axes();
  axes.seqlens.assign(100'000, 1);
  axes.brs.assign(100'000, 16);
  axes.bcs.assign(100'000, 16);
  axes.seeds.assign(100'000, 1);
  EXPECT_THROW(PointList{std::move(axes)}, UserError);
}

}  // namespace
}  // namespace hbmscope
