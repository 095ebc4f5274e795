#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"
#include "sim/predict.h"

namespace hbmscope {
namespace {

struct Special {
  const char* option;
  Plan plan;
  bool Takes::*taken;
};

const std::vector<Special>& specials() {
  static const std::vector<Special> all{
      {"--direction", {.problem = {.direction = Direction::backward}}, &Takes::backward},
      {"--direction", {.problem = {.direction = Direction::both}}, &Takes::backward},
      {"--splits", {.tile = {.splits = 2}}, &Takes::splits},
      {"--page-size", {.problem = {.page_size = 16}}, &Takes::paged},
      {"--order", {.order = Order::head_fastest}, &Takes::head_fastest},
      {"--kv-walk", {.kv_walk = Walk::down}, &Takes::kv_walks},
      {"--kv-walk", {.kv_walk = Walk::alternating}, &Takes::kv_walks},
  };
  return all;
}

Program built(const Algorithm& algorithm, const Variant& variant, const Plan& plan) {
  Program program;
  build_program(algorithm, variant, plan, program);
  return program;
}

// The names of the grid's loops, fastest first.
std::vector<std::string_view> grid_of(const Launch& launch) {
  std::vector<std::string_view> names;
  for (int loop = 0; loop < launch.grid_loops; ++loop) names.push_back(launch.loops[loop].name);
  return names;
}

}  // namespace

TEST(CheckPlan, FollowsWhatAVariantTakes) {
  const Algorithm& flash2 = find_algorithm("flash2");
  for (const Special& special : specials()) {
    Variant variant = flash2.variants.front();
    variant.takes = {};
    try {
      check_plan(flash2, variant, special.plan);
      ADD_FAILURE() << special.option << " was accepted";
    } catch (const UserError& error) {
      EXPECT_EQ(error.input(), special.option);
      EXPECT_THAT(error.accepted(), testing::HasSubstr("flash2 mma"));
    }
    variant.takes.*special.taken = true;
    EXPECT_NO_THROW(check_plan(flash2, variant, special.plan)) << special.option;
    EXPECT_NO_THROW(check_plan(flash2, {}, {}));
  }
}

// A backward pass alone has its K/V tiles in the grid.
TEST(CheckPlan, WalksOverKeysForwardOnly) {
  const Algorithm& flash2 = find_algorithm("flash2");
  const auto check = [&](Direction direction) {
    check_plan(flash2, flash2.variants.front(),
               {.problem = {.direction = direction}, .kv_walk = Walk::alternating});
  };
  EXPECT_THROW(check(Direction::backward), UserError);
  EXPECT_NO_THROW(check(Direction::both));
}

TEST(CheckPlan, NamesTheVariantsThatDo) {
  const Algorithm& flash1 = find_algorithm("flash1");
  try {
    check_plan(flash1, find_variant(flash1, "mma"), {.problem = {.direction = Direction::backward}});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.accepted(),
              "expected forward: flash1 mma describes no backward pass; --variant paper or autograd does");
  }
}

// A prediction of what the variant does not take would be that of something else.
TEST(CheckPlan, IsAskedByEveryPrediction) {
  const GpuSpec gpu = load_gpu("h200");
  PredictionScratch scratch;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      const PointContext context{&gpu, algorithm, &variant};
      for (const Special& special : specials()) {
        if (variant.takes.*special.taken) continue;
        EXPECT_THROW(predict(context, special.plan, L2Mode::none, scratch), UserError)
            << algorithm->name << " " << variant.name << " " << special.option;
      }
    }
  }
}

// What is taken shows in the program; what is not does not, which is why it is refused.
TEST(CheckPlan, TakesTheOrdersThatGridsHonour) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      const Program usual = built(*algorithm, variant, {});
      const Program other = built(*algorithm, variant, {.order = Order::head_fastest});
      bool honoured = true;
      for (int l = 0; l < usual.launches.count(); ++l) {
        honoured = honoured && grid_of(usual.launches[l]) != grid_of(other.launches[l]);
      }
      EXPECT_EQ(variant.takes.head_fastest, honoured) << algorithm->name << " " << variant.name;
    }
  }
}

TEST(CheckPlan, TakesTheWalksThatLoopsHonour) {
  const auto walks = [](const Program& program) {
    std::vector<Walk> found;
    for (const Launch& launch : program.launches) {
      for (const Loop& loop : launch.loops) found.push_back(loop.walk);
    }
    return found;
  };
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      const std::vector<Walk> usual = walks(built(*algorithm, variant, {}));
      for (const Walk walk : {Walk::down, Walk::alternating}) {
        const bool honoured = walks(built(*algorithm, variant, {.kv_walk = walk})) != usual;
        EXPECT_EQ(variant.takes.kv_walks, honoured) << algorithm->name << " " << variant.name;
      }
    }
  }
}

}  // namespace hbmscope
