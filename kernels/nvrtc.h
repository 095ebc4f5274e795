#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/embedded_file.h"

namespace hbmscope {

// NVIDIA's run-time compiler, opened with dlopen. It needs neither a GPU nor a driver.
class Nvrtc {
 public:
  // Throws UserError when no NVRTC of CUDA 12 or newer is found, with what was looked for and how to get it.
  Nvrtc();
  ~Nvrtc();

  struct Output {
    std::string cubin;
    std::string log;  // warnings and what ptxas says of every kernel
  };

  // Compiles `source` for a real architecture ("sm_90"); includes are resolved from `headers` by name. Throws
  // std::runtime_error with the compiler's log when the source does not compile.
  Output compile(const EmbeddedFile& source, std::span<const EmbeddedFile> headers,
                 std::span<const std::string> options) const;

  // "NVRTC 13.0"
  std::string version() const;
  // {80, 86, 90, …}: the compute capabilities that this NVRTC compiles for.
  std::vector<int> architectures() const;

 private:
  // {13, 0}
  std::pair<int, int> version_numbers() const;

  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace hbmscope
