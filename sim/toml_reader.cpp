#include "sim/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sim/error.h"

namespace hbmscope {
namespace {

// Wide enough for any clock, rate or size; times made of such numbers are finite, and sizes fit in 63 bits.
constexpr double kSmallestQuantity = 1e-6;
constexpr double kLargestQuantity = 1e18;

std::string written(const toml::node& node) {
  std::ostringstream out;
  if (const auto* text = node.as_string()) return text->get();  // the error puts its own quotes around it
  node.visit([&](const auto& value) { out << value; });
  std::string text = out.str();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& origin) {
  try {
    return toml::parse(text, origin);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}", origin, error.source().begin.line), "",
                    fmt::format("not valid TOML: {}", error.description()));
  }
}

TomlReader::TomlReader(const toml::table& table, std::string origin, std::string path)
    : table_(table), origin_(std::move(origin)), path_(std::move(path)) {}

std::string TomlReader::name_of(std::string_view key) const { return path_ + std::string(key); }

void TomlReader::fail(const toml::node& node, std::string_view key, std::string value,
                      std::string_view accepted) const {
  throw UserError(fmt::format("{}:{}: key {}", origin_, node.source().begin.line, name_of(key)),
                  std::move(value), fmt::format("expected {}", accepted));
}

void TomlReader::fail(std::string_view key, std::string value, std::string_view accepted) const {
  fail(*table_.get(key), key, std::move(value), accepted);
}

const toml::node& TomlReader::require(std::string_view key, std::string_view accepted) {
  asked_.emplace(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) {
    throw UserError(fmt::format("{}:{}", origin_, std::max<std::uint32_t>(table_.source().begin.line, 1)), "",
                    fmt::format("the key {} is missing, expected {}", name_of(key), accepted));
  }
  return *node;
}

std::string TomlReader::text(std::string_view key) {
  const toml::node& node = require(key, "a text");
  const auto value = node.value_exact<std::string>();
  if (!value || value->empty()) fail(node, key, written(node), "a text that is not empty");
  return *value;
}

std::optional<std::string> TomlReader::text_if_present(std::string_view key) {
  asked_.emplace(key);
  if (!table_.contains(key)) return std::nullopt;
  return text(key);
}

std::int64_t TomlReader::integer(std::string_view key, std::int64_t smallest, std::int64_t largest) {
  const std::string accepted = fmt::format("a whole number from {} to {}", smallest, largest);
  const toml::node& node = require(key, accepted);
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < smallest || *value > largest) fail(node, key, written(node), accepted);
  return *value;
}

std::int64_t TomlReader::integer_or(std::string_view key, std::int64_t smallest, std::int64_t largest,
                                    std::int64_t otherwise) {
  return integer_if_present(key, smallest, largest).value_or(otherwise);
}

std::optional<std::int64_t> TomlReader::integer_if_present(std::string_view key, std::int64_t smallest,
                                                           std::int64_t largest) {
  asked_.emplace(key);
  if (!table_.contains(key)) return std::nullopt;
  return integer(key, smallest, largest);
}

std::vector<std::int64_t> TomlReader::integers_if_present(std::string_view key, std::int64_t smallest,
                                                          std::int64_t largest) {
  asked_.emplace(key);
  std::vector<std::int64_t> values;
  const toml::node* node = table_.get(key);
  if (node == nullptr) return values;
  const std::string accepted = fmt::format("an array of whole numbers from {} to {}", smallest, largest);
  const toml::array* array = node->as_array();
  if (array == nullptr) fail(*node, key, written(*node), accepted);
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<std::int64_t>();
    if (!value || *value < smallest || *value > largest) fail(element, key, written(element), accepted);
    values.push_back(*value);
  }
  return values;
}

std::vector<double> TomlReader::numbers_if_present(std::string_view key, std::size_t count, double smallest,
                                                   double largest) {
  asked_.emplace(key);
  std::vector<double> values;
  const toml::node* node = table_.get(key);
  if (node == nullptr) return values;
  const std::string accepted =
      fmt::format("an array of {} numbers from {:g} to {:g}", count, smallest, largest);
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() != count) fail(*node, key, written(*node), accepted);
  for (const toml::node& element : *array) {
    const auto value = element.value<double>();
    const bool in_range = element.is_number() && *value >= smallest && *value <= largest;  // NaN is not
    if (!in_range) fail(element, key, written(element), accepted);
    values.push_back(*value);
  }
  return values;
}

bool TomlReader::boolean_or(std::string_view key, bool otherwise) {
  asked_.emplace(key);
  const toml::node* node = table_.get(key);
  if (node == nullptr) return otherwise;
  const auto value = node->value_exact<bool>();
  if (!value) fail(*node, key, written(*node), "true or false");
  return *value;
}

double TomlReader::number(std::string_view key, double smallest, double largest) {
  const std::string accepted = fmt::format("a number from {:g} to {:g}", smallest, largest);
  const toml::node& node = require(key, accepted);
  const auto value = node.value<double>();
  if (!node.is_number()) fail(node, key, written(node), accepted);
  const bool in_range = *value >= smallest && *value <= largest;  // NaN is not
  if (!in_range) fail(node, key, fmt::format("{}", *value), accepted);
  return *value;
}

SourcedValue TomlReader::quantity(std::string_view key) {
  TomlReader reader = table(key);
  SourcedValue quantity;
  quantity.value = reader.number("value", kSmallestQuantity, kLargestQuantity);
  quantity.source = reader.text("source");
  quantity.measured = reader.boolean_or("measured", false);
  reader.finish();
  return quantity;
}

std::optional<SourcedValue> TomlReader::quantity_if_present(std::string_view key) {
  asked_.emplace(key);
  if (!table_.contains(key)) return std::nullopt;
  return quantity(key);
}

TomlReader TomlReader::table(std::string_view key) {
  const toml::node& node = require(key, "a table");
  return element(node, key);
}

bool TomlReader::has(std::string_view key) const { return table_.contains(key); }

const toml::array& TomlReader::tables(std::string_view key) {
  const toml::node& node = require(key, fmt::format("tables [[{}]]", key));
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty()) fail(node, key, written(node), fmt::format("tables [[{}]]", key));
  return *array;
}

TomlReader TomlReader::element(const toml::node& node, std::string_view key) const {
  const toml::table* table = node.as_table();
  if (table == nullptr) fail(node, key, written(node), "a table { value = …, source = \"…\" }");
  return {*table, origin_, name_of(key) + "."};
}

void TomlReader::finish() const {
  for (const auto& [key, node] : table_) {
    if (asked_.contains(key.str())) continue;
    std::string known;
    for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
    throw UserError(fmt::format("{}:{}: key {}", origin_, key.source().begin.line, name_of(key.str())), "",
                    fmt::format("unknown; known here: {}", known));
  }
}

}  // namespace hbmscope
