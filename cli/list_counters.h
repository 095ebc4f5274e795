#pragma once

#include <string>
#include <string_view>

namespace hbmscope {

// Every quantity that can be counted: with which of CUPTI's metrics on this chip, or why not, and in how many
// passes of its set.
std::string counter_table(std::string_view gpu, std::string_view chip, bool color);

}  // namespace hbmscope
