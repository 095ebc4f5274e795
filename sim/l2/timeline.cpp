#include "sim/l2/timeline.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sim/l2/block_map.h"
#include "sim/l2/cta_slots.h"
#include "sim/l2/l2_geometry.h"
#include "sim/l2/l2_state.h"
#include "sim/l2/replay.h"
#include "sim/l2/reuse.h"

namespace hbmscope {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Time counts the visits of blocks, from 1.
struct LastReads {
  std::vector<std::uint64_t> accesses;   // of each launch
  std::vector<std::uint64_t> last_read;  // of each block; 0: never
};

class LastReadObserver final : public ReplayObserver {
 public:
  void launch_begins(const CtaSlots& /*slots*/, const BlockMap& blocks, const L2State& /*state*/) override {
    found_.accesses.push_back(0);
    found_.last_read.resize(at(blocks.blocks()));
  }
  void access_begins(const TileAccess& /*access*/) override { ++found_.accesses.back(); }
  void launch_ends() override {}
  void share_begins(std::int64_t /*block*/, int /*home*/, int /*side*/) override {}
  void block_begins(std::int64_t block, const TileAccess& access) override {
    ++now_;
    if (access.operation != Operation::store) found_.last_read[at(block)] = now_;
  }

  const LastReads& found() const { return found_; }

 private:
  LastReads found_;
  std::uint64_t now_ = 0;
};

// How many steps each launch gets.
std::vector<std::uint64_t> shared_out(const std::vector<std::uint64_t>& accesses) {
  double all = 0;
  for (const std::uint64_t own : accesses) all += static_cast<double>(own);
  std::vector<std::uint64_t> steps;
  for (const std::uint64_t own : accesses) {
    const auto share = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(kTimelineSteps) * static_cast<double>(own) / all));
    steps.push_back(std::min(std::max(share, kFewestLaunchSteps), own));
  }
  return steps;
}

class TimelineObserver final : public ReplayObserver {
 public:
  TimelineObserver(const Program& program, const Traffic& traffic, const GpuSpec& gpu, const LastReads& reads)
      : program_(program),
        traffic_(traffic),
        gpu_(gpu),
        reads_(reads),
        steps_(shared_out(reads.accesses)),
        touched_(reads.last_read.size()) {}

  void launch_begins(const CtaSlots& slots, const BlockMap& /*blocks*/, const L2State& state) override {
    slots_ = &slots;
    state_ = &state;
    const auto launch = static_cast<int>(launches_.size());
    launches_.push_back({.launch = std::string(program_.launches[launch].name),
                         .accesses = reads_.accesses[at(launch)],
                         .steps = {}});
    head_access_ = launch_reuse(program_, traffic_, launch, gpu_).head_access;
    access_ = 0;
  }

  void access_begins(const TileAccess& /*access*/) override {
    std::vector<TimelineStep>& steps = launches_.back().steps;
    const std::uint64_t step = step_of(access_++);
    if (step == steps.size()) {
      end_step();
      steps.emplace_back();
    }
    // The CTAs that carry out the step's last access are in flight now.
    if (step_of(access_) != step) steps.back().heads = heads_in_flight();
  }

  void block_begins(std::int64_t block, const TileAccess& access) override {
    ++now_;
    if (access.operation != Operation::load) launches_.back().steps.back().written_bytes += bytes_of(block);
    update_live(block);
  }

  void share_begins(std::int64_t block, int home, int side) override {
    TimelineStep& step = launches_.back().steps.back();
    const L2State::Found found = state_->find(block, side, home);
    (found == L2State::Found::near   ? step.near_bytes
     : found == L2State::Found::home ? step.home_bytes
                                     : step.dram_bytes) += state_->share_of(block, home);
  }

  void launch_ends() override { end_step(); }

  std::vector<LaunchTimeline> take() { return std::move(launches_); }

 private:
  std::uint64_t step_of(std::uint64_t access) const {
    return access * steps_[launches_.size() - 1] / launches_.back().accesses;
  }

  void end_step() {
    if (launches_.back().steps.empty()) return;
    TimelineStep& step = launches_.back().steps.back();
    step.live_bytes = live_;
    state_->visit_cached([&](std::int64_t block, int home) {
      const Bytes bytes = state_->share_of(block, home);
      step.cached_bytes += bytes;
      if (reads_.last_read[at(block)] > now_) step.live_cached_bytes += bytes;
    });
  }

  std::uint64_t heads_in_flight() const {
    if (head_access_ == kNone) return 0;
    std::set<std::int64_t> planes;
    slots_->visit_running(
        [&](std::int64_t item) { planes.insert(plane_of(slots_->body(), head_access_, item)); });
    return planes.size();
  }

  Bytes bytes_of(std::int64_t block) const {
    Bytes bytes = 0;
    for (int home = 0; home < state_->homes(); ++home) bytes += state_->share_of(block, home);
    return bytes;
  }
  void update_live(std::int64_t block) {
    const std::uint64_t last = reads_.last_read[at(block)];
    if (!touched_[at(block)] && last > now_) live_ += bytes_of(block);
    if (touched_[at(block)] && last == now_) live_ -= bytes_of(block);
    touched_[at(block)] = true;
  }

  const Program& program_;
  const Traffic& traffic_;
  const GpuSpec& gpu_;
  const LastReads& reads_;
  std::vector<std::uint64_t> steps_;  // of each launch
  std::vector<bool> touched_;         // by block
  std::vector<LaunchTimeline> launches_;
  const CtaSlots* slots_ = nullptr;
  const L2State* state_ = nullptr;
  int head_access_ = kNone;
  std::uint64_t access_ = 0;  // of the launch
  std::uint64_t now_ = 0;
  Bytes live_ = 0;
};

}  // namespace

Timeline replay_timeline(const Program& program, const Traffic& traffic, const GpuSpec& gpu,
                         std::uint64_t seed) {
  HbmTraffic hbm;
  LastReadObserver reads;
  replay(program, gpu, seed, reads, hbm);
  TimelineObserver steps(program, traffic, gpu, reads.found());
  replay(program, gpu, seed, steps, hbm);
  Timeline timeline{
      .seed = seed, .effective_bytes = l2_geometry(gpu).shared_capacity(), .launches = steps.take()};
  for (const LaunchHbmTraffic& launch : hbm.launches) {
    for (const ReadWrite& tensor : launch.tensors) {
      timeline.hbm_read_bytes += tensor.read;
      timeline.hbm_write_bytes += tensor.write;
    }
  }
  return timeline;
}

}  // namespace hbmscope
