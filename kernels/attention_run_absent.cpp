// Stands in for attention_run_cuda.cpp in a build without a CUDA toolkit.
#include "kernels/attention_run.h"
#include "kernels/gpu.h"
#include "sim/error.h"

namespace hbmscope {

namespace {

[[noreturn]] void throw_absent() { throw UserError("GPU", "", kBuiltWithoutCuda); }

}  // namespace

struct AttentionRun::State {};

AttentionRun::AttentionRun(const Program&, const KernelCompiler&, int) { throw_absent(); }
AttentionRun::~AttentionRun() = default;
AttentionRun::AttentionRun(AttentionRun&&) noexcept = default;
AttentionRun& AttentionRun::operator=(AttentionRun&&) noexcept = default;

void AttentionRun::bind(std::span<const DeviceAddress>) { throw_absent(); }
void AttentionRun::launch() const { throw_absent(); }
void AttentionRun::launch(int) const { throw_absent(); }
const std::vector<KernelResources>& AttentionRun::kernels() const { throw_absent(); }
const std::string& AttentionRun::kernel_hash() const { throw_absent(); }
const std::string& AttentionRun::library() const { throw_absent(); }

void upload_inputs(const Program&, const AttentionInputs&, std::span<const DeviceAddress>) { throw_absent(); }
void poison_outputs(const Program&, std::span<const DeviceAddress>) { throw_absent(); }
Comparison compare_outputs(const Program&, const Reference&, std::span<const DeviceAddress>) {
  throw_absent();
}
StoredScores download_scores(const Program&, std::span<const DeviceAddress>) { throw_absent(); }

}  // namespace hbmscope
