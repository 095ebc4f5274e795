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

  std::string text(const char* key) const {
    return std::get<std::string>(value(key, FieldType::text, member(place_, name_, json_, key)));
  }
  std::uint64_t bytes(const char* key) const {
    return std::get<std::uint64_t>(value(key, FieldType::bytes, member(place_, name_, json_, key)));
  }
  std::optional<std::uint64_t> bytes_if_there(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    return std::get<std::uint64_t>(value(key, FieldType::bytes, *found));
  }

  [[noreturn]] void fail(const char* key, std::string_view value, std::string_view accepted) const {
    fail_at(place_, joined(name_, key), value, accepted);
  }

 private:
  FieldValue value(const char* key, FieldType type, const Json& json) const {
    return field_value(place_, joined(name_, key), type, json);
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

}  // namespace

std::vector<TrafficRow> read_traffic(const RecordPlace& place, const Json& json) {
  expect_array(place, "traffic", json);
  std::vector<TrafficRow> rows;
  for (const Json& row : json) rows.push_back(traffic_row(Row(place, "traffic", rows.size(), row)));
  return rows;
}

}  // namespace hbmscope
