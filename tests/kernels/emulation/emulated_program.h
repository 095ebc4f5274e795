#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/attention_params.h"
#include "tests/kernels/emulation/emulation.h"

namespace hbmscope {

// Runs a program's kernels on the CPU, on tensors of its own: AttentionRun without a GPU.
class EmulatedProgram {
 public:
  // Inputs are copied, what the program writes is poisoned.
  EmulatedProgram(const Program& program, const AttentionInputs& inputs);

  // Throws std::runtime_error with the first violation, or naming the instance that is not compiled in.
  emulation::Counts launch(int index, emulation::CopyTime copy_time);

  // A tensor without what pads its rows; empty if there is none.
  std::vector<Half> halves(std::string_view tensor) const { return without_padding<Half>(tensor); }
  std::vector<float> floats(std::string_view tensor) const { return without_padding<float>(tensor); }

  // S with its padding.
  StoredScores stored_scores() const;

 private:
  template <typename T>
  std::vector<T> without_padding(std::string_view name) const;

  const Program& program_;
  std::vector<std::vector<std::byte>> tensors_;
  AttentionParams params_;
};

}  // namespace hbmscope
