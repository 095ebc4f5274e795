#include <algorithm>

#include "profiler/nvtx.h"

namespace hbmscope {

std::string nvtx_name(std::string_view name) {
  static constexpr std::string_view kSyntax = "@,[]/*+\\$";
  std::string result(name);
  std::ranges::replace_if(
      result, [](char c) { return c <= ' ' || c > '~' || kSyntax.find(c) != std::string_view::npos; }, '_');
  return result;
}

}  // namespace hbmscope
