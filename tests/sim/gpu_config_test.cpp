#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "sim/error.h"
#include "sim/gpu.h"

namespace hbmscope {
namespace {

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

struct Datasheet {
  const char* name;
  double fp16_tflops;
  double tf32_tflops;
  double fp8_tflops;  // 0: none
  double hbm_gb_per_s;
  std::int64_t l2_mib;
};

}  // namespace

TEST(ShippedGpus, PeaksAreTheDatasheets) {
  const std::vector<Datasheet> sheets{
      {"a100-40", 312, 156, 0, 1555, 40},
      {"a100-80", 312, 156, 0, 2039, 40},
      {"h100-sxm", 989.4, 494.7, 1979, 3350, 50},
      {"h200", 989.4, 494.7, 1979, 4800, 60},
      {"l4", 121, 60.5, 242, 300, 48},
  };
  for (const Datasheet& sheet : sheets) {
    SCOPED_TRACE(sheet.name);
    const GpuSpec gpu = load_gpu(sheet.name);
    const double scale = static_cast<double>(gpu.sms) * gpu.tensor_clock_hz.value / 1e12;
    EXPECT_NEAR(gpu.tensor_flops_fp16->value * scale, sheet.fp16_tflops, 0.003 * sheet.fp16_tflops);
    EXPECT_NEAR(gpu.tensor_flops_bf16->value * scale, sheet.fp16_tflops, 0.003 * sheet.fp16_tflops);
    EXPECT_NEAR(gpu.tensor_flops_fp32->value * scale, sheet.tf32_tflops, 0.003 * sheet.tf32_tflops);
    EXPECT_EQ(gpu.tensor_flops_fp8.has_value(), sheet.fp8_tflops > 0);
    if (gpu.tensor_flops_fp8) {
      EXPECT_NEAR(gpu.tensor_flops_fp8->value * scale, sheet.fp8_tflops, 0.003 * sheet.fp8_tflops);
    }
    EXPECT_DOUBLE_EQ(gpu.hbm_bytes_per_s.value, sheet.hbm_gb_per_s * 1e9);
    EXPECT_DOUBLE_EQ(gpu.caches.back().capacity_bytes.value,
                     static_cast<double>(static_cast<Bytes>(sheet.l2_mib) * kMiB));
  }
  EXPECT_EQ(gpu_names().size(), sheets.size()) << "a shipped GPU is missing from this table";
}

TEST(ShippedGpus, AllLoadAndGiveTheirSources) {
  for (const std::string& name : gpu_names()) {
    SCOPED_TRACE(name);
    const GpuSpec gpu = load_gpu(name);
    EXPECT_EQ(gpu.name, name);
    EXPECT_GE(gpu.clock_hz.value, gpu.tensor_clock_hz.value);
    for (const SourcedValue& quantity : {gpu.clock_hz, gpu.hbm_bytes_per_s, gpu.sram_bytes_per_clock_per_sm,
                                         gpu.exp_per_clock_per_sm, gpu.caches.at(0).capacity_bytes}) {
      EXPECT_FALSE(quantity.source.empty());
    }
    EXPECT_EQ(gpu.limits.warps_per_sm * 32, gpu.limits.threads_per_sm);
    // What the driver keeps for a CTA is all that separates the two limits.
    EXPECT_EQ(gpu.limits.shared_bytes_per_cta + gpu.limits.shared_bytes_reserved,
              gpu.limits.shared_bytes_per_sm);
  }
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
       {"tiny.toml:9", "hbm_bytes_per_s.value", "a positive number"}},
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
