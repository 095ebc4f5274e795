#include "reports/json_rows.h"

#include "reports/json_row.h"

namespace hbmscope {
namespace {

TrafficRow traffic_row(const JsonRow& row) {
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

LaunchRow launch_row(const JsonRow& row) {
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

RoofRow roof_row(const JsonRow& row) {
  row.expect({"roof", "demand", "rate_per_s", "time_s", "binds_s"});
  return {.roof = row.text("roof"),
          .demand = row.bytes("demand"),
          .rate_per_s = row.real("rate_per_s"),
          .time_s = row.real("time_s"),
          .binds_s = row.real("binds_s")};
}

LimiterStretch stretch_row(const JsonRow& row) {
  row.expect({"first", "last", "limiter"});
  return {.first = row.count("first"), .last = row.count("last"), .limiter = row.text("limiter")};
}

CrossoverRow crossover_row(const RecordPlace& place, const JsonRow& row) {
  row.expect({"axis", "first", "last", "step", "counted", "stretches"});
  CrossoverRow read{.axis = row.text("axis"),
                    .first = row.count("first"),
                    .last = row.count("last"),
                    .step = row.count("step"),
                    .counted = row.count("counted"),
                    .stretches = {}};
  for (const Json& stretch : row.array("stretches"))
    read.stretches.push_back(
        stretch_row(JsonRow(place, row.name("stretches"), read.stretches.size(), stretch)));
  return read;
}

}  // namespace

std::vector<TrafficRow> read_traffic(const RecordPlace& place, const Json& json) {
  expect_array(place, "traffic", json);
  std::vector<TrafficRow> rows;
  for (const Json& row : json) rows.push_back(traffic_row(JsonRow(place, "traffic", rows.size(), row)));
  return rows;
}

std::vector<LaunchRow> read_launches(const RecordPlace& place, const Json& json) {
  expect_array(place, "launches", json);
  std::vector<LaunchRow> rows;
  for (const Json& row : json) rows.push_back(launch_row(JsonRow(place, "launches", rows.size(), row)));
  return rows;
}

std::vector<RoofRow> read_roofs(const RecordPlace& place, const Json& json) {
  expect_array(place, "roofs", json);
  std::vector<RoofRow> rows;
  for (const Json& row : json) rows.push_back(roof_row(JsonRow(place, "roofs", rows.size(), row)));
  return rows;
}

std::vector<std::string> read_texts(const RecordPlace& place, std::string_view name, const Json& json) {
  expect_array(place, name, json);
  std::vector<std::string> texts;
  for (const Json& text : json)
    texts.push_back(std::get<std::string>(field_value(place, name, FieldType::text, text)));
  return texts;
}

std::vector<CrossoverRow> read_crossovers(const RecordPlace& place, const Json& json) {
  expect_array(place, "crossovers", json);
  std::vector<CrossoverRow> rows;
  for (const Json& row : json)
    rows.push_back(crossover_row(place, JsonRow(place, "crossovers", rows.size(), row)));
  return rows;
}

}  // namespace hbmscope
