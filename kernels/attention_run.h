#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/compiler.h"
#include "kernels/reference.h"
#include "sim/program.h"
#include "sim/units.h"

// Runs a program's kernels on tensors that the caller has placed. Nothing here knows an algorithm: what is
// launched, in which order and with which grid, threads and shared memory stands in the program. In a build
// without CUDA every function that needs a GPU throws UserError.
namespace hbmscope {

using DeviceAddress = unsigned long long;  // CUdeviceptr

// Bytes of each tensor of the program in global memory, in order: 0 for a view (it lies in its base) and for
// what stays on chip. Throws UserError on overflow.
std::vector<Bytes> tensor_bytes(const Program& program);

// CTAs of a launch: the product of the grid loops' lengths, or the persistent CTAs. Throws UserError beyond
// 2^31 - 1.
std::uint64_t grid_ctas(const Program& program, const Launch& launch);

// The loaded kernels of a program, ready to be launched on the current device.
class AttentionRun {
 public:
  // Compiles or finds and loads the kernels. Throws UserError or std::runtime_error as KernelCompiler and
  // LibraryGemmRun do, DeviceError when the GPU refuses a kernel, std::logic_error for a program whose
  // kernels are not described.
  AttentionRun(const Program& program, const KernelCompiler& compiler, int compute_capability);
  ~AttentionRun();
  AttentionRun(AttentionRun&&) noexcept;
  AttentionRun& operator=(AttentionRun&&) noexcept;

  // `addresses` is in the order of the program's tensors; those of tensors without bytes are not looked at.
  void bind(std::span<const DeviceAddress> addresses);

  // Submits all launches in order to the default stream and returns; bind() comes first. Throws DeviceError.
  void launch() const;

  // Submits one of them, by its number in the program.
  void launch(int index) const;

  // Registers, spills and shared bytes, one for each launch that runs a kernel of ours.
  const std::vector<KernelResources>& kernels() const;
  const std::string& kernel_hash() const;
  // Whose kernels run besides ours, with version: "cuBLAS 13.1.0"; "" for none.
  const std::string& library() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Copies Q, K and V to where the program's tensors of those names lie.
void upload_inputs(const Program& program, const AttentionInputs& inputs,
                   std::span<const DeviceAddress> addresses);

// Fills everything that the program writes, workspaces included, with kPoisonByte.
void poison_outputs(const Program& program, std::span<const DeviceAddress> addresses);

// Copies O, and LSE where there is one, back and compares them. Waits for the launches.
Comparison compare_outputs(const Program& program, const Reference& reference,
                           std::span<const DeviceAddress> addresses);

// Copies S back, for a program that writes it to memory; std::logic_error for another. Waits for the
// launches.
StoredScores download_scores(const Program& program, std::span<const DeviceAddress> addresses);

// How `standard` and its like are to be compared: stored if the program writes scores to memory.
Scores scores_of(const Program& program);

// The index of a tensor, or kNone.
int find_tensor(const Program& program, std::string_view name);

}  // namespace hbmscope
