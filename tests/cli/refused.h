#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/program.h"

namespace hbmscope::testing {

inline void expect_refused(const Result& result, const std::string& words) {
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(count_lines(result.err), 1U) << result.err;
  EXPECT_THAT(result.err, ::testing::StartsWith("hbmscope: " + words));
}

}  // namespace hbmscope::testing
