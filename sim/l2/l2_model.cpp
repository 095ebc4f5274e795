#include "sim/l2/l2_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/l2/closed_form.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/placements.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

void increase(ReadWrite& sum, const ReadWrite& amount) {
  sum.read = checked_add(sum.read, amount.read);
  sum.write = checked_add(sum.write, amount.write);
}

// What a launch and a program move follows from their tensors, whatever the mode.
void take_compulsory(const Traffic& traffic, HbmTraffic& hbm) {
  for (const LaunchTraffic& launch : traffic.launches) {
    LaunchHbmTraffic& moved = hbm.launches.add();
    for (const TensorTraffic& tensor : launch.tensors) moved.tensors.push(tensor.compulsory);
  }
}

// A replay of more blocks than these would take minutes.
constexpr std::uint64_t kMostReplayedBlocks = std::uint64_t{1} << 28;

// The smallest tile in which a launch moves a tensor, at most a block.
std::uint64_t tile_bytes(const Program& program, const Launch& launch, int tensor) {
  std::uint64_t smallest = kL2BlockBytes;
  for (const Access& access : launch.accesses) {
    if (access.tensor != tensor) continue;
    const Tensor& moved = program.tensors[tensor];
    const std::int64_t elements =
        std::min(access.rows.extent, moved.rows) * std::min(access.columns.extent, moved.columns);
    smallest = std::min(smallest, static_cast<std::uint64_t>(elements * moved.element_bytes));
  }
  return std::max<std::uint64_t>(smallest, 1);
}

void check_replay(const Program& program, const Traffic& traffic) {
  const std::uint64_t blocks = replayed_blocks(program, traffic);
  if (blocks <= kMostReplayedBlocks) return;
  throw PointError(
      "--l2", "replay",
      fmt::format("expected model or none: {:.3g} blocks cross L2 and SMs, more than the {:.3g} that are "
                  "replayed; use smaller sizes or larger tiles",
                  static_cast<double>(blocks), static_cast<double>(kMostReplayedBlocks)));
}

}  // namespace

void add_up(HbmTraffic& hbm) {
  hbm.total = {};
  for (LaunchHbmTraffic& launch : hbm.launches) {
    launch.total = {};
    for (const ReadWrite& tensor : launch.tensors) increase(launch.total, tensor);
    increase(hbm.total, launch.total);
  }
}

std::uint64_t replayed_blocks(const Program& program, const Traffic& traffic) {
  std::uint64_t blocks = 0;
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      const ReadWrite& l2 = traffic.launches[launch].tensors[tensor].l2;
      blocks += checked_add(l2.read, l2.write) / tile_bytes(program, program.launches[launch], tensor);
    }
  }
  return blocks;
}

void hbm_traffic(const Program& program, const Traffic& traffic, const GpuSpec& gpu, L2Mode mode,
                 HbmTraffic& hbm, StopFlag stop) {
  switch (mode) {
    case L2Mode::none:
      hbm.launches.clear();
      hbm.band.reset();
      hbm.seed.reset();
      hbm.written_later.reset();
      take_compulsory(traffic, hbm);
      add_up(hbm);
      break;
    case L2Mode::replay:
      check_replay(program, traffic);
      replay_placements(program, gpu, traffic, hbm, stop);
      break;
    case L2Mode::model:
      hbm.band.reset();
      hbm.seed.reset();
      estimate_hbm(program, traffic, gpu, hbm);
      add_up(hbm);
      break;
  }
}

}  // namespace hbmscope
