// In which order a launch fills the SMs: every CTA says where it is. They stay until all are there, so that
// an SM gets a second one only where the launch puts it.

#include "bench/l2_probe/gpu.cuh"
#include "bench/l2_probe/probes.h"

namespace hbmscope {
namespace {

constexpr int kThreads = 128;

__global__ void where_kernel(unsigned* sm_of_cta) {
  if (threadIdx.x == 0) sm_of_cta[blockIdx.x] = sm_id();
  __nanosleep(50000);
}

}  // namespace

void probe_sm_order(const Gpu& gpu, const std::string& folder) {
  CsvFile file(folder + "/sm_order.csv", "ctas,shared_bytes,position,sm");
  int limit = 0;
  check(cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "cudaDeviceGetAttribute");
  for (const int shared_kib : {30, 60, 100, 200}) {
    const int shared_bytes = shared_kib * 1024;
    if (shared_bytes > limit) continue;
    check(cudaFuncSetAttribute(where_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
    for (const int ctas : {32, 48, 64, 96, gpu.sms(), 2 * gpu.sms()}) {
      const DeviceArray<unsigned> sm_of_cta(static_cast<std::size_t>(ctas));
      where_kernel<<<ctas, kThreads, shared_bytes>>>(sm_of_cta.data());
      finish("where");
      int position = 0;
      for (const unsigned sm : sm_of_cta.values())
        file.row(std::to_string(ctas) + ',' + std::to_string(shared_bytes) + ',' +
                 std::to_string(position++) + ',' + std::to_string(sm));
    }
  }
}

}  // namespace hbmscope
