// Stands in for live_run_cuda.cpp in a build without a CUDA toolkit.
#include "cli/live_run.h"
#include "kernels/gpu.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

[[noreturn]] void throw_absent() { throw UserError("GPU", "", kBuiltWithoutCuda); }

}  // namespace

struct LiveRun::State {};

LiveRun::LiveRun(CounterNeed) { throw_absent(); }
LiveRun::~LiveRun() = default;
const std::string& LiveRun::gpu_name() const { throw_absent(); }
void LiveRun::describe(RunInfo&) const { throw_absent(); }
bool LiveRun::measure(const Program&, Record&) { throw_absent(); }

}  // namespace hbmscope
