#include "kernels/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace hbmscope {
namespace {

TEST(ParallelFor, CallsEveryIndexOnce) {
  std::vector<std::atomic<int>> calls(1000);
  parallel_for(1000, [&](std::int64_t index) { ++calls[static_cast<std::size_t>(index)]; });
  for (const std::atomic<int>& count : calls) ASSERT_EQ(count, 1);
}

TEST(ParallelFor, DoesNothingForNothing) {
  parallel_for(0, [](std::int64_t) { FAIL(); });
}

TEST(ParallelFor, ThrowsWhatACallThrew) {
  EXPECT_THROW(parallel_for(100,
                            [](std::int64_t index) {
                              if (index == 41) throw std::runtime_error("41");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace hbmscope
