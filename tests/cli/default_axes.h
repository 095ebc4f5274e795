#pragma once

#include "cli/point_options.h"

namespace hbmscope::testing {

// Every option's default, as a command line without options gives.
inline PointAxes default_axes() {
  PointAxes axes;
  for (const PointOption& option : point_options()) {
    if (!option.default_text.empty()) option.parse(option.name, option.default_text, axes);
  }
  return axes;
}

}  // namespace hbmscope::testing
