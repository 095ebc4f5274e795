#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "sim/record.h"

namespace hbmscope {

// What predictions of a run take over unseen (Provenance::note), each said once.
class Notes {
 public:
  void add(const Record& record);
  // A line for each, "note: fa2 on a100-80: ..."; of many the first few.
  std::string text() const;

 private:
  std::set<std::string> notes_;
  bool more_ = false;  // than are kept
};

}  // namespace hbmscope
