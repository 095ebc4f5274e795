#pragma once

#include <string>
#include <string_view>

namespace hbmscope {

// Replaces what ncu's and nsys's range filters take as syntax (@ , [ ] / * + \ $), blanks and non-printing
// characters by '_'.
std::string nvtx_name(std::string_view name);

// A range in the NVTX domain "hbmscope" for the life of the object, so that a point can be selected:
// ncu --nvtx --nvtx-include "hbmscope@<name>/". Free when no tool listens; does nothing in a build without
// NVTX's headers.
class NvtxRange {
 public:
  explicit NvtxRange(std::string_view name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace hbmscope
