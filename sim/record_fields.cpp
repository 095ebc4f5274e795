#include "sim/record_fields.h"

#include <fmt/format.h>

#include <array>

#include "sim/enum_names.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

FieldValue to_value(std::uint64_t value) { return value; }
FieldValue to_value(std::int64_t value) { return value; }
FieldValue to_value(double value) { return value; }
FieldValue to_value(bool value) { return value; }
FieldValue to_value(const std::string& value) { return value.empty() ? FieldValue{} : FieldValue{value}; }
template <class Enum>
requires std::is_enum_v<Enum> FieldValue to_value(Enum value) { return std::string(to_string(value)); }
template <class T>
FieldValue to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : FieldValue{};
}

template <class T>
const T& expect(std::string_view name, const FieldValue& value, std::string_view accepted) {
  if (const T* held = std::get_if<T>(&value)) return *held;
  throw UserError(std::string(name), "", fmt::format("expected {}", accepted));
}

void assign(std::uint64_t& to, std::string_view name, const FieldValue& value) {
  to = expect<std::uint64_t>(name, value, "a whole number of bytes or counts");
}
void assign(std::int64_t& to, std::string_view name, const FieldValue& value) {
  to = expect<std::int64_t>(name, value, "a whole number");
}
void assign(double& to, std::string_view name, const FieldValue& value) {
  to = expect<double>(name, value, "a number");
}
void assign(bool& to, std::string_view name, const FieldValue& value) {
  to = expect<bool>(name, value, "0 or 1");
}
void assign(std::string& to, std::string_view name, const FieldValue& value) {
  to = expect<std::string>(name, value, "text");
}

template <class Enum>
void assign_enum(Enum& to, std::string_view name, const FieldValue& value,
                 std::optional<Enum> (*parse)(std::string_view), std::string_view accepted) {
  const std::string& text = expect<std::string>(name, value, accepted);
  const std::optional<Enum> parsed = parse(text);
  if (!parsed) throw UserError(std::string(name), text, fmt::format("expected {}", accepted));
  to = *parsed;
}
void assign(DataType& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_data_type, "fp32, bf16, fp16 or fp8");
}
void assign(Mask& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_mask, "full, causal or window");
}
void assign(Direction& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_direction, "forward, backward or both");
}
void assign(Order& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_order, "q-fastest or head-fastest");
}
void assign(Walk& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_walk, "up, down or alternating");
}
void assign(L2Mode& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_l2_mode, "none, model or replay");
}
void assign(CacheState& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_cache_state, "cold or warm");
}
void assign(Status& to, std::string_view name, const FieldValue& value) {
  assign_enum(to, name, value, parse_status, "ok, skipped or failed");
}
template <class T>
void assign(std::optional<T>& to, std::string_view name, const FieldValue& value) {
  assign(to.emplace(), name, value);
}

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
constexpr FieldType type_of() {
  if constexpr (kIsOptional<T>) {
    return type_of<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return FieldType::boolean;
  } else if constexpr (std::is_same_v<T, double>) {
    return FieldType::real;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return FieldType::bytes;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return FieldType::integer;
  } else {
    return FieldType::text;
  }
}

// A field that `Access`, a stateless lambda, finds in a record.
template <class Access>
constexpr Field plain(FieldGroup group, std::string_view csv, std::string_view json, bool key, Access,
                      std::string_view description) {
  using T = std::remove_cvref_t<decltype(Access{}(std::declval<Record&>()))>;
  const bool required = key || std::is_enum_v<T>;
  return {csv,
          json,
          group,
          type_of<T>(),
          description,
          key,
          required,
          [](const Record& record) { return to_value(Access{}(record)); },
          [](Record& record, std::string_view name, const FieldValue& value) {
            if (!std::holds_alternative<std::monostate>(value)) assign(Access{}(record), name, value);
          }};
}

template <class Access>
constexpr Field point(std::string_view name, Access access, std::string_view description, bool key = true) {
  return plain(FieldGroup::point, name, name, key, access, description);
}

// A part of the key that older schema versions lack: what it had to be then is the default.
template <class Access>
constexpr Field newer_point(std::string_view name, Access access, std::string_view description) {
  Field field = point(name, access, description);
  field.required = false;
  return field;
}

