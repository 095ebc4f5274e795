#include "cli/choose_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names_of(const std::vector<GpuSpec>& gpus) {
  std::vector<std::string> names;
  for (const GpuSpec& gpu : gpus) names.push_back(gpu.name);
  return names;
}

Record record_of(const std::string& gpu) {
  Record record;
  record.point.gpu = gpu;
  return record;
}

TEST(ChangedGpus, AreEveryCombination) {
  const std::vector<GpuSpec> gpus =
      changed_gpus({load_gpu("h200"), load_gpu("h100-sxm")}, {{"sms=66", "sms=132"}, {"clock=1GHz"}});
  EXPECT_THAT(names_of(gpus), ElementsAre("h200+sms=66+clock=1GHz", "h200+sms=132+clock=1GHz",
                                          "h100-sxm+sms=66+clock=1GHz", "h100-sxm+sms=132+clock=1GHz"));
  EXPECT_THAT(names_of(changed_gpus({load_gpu("h200")}, {})), ElementsAre("h200"));
}

TEST(ChangedGpus, EqualValuesCountOnce) {
  const std::vector<GpuSpec> gpus =
      changed_gpus({load_gpu("h200")}, {{"l2.capacity=61440KiB", "l2.capacity=50MiB", "l2.capacity=60MiB"}});
  EXPECT_THAT(names_of(gpus), ElementsAre("h200+l2.capacity=60MiB", "h200+l2.capacity=50MiB"));
}

TEST(ChangedGpus, AreRefusedWhereTheyAreTooMany) {
  const std::vector<std::string> values(kLargestChangedGpus + 1, "sms=66");
  EXPECT_THROW(changed_gpus({load_gpu("h200")}, {values}), UserError);
}

TEST(GpusOf, AreThoseThatRecordsNameEachOnce) {
  const std::vector<GpuSpec> gpus =
      gpus_of({record_of("l4"), record_of("mine"), record_of("h200+sms=66"), record_of("l4")});
  ASSERT_THAT(names_of(gpus), ElementsAre("l4", "h200+sms=66"));
  EXPECT_EQ(gpus[1].sms, 66);
}

// The page finds a row's GPU by the name that the row has.
TEST(GpusOf, KeepTheSpellingOfTheRecords) {
  const std::string name = "h200+l2.capacity=61440KiB";
  EXPECT_THAT(names_of(gpus_of({record_of(name), record_of(name)})), ElementsAre(name));
}

TEST(ChooseGpu, NamesTheOptionForWhatIsNotThere) {
  try {
    choose_gpu("h300");
    FAIL() << "h300 was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--gpu");
    EXPECT_EQ(error.value(), "h300");
  }
  EXPECT_EQ(choose_gpu("l4").name, "l4");
}

TEST(ChooseGpu, KnowsAGpuByItsDriversName) {
  EXPECT_TRUE(describes(load_gpu("h200"), "NVIDIA H200"));
  EXPECT_FALSE(describes(load_gpu("h200"), "NVIDIA H100"));
}

}  // namespace
}  // namespace hbmscope
