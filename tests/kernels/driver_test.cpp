#include "kernels/cuda/driver.h"

#include <gtest/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

// Holds on a machine without a driver, with a driver and no GPU, and with both.
TEST(Driver, IsThereOrSaysHowToGetIt) {
  const std::string reason = gpu_absence_reason();
  if (reason.empty()) {
    EXPECT_GE(driver_cuda_version(), 12000);
    EXPECT_GT(installed_gpu().sms, 0);
    return;
  }
  EXPECT_THROW(driver(), UserError);
  EXPECT_THROW(installed_gpu(), UserError);
  EXPECT_EQ(reason.rfind("the CUDA driver: ", 0), 0U) << reason;
  EXPECT_TRUE(reason.find("install the NVIDIA driver") != std::string::npos ||
              reason.find("nvidia-smi") != std::string::npos)
      << reason;
}

}  // namespace
}  // namespace hbmscope
