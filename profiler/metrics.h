#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hbmscope {

// What can be counted. Read and write are seen from the processor.
enum class Quantity : std::uint8_t {
  hbm_read,
  hbm_write,
  l2_read,
  l2_write,
  sram_read,
  sram_write,
  tma_fill,
  local_read,
  local_write,
  shared_wavefronts,
  bank_conflicts,
  tensor_instructions,
  duration,
};

// Quantities of one set share a configuration, that is the same passes. Software-patched (`_sass_`) metrics
// instrument the kernel, so they never share a pass with anything that instrumentation would change.
enum class CounterSet : std::uint8_t { traffic, pipes, patched };

struct QuantityInfo {
  Quantity quantity;
  std::string_view name;
  std::string_view unit;
  CounterSet set;
  std::string_view meaning;
};

// `factor` takes the metric's unit to the quantity's: 32 for sectors -> bytes.
struct MetricTerm {
  std::string_view metric;
  double factor = 1;
};

// A quantity is the sum of these terms, on the chips of `families`.
struct MetricSum {
  Quantity quantity;
  std::uint32_t families;  // bits of ChipFamily
  std::span<const MetricTerm> terms;
};

std::vector<std::string> metric_names(const MetricSum& sum);

// "32 x l1tex__…sum + …", as help and documentation show a sum.
std::string formula(const MetricSum& sum);

// Why a quantity cannot be read on some chips.
struct MetricAbsence {
  Quantity quantity;
  std::uint32_t families;
  std::string_view reason;
};

struct ChipFamily {
  std::string_view name;  // "GH100", "AD10x"
  std::string_view gpus;  // products that carry it
  std::uint32_t bit;
  std::span<const std::string_view> chips;  // as CUPTI names them
};

std::span<const QuantityInfo> quantities();
std::span<const ChipFamily> chip_families();
std::span<const MetricSum> metric_sums();
std::span<const MetricAbsence> metric_absences();

const QuantityInfo& info(Quantity quantity);
std::optional<Quantity> parse_quantity(std::string_view name);
std::string_view to_string(CounterSet set);

// Null for a chip that the table does not know.
const ChipFamily* family_of(std::string_view chip);

// How to read `quantity` on `chip` (CUPTI's name, e.g. "GH100"): a sum, or null and the reason.
struct MetricLookup {
  const MetricSum* sum = nullptr;
  std::string reason;
};
MetricLookup find_metric_sum(Quantity quantity, std::string_view chip);

}  // namespace hbmscope
