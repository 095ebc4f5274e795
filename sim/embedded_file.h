#pragma once

#include <span>
#include <string_view>

namespace hbmscope {

// A file compiled into the library by cmake/embed.cmake. Both views live as long as the program.
struct EmbeddedFile {
  std::string_view name;  // path relative to the repository's root: "configs/gpus/h200.toml"
  std::string_view text;
};

}  // namespace hbmscope
