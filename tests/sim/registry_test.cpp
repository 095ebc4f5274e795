#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/algorithms/algorithm.h"
#include "sim/error.h"

namespace hbmscope {

TEST(Registry, FindsWhatItLists) {
  std::set<std::string_view> names;
  for (const Algorithm* algorithm : algorithms()) {
    EXPECT_TRUE(names.insert(algorithm->name).second) << algorithm->name;
    EXPECT_EQ(&find_algorithm(algorithm->name), algorithm);
    EXPECT_FALSE(algorithm->summary.empty());
    std::set<std::string_view> variants;
    for (const Variant& variant : algorithm->variants) {
      EXPECT_TRUE(variants.insert(variant.name).second) << variant.name;
      EXPECT_EQ(&find_variant(*algorithm, variant.name), &variant);
      EXPECT_FALSE(variant.summary.empty());
      EXPECT_EQ(variant.has_kernel, variant.limit != nullptr) << algorithm->name << " " << variant.name;
    }
    EXPECT_TRUE(variants.contains("paper")) << algorithm->name;
  }
  EXPECT_TRUE(names.contains("standard") && names.contains("flash1") && names.contains("flash2"));
}

// An unfused algorithm is one whose scores, a row for each query and a column for each key, are tensors.
TEST(Registry, KnowsWhichAlgorithmsAreUnfused) {
  const Plan plan{.problem = {.seqlen_q = 512, .seqlen_kv = 1024}};
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      Program program;
      build_program(*algorithm, variant, plan, program);
      bool stores_scores = false;
      for (const Tensor& tensor : program.tensors) {
        stores_scores = stores_scores || (tensor.rows % plan.problem.seqlen_q == 0 &&
                                          tensor.columns >= plan.problem.seqlen_kv);
      }
      EXPECT_EQ(algorithm->unfused, stores_scores) << algorithm->name << " " << variant.name;
    }
  }
}

TEST(Registry, NamesWhatThereIs) {
  try {
    find_algorithm("flash");
    ADD_FAILURE() << "flash was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.value(), "flash");
    EXPECT_THAT(error.accepted(),
                testing::AllOf(testing::HasSubstr("standard"), testing::HasSubstr("flash2")));
  }
  try {
    find_variant(find_algorithm("flash1"), "fa9");
    ADD_FAILURE() << "flash1 fa9 was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--variant");
    EXPECT_THAT(error.accepted(), testing::AllOf(testing::HasSubstr("paper"), testing::HasSubstr("flash1")));
  }
}

// A program that was used before is emptied first.
TEST(Registry, BuildsIntoAnUsedProgram) {
  Program program;
  const Algorithm& standard = find_algorithm("standard");
  const Algorithm& flash2 = find_algorithm("flash2");
  build_program(standard, find_variant(standard, "mma"), {}, program);
  EXPECT_EQ(program.launches.count(), 3);
  build_program(flash2, find_variant(flash2, "mma"), {}, program);
  EXPECT_EQ(program.launches.count(), 1);
  EXPECT_EQ(program.algorithm, "flash2");
  EXPECT_NO_THROW(check_program(program));
}

}  // namespace hbmscope
