#include "sim/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::string_view kExtension = ".toml";

std::string name_of_file(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  path.remove_suffix(kExtension.size());
  return std::string(path);
}

}  // namespace

std::vector<std::string> config_names(std::span<const EmbeddedFile> shipped) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : shipped) names.push_back(name_of_file(file.name));
  std::sort(names.begin(), names.end());
  return names;
}

ConfigText find_config(std::string_view option, std::span<const EmbeddedFile> shipped,
                       std::string_view name_or_file) {
  for (const EmbeddedFile& file : shipped) {
    if (name_of_file(file.name) == name_or_file) return {std::string(file.text), std::string(file.name)};
  }
  const std::string path(name_or_file);
  const std::vector<std::string> names = config_names(shipped);
  const bool is_path = path.find('/') != std::string::npos || path.ends_with(kExtension);
  if (!is_path) {
    throw UserError(std::string(option), path,
                    fmt::format("expected one of {}, or a file", fmt::join(names, ", ")));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || !text) {
    throw UserError(std::string(option), path,
                    fmt::format("expected a readable file, or one of {}", fmt::join(names, ", ")));
  }
  return {text.str(), path};
}

}  // namespace hbmscope
