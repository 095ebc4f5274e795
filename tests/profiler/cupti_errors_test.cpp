#include "profiler/cupti_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hbmscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CuptiErrors, EveryRowIsCompleteAndUnique) {
  std::set<int> codes;
  for (const CuptiErrorText& text : cupti_error_texts()) {
    EXPECT_TRUE(codes.insert(text.code).second) << text.code;
    EXPECT_TRUE(text.name.starts_with("CUPTI_ERROR_")) << text.name;
    EXPECT_FALSE(text.meaning.empty()) << text.name;
    EXPECT_FALSE(text.cure.empty()) << text.name;
  }
}

TEST(CuptiErrors, MissingPermissionNamesBothCures) {
  EXPECT_THAT(cupti_error_words("cuptiRangeProfilerStart", 35),
              AllOf(HasSubstr("cuptiRangeProfilerStart"), HasSubstr("root or with CAP_SYS_ADMIN"),
                    HasSubstr("NVreg_RestrictProfilingToAdminUsers=0")));
}

TEST(CuptiErrors, BusyCountersNameDcgm) {
  EXPECT_THAT(cupti_error_words("f", 26), HasSubstr("dcgmi profile --pause"));
}

TEST(CuptiErrors, MissingHostLibraryIsNamed) {
  EXPECT_THAT(cupti_error_words("f", 15), HasSubstr("libnvperf_host.so"));
}

TEST(CuptiErrors, SpecialGpusAreNamed) {
  EXPECT_THAT(cupti_error_words("f", 33), HasSubstr("vGPU"));
  EXPECT_THAT(cupti_error_words("f", 40), HasSubstr("vGPU"));
  EXPECT_THAT(cupti_error_words("f", 41), HasSubstr("confidential computing"));
  EXPECT_THAT(cupti_error_words("f", 43), HasSubstr("MIG"));
  EXPECT_THAT(cupti_error_words("f", 45), HasSubstr("WSL"));
}

TEST(CuptiErrors, AnUnexplainedCodeStillGivesItsNumber) {
  EXPECT_EQ(find_cupti_error(12345), nullptr);
  EXPECT_THAT(cupti_error_words("cuptiNew", 12345), AllOf(HasSubstr("cuptiNew"), HasSubstr("12345")));
}

}  // namespace
}  // namespace hbmscope
