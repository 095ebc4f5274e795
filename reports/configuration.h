#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbmscope {

// What determines the points of a run and what is said of them: options, versions and the like, each a name
// with a text. Two runs whose configurations are the same make records that belong together.
using Configuration = std::vector<std::pair<std::string, std::string>>;

// "" for a name that is not there.
std::string setting(const Configuration& configuration, std::string_view name);

// The first name whose text differs, wherever it stands; `ignored` may differ.
struct ConfigurationDifference {
  std::string name;
  std::string one;  // "" if it is not there
  std::string other;
};
std::optional<ConfigurationDifference> first_difference(const Configuration& one, const Configuration& other,
                                                        std::string_view ignored = "");

}  // namespace hbmscope
