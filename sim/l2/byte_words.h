#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbmscope {

// Numbers as sentences say them, with three digits: "31.0 MiB" of caches, "1.07 GB" of traffic.
std::string cache_text(double bytes);
std::string traffic_text(double bytes);
std::string digits_text(double value);
std::string count_text(double number);   // "64", "2.1"
std::string percent_text(double share);  // "51 %"

// "Q", "K and V", "Q, K and V".
std::string joined_words(const std::vector<std::string>& words);

// The largest of some named amounts with their shares of the sum: "K 51 % and V 49 %"; the rest together.
std::string shares_text(std::vector<std::pair<std::string_view, double>> amounts);

}  // namespace hbmscope
