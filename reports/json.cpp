#include "reports/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "reports/field_value.h"
#include "reports/json_timeline.h"
#include "sim/l2/hbm_reasons.h"

namespace hbmscope {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order of the tables they come from

// What is not UTF-8 (a file name among the arguments) becomes U+FFFD: JSON has no other text.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_value(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

// An absent value has no key.
template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

Json traffic_json(const std::vector<TrafficRow>& rows) {
  Json json = Json::array();
  for (const TrafficRow& row : rows) {
    Json held = {{"launch", row.launch},
                 {"tensor", row.tensor},
                 {"boundary", to_string(row.boundary)},
                 {"read_bytes", row.read_bytes},
                 {"write_bytes", row.write_bytes}};
    put(held, "io_read_bytes", row.io_read_bytes);
    put(held, "io_write_bytes", row.io_write_bytes);
    json.push_back(std::move(held));
  }
  return json;
}

Json launches_json(const std::vector<LaunchRow>& rows) {
  Json json = Json::array();
  for (const LaunchRow& row : rows) {
    Json held = {{"launch", row.launch}};
    put(held, "kernel", row.kernel);
    put(held, "ctas", row.ctas);
    put(held, "threads", row.threads);
    put(held, "shared_bytes", row.shared_bytes);
    put(held, "ctas_per_sm", row.ctas_per_sm);
    put(held, "limited_by", row.limited_by);
    put(held, "waves", row.waves);
    held["flops"] = row.flops;
    held["executed_flops"] = row.executed_flops;
    held["exponentials"] = row.exponentials;
    put(held, "time_s", row.time_s);
    put(held, "limiter", row.limiter);
    json.push_back(std::move(held));
  }
  return json;
}

Json roofs_json(const std::vector<RoofRow>& rows) {
  Json json = Json::array();
  for (const RoofRow& row : rows) {
    json.push_back({{"roof", row.roof},
                    {"demand", row.demand},
                    {"rate_per_s", row.rate_per_s},
                    {"time_s", row.time_s},
                    {"binds_s", row.binds_s}});
  }
  return json;
}

Json crossovers_json(const std::vector<CrossoverRow>& rows) {
  Json json = Json::array();
  for (const CrossoverRow& row : rows) {
    Json stretches = Json::array();
    for (const LimiterStretch& stretch : row.stretches)
      stretches.push_back({{"first", stretch.first}, {"last", stretch.last}, {"limiter", stretch.limiter}});
    json.push_back({{"axis", row.axis},
                    {"first", row.first},
                    {"last", row.last},
                    {"step", row.step},
                    {"counted", row.counted},
                    {"stretches", std::move(stretches)}});
  }
  return json;
}

Json record_json(const Record& record) {
  Json json = Json::object();
  for (const Field& field : record_fields()) {
    if (field.group == FieldGroup::schema) continue;  // stands once, above the records
    const FieldValue value = written_value(field, record);
    if (std::holds_alternative<std::monostate>(value)) continue;
    Json& group = field.group == FieldGroup::status ? json : json[std::string(to_string(field.group))];
    group[std::string(field.json_name)] = json_value(value);
  }
  if (!record.launches.empty()) json["launches"] = launches_json(record.launches);
  if (!record.roofs.empty()) json["roofs"] = roofs_json(record.roofs);
  if (!record.crossovers.empty()) json["crossovers"] = crossovers_json(record.crossovers);
  if (!record.traffic.empty()) json["traffic"] = traffic_json(record.traffic);
  if (!record.hbm_reasons.empty()) json["hbm_reasons"] = record.hbm_reasons;
  if (record.prediction && !record.hbm_reasons.empty()) json["hbm_conclusions"] = hbm_conclusions(record);
  if (record.timeline) json["timeline"] = timeline_json(*record.timeline);
  return json;
}

Json run_json(const RunInfo& run) {
  Json json = {{"tool", "hbmscope"},
               {"version", run.version},
               {"git_commit", run.git_commit},
               {"argv", run.argv},
               {"date", run.date}};
  if (!run.gpu.empty()) json["gpu"] = run.gpu;
  if (!run.driver.empty()) json["driver"] = run.driver;
  if (!run.cuda.empty()) json["cuda"] = run.cuda;
  return json;
}

// The sources stand under the names that the GPU files use.
Json sources_json(const GpuSpec& gpu) {
  Json json = Json::object();
  const auto add = [&](const char* name, const SourcedValue& value) {
    json[name] = {{"source", value.source}, {"measured", value.measured}};
  };
  const auto add_optional = [&](const char* name, const std::optional<SourcedValue>& value) {
    if (value) add(name, *value);
  };
  add("clock_hz", gpu.clock_hz);
  add("hbm_bytes_per_s", gpu.hbm_bytes_per_s);
  add_optional("l2_bytes_per_s", gpu.l2_bytes_per_s);
  add("sram_bytes_per_clock_per_sm", gpu.sram_bytes_per_clock_per_sm);
  add("exp_per_clock_per_sm", gpu.exp_per_clock_per_sm);
  add_optional("tensor_flops_per_clock_per_sm.bf16", gpu.tensor_flops_bf16);
  add_optional("tensor_flops_per_clock_per_sm.fp16", gpu.tensor_flops_fp16);
  add_optional("tensor_flops_per_clock_per_sm.fp8", gpu.tensor_flops_fp8);
  add_optional("tensor_flops_per_clock_per_sm.fp32", gpu.tensor_flops_fp32);
  add("l2_capacity_bytes", gpu.l2().capacity_bytes);
  return json;
}

// Of a changed GPU with what was changed, for that is what the page shows.
std::string full_name(const GpuSpec& gpu) {
  std::string name = gpu.full_name;
  for (const std::string& change : gpu.changes)
    name += (&change == &gpu.changes.front() ? " with " : ", ") + change;
  return name;
}

Json gpu_json(const GpuSpec& gpu) {
  Json json = {{"name", gpu.name},
               {"full_name", full_name(gpu)},
               {"sms", gpu.sms},
               {"clock_hz", gpu.clock_hz.value},
               {"hbm_bytes_per_s", gpu.hbm_bytes_per_s.value}};
  if (gpu.l2_bytes_per_s) json["l2_bytes_per_s"] = gpu.l2_bytes_per_s->value;
  json["sram_bytes_per_s"] = gpu.sram_bytes_per_s();
  json["tensor_flops_per_s"] = Json::object();
  for (const DataType dtype : {DataType::bf16, DataType::fp16, DataType::fp8, DataType::fp32}) {
    const std::optional<double> rate = gpu.tensor_flops_per_s(dtype);
    if (rate) json["tensor_flops_per_s"][std::string(to_string(dtype))] = *rate;
  }
  json["exp_per_s"] = gpu.exp_per_s();
  json["l2_capacity_bytes"] = static_cast<std::uint64_t>(gpu.l2().capacity_bytes.value);
  json["sources"] = sources_json(gpu);
  return json;
}

}  // namespace

std::string write_json(const RunInfo& run, std::span<const GpuSpec> gpus,
                       const std::vector<Record>& records) {
  Json gpu_list = Json::array();
  for (const GpuSpec& gpu : gpus) gpu_list.push_back(gpu_json(gpu));
  std::string text = "{\"schema_version\":" + std::to_string(kSchemaVersion);
  text.append(",\n\"provenance\":").append(dump(run_json(run)));
  text.append(",\n\"gpus\":").append(dump(gpu_list)).append(",\n\"records\":[");
  const char* separator = "\n";
  for (const Record& record : records) {
    text.append(separator).append(dump(record_json(record)));
    separator = ",\n";
  }
  return text.append("\n]}\n");
}

std::string jsonl_header(const RunInfo& run, const Configuration& configuration) {
  Json json = {{"schema_version", kSchemaVersion}, {"provenance", run_json(run)}};
  for (const auto& [name, text] : configuration) json["configuration"][name] = text;
  return dump(json) + "\n";
}

void append_jsonl_row(std::string& text, const Record& record) {
  text.append(dump(record_json(record))).append("\n");
}

}  // namespace hbmscope
