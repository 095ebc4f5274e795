#include "reports/configuration.h"

namespace hbmscope {

std::string setting(const Configuration& configuration, std::string_view name) {
  for (const auto& [own, text] : configuration) {
    if (own == name) return text;
  }
  return "";
}

std::optional<ConfigurationDifference> first_difference(const Configuration& one, const Configuration& other,
                                                        std::string_view ignored) {
  for (const Configuration* names : {&one, &other}) {
    for (const auto& [name, text] : *names) {
      if (name == ignored || setting(one, name) == setting(other, name)) continue;
      return ConfigurationDifference{name, setting(one, name), setting(other, name)};
    }
  }
  return std::nullopt;
}

}  // namespace hbmscope
