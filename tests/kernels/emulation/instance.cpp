// Compiled once per kernel and macros: the real kernel source under another namespace and name (both are
// macros on the command line), registered for the test.

#include "kernels/device/ptx.cuh"
#include EMULATED_SOURCE

namespace {

void call(const void* params) { EMULATED_KERNEL(*static_cast<const hbmscope::AttentionParams*>(params)); }

const bool registered = [] {
  emulation::instances().push_back({EMULATED_NAME, {EMULATED_MACROS}, call});
  return true;
}();

}  // namespace
