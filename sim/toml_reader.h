#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu.h"

namespace hbmscope {

// Throws UserError naming origin:line for what is not TOML.
toml::table parse_toml(std::string_view text, const std::string& origin);

// Reads one TOML table strictly: what is missing, of the wrong type, out of range or unknown is a UserError
// that names file:line and the key. Call finish() when all keys are read.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string origin, std::string path);

  std::string text(std::string_view key);
  std::optional<std::string> text_if_present(std::string_view key);
  std::int64_t integer(std::string_view key, std::int64_t smallest, std::int64_t largest);
  std::int64_t integer_or(std::string_view key, std::int64_t smallest, std::int64_t largest,
                          std::int64_t otherwise);
  std::optional<std::int64_t> integer_if_present(std::string_view key, std::int64_t smallest,
                                                 std::int64_t largest);
  // One of the words that `parse` knows.
  template <class T>
  T word(std::string_view key, std::optional<T> (*parse)(std::string_view), std::string_view accepted) {
    const std::string word = text(key);
    const std::optional<T> value = parse(word);
    if (!value) fail(key, word, accepted);
    return *value;
  }
  template <class T>
  std::optional<T> word_if_present(std::string_view key, std::optional<T> (*parse)(std::string_view),
                                   std::string_view accepted) {
    return text_if_present(key) ? std::optional<T>(word(key, parse, accepted)) : std::nullopt;
  }
  // An array of them; empty if there is no such key.
  std::vector<std::int64_t> integers_if_present(std::string_view key, std::int64_t smallest,
                                                std::int64_t largest);
  // An array of so many; empty if there is no such key.
  std::vector<double> numbers_if_present(std::string_view key, std::size_t count, double smallest,
                                         double largest);
  bool boolean_or(std::string_view key, bool otherwise);
  double number(std::string_view key, double smallest, double largest);
  // { value = 4.8e12, source = "…", measured = false }; the value lies between 1e-6 and 1e18.
  SourcedValue quantity(std::string_view key);
  std::optional<SourcedValue> quantity_if_present(std::string_view key);
  TomlReader table(std::string_view key);
  bool has(std::string_view key) const;
  // The tables of [[key]]; at least one.
  const toml::array& tables(std::string_view key);
  TomlReader element(const toml::node& node, std::string_view key) const;

  // Throws for the first key that nobody asked for.
  void finish() const;

  [[noreturn]] void fail(const toml::node& node, std::string_view key, std::string value,
                         std::string_view accepted) const;
  // For the value of a key that is there.
  [[noreturn]] void fail(std::string_view key, std::string value, std::string_view accepted) const;

 private:
  const toml::node& require(std::string_view key, std::string_view accepted);
  std::string name_of(std::string_view key) const;

  const toml::table& table_;
  std::string origin_;
  std::string path_;  // "cache." within [[cache]]
  std::set<std::string, std::less<>> asked_;
};

}  // namespace hbmscope
