#include "sim/record.h"

#include "sim/enum_names.h"

namespace hbmscope {
namespace {

std::optional<double> relative_error(std::optional<std::uint64_t> predicted,
                                     std::optional<std::uint64_t> measured) {
  if (!predicted || !measured || *measured == 0) return std::nullopt;
  return static_cast<double>(*predicted) / static_cast<double>(*measured) - 1.0;
}

constexpr EnumNames<Status, 3> kStatusNames{{"ok", "skipped", "failed"}};
constexpr EnumNames<Order, 2> kOrderNames{{"q-fastest", "head-fastest"}};
constexpr EnumNames<Walk, 3> kWalkNames{{"up", "down", "alternating"}};
constexpr EnumNames<L2Mode, 3> kL2ModeNames{{"none", "model", "replay"}};
constexpr EnumNames<CacheState, 2> kCacheStateNames{{"cold", "warm"}};
constexpr EnumNames<Boundary, 3> kBoundaryNames{{"hbm", "l2", "sram"}};

}  // namespace

std::optional<std::uint64_t> total_hbm_write_bytes(const Measurement& measurement) {
  if (!measurement.hbm_write_bytes || !measurement.hbm_deferred_write_bytes) return std::nullopt;
  return checked_add(*measurement.hbm_write_bytes, *measurement.hbm_deferred_write_bytes);
}

Errors errors_of(const Record& record) {
  Errors errors;
  if (!record.prediction || !record.measurement) return errors;
  const Prediction& predicted = *record.prediction;
  const Measurement& measured = *record.measurement;
  errors.hbm_read = relative_error(predicted.hbm_read_bytes, measured.hbm_read_bytes);
  errors.hbm_write = relative_error(predicted.hbm_write_bytes, total_hbm_write_bytes(measured));
  errors.l2_read = relative_error(predicted.l2_read_bytes, measured.l2_read_bytes);
  errors.l2_write = relative_error(predicted.l2_write_bytes, measured.l2_write_bytes);
  errors.sram_read = relative_error(predicted.sram_read_bytes, measured.sram_read_bytes);
  errors.sram_write = relative_error(predicted.sram_write_bytes, measured.sram_write_bytes);
  if (measured.time_s && *measured.time_s > 0) errors.time = predicted.time_s / *measured.time_s - 1.0;
  return errors;
}

std::string_view to_string(Status status) { return kStatusNames.name(status); }
std::string_view to_string(Order order) { return kOrderNames.name(order); }
std::string_view to_string(Walk walk) { return kWalkNames.name(walk); }
std::string_view to_string(L2Mode mode) { return kL2ModeNames.name(mode); }
std::string_view to_string(CacheState state) { return kCacheStateNames.name(state); }
std::string_view to_string(Boundary boundary) { return kBoundaryNames.name(boundary); }
std::optional<Status> parse_status(std::string_view text) { return kStatusNames.parse(text); }
std::optional<Order> parse_order(std::string_view text) { return kOrderNames.parse(text); }
std::optional<Walk> parse_walk(std::string_view text) { return kWalkNames.parse(text); }
std::optional<L2Mode> parse_l2_mode(std::string_view text) { return kL2ModeNames.parse(text); }
std::optional<CacheState> parse_cache_state(std::string_view text) { return kCacheStateNames.parse(text); }
std::optional<Boundary> parse_boundary(std::string_view text) { return kBoundaryNames.parse(text); }

}  // namespace hbmscope
