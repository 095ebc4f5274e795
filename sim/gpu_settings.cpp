#include "sim/gpu_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/error.h"
#include "sim/setting_units.h"

namespace hbmscope {
namespace {

const UnitKind& kind_of(const GpuSetting& setting) {
  const std::span<const UnitKind> kinds = unit_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const UnitKind& kind) { return kind.name == setting.unit; });
}

CacheLevel& l2_of(GpuSpec& gpu) {
  return *std::find_if(gpu.caches.begin(), gpu.caches.end(),
                       [](const CacheLevel& level) { return level.name == "L2"; });
}

template <auto member>
std::optional<double> get(const GpuSpec& gpu) {
  const std::optional<SourcedValue> held = gpu.*member;
  if (!held) return std::nullopt;
  return held->value;
}

template <auto member>
std::string set(GpuSpec& gpu, const SourcedValue& value) {
  gpu.*member = value;
  return "";
}

std::string set_hbm_rate(GpuSpec& gpu, const SourcedValue& value) {
  gpu.hbm_bytes_per_s = value;
  gpu.hbm_bytes_per_s_measured.reset();  // of the unchanged GPU
  gpu.measured.hbm_copy_bytes_per_s.reset();
  return "";
}

std::optional<double> get_sms(const GpuSpec& gpu) { return static_cast<double>(gpu.sms); }

// Dies with a cache of their own keep equal shares of the SMs.
std::string set_sms(GpuSpec& gpu, const SourcedValue& value) {
  const auto sms = static_cast<std::int64_t>(value.value);
  for (CacheLevel& level : gpu.caches) {
    if (level.sms_per_instance == 0) continue;
    if (sms % level.instances != 0) {
      return fmt::format("a multiple of {}, the instances of the {}", level.instances, level.name);
    }
    level.sms_per_instance = sms / level.instances;
  }
  gpu.sms = sms;
  gpu.sm_runs.clear();  // measured on the GPU as it is
  return "";
}

std::optional<double> get_l2_capacity(const GpuSpec& gpu) { return gpu.l2().capacity_bytes.value; }

std::string set_l2_capacity(GpuSpec& gpu, const SourcedValue& value) {
  CacheLevel& l2 = l2_of(gpu);
  if (l2.reached_bytes) l2.reached_bytes->value *= value.value / l2.capacity_bytes.value;  // the same share
  l2.capacity_bytes = value;
  return "";
}

std::optional<double> get_l2_copies(const GpuSpec& gpu) { return static_cast<double>(gpu.l2().copies); }

std::string set_l2_copies(GpuSpec& gpu, const SourcedValue& value) {
  CacheLevel& l2 = l2_of(gpu);
  const auto copies = static_cast<std::int64_t>(value.value);
  if (copies > l2.instances) return fmt::format("at most {}, the instances of the L2", l2.instances);
  l2.copies = copies;
  return "";
}

std::optional<double> get_sram_capacity(const GpuSpec& gpu) {
  return static_cast<double>(gpu.limits.shared_bytes_per_sm);
}

// One CTA may take all but what is reserved.
std::string set_sram_capacity(GpuSpec& gpu, const SourcedValue& value) {
  SmLimits& limits = gpu.limits;
  const auto bytes = static_cast<std::int64_t>(value.value);
  if (bytes <= limits.shared_bytes_reserved) {
    return fmt::format("more than the {} bytes that are reserved", limits.shared_bytes_reserved);
  }
  limits.shared_bytes_per_sm = bytes;
  limits.shared_bytes_per_cta = bytes - limits.shared_bytes_reserved;
  return "";
}

