#include "reports/json_rows.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace hbmscope {
namespace {

// One object of an array, whose values are taken by key.
class Row {
 public:
  Row(const RecordPlace& place, std::string_view array, std::size_t index, const Json& json)
      : place_(place), name_(fmt::format("{}[{}]", array, index)), json_(json) {}

  void expect(std::initializer_list<std::string_view> keys) const { expect_keys(place_, name_, json_, keys); }

  std::string text(const char* key) const { return there<std::string>(key, FieldType::text); }
  std::uint64_t bytes(const char* key) const { return there<std::uint64_t>(key, FieldType::bytes); }
  std::int64_t count(const char* key) const {
    return *not_negative(key, std::optional(there<std::int64_t>(key, FieldType::integer)));
  }
  double real(const char* key) const {
    return *not_negative(key, std::optional(there<double>(key, FieldType::real)));
  }
  const Json& array(const char* key) const {
    const Json& held = member(place_, name_, json_, key);
    expect_array(place_, name(key), held);
    return held;
  }
  // Of what stands under a key, for errors.
  std::string name(const char* key) const { return joined(name_, key); }
  // Absent if the key is.
  std::optional<std::uint64_t> bytes_if_there(const char* key) const {
    return if_there<std::uint64_t>(key, FieldType::bytes);
  }
  std::optional<std::string> text_if_there(const char* key) const {
    return if_there<std::string>(key, FieldType::text);
  }
  std::optional<std::int64_t> count_if_there(const char* key) const {
    return not_negative(key, if_there<std::int64_t>(key, FieldType::integer));
  }
  std::optional<double> real_if_there(const char* key) const {
    return not_negative(key, if_there<double>(key, FieldType::real));
  }

  [[noreturn]] void fail(const char* key, std::string_view value, std::string_view accepted) const {
    fail_at(place_, joined(name_, key), value, accepted);
  }

 private:
  FieldValue value(const char* key, FieldType type, const Json& json) const {
    return field_value(place_, joined(name_, key), type, json);
  }
  template <class T>
  T there(const char* key, FieldType type) const {
    return std::get<T>(value(key, type, member(place_, name_, json_, key)));
  }
  template <class T>
  std::optional<T> if_there(const char* key, FieldType type) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return std::get<T>(value(key, type, *found));
  }
  template <class T>
  std::optional<T> not_negative(const char* key, const std::optional<T>& number) const {
    if (number && *number < 0) fail(key, fmt::format("{}", *number), "expected a number from 0 on");
    return number;
  }

  const RecordPlace& place_;
  std::string name_;
  const Json& json_;
};

TrafficRow traffic_row(const Row& row) {
  row.expect(
      {"launch", "tensor", "boundary", "read_bytes", "write_bytes", "io_read_bytes", "io_write_bytes"});
  const std::string word = row.text("boundary");
  const std::optional<Boundary> boundary = parse_boundary(word);
  if (!boundary) row.fail("boundary", word, "expected hbm, l2 or sram");
  TrafficRow read{.launch = row.text("launch"),
                  .tensor = row.text("tensor"),
                  .boundary = *boundary,
                  .read_bytes = row.bytes("read_bytes"),
                  .write_bytes = row.bytes("write_bytes"),
                  .io_read_bytes = row.bytes_if_there("io_read_bytes"),
                  .io_write_bytes = row.bytes_if_there("io_write_bytes")};
  if (read.boundary != Boundary::l2 && (read.io_read_bytes || read.io_write_bytes)) {
    row.fail("boundary", word, "expected l2, because the row has io bytes");
  }
  return read;
}

LaunchRow launch_row(const Row& row) {
  row.expect({"launch", "kernel", "ctas", "threads", "shared_bytes", "ctas_per_sm", "limited_by", "waves",
              "flops", "executed_flops", "exponentials", "time_s", "limiter"});
  return {.launch = row.text("launch"),
          .kernel = row.text_if_there("kernel"),
          .ctas = row.count_if_there("ctas"),
          .threads = row.count_if_there("threads"),
          .shared_bytes = row.count_if_there("shared_bytes"),
          .ctas_per_sm = row.count_if_there("ctas_per_sm"),
          .limited_by = row.text_if_there("limited_by"),
          .waves = row.real_if_there("waves"),
          .flops = row.bytes("flops"),
          .executed_flops = row.bytes("executed_flops"),
          .exponentials = row.bytes("exponentials"),
          .time_s = row.real_if_there("time_s"),
          .limiter = row.text_if_there("limiter")};
}

RoofRow roof_row(const Row& row) {
  row.expect({"roof", "demand", "rate_per_s", "time_s", "binds_s"});
  return {.roof = row.text("roof"),
          .demand = row.bytes("demand"),
          .rate_per_s = row.real("rate_per_s"),
          .time_s = row.real("time_s"),
          .binds_s = row.real("binds_s")};
}

LimiterStretch stretch_row(const Row& row) {
  row.expect({"first", "last", "limiter"});
  return {.first = row.count("first"), .last = row.count("last"), .limiter = row.text("limiter")};
}

CrossoverRow crossover_row(const RecordPlace& place, const Row& row) {
  row.expect({"axis", "first", "last", "step", "counted", "stretches"});
  CrossoverRow read{.axis = row.text("axis"),
                    .first = row.count("first"),
                    .last = row.count("last"),
                    .step = row.count("step"),
                    .counted = row.count("counted"),
                    .stretches = {}};
  for (const Json& stretch : row.array("stretches"))
    read.stretches.push_back(stretch_row(Row(place, row.name("stretches"), read.stretches.size(), stretch)));
  return read;
}

}  // namespace

std::vector<TrafficRow> read_traffic(const RecordPlace& place, const Json& json) {
  expect_array(place, "traffic", json);
  std::vector<TrafficRow> rows;
  for (const Json& row : json) rows.push_back(traffic_row(Row(place, "traffic", rows.size(), row)));
  return rows;
}

std::vector<LaunchRow> read_launches(const RecordPlace& place, const Json& json) {
  expect_array(place, "launches", json);
  std::vector<LaunchRow> rows;
  for (const Json& row : json) rows.push_back(launch_row(Row(place, "launches", rows.size(), row)));
  return rows;
}

std::vector<RoofRow> read_roofs(const RecordPlace& place, const Json& json) {
  expect_array(place, "roofs", json);
  std::vector<RoofRow> rows;
  for (const Json& row : json) rows.push_back(roof_row(Row(place, "roofs", rows.size(), row)));
  return rows;
}

std::vector<CrossoverRow> read_crossovers(const RecordPlace& place, const Json& json) {
  expect_array(place, "crossovers", json);
  std::vector<CrossoverRow> rows;
  for (const Json& row : json)
    rows.push_back(crossover_row(place, Row(place, "crossovers", rows.size(), row)));
  return rows;
}

}  // namespace hbmscope
