// Probes the L2 of the first GPU: sides, homes, sets, states of lines, and the order in which launches fill
// SMs. What the files hold stands in bench/README.md; scripts/probe_l2 compiles and runs it.

#include <iostream>

#include "bench/l2_probe/gpu.cuh"
#include "bench/l2_probe/probes.h"

namespace hbmscope {
namespace {

void probe(const std::string& folder) {
  const Gpu gpu;
  std::cout << gpu.name() << ", " << gpu.sms() << " SMs" << std::endl;
  if (gpu.name().find("H200") == std::string::npos)
    std::cout << "The latencies that tell near, far and DRAM apart are those of an H200 (lines.cuh)"
              << std::endl;
  gpu.flush();  // brings the clocks up
  const std::optional<Sides> sides = probe_sides(gpu, folder);
  std::cout << "sm_sides.csv" << std::endl;
  probe_sm_order(gpu, folder);
  std::cout << "sm_order.csv" << std::endl;
  if (sides) {
    probe_homes(gpu, *sides, folder);
    std::cout << "homes.csv" << std::endl;
    probe_states(gpu, *sides, folder);
    std::cout << "states.csv" << std::endl;
  } else {
    std::cout << "All SMs are as near to every line: no homes.csv and no states.csv" << std::endl;
  }
  probe_sets(gpu, 0, folder);
  std::cout << "sets.csv" << std::endl;
}

}  // namespace
}  // namespace hbmscope

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "probe_l2: expected one argument, the output directory\n";
    return 2;
  }
  int gpus = 0;
  const cudaError_t error = cudaGetDeviceCount(&gpus);
  if (error != cudaSuccess || gpus == 0) {
    std::cerr << "probe_l2: no GPU: "
              << (error != cudaSuccess ? cudaGetErrorString(error) : "the driver lists none") << '\n';
    return 2;
  }
  try {
    hbmscope::probe(argv[1]);
  } catch (const std::exception& failure) {
    std::cerr << "probe_l2: " << failure.what() << '\n';
    return 1;
  }
}
