#pragma once

#include <cstdint>

#include "sim/gpu.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/l2_model.h"
#include "sim/program.h"
#include "sim/stop.h"

namespace hbmscope {

class BlockMap;
class CtaSlots;
class L2State;
struct TileAccess;

// Looks on while a program is replayed.
class ReplayObserver {
 public:
  virtual void launch_begins(const CtaSlots& slots, const BlockMap& blocks, const L2State& state) = 0;
  virtual void access_begins(const TileAccess& access) = 0;
  // Of the access that began last, before its blocks change the state.
  virtual void block_begins(std::int64_t block, const TileAccess& access) = 0;
  // Of the block that began last, where it is loaded by an SM of this side: before its share of a home
  // changes the state.
  virtual void share_begins(std::int64_t block, int home, int side) = 0;
  virtual void launch_ends() = 0;

 protected:
  ~ReplayObserver() = default;
};

// What DRAM is asked for by a program whose tile accesses run through the GPU's caches in the order in which
// the GPU issues them, from a cold L2, dirty lines included in the end. The state is carried from launch to
// launch. `seed` draws where the tensors lie: the same seed gives the same bytes. Throws UserError (--l2) for
// a program that is too large to follow, and Stopped soon after the flag is set.
void replay(const Program& program, const GpuSpec& gpu, std::uint64_t seed, HbmTraffic& hbm,
            StopFlag stop = nullptr);

// The same with other caches than the GPU's.
void replay(const Program& program, const GpuSpec& gpu, const L2Geometry& geometry, std::uint64_t seed,
            HbmTraffic& hbm, StopFlag stop = nullptr);

// The first one, seen by an observer; without one nothing is asked at an access.
void replay(const Program& program, const GpuSpec& gpu, std::uint64_t seed, ReplayObserver& observer,
            HbmTraffic& hbm);

}  // namespace hbmscope
