// Compiled once per tile: the real kernel source under another namespace and name (both are macros on the
// command line), registered for the test.

#include "kernels/device/ptx.cuh"
#include EMULATED_SOURCE

namespace {

void call(const void* params) { EMULATED_KERNEL(*static_cast<const hbmscope::AttentionParams*>(params)); }

const bool registered = [] {
  emulation::instances().push_back({EMULATED_NAME, HBMSCOPE_BR, HBMSCOPE_BC, HBMSCOPE_HEAD_DIM,
                                    HBMSCOPE_STAGES, HBMSCOPE_THREADS_PER_ROW, HBMSCOPE_VECTORS_PER_THREAD,
                                    HBMSCOPE_DTYPE_BF16 != 0, HBMSCOPE_CAUSAL != 0, call});
  return true;
}();

}  // namespace
