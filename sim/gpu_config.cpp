#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/config_file.h"
#include "sim/cta_rates_toml.h"
#include "sim/error.h"
#include "sim/gpu.h"
#include "sim/gpu_settings.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/set_map.h"
#include "sim/toml_reader.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_gpu_files();

namespace {

constexpr std::int64_t kLargestCount = std::int64_t{1} << 40;

bool is_whole(double value) { return value == std::floor(value); }

// The replay divides by these, and holds lists for them.
void check_replayed(const TomlReader& reader, const CacheLevel& cache) {
  const auto text = [](const SourcedValue& quantity) { return fmt::format("{}", quantity.value); };
  if (cache.ways && (!is_whole(cache.ways->value) || cache.ways->value < 1 || cache.ways->value > 4096))
    reader.fail("ways", text(*cache.ways), "a whole number from 1 to 4096");
  if (cache.stretch_bytes) {
    const double blocks = cache.stretch_bytes->value / static_cast<double>(kL2BlockBytes);
    if (!is_whole(blocks) || blocks < 1 || blocks > 65536)
      reader.fail("stretch_bytes", text(*cache.stretch_bytes),
                  fmt::format("a multiple of {} up to 1 GiB", kL2BlockBytes));
  }
  if (!cache.stretch_swaps.empty() && !cache.stretch_bytes)
    reader.fail("stretch_swaps", "", "no such key where there is no stretch_bytes");
  if (cache.reached_bytes && cache.reached_bytes->value > cache.capacity_bytes.value)
    reader.fail("reached_bytes", text(*cache.reached_bytes),
                fmt::format("at most capacity_bytes, {}", cache.capacity_bytes.value));
  if (cache.dirty_share && cache.dirty_share->value > 1)
    reader.fail("dirty_share", text(*cache.dirty_share), "a share, at most 1");
}

CacheLevel read_cache(TomlReader reader) {
  CacheLevel cache;
  cache.name = reader.text("name");
  cache.instances = reader.integer("instances", 1, 4096);
  cache.sms_per_instance = reader.integer_or("sms_per_instance", 1, 4096, 0);
  cache.capacity_bytes = reader.quantity("capacity_bytes");
  cache.line_bytes = reader.integer("line_bytes", 16, 4096);
  cache.sector_bytes = reader.integer("sector_bytes", 16, 4096);
  cache.home_rule = reader.text("home_rule");
  cache.copies = reader.integer("copies", 1, 4096);
  cache.memory_side = reader.boolean_or("memory_side", false);
  cache.replacement = reader.text_if_present("replacement").value_or("");
  cache.ways = reader.quantity_if_present("ways");
  cache.reached_bytes = reader.quantity_if_present("reached_bytes");
  cache.stretch_bytes = reader.quantity_if_present("stretch_bytes");
  cache.stretch_swaps = reader.integers_if_present("stretch_swaps", 0, kStretchSwaps - 1);
  cache.dirty_share = reader.quantity_if_present("dirty_share");
  check_replayed(reader, cache);
  reader.finish();
  return cache;
}

SmRun read_sm_run(TomlReader reader, const CacheLevel& l2) {
  SmRun run;
  run.sms = reader.integer("sms", 1, 65536);
  run.side = reader.integer("side", 0, l2.instances - 1);
  reader.finish();
  return run;
}

void check_at_most(TomlReader& reader, std::string_view key, const std::optional<SourcedValue>& quantity,
                   double largest) {
  if (!quantity || quantity->value <= largest) return;
  reader.fail(key, fmt::format("{}", quantity->value), fmt::format("a number up to {}", largest));
}

std::optional<SourcedValue> read_deviation(TomlReader& reader, std::string_view key) {
  std::optional<SourcedValue> deviation = reader.quantity_if_present(key);
  check_at_most(reader, key, deviation, kLargestDeviation);
  return deviation;
}

std::optional<SourcedValue> read_cta_rate(TomlReader& reader, std::string_view key, double largest) {
  std::optional<SourcedValue> rate = reader.quantity_if_present(key);
  if (rate && (rate->value < kSmallestCtaRate || rate->value > largest)) {
    reader.fail(key, fmt::format("{}", rate->value),
                fmt::format("a rate from {} to {}", kSmallestCtaRate, largest));
  }
  return rate;
}

MeasuredRates read_measured_rates(TomlReader reader) {
  MeasuredRates rates;
  rates.hbm_copy_bytes_per_s = reader.quantity_if_present("hbm_copy_bytes_per_s");
  rates.sram_bytes_per_clock_per_sm = reader.quantity_if_present("sram_bytes_per_clock_per_sm");
  rates.exp_per_clock_per_sm = reader.quantity_if_present("exp_per_clock_per_sm");
  rates.tensor_flops_per_clock_per_sm_bf16 = reader.quantity_if_present("tensor_flops_per_clock_per_sm_bf16");
  rates.tensor_flops_per_clock_per_sm_fp16 = reader.quantity_if_present("tensor_flops_per_clock_per_sm_fp16");
  rates.l2_latency_clocks = reader.quantity_if_present("l2_latency_clocks");
  rates.hbm_latency_clocks = reader.quantity_if_present("hbm_latency_clocks");
  rates.launch_ns = reader.quantity_if_present("launch_ns");
  rates.cta_start_skew_ns = reader.quantity_if_present("cta_start_skew_ns");
  reader.finish();
  return rates;
}

void read_sm_runs(TomlReader& reader, GpuSpec& gpu) {
  if (!reader.has("sm_run")) return;
  const toml::array& runs = reader.tables("sm_run");
  std::int64_t sms = 0;
  for (const toml::node& node : runs) {
    gpu.sm_runs.push_back(read_sm_run(reader.element(node, "sm_run"), gpu.l2()));
    sms += gpu.sm_runs.back().sms;
  }
  if (sms != gpu.sms)
    reader.fail(runs, "sm_run", fmt::format("{} SMs", sms), fmt::format("{} SMs in all", gpu.sms));
}

SmLimits read_limits(TomlReader reader) {
  SmLimits limits;
  limits.threads_per_sm = reader.integer("threads_per_sm", 32, 65536);
  limits.warps_per_sm = reader.integer("warps_per_sm", 1, 2048);
  limits.ctas_per_sm = reader.integer("ctas_per_sm", 1, 2048);
  limits.threads_per_cta = reader.integer("threads_per_cta", 32, 65536);
  limits.registers_per_sm = reader.integer("registers_per_sm", 1024, kLargestCount);
  limits.registers_per_thread = reader.integer("registers_per_thread", 16, 4096);
  limits.shared_bytes_per_sm = reader.integer("shared_bytes_per_sm", 1024, kLargestCount);
  limits.shared_bytes_per_cta = reader.integer("shared_bytes_per_cta", 1024, kLargestCount);
  limits.shared_bytes_reserved = reader.integer("shared_bytes_reserved", 0, 65536);
  reader.finish();
  return limits;
}

GpuSpec read_gpu(TomlReader reader) {
  GpuSpec gpu;
  gpu.name = reader.text("name");
  gpu.full_name = reader.text("full_name");
  gpu.chip = reader.text("chip");
  gpu.compute_capability = reader.integer_if_present("compute_capability", 10, 999);
  gpu.sms = reader.integer("sms", 1, 65536);
  gpu.dies = reader.integer_or("dies", 1, 64, 1);
  gpu.clock_hz = reader.quantity("clock_hz");
  gpu.tensor_clock_hz = reader.quantity("tensor_clock_hz");
  gpu.hbm_capacity_bytes = reader.quantity("hbm_capacity_bytes");
  gpu.hbm_bytes_per_s = reader.quantity("hbm_bytes_per_s");
  gpu.hbm_bytes_per_s_measured = reader.quantity_if_present("hbm_bytes_per_s_measured");
  gpu.l2_bytes_per_s = reader.quantity_if_present("l2_bytes_per_s");
  gpu.sram_bytes_per_clock_per_sm = reader.quantity("sram_bytes_per_clock_per_sm");
  gpu.exp_per_clock_per_sm = reader.quantity("exp_per_clock_per_sm");
  TomlReader tensor = reader.table("tensor_flops_per_clock_per_sm");
  gpu.tensor_flops_bf16 = tensor.quantity_if_present("bf16");
  gpu.tensor_flops_fp16 = tensor.quantity_if_present("fp16");
  gpu.tensor_flops_fp8 = tensor.quantity_if_present("fp8");
  gpu.tensor_flops_fp32 = tensor.quantity_if_present("fp32");
  tensor.finish();
  gpu.tensor_flops_per_s_datasheet = reader.quantity_if_present("tensor_flops_per_s_datasheet");
  const toml::array& caches = reader.tables("cache");
  for (const toml::node& node : caches) gpu.caches.push_back(read_cache(reader.element(node, "cache")));
  const bool has_l2 = std::any_of(gpu.caches.begin(), gpu.caches.end(),
                                  [](const CacheLevel& level) { return level.name == "L2"; });
  if (!has_l2) reader.fail(caches, "cache", "", "a level with name = \"L2\"");
  read_sm_runs(reader, gpu);
  gpu.sm_runs_rotate = reader.boolean_or("sm_runs_rotate", false);
  if (gpu.sm_runs_rotate && gpu.sm_runs.empty())
    reader.fail("sm_runs_rotate", "true", "tables sm_run, or no such key");
  gpu.younger_cta_rate = read_cta_rate(reader, "younger_cta_rate", kLargestYoungerRate);
  gpu.lone_cta_rate = read_cta_rate(reader, "lone_cta_rate", kLargestLoneRate);
  gpu.shared_step_deviation = read_deviation(reader, "shared_step_deviation");
  gpu.lone_sm_deviation = read_deviation(reader, "lone_sm_deviation");
  gpu.gpc_clock_deviation = read_deviation(reader, "gpc_clock_deviation");
  gpu.cta_rates = read_cta_rates(reader);
  if (reader.has("measured")) gpu.measured = read_measured_rates(reader.table("measured"));
  gpu.limits = read_limits(reader.table("limits"));
  reader.finish();
  return gpu;
}

// Lists of names are separated by commas, and '+' begins what is changed of a GPU.
void check_name(const GpuSpec& gpu, const std::string& file) {
  if (gpu.name.find_first_of("+,") == std::string::npos) return;
  throw UserError(fmt::format("{}: key name", file), gpu.name, "expected a text without '+' and ','");
}

// Catches rates of another chip, of sparse matrices or of another accumulator. Datasheets round.
void check_peak(const GpuSpec& gpu, const std::string& file) {
  if (!gpu.tensor_flops_per_s_datasheet) return;
  const double stated = gpu.tensor_flops_per_s_datasheet->value;
  const double per_clock_per_sm = gpu.tensor_flops_fp16 ? gpu.tensor_flops_fp16->value : 0;
  const double computed = static_cast<double>(gpu.sms) * per_clock_per_sm * gpu.tensor_clock_hz.value;
  if (std::abs(computed / stated - 1) <= 0.01) return;
  throw UserError(fmt::format("{}: key tensor_flops_per_s_datasheet", file), fmt::format("{:.4g}", stated),
                  fmt::format("expected sms x tensor_flops_per_clock_per_sm.fp16 x tensor_clock_hz = {:.4g} "
                              "within 1 %",
                              computed));
}

// "l2.capacity=100MiB+sms=160"
void change_gpu_by_name(GpuSpec& gpu, std::string_view changes) {
  for (std::size_t begin = 0; begin <= changes.size();) {
    const std::size_t end = std::min(changes.find('+', begin), changes.size());
    change_gpu(gpu, "--gpu", std::string(changes.substr(begin, end - begin)));
    begin = end + 1;
  }
}

}  // namespace

std::vector<std::string> gpu_names() { return config_names(embedded_gpu_files()); }

GpuSpec parse_gpu(std::string_view toml_text, std::string_view origin) {
  const std::string file(origin);
  const toml::table table = parse_toml(toml_text, file);
  GpuSpec gpu = read_gpu({table, file, ""});
  check_name(gpu, file);
  check_peak(gpu, file);
  return gpu;
}

GpuSpec load_gpu(std::string_view name_or_file) {
  const std::vector<std::string> names = gpu_names();
  const std::size_t plus = name_or_file.find('+');
  const bool changed = plus != std::string_view::npos &&
                       std::find(names.begin(), names.end(), name_or_file.substr(0, plus)) != names.end();
  const std::string_view described = changed ? name_or_file.substr(0, plus) : name_or_file;
  const ConfigText config = find_config("--gpu", embedded_gpu_files(), described);
  GpuSpec gpu = parse_gpu(config.text, config.origin);
  if (changed) change_gpu_by_name(gpu, name_or_file.substr(plus + 1));
  return gpu;
}

}  // namespace hbmscope