template <class Access>
constexpr Field status(std::string_view name, Access access, std::string_view description) {
  return plain(FieldGroup::status, name, name, false, access, description);
}

template <class Access>
constexpr Field provenance(std::string_view csv, std::string_view json, Access access,
                           std::string_view description) {
  return plain(FieldGroup::provenance, csv, json, false, access, description);
}

// A member of one of the optional groups: reading gives absent without the group, setting creates it.
template <auto group_member, auto member>
constexpr Field grouped(FieldGroup group, std::string_view csv, std::string_view json,
                        std::string_view description) {
  using Group = typename std::remove_reference_t<decltype(std::declval<Record&>().*group_member)>::value_type;
  using T = std::remove_reference_t<decltype(std::declval<Group&>().*member)>;
  const bool required = !kIsOptional<T> && !std::is_same_v<T, std::string>;
  return {csv,
          json,
          group,
          type_of<T>(),
          description,
          false,
          required,
          [](const Record& record) {
            const auto& held = record.*group_member;
            return held ? to_value((*held).*member) : FieldValue{};
          },
          [](Record& record, std::string_view name, const FieldValue& value) {
            if (std::holds_alternative<std::monostate>(value)) return;
            auto& held = record.*group_member;
            if (!held) held.emplace();
            assign((*held).*member, name, value);
          }};
}

template <auto member>
constexpr Field predicted(std::string_view csv, std::string_view description) {
  return grouped<&Record::prediction, member>(FieldGroup::prediction, csv, csv.substr(5), description);
}

template <auto member>
constexpr Field measured(std::string_view csv, std::string_view json, std::string_view description) {
  return grouped<&Record::measurement, member>(FieldGroup::measurement, csv, json, description);
}

template <auto member>
constexpr Field error(std::string_view csv, std::string_view description) {
  return {csv,
          csv.substr(4),
          FieldGroup::error,
          FieldType::real,
          description,
          false,
          false,
          [](const Record& record) { return to_value(errors_of(record).*member); },
          nullptr};
}

// Whether the recorded kernels are today's says nothing without a measurement.
constexpr Field kStale{"stale",
                       "stale",
                       FieldGroup::provenance,
                       FieldType::boolean,
                       "1 if recorded with other kernels than today's",
                       false,
                       false,
                       [](const Record& record) {
                         return record.provenance.source.empty() ? FieldValue{}
                                                                 : to_value(record.provenance.stale);
                       },
                       [](Record& record, std::string_view name, const FieldValue& value) {
                         if (std::holds_alternative<std::monostate>(value)) return;
                         assign(record.provenance.stale, name, value);
                       }};

#define HBMSCOPE_AT(path) \
  [](auto& record) -> auto& { return record.path; }

