#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/error.h"
#include "sim/gpu.h"

namespace hbmscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A complete description; tests spoil one line of it.
constexpr std::string_view kWhole = R"(name = "tiny"
full_name = "Tiny GPU"
chip = "T1"
compute_capability = 80
sms = 4
clock_hz = { value = 1e9, source = "test" }
tensor_clock_hz = { value = 1e9, source = "test" }
hbm_capacity_bytes = { value = 1e9, source = "test" }
hbm_bytes_per_s = { value = 1e12, source = "test" }
sram_bytes_per_clock_per_sm = { value = 128, source = "test" }
exp_per_clock_per_sm = { value = 16, source = "test", measured = true }
[tensor_flops_per_clock_per_sm]
fp16 = { value = 1024, source = "test" }
[[cache]]
name = "L2"
instances = 2
capacity_bytes = { value = 1048576, source = "test" }
line_bytes = 128
sector_bytes = 32
home_rule = "address hash"
copies = 2
[limits]
threads_per_sm = 2048
warps_per_sm = 64
ctas_per_sm = 32
threads_per_cta = 1024
registers_per_sm = 65536
registers_per_thread = 255
shared_bytes_per_sm = 167936
shared_bytes_per_cta = 166912
shared_bytes_reserved = 1024
)";

std::string replaced(std::string_view what, std::string_view by) {
  std::string text(kWhole);
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::logic_error("the test replaces what is not there");
  return text.replace(at, what.size(), by);
}

