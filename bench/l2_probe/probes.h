#pragma once

// The parts of the probe. Each writes CSV files into `folder` and throws std::runtime_error if that, or a
// call of CUDA, fails.

#include <optional>
#include <string>

namespace hbmscope {

class Gpu;

// An SM of either side of the L2.
struct Sides {
  int a;
  int b;
};

// sm_sides.csv: on which side each SM is. Empty if all SMs see the same L2.
std::optional<Sides> probe_sides(const Gpu& gpu, const std::string& folder);

// homes.csv: on which side lines are homed, as a function of their address.
void probe_homes(const Gpu& gpu, const Sides& sides, const std::string& folder);

// sets.csv: which lines share a set with a few target lines, as an SM sees it.
void probe_sets(const Gpu& gpu, int sm, const std::string& folder);

// states.csv: where lines are after reads and writes by SMs of either side.
void probe_states(const Gpu& gpu, const Sides& sides, const std::string& folder);

// sm_order.csv: which SMs the CTAs of a launch come to.
void probe_sm_order(const Gpu& gpu, const std::string& folder);

}  // namespace hbmscope
