// A GPU's description: what is accepted says the same when written and read again, and the model can predict
// with it.
#include <string>

#include "sim/gpu.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/predict_once.h"
#include "tests/fuzz/toml_text.h"

namespace hbmscope::fuzz {
namespace {

void put_cache(TomlText& out, const CacheLevel& cache) {
  out.heading("[[cache]]");
  out.put("name", cache.name);
  out.put("instances", cache.instances);
  if (cache.sms_per_instance > 0) out.put("sms_per_instance", cache.sms_per_instance);
  out.put("capacity_bytes", cache.capacity_bytes);
  out.put("line_bytes", cache.line_bytes);
  out.put("sector_bytes", cache.sector_bytes);
  out.put("home_rule", cache.home_rule);
  out.put("copies", cache.copies);
  out.heading(cache.memory_side ? "memory_side = true" : "memory_side = false");
}

void put_limits(TomlText& out, const SmLimits& limits) {
  out.heading("[limits]");
  out.put("threads_per_sm", limits.threads_per_sm);
  out.put("warps_per_sm", limits.warps_per_sm);
  out.put("ctas_per_sm", limits.ctas_per_sm);
  out.put("threads_per_cta", limits.threads_per_cta);
  out.put("registers_per_sm", limits.registers_per_sm);
  out.put("registers_per_thread", limits.registers_per_thread);
  out.put("shared_bytes_per_sm", limits.shared_bytes_per_sm);
  out.put("shared_bytes_per_cta", limits.shared_bytes_per_cta);
  out.put("shared_bytes_reserved", limits.shared_bytes_reserved);
}

std::string toml_of(const GpuSpec& gpu) {
  TomlText out;
  out.put("name", gpu.name);
  out.put("full_name", gpu.full_name);
  out.put("chip", gpu.chip);
  out.put("compute_capability", gpu.compute_capability);
  out.put("sms", gpu.sms);
  out.put("dies", gpu.dies);
  out.put("clock_hz", gpu.clock_hz);
  out.put("tensor_clock_hz", gpu.tensor_clock_hz);
  out.put("hbm_capacity_bytes", gpu.hbm_capacity_bytes);
  out.put("hbm_bytes_per_s", gpu.hbm_bytes_per_s);
  out.put("hbm_bytes_per_s_measured", gpu.hbm_bytes_per_s_measured);
  out.put("l2_bytes_per_s", gpu.l2_bytes_per_s);
  out.put("sram_bytes_per_clock_per_sm", gpu.sram_bytes_per_clock_per_sm);
  out.put("exp_per_clock_per_sm", gpu.exp_per_clock_per_sm);
  out.put("tensor_flops_per_s_datasheet", gpu.tensor_flops_per_s_datasheet);
  out.heading("[tensor_flops_per_clock_per_sm]");
  out.put("bf16", gpu.tensor_flops_bf16);
  out.put("fp16", gpu.tensor_flops_fp16);
  out.put("fp8", gpu.tensor_flops_fp8);
  out.put("fp32", gpu.tensor_flops_fp32);
  for (const CacheLevel& cache : gpu.caches) put_cache(out, cache);
  put_limits(out, gpu.limits);
  return out.text();
}

}  // namespace

bool check_input(std::string_view input) {
  const auto gpu = accepted([&] { return parse_gpu(input, "gpu.toml"); });
  if (!gpu) return false;
  const std::string written = toml_of(*gpu);
  require(toml_of(parse_gpu(written, "written.toml")) == written,
          "a description is the same when read again");
  predict_once(*gpu);
  return true;
}

}  // namespace hbmscope::fuzz
