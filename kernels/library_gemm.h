#pragma once

#include <memory>
#include <span>
#include <string>

#include "sim/program.h"

namespace hbmscope {

// A launch's matrix product, carried out by cuBLAS. In a build without cuBLAS's header the constructor throws
// UserError.
class LibraryGemmRun {
 public:
  // Takes the first kernel of cuBLAS's heuristic that has the described tile, so that what runs is what was
  // predicted. Throws UserError without cuBLAS, DeviceError when it refuses a call, std::runtime_error when
  // it offers no such kernel.
  LibraryGemmRun(const Program& program, const LibraryGemm& gemm);
  ~LibraryGemmRun();
  LibraryGemmRun(LibraryGemmRun&&) noexcept;
  LibraryGemmRun& operator=(LibraryGemmRun&&) noexcept;

  // Submits the product to the default stream. Addresses are in the order of the program's tensors.
  void launch(std::span<const unsigned long long> addresses) const;

  // "cuBLAS 13.1.0"
  const std::string& library() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hbmscope
