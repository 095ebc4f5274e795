#include "sim/l2/l2_model.h"

#include <fmt/format.h>

#include "sim/l2/replay.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

void increase(ReadWrite& sum, const ReadWrite& amount) {
  sum.read = checked_add(sum.read, amount.read);
  sum.write = checked_add(sum.write, amount.write);
}

// What a launch and a program move follows from their tensors, whatever the mode.
void add_up(HbmTraffic& hbm) {
  hbm.total = {};
  for (LaunchHbmTraffic& launch : hbm.launches) {
    launch.total = {};
    for (const ReadWrite& tensor : launch.tensors) increase(launch.total, tensor);
    increase(hbm.total, launch.total);
  }
}

void take_compulsory(const Traffic& traffic, HbmTraffic& hbm) {
  for (const LaunchTraffic& launch : traffic.launches) {
    LaunchHbmTraffic& moved = hbm.launches.add();
    for (const TensorTraffic& tensor : launch.tensors) moved.tensors.push(tensor.compulsory);
  }
}

// A replay of more than these bytes between L2 and SMs, in blocks of 16 KiB, would take minutes.
constexpr std::uint64_t kMostReplayedBytes = std::uint64_t{1} << 42;

void check_replay(const Traffic& traffic) {
  const ReadWrite l2 = total_of(traffic).l2;
  if (checked_add(l2.read, l2.write) <= kMostReplayedBytes) return;
  throw PointError("--l2", "replay",
                   fmt::format("expected none: {:.1f} TB cross L2 and SMs, more than the {:.1f} TB that are "
                               "replayed; use smaller sizes",
                               static_cast<double>(l2.read + l2.write) / 1e12,
                               static_cast<double>(kMostReplayedBytes) / 1e12));
}

}  // namespace

void hbm_traffic(const Program& program, const Traffic& traffic, const GpuSpec& gpu, L2Mode mode,
                 HbmTraffic& hbm) {
  switch (mode) {
    case L2Mode::none:
      hbm.launches.clear();
      hbm.band.reset();
      take_compulsory(traffic, hbm);
      break;
    case L2Mode::replay:
      check_replay(traffic);
      replay_placements(program, gpu, total_of(traffic).compulsory, hbm);
      break;
    case L2Mode::model:
      throw UserError("--l2", std::string(to_string(mode)),
                      "expected none (compulsory bytes, an L2 without limits) or replay");
  }
  add_up(hbm);
}

}  // namespace hbmscope
