#include <gtest/gtest.h>

namespace hbmscope {
namespace {

// Linked into the executables with label `cuda`: what they need (the toolkit, no GPU) was there when they
// were built, so a test that skips hides a broken toolkit.
class FailOnSkip : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Skipped()) ADD_FAILURE() << "skipped, but a CUDA toolkit was found at build time";
  }
};

const bool kRegistered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new FailOnSkip);  // owned by GoogleTest
  return true;
}();

}  // namespace
}  // namespace hbmscope
