#include "sim/gpu_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "sim/error.h"

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GpuSpec changed(const std::string& gpu, const std::vector<std::string>& settings) {
  GpuSpec spec = load_gpu(gpu);
  for (const std::string& setting : settings) change_gpu(spec, "--set", setting);
  return spec;
}

const GpuSetting& setting_of(std::string_view key) {
  for (const GpuSetting& setting : gpu_settings()) {
    if (setting.key == key) return setting;
  }
  throw std::logic_error("the test names a setting that is not there");
}

std::string error_of(const std::string& gpu, const std::string& setting) {
  try {
    changed(gpu, {setting});
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--set");
    EXPECT_EQ(error.value(), setting);
    return error.accepted();
  }
  return "";
}

// Half of what the GPU has: within its bounds and another value.
std::string halved(const GpuSetting& setting, const GpuSpec& gpu) {
  return std::string(setting.key) + "=" + setting_text(setting, setting.value(gpu).value() / 2);
}

}  // namespace

TEST(GpuSettings, EachChangesItsOwnNumberOnly) {
  const GpuSpec plain = load_gpu("h200");
  std::set<std::string_view> keys;
  for (const GpuSetting& setting : gpu_settings()) {
    SCOPED_TRACE(setting.key);
    EXPECT_TRUE(keys.insert(setting.key).second);
    EXPECT_FALSE(setting.what.empty());
    const std::string text = halved(setting, plain);
    const GpuSpec gpu = changed("h200", {text});
    for (const GpuSetting& other : gpu_settings()) {
      const double factor = other.key == setting.key ? 0.5 : 1;
      EXPECT_DOUBLE_EQ(other.value(gpu).value(), factor * other.value(plain).value()) << other.key;
    }
    EXPECT_EQ(gpu.name, "h200+" + text);
    EXPECT_EQ(gpu.full_name, plain.full_name);
    EXPECT_THAT(gpu.changes, ElementsAre(text));
  }
}

TEST(GpuSettings, TheSourceIsTheCommandLine) {
  const GpuSpec gpu = changed("gh200-96", {"l2.capacity=100MiB", "hbm.bandwidth=8TB/s"});
  EXPECT_DOUBLE_EQ(gpu.l2().capacity_bytes.value, 100.0 * kMiB);
  EXPECT_EQ(gpu.l2().capacity_bytes.source, "set on the command line: l2.capacity=100MiB");
  EXPECT_EQ(gpu.hbm_bytes_per_s.source, "set on the command line: hbm.bandwidth=8TB/s");
  EXPECT_FALSE(gpu.hbm_bytes_per_s.measured);
  EXPECT_FALSE(gpu.hbm_bytes_per_s_measured.has_value()) << "what was measured is of the unchanged GPU";
  EXPECT_FALSE(gpu.measured.hbm_copy_bytes_per_s.has_value());
}

TEST(GpuSettings, OneGpuHasOneName) {
  const std::string name = "h200+sms=160+l2.capacity=100MiB";
  EXPECT_EQ(changed("h200", {"l2.capacity=100MiB", "sms=160"}).name, name);
  EXPECT_EQ(changed("h200", {"sms=160", "l2.capacity=100MiB"}).name, name);
  const GpuSpec loaded = load_gpu(name);
  EXPECT_EQ(loaded.name, name);
  EXPECT_EQ(loaded.sms, 160);
  EXPECT_DOUBLE_EQ(loaded.l2().capacity_bytes.value, 100.0 * kMiB);
}

TEST(GpuSettings, OneValueHasOneText) {
  const auto name_of = [](const std::string& setting) { return changed("h200", {setting}).name; };
  for (const char* same : {"60MiB", "61440KiB", "60.0MiB", "062914560B"}) {
    EXPECT_EQ(name_of(std::string("l2.capacity=") + same), "h200+l2.capacity=60MiB");
  }
  EXPECT_EQ(name_of("hbm.bandwidth=4000GB/s"), "h200+hbm.bandwidth=4TB/s");
  // 0.017 and 1e12 make 17000000000.000002 in binary.
  EXPECT_EQ(name_of("hbm.bandwidth=0.017TB/s"), name_of("hbm.bandwidth=17GB/s"));
  EXPECT_EQ(name_of("hbm.capacity=0.017TB"), name_of("hbm.capacity=17GB"));
  EXPECT_EQ(name_of("sms=066"), "h200+sms=66");
}

// Whatever digits a value has, its text gives the same value again.
RC_GTEST_PROP(GpuSettingsProperty, TextsReadBack, ()) {
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1'000'000, 1'000'000'000'000'000);
  const auto bytes_per_s = static_cast<double>(bytes) * *rc::gen::element(1.0, 0.125, 1024.0, 1e3);
  RC_PRE(bytes_per_s >= 1e6 && bytes_per_s <= 1e18);
  const GpuSetting& rate = setting_of("hbm.bandwidth");
  const std::string text = setting_text(rate, bytes_per_s);
  const GpuSpec gpu = changed("h200", {"hbm.bandwidth=" + text});
  RC_ASSERT(rate.value(gpu).value() == bytes_per_s);
  RC_ASSERT(gpu.name == "h200+hbm.bandwidth=" + text);
}

