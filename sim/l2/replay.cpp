#include "sim/l2/replay.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "sim/l2/block_map.h"
#include "sim/l2/cta_slots.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/l2_state.h"
#include "sim/l2/set_map.h"
#include "sim/l2/stream_queues.h"
#include "sim/l2/tensor_places.h"
#include "sim/l2/write_back_delay.h"
#include "sim/stream.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

int account_of(int launch, int tensor) { return 1 + launch * kMaxTensors + tensor; }

void place(const Program& program, const BlockMap& blocks, const L2Geometry& geometry, std::uint64_t seed,
           L2State& state) {
  const SetMap sets(geometry, seed);
  Bytes next_free = 0;
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    const BlockGrid& grid = blocks.grid(tensor);
    Bytes address = placed_after(next_free, tensor, geometry, seed);
    for (std::int64_t block = 0; block < grid.count; ++block) {
      state.describe_block(grid.first + block, blocks.bytes_of(tensor, block), sets.unit_of(address));
      address += blocks.pitch_of(tensor, block);
    }
    next_free = address;
  }
}

std::int64_t most_resident_ctas(const Program& program, const GpuSpec& gpu) {
  std::int64_t most = 0;
  for (const Launch& launch : program.launches) {
    most = std::max(most, resident_ctas(launch, program, gpu));
  }
  return most;
}

struct NoObserver {
  void launch_begins(const CtaSlots& /*slots*/, const BlockMap& /*blocks*/, const L2State& /*state*/) {}
  void access_begins(const TileAccess& /*access*/) {}
  void block_begins(std::int64_t /*block*/, const TileAccess& /*access*/) {}
  void launch_ends() {}
};

template <class Observer>
void load(std::int64_t block, int side, int account, L2Hint hint, Observer& observer, L2State& state) {
  if constexpr (std::is_same_v<Observer, NoObserver>) {
    state.load(block, side, account, hint);
  } else {
    state.load_seen(block, side, account, hint, [&](int home) { observer.share_begins(block, home, side); });
  }
}

template <class Observer>
void run_launch(const Program& program, int launch, const BlockMap& blocks, const GpuSpec& gpu, int sides,
                std::uint64_t seed, const std::optional<StreamQueues>& queues, Observer& observer,
                StopFlag stop, L2State& state) {
  const LaunchBody body(program, launch);
  CtaSlots slots(body, gpu, seed, queues);
  observer.launch_begins(slots, blocks, state);
  const auto visit = [&](const TileAccess& access, int sm_side) {
    const int side =
        sm_side < sides ? sm_side : sm_side % sides;  // a GPU whose L2 was changed may have fewer
    const int account = account_of(launch, access.tensor);
    const L2Hint hint = body.launch().accesses[access.access].hint;
    observer.access_begins(access);
    const Bytes fetched = state.fetched();
    const Bytes written_back = state.written_back();
    blocks.visit(access, [&](std::int64_t block) {
      observer.block_begins(block, access);
      if (access.operation != Operation::store) load(block, side, account, hint, observer, state);
      if (access.operation != Operation::load) state.store(block, side, account, hint);
    });
    return HbmBytes{state.fetched() - fetched, state.written_back() - written_back};
  };
  slots.run(visit, stop);
  observer.launch_ends();
}

std::uint64_t written(const L2State& state) {
  std::uint64_t bytes = 0;
  for (const ReadWrite& account : state.accounts()) bytes += account.write;
  return bytes;
}

void collect(const Program& program, const L2State& state, HbmTraffic& hbm) {
  hbm.launches.clear();
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    LaunchHbmTraffic& moved = hbm.launches.add();
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      const auto account = static_cast<std::size_t>(account_of(launch, tensor));
      moved.tensors.push(account < state.accounts().size() ? state.accounts()[account] : ReadWrite{});
    }
  }
  add_up(hbm);
}

template <class Observer>
void replay_seen_by(Observer& observer, const Program& program, const GpuSpec& gpu,
                    const L2Geometry& geometry, std::uint64_t seed, StopFlag stop, HbmTraffic& hbm) {
  const BlockMap blocks(program, most_resident_ctas(program, gpu));
  L2State state(geometry, blocks.blocks());
  place(program, blocks, geometry, seed, state);
  Traffic traffic;
  count_traffic(program, traffic);
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    state.begin_launch(write_back_delay(program, traffic, launch, gpu, geometry));
    const std::optional<StreamQueues> queues = stream_queues(program, traffic, launch, gpu);
    run_launch(program, launch, blocks, gpu, geometry.sides, seed, queues, observer, stop, state);
  }
  const Bytes under_way = std::min(state.early_writes(), geometry.under_way_bytes);
  const std::uint64_t meanwhile = written(state) - under_way;
  state.write_back_all();
  hbm.written_later = written(state) - meanwhile;
  collect(program, state, hbm);
  hbm.seed = seed;
}

}  // namespace

void replay(const Program& program, const GpuSpec& gpu, const L2Geometry& geometry, std::uint64_t seed,
            HbmTraffic& hbm, StopFlag stop) {
  NoObserver nobody;
  replay_seen_by(nobody, program, gpu, geometry, seed, stop, hbm);
}

void replay(const Program& program, const GpuSpec& gpu, std::uint64_t seed, HbmTraffic& hbm, StopFlag stop) {
  replay(program, gpu, l2_geometry(gpu), seed, hbm, stop);
}

void replay(const Program& program, const GpuSpec& gpu, std::uint64_t seed, ReplayObserver& observer,
            HbmTraffic& hbm) {
  replay_seen_by(observer, program, gpu, l2_geometry(gpu), seed, nullptr, hbm);
}

}  // namespace hbmscope
