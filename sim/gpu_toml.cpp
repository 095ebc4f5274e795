#include "sim/gpu_toml.h"

#include <algorithm>

#include "sim/cta_rates_toml.h"
#include "sim/toml_text.h"

namespace hbmscope {
namespace {

void put_comment(TomlText& out, std::string_view comment) {
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    out.line("# " + std::string(comment.substr(0, end)));
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
}

void put_rates(TomlText& out, const GpuSpec& gpu) {
  out.put("clock_hz", gpu.clock_hz);
  out.put("tensor_clock_hz", gpu.tensor_clock_hz);
  out.put("hbm_capacity_bytes", gpu.hbm_capacity_bytes);
  out.put("hbm_bytes_per_s", gpu.hbm_bytes_per_s);
  out.put("hbm_bytes_per_s_measured", gpu.hbm_bytes_per_s_measured);
  out.put("l2_bytes_per_s", gpu.l2_bytes_per_s);
  out.put("sram_bytes_per_clock_per_sm", gpu.sram_bytes_per_clock_per_sm);
  out.put("exp_per_clock_per_sm", gpu.exp_per_clock_per_sm);
  out.put("tensor_flops_per_s_datasheet", gpu.tensor_flops_per_s_datasheet);
  out.put("younger_cta_rate", gpu.younger_cta_rate);
  out.put("lone_cta_rate", gpu.lone_cta_rate);
  out.put("shared_step_deviation", gpu.shared_step_deviation);
  out.put("lone_sm_deviation", gpu.lone_sm_deviation);
  out.put("gpc_clock_deviation", gpu.gpc_clock_deviation);
  out.line("\n[tensor_flops_per_clock_per_sm]");
  out.put("bf16", gpu.tensor_flops_bf16);
  out.put("fp16", gpu.tensor_flops_fp16);
  out.put("fp8", gpu.tensor_flops_fp8);
  out.put("fp32", gpu.tensor_flops_fp32);
}

// Without a table where nothing was measured.
void put_measured(TomlText& out, const MeasuredRates& rates) {
  TomlText table;
  table.put("hbm_copy_bytes_per_s", rates.hbm_copy_bytes_per_s);
  table.put("sram_bytes_per_clock_per_sm", rates.sram_bytes_per_clock_per_sm);
  table.put("exp_per_clock_per_sm", rates.exp_per_clock_per_sm);
  table.put("tensor_flops_per_clock_per_sm_bf16", rates.tensor_flops_per_clock_per_sm_bf16);
  table.put("tensor_flops_per_clock_per_sm_fp16", rates.tensor_flops_per_clock_per_sm_fp16);
  table.put("l2_latency_clocks", rates.l2_latency_clocks);
  table.put("hbm_latency_clocks", rates.hbm_latency_clocks);
  table.put("launch_ns", rates.launch_ns);
  table.put("cta_start_skew_ns", rates.cta_start_skew_ns);
  if (!table.text().empty()) out.line("\n[measured]\n" + table.text().substr(0, table.text().size() - 1));
}

void put_cache(TomlText& out, const CacheLevel& cache) {
  out.line("\n[[cache]]");
  out.put("name", cache.name);
  out.put("instances", cache.instances);
  if (cache.sms_per_instance > 0) out.put("sms_per_instance", cache.sms_per_instance);
  out.put("capacity_bytes", cache.capacity_bytes);
  out.put("line_bytes", cache.line_bytes);
  out.put("sector_bytes", cache.sector_bytes);
  out.put("home_rule", cache.home_rule);
  out.put("copies", cache.copies);
  if (cache.memory_side) out.line("memory_side = true");
  if (!cache.replacement.empty()) out.put("replacement", cache.replacement);
  out.put("ways", cache.ways);
  out.put("reached_bytes", cache.reached_bytes);
  out.put("stretch_bytes", cache.stretch_bytes);
  out.put("stretch_swaps", cache.stretch_swaps);
  out.put("dirty_share", cache.dirty_share);
}

void put_limits(TomlText& out, const SmLimits& limits) {
  out.line("\n[limits]");
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

}  // namespace

std::string gpu_toml(const GpuSpec& gpu, std::string_view comment) {
  TomlText out;
  put_comment(out, comment);
  out.put("name", gpu.name);
  out.put("full_name", gpu.full_name);
  out.put("chip", gpu.chip);
  out.put("compute_capability", gpu.compute_capability);
  out.put("sms", gpu.sms);
  if (gpu.dies != 1) out.put("dies", gpu.dies);
  if (gpu.sm_runs_rotate) out.line("sm_runs_rotate = true");
  out.line("");
  put_rates(out, gpu);
  put_measured(out, gpu.measured);
  for (const CacheLevel& cache : gpu.caches) put_cache(out, cache);
  for (const SmRun& run : gpu.sm_runs) {
    out.line("\n[[sm_run]]");
    out.put("sms", run.sms);
    out.put("side", run.side);
  }
  put_cta_rates(out, gpu.cta_rates);
  put_limits(out, gpu.limits);
  return out.text();
}

}  // namespace hbmscope