constexpr std::array kFields{
    Field{"schema_version", "schema_version", FieldGroup::schema, FieldType::integer, "version of this table",
          false, false, [](const Record&) -> FieldValue { return std::int64_t{kSchemaVersion}; }, nullptr},
    point("gpu", HBMSCOPE_AT(point.gpu), "GPU description by name"),
    point("algorithm", HBMSCOPE_AT(point.algorithm), "dataflow: what is tiled, what goes back to HBM"),
    point("variant", HBMSCOPE_AT(point.variant), "implementation of the algorithm"),
    point("direction", HBMSCOPE_AT(point.problem.direction), "forward, backward or both"),
    point("batch", HBMSCOPE_AT(point.problem.batch), "batch size"),
    point("heads", HBMSCOPE_AT(point.problem.heads), "query heads"),
    point("kv_heads", HBMSCOPE_AT(point.problem.kv_heads), "key/value heads"),
    point("seqlen_q", HBMSCOPE_AT(point.problem.seqlen_q), "query rows per head"),
    point("seqlen_kv", HBMSCOPE_AT(point.problem.seqlen_kv), "key/value rows per head"),
    point("head_dim", HBMSCOPE_AT(point.problem.head_dim), "columns of Q and K"),
    point("head_dim_v", HBMSCOPE_AT(point.problem.head_dim_v), "columns of V and O"),
    point("dtype", HBMSCOPE_AT(point.problem.dtype), "type of Q, K, V and O"),
    point("mask", HBMSCOPE_AT(point.problem.mask), "full, causal or window (bottom-right aligned)"),
    point("window", HBMSCOPE_AT(point.problem.window), "keys a query sees under mask window, else 0"),
    point("page_size", HBMSCOPE_AT(point.problem.page_size), "tokens in a KV-cache page, 0 = contiguous"),
    point("br", HBMSCOPE_AT(point.tile.br), "rows of Q in a tile"),
    point("bc", HBMSCOPE_AT(point.tile.bc), "rows of K/V in a tile"),
    point("stages", HBMSCOPE_AT(point.tile.stages), "K/V tiles in flight"),
    point("splits", HBMSCOPE_AT(point.tile.splits), "CTAs that share a row of K/V tiles"),
    point("order", HBMSCOPE_AT(point.order), "which index of the grid runs fastest"),
    newer_point("kv_walk", HBMSCOPE_AT(point.kv_walk), "in which order a CTA reads the tiles of K and V"),
    point("l2_mode", HBMSCOPE_AT(point.l2_mode),
          "what pred_hbm counts: none = compulsory bytes, replay = misses of a simulated L2", false),
    point("cache_state", HBMSCOPE_AT(point.cache_state), "L2 before the range: cold (and clean) or warm"),
    point("placement", HBMSCOPE_AT(point.placement), "number of the address layout of the tensors"),
    point("seed", HBMSCOPE_AT(point.seed), "seed of inputs and addresses"),
    point("kernel_hash", HBMSCOPE_AT(kernel_hash), "hash of the kernels' sources and parameters", false),
    status("status", HBMSCOPE_AT(status), "ok, skipped or failed"),
    status("feasible", HBMSCOPE_AT(feasible),
           "1 if a kernel of this variant can run this tile on this GPU, 0 if none can; absent for a variant "
           "without kernels"),
    status("reason", HBMSCOPE_AT(reason), "why infeasible, skipped or failed"),
    predicted<&Prediction::hbm_read_bytes>("pred_hbm_read_bytes", "DRAM -> L2, see l2_mode"),
    predicted<&Prediction::hbm_read_bytes_p05>("pred_hbm_read_bytes_p05",
                                               "5 % of placements of the tensors read less"),
    predicted<&Prediction::hbm_read_bytes_p95>("pred_hbm_read_bytes_p95", "5 % of placements read more"),
    predicted<&Prediction::hbm_write_bytes>("pred_hbm_write_bytes", "L2 -> DRAM, deferred included"),
    predicted<&Prediction::hbm_write_bytes_p05>("pred_hbm_write_bytes_p05", "5 % of placements write less"),
    predicted<&Prediction::hbm_write_bytes_p95>("pred_hbm_write_bytes_p95", "5 % of placements write more"),
    predicted<&Prediction::l2_read_bytes>("pred_l2_read_bytes", "L2 -> SM"),
    predicted<&Prediction::l2_write_bytes>("pred_l2_write_bytes", "SM -> L2"),
    predicted<&Prediction::sram_read_bytes>("pred_sram_read_bytes", "shared memory -> registers"),
    predicted<&Prediction::sram_write_bytes>("pred_sram_write_bytes", "registers or copies -> shared memory"),
    predicted<&Prediction::io_bytes>("pred_io_bytes", "reads + writes when every tile access goes to HBM"),
    predicted<&Prediction::compulsory_bytes>("pred_compulsory_bytes",
                                             "reads + writes with an infinite cache"),
    predicted<&Prediction::footprint_bytes>("pred_footprint_bytes", "all tensors in HBM together"),
    predicted<&Prediction::flops>("pred_flops", "useful FLOPs: visible pairs only"),
    predicted<&Prediction::executed_flops>("pred_executed_flops", "FLOPs of whole tiles"),
    predicted<&Prediction::time_s>("pred_time_s", "lower bound by the roofs, launch by launch"),
    predicted<&Prediction::limiter>("pred_limiter", "the roof that binds longest"),
    measured<&Measurement::hbm_read_bytes>("meas_hbm_read_bytes", "hbm_read_bytes", "DRAM -> L2"),
    measured<&Measurement::hbm_write_bytes>("meas_hbm_write_bytes", "hbm_write_bytes",
                                            "L2 -> DRAM within the range"),
    measured<&Measurement::hbm_deferred_write_bytes>("meas_hbm_deferred_write_bytes",
                                                     "hbm_deferred_write_bytes",
                                                     "L2 -> DRAM written back by the sweep after the range"),
    measured<&Measurement::l2_read_bytes>("meas_l2_read_bytes", "l2_read_bytes", "L2 -> SM"),
    measured<&Measurement::l2_write_bytes>("meas_l2_write_bytes", "l2_write_bytes", "SM -> L2"),
    measured<&Measurement::sram_read_bytes>("meas_sram_read_bytes", "sram_read_bytes",
                                            "shared memory -> registers"),
    measured<&Measurement::sram_write_bytes>("meas_sram_write_bytes", "sram_write_bytes",
                                             "registers or copies -> shared memory"),
    measured<&Measurement::local_bytes>("meas_local_bytes", "local_bytes", "spilled bytes, read + written"),
    measured<&Measurement::time_s>("meas_time_s", "time_s", "median over the repeats, no counters active"),
    measured<&Measurement::time_spread>("meas_time_spread", "time_spread", "(max - min) / median"),
    measured<&Measurement::max_error>("max_error", "max_error",
                                      "max|O - ref| / max|ref| of the worst head, against float64"),
    error<&Errors::hbm_read>("err_hbm_read", "predicted / measured - 1"),
    error<&Errors::hbm_write>("err_hbm_write", "predicted / measured (deferred included) - 1"),
    error<&Errors::l2_read>("err_l2_read", "predicted / measured - 1"),
    error<&Errors::l2_write>("err_l2_write", "predicted / measured - 1"),
    error<&Errors::sram_read>("err_sram_read", "predicted / measured - 1"),
    error<&Errors::sram_write>("err_sram_write", "predicted / measured - 1"),
    error<&Errors::time>("err_time", "predicted lower bound / measured - 1"),
    provenance("source", "source", HBMSCOPE_AT(provenance.source), "live, recorded, or absent"),
    provenance("meas_gpu", "gpu", HBMSCOPE_AT(provenance.gpu), "GPU as its driver names it"),
    provenance("driver", "driver", HBMSCOPE_AT(provenance.driver), "driver version"),
    provenance("cuda", "cuda", HBMSCOPE_AT(provenance.cuda), "CUDA and CUPTI version"),
    provenance("date", "date", HBMSCOPE_AT(provenance.date), "when it was measured (UTC)"),
    provenance("measured_by", "measured_by", HBMSCOPE_AT(provenance.hbmscope), "hbmscope version and commit"),
    provenance("sm_clock_mhz_before", "sm_clock_mhz_before", HBMSCOPE_AT(provenance.sm_clock_mhz_before),
               "SM clock before the measurement"),
    provenance("sm_clock_mhz_after", "sm_clock_mhz_after", HBMSCOPE_AT(provenance.sm_clock_mhz_after),
               "SM clock after the measurement"),
    provenance("memory_clock_mhz", "memory_clock_mhz", HBMSCOPE_AT(provenance.memory_clock_mhz),
               "memory clock after the measurement"),
    provenance("passes", "passes", HBMSCOPE_AT(provenance.passes),
               "counter passes, program run once in each"),
    provenance("repeats", "repeats", HBMSCOPE_AT(provenance.repeats),
               "measurements of which the median counts"),
    provenance("meas_hbm_spread", "hbm_spread", HBMSCOPE_AT(provenance.hbm_spread),
               "(max - min) / median of HBM reads over the repeats"),
    provenance("registers", "registers", HBMSCOPE_AT(provenance.registers),
               "registers per thread, largest of the program's kernels"),
    provenance("spill_bytes", "spill_bytes", HBMSCOPE_AT(provenance.spill_bytes),
               "spilled bytes per thread, largest of the program's kernels"),
    kStale,
    provenance("note", "note", HBMSCOPE_AT(provenance.note),
               "why a counter is absent, or what a prediction takes over unseen"),
};

#undef HBMSCOPE_AT

constexpr EnumNames<FieldGroup, 7> kGroupNames{
    {"schema", "point", "status", "prediction", "measurement", "error", "provenance"}};

}  // namespace

std::span<const Field> record_fields() { return kFields; }

const Field* find_field(std::string_view csv_name) {
  for (const Field& field : kFields) {
    if (field.csv_name == csv_name) return &field;
  }
  return nullptr;
}

std::string_view to_string(FieldGroup group) { return kGroupNames.name(group); }

}  // namespace hbmscope
