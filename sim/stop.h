#pragma once

#include <atomic>
#include <exception>

namespace hbmscope {

// Set by whoever wants something long to end early; null where nobody can.
using StopFlag = const std::atomic<bool>*;

// What something long ends with then.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped early"; }
};

inline void check_stop(StopFlag stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace hbmscope
