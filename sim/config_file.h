#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/embedded_file.h"

namespace hbmscope {

// A description in TOML, shipped within the library or read from a file.
struct ConfigText {
  std::string text;
  std::string origin;  // for errors
};

// Names of the shipped descriptions, "h200" for "configs/gpus/h200.toml", sorted.
std::vector<std::string> config_names(std::span<const EmbeddedFile> shipped);

// A shipped description by name, or a file by path (anything with a '/' or ending in .toml). Throws UserError
// naming the option, the value and what is accepted.
ConfigText find_config(std::string_view option, std::span<const EmbeddedFile> shipped,
                       std::string_view name_or_file);

}  // namespace hbmscope
