#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/gpu.h"
#include "sim/l2/stream_queues.h"
#include "sim/l2/tile_arrivals.h"
#include "sim/stop.h"
#include "sim/stream.h"

namespace hbmscope {

// How many CTAs of a launch the GPU holds at once: one for each slot.
std::int64_t resident_ctas(const Launch& launch, const Program& program, const GpuSpec& gpu);

// The CTAs of a launch that are in flight at once, and the work items they take up. CTAs fill the SMs breadth
// first; one that is done makes room for the next item of the schedule.
class CtaSlots {
 public:
  // `body` must outlive it; `seed` draws what differs from one GPU of this name to the next; `queues`: of a
  // launch that only moves bytes.
  CtaSlots(const LaunchBody& body, const GpuSpec& gpu, std::uint64_t seed,
           const std::optional<StreamQueues>& queues = std::nullopt);
  CtaSlots(const CtaSlots&) = delete;
  CtaSlots& operator=(const CtaSlots&) = delete;
  ~CtaSlots() = default;

  // Calls visit(access, side), which returns the HbmBytes that it took, for every access of the launch in the
  // order in which the SMs issue them: all CTAs move bytes at the rate that their age gives, and take turns
  // of one tile; those of a stream take shorter ones, and the next access when the queues have served the
  // last one. The plane of an access to local memory is the CTA's slot. Throws Stopped soon after the flag is
  // set.
  template <class Visit>
  void run(Visit&& visit, StopFlag stop = nullptr) {
    while (running_ > 0) {
      check_stop(stop);
      for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
        if (!slots_[slot].running) continue;
        if (queues_) {
          take_turn_of_stream(slot, visit);
        } else {
          take_turn(slot, visit);
        }
      }
      end_turn();
    }
  }

  const LaunchBody& body() const { return body_; }

  // Calls visit(item) for the work item of every CTA that is in flight.
  template <class Visit>
  void visit_running(Visit&& visit) const {
    for (const Slot& slot : slots_) {
      if (slot.running) visit(slot.access->item);
    }
  }

 private:
  static constexpr std::size_t kBusySteps = 64;
  // What a byte from DRAM takes, in bytes that a rate of 1 moves meanwhile, by how busy DRAM is.
  using Stalls = std::array<double, kBusySteps + 1>;

  struct Slot {
    CtaCursor cursor;
    const TileAccess* access = nullptr;  // of the cursor
    double access_bytes = 0;
    double budget = 0;  // what is left before its turn is over: bytes that it may move, a stream's seconds
    double rate = 1;    // bytes that it may move in a turn, as a share of turn_length_
    double clock = 1;   // of its SM, relative to others'
    double pace = 1;    // of its item at that clock
    double gain = 0;    // in rate, while an older CTA of its SM waits
    const Stalls* stalls = nullptr;  // absent: it waits for nothing
    std::int64_t age = 0;            // position of its item in the schedule
    int sm = 0;
    int side = 0;
    bool running = false;
  };

  template <class Visit>
  void take_turn(std::size_t number, Visit& visit) {
    Slot& slot = slots_[number];
    slot.budget += slot.rate * turn_length_;
    while (slot.access_bytes <= slot.budget) {
      const HbmBytes hbm = visit(*slot.access, slot.side);
      slot.budget -= slot.access_bytes;
      fetched_ += static_cast<double>(hbm.fetched);
      if (slot.stalls != nullptr) wait(slot, hbm.fetched);
      if (!advance(slot) && !restart(number)) return;
    }
  }

  template <class Visit>
  void take_turn_of_stream(std::size_t number, Visit& visit) {
    Slot& slot = slots_[number];
    slot.budget += turn_length_;
    while (slot.budget > 0) {
      const double now_s = static_cast<double>(turn_ + 1) * turn_length_ - slot.budget;
      const HbmBytes hbm = visit(*slot.access, slot.side);
      slot.budget -= queues_->end_of(now_s, *slot.access, hbm) - now_s;
      if (!advance(slot) && !restart(number)) return;
    }
  }

  static bool advance(Slot& slot) {
    slot.access = slot.cursor.next();
    if (slot.access == nullptr) return false;
    slot.access_bytes = static_cast<double>(slot.access->bytes());
    return true;
  }
  // A tile that another CTA has asked for arrives for both.
  void wait(Slot& slot, Bytes fetched) {
    const double stall = (*slot.stalls)[busy_] * static_cast<double>(fetched);
    const double now = static_cast<double>(turn_ + 1) * turn_length_ - slot.budget / slot.rate;
    const double waits = arrivals_.wait_for(*slot.access, now, stall);
    if (waits <= 0) return;
    slot.budget -= slot.rate * waits;
    for (const std::size_t number : slots_of_sm_[static_cast<std::size_t>(slot.sm)]) {
      Slot& other = slots_[number];
      if (other.running && other.age > slot.age) other.budget += other.gain * waits;
    }
  }
  void end_turn() {
    ++turn_;
    busy_ = static_cast<std::size_t>(std::min(fetched_ / full_bytes_per_turn_, 1.0) * kBusySteps);
    fetched_ = 0;
  }
  bool restart(std::size_t number);  // false if no work is left for this slot
  bool start_next(std::size_t number);
  std::int64_t next_item(std::size_t number);
  double pace_of(std::int64_t position) const;
  double unit() const;
  void set_stalls();
  void set_rates(int sm);

  const LaunchBody& body_;
  std::vector<Slot> slots_;
  std::vector<std::vector<std::size_t>> slots_of_sm_;
  bool several_on_an_sm_ = false;
  std::vector<std::int64_t> turns_;  // of each slot, for a static stride
  std::int64_t drawn_ = 0;
  std::int64_t running_ = 0;
  double turn_length_ = 0;  // bytes at a rate of 1, a stream's in seconds
  std::int64_t turn_ = 0;
  TileArrivals arrivals_;
  CtaRates rates_;
  std::vector<std::vector<Stalls>> stalls_;  // by how many CTAs an SM has, and how many of them are older
  double full_bytes_per_turn_ = 0;           // that CTAs move where every SM holds as many as it can
  double fetched_ = 0;                       // bytes in this turn
  std::size_t busy_ = 0;  // DRAM in the last one: fetched_, in shares of what a full GPU moves
  double step_deviation_ = 0;
  std::uint64_t seed_ = 0;
  std::optional<StreamQueues> queues_;
};

}  // namespace hbmscope
