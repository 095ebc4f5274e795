#include "sim/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sim/error.h"
#include "tests/reports/temporary_folder.h"

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array kShipped{EmbeddedFile{"configs/gpus/small.toml", "sms = 1"},
                              EmbeddedFile{"configs/gpus/large.toml", "sms = 100"}};

class ConfigFile : public TemporaryFolder {
 protected:
  // What is said of a name or file that is not accepted.
  static std::string refusal(const std::string& name_or_file) {
    try {
      find_config("--gpu", kShipped, name_or_file);
    } catch (const UserError& error) {
      EXPECT_EQ(error.input(), "--gpu");
      EXPECT_EQ(error.value(), name_or_file);
      return error.accepted();
    }
    return "";
  }
};

TEST_F(ConfigFile, NamesAreSortedAndWithoutFolderAndExtension) {
  EXPECT_THAT(config_names(kShipped), ElementsAre("large", "small"));
}

TEST_F(ConfigFile, IsFoundByItsName) {
  const ConfigText found = find_config("--gpu", kShipped, "large");
  EXPECT_EQ(found.text, "sms = 100");
  EXPECT_EQ(found.origin, "configs/gpus/large.toml");
}

TEST_F(ConfigFile, IsReadFromAPath) {
  put(path("large.toml"), "sms = 7\n");
  const ConfigText found = find_config("--gpu", kShipped, path("large.toml"));
  EXPECT_EQ(found.text, "sms = 7\n");
  EXPECT_EQ(found.origin, path("large.toml"));
}

// A slash or the extension makes a path; what is neither is a name.
TEST_F(ConfigFile, SaysWhatThereIsInsteadOfWhatIsNot) {
  EXPECT_EQ(refusal("medium"), "expected one of large, small, or a file");
  EXPECT_EQ(refusal("large.toml"), "expected a readable file, or one of large, small");
  EXPECT_EQ(refusal(path("missing")), "expected a readable file, or one of large, small");
  EXPECT_THAT(refusal(path("")), HasSubstr("readable file")) << "a folder is no file";
}

}  // namespace
}  // namespace hbmscope
