// Where lines are after reads and writes by SMs of either side: on the side of the SM that asks (near), on
// the other (far), or only in DRAM.

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "bench/l2_probe/gpu.cuh"
#include "bench/l2_probe/probes.h"

namespace hbmscope {
namespace {

// Apart from each other and from what flush() reads.
constexpr std::size_t kLinesAt = 512;
constexpr std::size_t kOthersAt = 600;
constexpr std::size_t kStreamAt = 700;

constexpr std::size_t kSamples = 3000;

class States {
 public:
  States(const Gpu& gpu, const Sides& sides, const std::string& folder)
      : gpu(gpu), sides_(sides), file_(folder + "/states.csv", "experiment,asking_side,near,far,dram") {}

  // Prepares the first `mib` of the lines twice, from a clean L2, because asking changes where lines are.
  void ask(const std::string& experiment, std::size_t mib, const std::function<void(Lines)>& prepare) {
    for (const int side : {0, 1}) {
      gpu.flush();
      const Lines lines = gpu.lines(kLinesAt, mib);
      prepare(lines);
      write_row(experiment, side, gpu.latencies(side == 0 ? sides_.a : sides_.b, lines, sample(lines.count)));
    }
  }

  const Gpu& gpu;

 private:
  // Different lines in random order: the asking SM finds a line near the second time.
  std::vector<std::uint32_t> sample(std::size_t lines) {
    std::vector<std::uint32_t> order(lines);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random_);
    return {order.begin(), order.begin() + kSamples + 1};
  }

  // The first sample is left out, because it waits for the kernel's instructions and its TLB entries, too.
  void write_row(const std::string& experiment, int side, const std::vector<std::uint16_t>& cycles) {
    std::size_t near = 0, far = 0;
    for (std::size_t i = 1; i < cycles.size(); ++i) {
      if (cycles[i] <= kNearCycles)
        ++near;
      else if (cycles[i] <= kFarCycles)
        ++far;
    }
    const auto share = [](std::size_t count) {
      return std::to_string(static_cast<double>(count) / kSamples);
    };
    file_.row(experiment + (side == 0 ? ",A," : ",B,") + share(near) + ',' + share(far) + ',' +
              share(kSamples - near - far));
  }

  Sides sides_;
  CsvFile file_;
  std::mt19937 random_{3};
};

std::string mib_text(std::size_t mib) { return std::to_string(mib) + " MiB"; }

// Where lines go that are read or written from one side or both.
void ask_first_touch(States& states, const Sides& sides) {
  const Gpu& gpu = states.gpu;
  states.ask("8 MiB not touched", 8, [](Lines) {});
  states.ask("8 MiB read by one SM of A", 8, [&](Lines lines) { gpu.read_by(sides.a, lines); });
  states.ask("8 MiB read by all", 8, [&](Lines lines) { gpu.read_by_all(lines); });
  states.ask("8 MiB written by one SM of A", 8, [&](Lines lines) { gpu.write_by(sides.a, lines); });
  states.ask("8 MiB written by one SM of B", 8, [&](Lines lines) { gpu.write_by(sides.b, lines); });
  states.ask("8 MiB written by all", 8, [&](Lines lines) { gpu.write_once(lines); });
}

// What displaces lines that both sides have copies of. `disturb` is applied to so many MiB of other lines.
void ask_ring(States& states, std::size_t ring, const std::vector<std::size_t>& others,
              const std::string& how, const std::function<void(Lines)>& disturb) {
  for (const std::size_t mib : others) {
    states.ask("ring of " + mib_text(ring) + " read by all; then " + mib_text(mib) + ' ' + how, ring,
               [&](Lines lines) {
                 states.gpu.read_by_all(lines);
                 states.gpu.read_by_all(lines);
                 disturb(states.gpu.lines(kOthersAt, mib));
               });
  }
}

void ask_rings(States& states, const Sides& sides) {
  const Gpu& gpu = states.gpu;
  for (const std::size_t ring : {16, 20})
    ask_ring(states, ring, {4, 8, 10, 12, 14, 16, 20, 24, 32}, "written by all",
             [&](Lines lines) { gpu.write_once(lines); });
  ask_ring(states, 20, {8, 12, 16, 20, 24, 32}, "streamed by all",
           [&](Lines lines) { gpu.read_once(lines); });
  for (const auto& [name, sm] : {std::pair{"A", sides.a}, std::pair{"B", sides.b}}) {
    ask_ring(states, 20, {8, 12, 16, 24}, std::string("written by one SM of ") + name,
             [&, sm = sm](Lines lines) { gpu.write_by(sm, lines); });
    ask_ring(states, 20, {8, 12, 16, 24}, std::string("read by one SM of ") + name,
             [&, sm = sm](Lines lines) { gpu.read_by(sm, lines); });
  }
}

// How much of what is written stays.
void ask_written(States& states) {
  const Gpu& gpu = states.gpu;
  for (const std::size_t mib : {16, 20, 24, 26, 28, 30, 32, 36, 40, 48})
    states.ask(mib_text(mib) + " written by all", mib, [&](Lines lines) { gpu.write_once(lines); });
  for (const std::size_t mib : {8, 16, 24, 28}) {
    states.ask(mib_text(mib) + " written by all; then read by all", mib, [&](Lines lines) {
      gpu.write_once(lines);
      gpu.read_by_all(lines);
    });
  }
}

// A's copies stay as long as A reads them. Do these hits also keep the lines at their homes of side B, while
// B streams past? If not, they are gone there, although A still has them.
void ask_near_hits(States& states, const Sides& sides) {
  const Gpu& gpu = states.gpu;
  for (const bool again : {false, true}) {
    states.ask(std::string("6 MiB read by one SM of A; 40 MiB streamed by one of B") +
                   (again ? "; A reads its lines again after every MiB" : ""),
               6, [&](Lines lines) {
                 gpu.read_by(sides.a, lines);
                 for (std::size_t mib = 0; mib < 40; ++mib) {
                   gpu.read_by(sides.b, gpu.lines(kStreamAt + mib, 1));
                   if (again) gpu.read_by(sides.a, lines);
                 }
               });
  }
  states.ask("6 MiB read by one SM of A; 64 MiB streamed by one of B", 6, [&](Lines lines) {
    gpu.read_by(sides.a, lines);
    gpu.read_by(sides.b, gpu.lines(kStreamAt, 64));
  });
}

}  // namespace

void probe_states(const Gpu& gpu, const Sides& sides, const std::string& folder) {
  States states(gpu, sides, folder);
  ask_first_touch(states, sides);
  ask_rings(states, sides);
  ask_written(states);
  ask_near_hits(states, sides);
}

}  // namespace hbmscope
