#include "sim/l2/byte_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/units.h"

namespace hbmscope {

std::string digits_text(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string cache_text(double bytes) {
  if (bytes >= static_cast<double>(kGiB)) return digits_text(bytes / static_cast<double>(kGiB)) + " GiB";
  if (bytes >= static_cast<double>(kMiB)) return digits_text(bytes / static_cast<double>(kMiB)) + " MiB";
  return digits_text(bytes / static_cast<double>(kKiB)) + " KiB";
}

std::string traffic_text(double bytes) {
  if (bytes >= 1e9) return digits_text(bytes / 1e9) + " GB";
  if (bytes >= 1e6) return digits_text(bytes / 1e6) + " MB";
  return digits_text(bytes / 1e3) + " kB";
}

std::string count_text(double number) {
  const bool whole = number >= 100 || std::abs(number - std::round(number)) < 0.05;
  return fmt::format("{:.{}f}", number, whole ? 0 : 1);
}

std::string percent_text(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string shares_text(std::vector<std::pair<std::string_view, double>> amounts) {
  constexpr std::size_t kNamed = 3;
  constexpr double kSmallest = 0.01;
  std::stable_sort(amounts.begin(), amounts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  double sum = 0;
  for (const auto& [name, amount] : amounts) sum += amount;
  std::vector<std::string> words;
  double rest = 1;
  for (const auto& [name, amount] : amounts) {
    if (words.size() == kNamed || amount < kSmallest * sum) break;
    words.push_back(fmt::format("{} {}", name, percent_text(amount / sum)));
    rest -= amount / sum;
  }
  if (rest >= kSmallest) words.push_back("others " + percent_text(rest));
  return joined_words(words);
}

}  // namespace hbmscope