// The message of the error that `text` causes; "" if it is accepted.
std::string error_of(const std::string& text) {
  try {
    parse_gpu(text, "tiny.toml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

// What calibration adds to a description.
const std::string kCalibrated = [] {
  std::string text = replaced("copies = 2\n", R"(copies = 2
replacement = "LRU"
ways = { value = 16, source = "test", measured = true }
reached_bytes = { value = 1000000, source = "test", measured = true }
stretch_bytes = { value = 262144, source = "test", measured = true }
stretch_swaps = [3, 0, 15]
dirty_share = { value = 0.47, source = "test", measured = true }
)");
  return text.insert(text.find("[tensor"),
                     R"(younger_cta_rate = { value = 0.9, source = "test", measured = true }
lone_cta_rate = { value = 1.4, source = "test", measured = true }
shared_step_deviation = { value = 0.025, source = "test", measured = true }
lone_sm_deviation = { value = 0.0035, source = "test", measured = true }
gpc_clock_deviation = { value = 0.0025, source = "test", measured = true }
[[cta_rates]]
kernel = "flash2_mma"
br = 32
head_dim = 64
source = "test"
measured = true
builds = [
  { mask = "causal", order = "head-fastest", kv_walk = "down", bc = 128, younger = 0.95, further = 0.85, lone = 1.3, stall = 0.35, quiet_stall = 0.2, shared_stall = [0.07, 0.1, 0.3], ctas_per_sm = 3 },
  { younger = 0.94, lone = 1.2 },
]
[measured]
hbm_copy_bytes_per_s = { value = 9e11, source = "test", measured = true }
tensor_flops_per_clock_per_sm_bf16 = { value = 600, source = "test", measured = true }
l2_latency_clocks = { value = 300, source = "test", measured = true }
hbm_latency_clocks = { value = 700, source = "test", measured = true }
launch_ns = { value = 2000, source = "test", measured = true }
)");
}();

TEST(ParseGpu, ReadsWhatWasMeasured) {
  const GpuSpec gpu = parse_gpu(kCalibrated, "tiny.toml");
  EXPECT_EQ(gpu.l2().replacement, "LRU");
  EXPECT_DOUBLE_EQ(gpu.l2().ways.value().value, 16);
  EXPECT_DOUBLE_EQ(gpu.l2().stretch_bytes.value().value, 262144);
  EXPECT_DOUBLE_EQ(gpu.l2().reached_bytes.value().value, 1000000);
  EXPECT_THAT(gpu.l2().stretch_swaps, testing::ElementsAre(3, 0, 15));
  EXPECT_DOUBLE_EQ(gpu.shared_step_deviation.value().value, 0.025);
  EXPECT_DOUBLE_EQ(gpu.lone_sm_deviation.value().value, 0.0035);
  EXPECT_DOUBLE_EQ(gpu.gpc_clock_deviation.value().value, 0.0025);
  EXPECT_DOUBLE_EQ(gpu.l2().dirty_share.value().value, 0.47);
  EXPECT_DOUBLE_EQ(gpu.younger_cta_rate.value().value, 0.9);
  EXPECT_DOUBLE_EQ(gpu.lone_cta_rate.value().value, 1.4);
  ASSERT_EQ(gpu.cta_rates.size(), 1U);
  EXPECT_EQ(gpu.cta_rates[0].kernel, "flash2_mma");
  EXPECT_EQ(gpu.cta_rates[0].br, 32);
  EXPECT_EQ(gpu.cta_rates[0].head_dim, 64);
  EXPECT_EQ(gpu.cta_rates[0].source, "test");
  EXPECT_TRUE(gpu.cta_rates[0].measured);
  ASSERT_EQ(gpu.cta_rates[0].builds.size(), 2U);
  const BuildCtaRates& build = gpu.cta_rates[0].builds[0];
  EXPECT_EQ(build.mask, Mask::causal);
  EXPECT_EQ(build.order, Order::head_fastest);
  EXPECT_EQ(build.kv_walk, Walk::down);
  EXPECT_EQ(build.bc, 128);
  EXPECT_EQ(build.rates.younger, 0.95);
  EXPECT_EQ(build.rates.further, 0.85);
  EXPECT_EQ(build.rates.lone, 1.3);
  EXPECT_EQ(build.rates.stall, 0.35);
  EXPECT_EQ(build.rates.quiet_stall, 0.2);
  EXPECT_THAT(build.rates.shared_stall, testing::ElementsAre(0.07, 0.1, 0.3));
  EXPECT_EQ(build.rates.ctas_per_sm, 3);
  const BuildCtaRates& plain_build = gpu.cta_rates[0].builds[1];
  EXPECT_FALSE(plain_build.mask || plain_build.order || plain_build.kv_walk || plain_build.bc);
  EXPECT_EQ(plain_build.rates.further, 0.94);  // as the second one
  EXPECT_EQ(plain_build.rates.stall, 0);
  EXPECT_FALSE(plain_build.rates.quiet_stall.has_value());
  EXPECT_EQ(plain_build.rates.shared_stall, SharedStalls{});
  EXPECT_EQ(plain_build.rates.ctas_per_sm, 2);
  EXPECT_DOUBLE_EQ(gpu.measured.hbm_copy_bytes_per_s.value().value, 9e11);
  EXPECT_DOUBLE_EQ(gpu.measured.tensor_flops_per_clock_per_sm_bf16.value().value, 600);
  EXPECT_DOUBLE_EQ(gpu.measured.l2_latency_clocks.value().value, 300);
  EXPECT_DOUBLE_EQ(gpu.measured.hbm_latency_clocks.value().value, 700);
  EXPECT_DOUBLE_EQ(gpu.measured.launch_ns.value().value, 2000);
  EXPECT_TRUE(gpu.measured.launch_ns->measured);
  EXPECT_FALSE(gpu.measured.exp_per_clock_per_sm.has_value());
  const GpuSpec plain = parse_gpu(kWhole, "tiny.toml");
  EXPECT_EQ(plain.l2().replacement, "");
  EXPECT_FALSE(plain.l2().ways || plain.l2().stretch_bytes || plain.l2().dirty_share);
  EXPECT_FALSE(plain.l2().reached_bytes || !plain.l2().stretch_swaps.empty());
  EXPECT_FALSE(plain.shared_step_deviation || plain.lone_sm_deviation || plain.gpc_clock_deviation);
  EXPECT_FALSE(plain.younger_cta_rate || plain.lone_cta_rate || !plain.cta_rates.empty());
}

// The replay divides by them and keeps lists for them.
TEST(ParseGpu, RefusesWhatNoReplayCanTake) {
  const auto spoiled = [](std::string_view what, std::string_view by) {
    std::string text = kCalibrated;
    return error_of(text.replace(text.find(what), what.size(), by));
  };
  EXPECT_EQ(error_of(kCalibrated), "");
  EXPECT_THAT(spoiled("ways = { value = 16,", "ways = { value = 16.5,"),
              AllOf(HasSubstr("cache.ways"), HasSubstr("16.5"), HasSubstr("whole number from 1 to 4096")));
  EXPECT_THAT(spoiled("262144", "262145"), AllOf(HasSubstr("cache.stretch_bytes"), HasSubstr("16384")));
  EXPECT_THAT(spoiled("262144", "8192"), HasSubstr("cache.stretch_bytes"));
  EXPECT_THAT(spoiled("0.47", "1.01"), AllOf(HasSubstr("cache.dirty_share"), HasSubstr("at most 1")));
  EXPECT_THAT(spoiled("value = 0.9", "value = 1.1"), HasSubstr("younger_cta_rate"));
  EXPECT_THAT(spoiled("value = 1.4", "value = 0.001"), HasSubstr("lone_cta_rate"));
  EXPECT_THAT(spoiled("younger = 0.95", "younger = 1.1"),
              AllOf(HasSubstr("key cta_rates.builds.younger: '1.1'"), HasSubstr("from 0.01 to 1")));
  EXPECT_THAT(spoiled("further = 0.85", "further = 0"), HasSubstr("key cta_rates.builds.further: '0'"));
  EXPECT_THAT(spoiled("lone = 1.3", "lone = 101"), HasSubstr("key cta_rates.builds.lone: '101'"));
  EXPECT_THAT(spoiled(", stall = 0.35", ", stall = nan"), HasSubstr("key cta_rates.builds.stall: 'nan'"));
  EXPECT_THAT(spoiled("quiet_stall = 0.2", "quiet_stall = -1"),
              HasSubstr("key cta_rates.builds.quiet_stall: '-1'"));
  EXPECT_THAT(
      spoiled("[0.07, 0.1, 0.3]", "[0.07, -1, 0.3]"),
      AllOf(HasSubstr("key cta_rates.builds.shared_stall: '-1'"), HasSubstr("3 numbers from 1e-06 to 100")));
  EXPECT_THAT(spoiled("[0.07, 0.1, 0.3]", "[0.07, 0.1, nan]"), HasSubstr("shared_stall: 'nan'"));
  EXPECT_THAT(spoiled("[0.07, 0.1, 0.3]", "[0.07, 0.1, \"a\"]"), HasSubstr("shared_stall"));
  EXPECT_THAT(spoiled("[0.07, 0.1, 0.3]", "[0.07, 0.1]"), HasSubstr("3 numbers"));
  EXPECT_THAT(spoiled("[0.07, 0.1, 0.3]", "0.07"), HasSubstr("3 numbers"));
  EXPECT_THAT(spoiled("ctas_per_sm = 3", "ctas_per_sm = 1"),
              HasSubstr("key cta_rates.builds.ctas_per_sm: '1'"));
  EXPECT_THAT(spoiled("\"causal\"", "\"lower\""),
              AllOf(HasSubstr("key cta_rates.builds.mask: 'lower'"), HasSubstr("full, causal or window")));
  EXPECT_THAT(spoiled("\"head-fastest\"", "\"any\""), HasSubstr("key cta_rates.builds.order: 'any'"));
  EXPECT_THAT(spoiled("\"down\"", "\"left\""), HasSubstr("key cta_rates.builds.kv_walk: 'left'"));
  EXPECT_THAT(spoiled("bc = 128", "bc = 0"), HasSubstr("key cta_rates.builds.bc: '0'"));
  EXPECT_THAT(spoiled("younger = 0.94, ", ""), HasSubstr("younger is missing"));
  EXPECT_THAT(spoiled("younger = 0.94, ", "younger = 0.94, oldest = 1, "), HasSubstr("oldest"));
  EXPECT_THAT(spoiled("value = 0.025", "value = 0.4"), HasSubstr("key shared_step_deviation: '0.4'"));
  EXPECT_THAT(spoiled("value = 0.0035", "value = 0.4"), HasSubstr("key lone_sm_deviation: '0.4'"));
  EXPECT_THAT(spoiled("value = 0.0025", "value = 0.4"), HasSubstr("key gpc_clock_deviation: '0.4'"));
  EXPECT_THAT(spoiled("value = 1000000", "value = 1e9"),
              AllOf(HasSubstr("cache.reached_bytes"), HasSubstr("at most capacity_bytes")));
  EXPECT_THAT(spoiled("[3, 0, 15]", "[3, 0, 16]"),
              AllOf(HasSubstr("cache.stretch_swaps: '16'"), HasSubstr("whole numbers from 0 to 15")));
  EXPECT_THAT(spoiled("[3, 0, 15]", "[3, 0.5]"), HasSubstr("cache.stretch_swaps: '0.5'"));
  EXPECT_THAT(spoiled("stretch_bytes = { value = 262144, source = \"test\", measured = true }\n", ""),
              HasSubstr("no such key where there is no stretch_bytes"));
  EXPECT_THAT(spoiled("[3, 0, 15]", "3"), HasSubstr("cache.stretch_swaps: '3'"));
  EXPECT_THAT(spoiled("head_dim = 64", "head_dim = 0"), HasSubstr("cta_rates.head_dim"));
  EXPECT_THAT(spoiled("br = 32", "br = 0"), HasSubstr("cta_rates.br"));
  const std::size_t begin = kCalibrated.find("[[cta_rates]]");
  const std::string table = kCalibrated.substr(begin, kCalibrated.find("[measured]") - begin);
  EXPECT_THAT(spoiled("[measured]\n", table + "[measured]\n"), HasSubstr("each tile of a kernel once"));
  EXPECT_THAT(spoiled("sms = ", "sm_runs_rotate = true\nsms = "), HasSubstr("sm_runs_rotate"));
  EXPECT_THAT(spoiled("kernel = \"flash2_mma\"\n", ""), HasSubstr("cta_rates.kernel"));
  EXPECT_THAT(spoiled("launch_ns", "launch_ms"), HasSubstr("measured.launch_ms"));
}

TEST(ParseGpu, TakesAGpuWithoutCuda) {
  EXPECT_FALSE(parse_gpu(replaced("compute_capability = 80\n", ""), "tiny.toml").compute_capability);
}

TEST(ParseGpu, ReadsEveryKey) {
  const GpuSpec gpu = parse_gpu(kWhole, "tiny.toml");
  EXPECT_EQ(gpu.sms, 4);
  EXPECT_EQ(gpu.dies, 1);
  EXPECT_FALSE(gpu.l2_bytes_per_s.has_value());
  EXPECT_FALSE(gpu.tensor_flops_bf16.has_value());
  EXPECT_TRUE(gpu.exp_per_clock_per_sm.measured);
  EXPECT_EQ(gpu.caches.at(0).copies, 2);
  EXPECT_DOUBLE_EQ(gpu.sram_bytes_per_s(), 128 * 4 * 1e9);
  EXPECT_DOUBLE_EQ(gpu.exp_per_s(), 16 * 4 * 1e9);
  EXPECT_DOUBLE_EQ(gpu.tensor_flops_per_s(DataType::fp16).value(), 1024 * 4 * 1e9);
  EXPECT_FALSE(gpu.tensor_flops_per_s(DataType::bf16).has_value());
}

// Every error names file:line, key, value and what is accepted.
TEST(ParseGpu, NamesWhatIsWrong) {
  struct Case {
    std::string text;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases{
      {replaced("sms = 4", "sms = 4\nsmms = 5"), {"tiny.toml:6", "smms", "unknown", "full_name"}},
      {replaced("line_bytes = 128\n", "line_byte = 128\n"), {"tiny.toml:14", "cache.line_bytes", "missing"}},
      {replaced("sms = 4\n", ""), {"tiny.toml:1", "sms", "missing", "whole number"}},
      {replaced("sms = 4", "sms = \"4\""), {"tiny.toml:5", "sms", "'4'", "a whole number from 1 to 65536"}},
      {replaced("sms = 4", "sms = 4.5"), {"tiny.toml:5", "sms", "4.5", "whole number"}},
      {replaced("sms = 4", "sms = 0"), {"tiny.toml:5", "sms", "'0'", "from 1"}},
      {replaced("sms = 4", "sms = -4"), {"tiny.toml:5", "sms", "'-4'", "from 1"}},
      {replaced("sms = 4", "sms = 4611686018427387904"), {"tiny.toml:5", "4611686018427387904", "to 65536"}},
      {replaced("value = 1e12", "value = -1e12"),
       {"tiny.toml:9", "hbm_bytes_per_s.value", "a number from 1e-06 to 1e+18"}},
      {replaced("value = 1e12", "value = 1e-9"), {"tiny.toml:9", "hbm_bytes_per_s.value", "1e-09"}},
      {replaced("value = 1e12", "value = 1e19"), {"tiny.toml:9", "hbm_bytes_per_s.value", "1e+19"}},
      {replaced("value = 1e12", "value = nan"), {"tiny.toml:9", "hbm_bytes_per_s.value", "nan"}},
      {replaced("value = 1e12", "value = inf"), {"tiny.toml:9", "hbm_bytes_per_s.value", "inf"}},
      {replaced("value = 1e12", "value = true"), {"tiny.toml:9", "hbm_bytes_per_s.value", "true"}},
      {replaced("{ value = 1e12, source = \"test\" }", "1e12"),
       {"tiny.toml:9", "hbm_bytes_per_s", "a table"}},
      {replaced("{ value = 1e12, source = \"test\" }", "{ value = 1e12 }"),
       {"tiny.toml:9", "hbm_bytes_per_s.source", "missing"}},
      {replaced("name = \"tiny\"", "name = \"\""), {"tiny.toml:1", "name", "not empty"}},
      {replaced("measured = true", "measured = 1"), {"tiny.toml:11", "measured", "true or false"}},
      {replaced("[[cache]]", "[cache]"), {"cache", "[[cache]]"}},
      {replaced("[limits]", "[limit]"), {"limits", "missing"}},
      {replaced("name = \"L2\"", "name = \"L3\""), {"tiny.toml", "cache", "name = \"L2\""}},
      // 4 SMs x 1024 FLOP x 1 GHz = 4.096e12; 4.2e12 is 2.5 % more.
      {replaced("[tensor", "tensor_flops_per_s_datasheet = { value = 4.2e12, source = \"test\" }\n[tensor"),
       {"tiny.toml", "tensor_flops_per_s_datasheet", "4.2e+12", "4.096e+12", "within 1 %"}},
      {replaced("sms = 4", "sms = = 4"), {"tiny.toml:5", "not valid TOML"}},
      {std::string(kWhole.substr(0, 200)), {"tiny.toml:"}},
      {"", {"tiny.toml:1", "name", "missing"}},
  };
  for (const Case& wrong : cases) {
    const std::string message = error_of(wrong.text);
    for (const std::string& said : wrong.said) EXPECT_THAT(message, HasSubstr(said));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_EQ(error_of(std::string(kWhole)), "");
}

TEST(LoadGpu, NamesWhatThereIs) {
  try {
    load_gpu("h300");
    ADD_FAILURE() << "h300 was accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.input(), "--gpu");
    EXPECT_EQ(error.value(), "h300");
    EXPECT_THAT(error.accepted(), HasSubstr("h200"));
  }
  EXPECT_THROW(load_gpu("missing/file.toml"), UserError);
  EXPECT_THROW(load_gpu(""), UserError);
  EXPECT_THROW(load_gpu("/"), UserError);
}

TEST(LoadGpu, ReadsAFile) {
  const std::string path = testing::TempDir() + "hbmscope_tiny.toml";
  std::ofstream(path) << kWhole;
  EXPECT_EQ(load_gpu(path).name, "tiny");
  std::remove(path.c_str());
}

}  // namespace hbmscope
