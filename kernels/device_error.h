#pragma once

#include <stdexcept>
#include <string>

namespace hbmscope {

// A call of the CUDA driver that failed. It is an outcome of one point ("failed", with this text as the
// reason), not of the user's input. Once the context is lost, nothing can be launched any more in this
// process.
class DeviceError : public std::runtime_error {
 public:
  // `code` is the CUresult.
  DeviceError(const std::string& call, int code, const std::string& text, bool context_is_lost)
      : std::runtime_error(call + " failed: " + text), code_(code), context_is_lost_(context_is_lost) {}

  int code() const { return code_; }
  bool context_is_lost() const { return context_is_lost_; }

 private:
  int code_;
  bool context_is_lost_;
};

}  // namespace hbmscope