TEST(GpuSettings, DependentLimitsStayConsistent) {
  // An XCD keeps an eighth of the compute units.
  const GpuSpec mi300x = changed("mi300x", {"sms=80"});
  EXPECT_EQ(mi300x.l2().sms_per_instance, 10);
  const SmLimits& limits = changed("h200", {"sram.capacity=100KiB"}).limits;
  EXPECT_EQ(limits.shared_bytes_per_sm, 102400);
  EXPECT_EQ(limits.shared_bytes_per_cta, 102400 - 1024);
}

TEST(GpuSettings, ReadsEveryUnit) {
  struct Case {
    const char* setting;
    double value;
  };
  for (const Case& good : {
           Case{"l2.capacity=4096B", 4096},
           Case{"l2.capacity=5kB", 5e3},
           Case{"l2.capacity=1.5MB", 1.5e6},
           Case{"l2.capacity=2GB", 2e9},
           Case{"l2.capacity=2TB", 2e12},
           Case{"l2.capacity=3KiB", 3072},
           Case{"l2.capacity=0.5MiB", 524288},
           Case{"l2.capacity=1GiB", 1073741824},
           Case{"l2.capacity=1KiB", 1024},
           Case{"clock=1500000Hz", 1.5e6},
           Case{"clock=5000kHz", 5e6},
           Case{"clock=1830MHz", 1.83e9},
           Case{"clock=2GHz", 2e9},
           Case{"hbm.bandwidth=2000000B/s", 2e6},
           Case{"hbm.bandwidth=5000kB/s", 5e6},
           Case{"hbm.bandwidth=7MB/s", 7e6},
           Case{"hbm.bandwidth=900GB/s", 9e11},
           Case{"hbm.bandwidth=8TB/s", 8e12},
           Case{"sms=65536", 65536},
       }) {
    SCOPED_TRACE(good.setting);
    const GpuSpec gpu = changed("h200", {good.setting});
    const std::string key = std::string(good.setting).substr(0, std::string(good.setting).find('='));
    EXPECT_DOUBLE_EQ(setting_of(key).value(gpu).value(), good.value);
  }
}

TEST(GpuSettings, RefusesNonsense) {
  for (const char* unknown : {"", "sms", "=3", "l2=3", "SMs=3", "l2.capacity 3", " sms=3"}) {
    EXPECT_THAT(error_of("h200", unknown), HasSubstr("KEY=VALUE, KEY one of sms, clock")) << unknown;
  }
  for (const char* value : {"", "3", "MiB", "3 MiB", "-3MiB", "+3MiB", "3mib", "3e3MiB", "0x3MiB", "nanMiB",
                            "infMiB", "0MiB", "0.3B", "1023B", "1001TB", "3MiB/s", "3MiBx", "1.2.3MiB"}) {
    EXPECT_THAT(error_of("h200", std::string("l2.capacity=") + value), HasSubstr("MiB")) << value;
  }
  for (const char* value : {"8TB", "8", "0TB/s", "2000000TB/s"}) {
    EXPECT_THAT(error_of("h200", std::string("hbm.bandwidth=") + value), HasSubstr("TB/s")) << value;
  }
  for (const char* value : {"0", "1.5", "-1", "65537", "1k", "132SMs"}) {
    EXPECT_THAT(error_of("h200", std::string("sms=") + value), HasSubstr("whole number")) << value;
  }
  EXPECT_THAT(error_of("h200", "clock=2"), HasSubstr("GHz"));
  EXPECT_THAT(error_of("h200", "l2.copies=3"), HasSubstr("at most 2"));
  EXPECT_THAT(error_of("mi300x", "sms=81"), HasSubstr("a multiple of 8"));
  EXPECT_THAT(error_of("h200", "sram.capacity=1KiB"), HasSubstr("1024 bytes that are reserved"));
  EXPECT_THROW(changed("h200", {"sms=1", "clock=1GHz", "sms=2"}), UserError);
}

TEST(GpuSettings, AValueIsPrintedInItsShortestUnit) {
  const auto text_of = [](std::string_view key, const GpuSpec& gpu) {
    return setting_text(setting_of(key), setting_of(key).value(gpu).value());
  };
  const GpuSpec gpu = load_gpu("h200");
  EXPECT_EQ(text_of("l2.capacity", gpu), "60MiB");
  EXPECT_EQ(text_of("hbm.bandwidth", gpu), "4.8TB/s");
  EXPECT_EQ(text_of("sms", gpu), "132");
}

}  // namespace hbmscope