constexpr std::array kSettings{
    GpuSetting{"sms", "number", "SMs", get_sms, set_sms},
    GpuSetting{"clock", "Hz", "SM clock; the rates per clock follow it, those of L2 and HBM do not",
               get<&GpuSpec::clock_hz>, set<&GpuSpec::clock_hz>},
    GpuSetting{"hbm.bandwidth", "bytes/s", "HBM read and write", get<&GpuSpec::hbm_bytes_per_s>,
               set_hbm_rate},
    GpuSetting{"hbm.capacity", "bytes", "HBM", get<&GpuSpec::hbm_capacity_bytes>,
               set<&GpuSpec::hbm_capacity_bytes>},
    GpuSetting{"l2.bandwidth", "bytes/s", "L2 to all SMs", get<&GpuSpec::l2_bytes_per_s>,
               set<&GpuSpec::l2_bytes_per_s>},
    GpuSetting{"l2.capacity", "bytes", "all partitions of the L2 together", get_l2_capacity, set_l2_capacity},
    GpuSetting{"l2.copies", "number", "partitions of the L2 that may hold one line at once", get_l2_copies,
               set_l2_copies},
    GpuSetting{"sram.bandwidth", "number", "shared memory, bytes per clock and SM",
               get<&GpuSpec::sram_bytes_per_clock_per_sm>, set<&GpuSpec::sram_bytes_per_clock_per_sm>},
    GpuSetting{"sram.capacity", "bytes", "shared memory of an SM; one CTA may take all but what is reserved",
               get_sram_capacity, set_sram_capacity},
    GpuSetting{"exp", "number", "exponentials per clock and SM", get<&GpuSpec::exp_per_clock_per_sm>,
               set<&GpuSpec::exp_per_clock_per_sm>},
    GpuSetting{"tensor.bf16", "number", "bf16 FLOP per clock and SM", get<&GpuSpec::tensor_flops_bf16>,
               set<&GpuSpec::tensor_flops_bf16>},
    GpuSetting{"tensor.fp16", "number", "fp16 FLOP per clock and SM", get<&GpuSpec::tensor_flops_fp16>,
               set<&GpuSpec::tensor_flops_fp16>},
    GpuSetting{"tensor.fp8", "number", "fp8 FLOP per clock and SM", get<&GpuSpec::tensor_flops_fp8>,
               set<&GpuSpec::tensor_flops_fp8>},
    GpuSetting{"tensor.fp32", "number", "TF32 or fp32 FLOP per clock and SM",
               get<&GpuSpec::tensor_flops_fp32>, set<&GpuSpec::tensor_flops_fp32>},
};

// Where the key of "key=value" stands in the table; its size if it is unknown.
std::size_t index_of(std::string_view setting) {
  const std::string_view key = setting.substr(0, setting.find('='));
  const auto found = std::find_if(kSettings.begin(), kSettings.end(),
                                  [&](const GpuSetting& known) { return known.key == key; });
  return static_cast<std::size_t>(found - kSettings.begin());
}

std::string known_keys() {
  std::vector<std::string_view> keys;
  for (const GpuSetting& setting : kSettings) keys.push_back(setting.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

}  // namespace

std::span<const GpuSetting> gpu_settings() { return kSettings; }

std::vector<std::string> accepted_setting_values() {
  std::vector<std::string> sentences;
  for (const UnitKind& kind : unit_kinds())
    sentences.push_back(fmt::format("{}: {}", kind.name, kind.accepted));
  return sentences;
}

std::string setting_text(const GpuSetting& setting, double value) {
  return value_text(value, kind_of(setting));
}

void change_gpu(GpuSpec& gpu, std::string_view option, const std::string& setting) {
  const auto refuse = [&](const std::string& accepted) {
    throw UserError(std::string(option), setting, "expected " + accepted);
  };
  const std::size_t equals = setting.find('=');
  const std::size_t index = index_of(setting);
  if (equals == std::string::npos || index == kSettings.size()) {
    refuse("KEY=VALUE, KEY one of " + known_keys());
  }
  const GpuSetting& known = kSettings[index];
  const auto later = std::find_if(gpu.changes.begin(), gpu.changes.end(),
                                  [&](const std::string& other) { return index_of(other) >= index; });
  if (later != gpu.changes.end() && index_of(*later) == index) {
    refuse(fmt::format("{} to be set once; it is {} already", known.key, *later));
  }
  const UnitKind& kind = kind_of(known);
  const std::optional<double> value = parse_value(std::string_view(setting).substr(equals + 1), kind);
  if (!value) refuse(std::string(kind.accepted));
  // In one unit and in the order of the table, so that one GPU has one name.
  const std::string text = fmt::format("{}={}", known.key, setting_text(known, *value));
  const std::string accepted = known.change(gpu, {*value, false, "set on the command line: " + text});
  if (!accepted.empty()) refuse(accepted);
  gpu.changes.insert(later, text);
  gpu.name = gpu.name.substr(0, gpu.name.find('+'));
  for (const std::string& change : gpu.changes) gpu.name += "+" + change;
}

}  // namespace hbmscope
