// Access patterns of micro-kernels, replayed, against DRAM bytes counted on an H200 (tests/data). The share
// of the L2 that lines reach and the length of a stretch were chosen on these rows (sim/l2/l2_geometry.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/l2/l2_geometry.h"
#include "sim/l2/l2_state.h"
#include "sim/l2/replay.h"
#include "sim/l2/ring_program.h"
#include "sim/traffic.h"
#include "tests/sim/h200_rows.h"

namespace hbmscope::test {
namespace {

constexpr std::int64_t kSms = 132;
constexpr RingPass kReadByParts{.share = RingShare::part, .ctas = kSms};
constexpr RingPass kWriteByParts{.operation = Operation::store, .share = RingShare::part, .ctas = kSms};

// Whole tiles.
Bytes mib(double size) {
  return static_cast<Bytes>(std::llround(size * 1024 * 1024 / static_cast<double>(kRingTileBytes))) *
         kRingTileBytes;
}

struct Pattern {
  std::vector<Bytes> buffers;
  std::vector<RingPass> passes;
  Bytes uncounted = 0;  // bytes that passes before the counted one read
};

struct Replayed {
  double median = 0;  // MB
  double low = 0;
  double high = 0;
};

Replayed replayed(const Pattern& pattern) {
  auto program = std::make_unique<Program>();
  build_ring_program(pattern.buffers, pattern.passes, *program);
  Traffic traffic;
  count_traffic(*program, traffic);
  HbmTraffic hbm;
  hbm_traffic(*program, traffic, load_gpu("h200"), L2Mode::replay, hbm);
  const auto counted = [&](std::uint64_t bytes) {
    return static_cast<double>(bytes - pattern.uncounted) / 1e6;
  };
  return {counted(hbm.total.read), counted(hbm.band->p05.read), counted(hbm.band->p95.read)};
}

// A stream that is read a second time by SMs of which about half are on the other side, as the counted far
// lookups say. The L2 is clean before, or as dirty as it can be.
Pattern read_again(double size, bool dirty_before) {
  RingPass first = kReadByParts;
  first.first_buffer = 1;
  RingPass again = first;
  again.ctas = kSms - 1;
  if (dirty_before) return {{mib(64), mib(size)}, {kWriteByParts, first, again}, mib(size)};
  return {{kRingTileBytes, mib(size)}, {first, again}, mib(size)};
}

// What an experiment reads; a pattern without buffers for those that a test of their own replays, or that no
// program describes.
Pattern pattern_of(const std::string& experiment, double& size) {
  const char* name = experiment.c_str();
  if (std::sscanf(name, "oneSM %lf", &size) == 1) return {{mib(size)}, {{.rounds = 4}}};
  if (std::sscanf(name, "forward %lf", &size) == 1 || std::sscanf(name, "allread clean %lf", &size) == 1)
    return {{mib(size)}, {{.ctas = kSms, .rounds = 4}}};
  if (std::sscanf(name, "sawtooth %lf", &size) == 1)
    return {{mib(size)}, {{.ctas = kSms, .rounds = 4, .walk = Walk::alternating}}};
  if (std::sscanf(name, "stream %lf", &size) == 1) return {{mib(size)}, {kReadByParts}};
  if (std::sscanf(name, "rereadstream %lf", &size) == 1) return read_again(size, false);
  return {};
}

// On the knee the traffic depends on where the buffer lies, whether all SMs read it or one does
// (bench/recorded/rows_h200/rings.csv).
bool is_on_the_knee(const std::string& experiment, double size) {
  if (experiment.starts_with("rereadstream")) return size >= 24 && size <= 56;
  const bool ring = experiment.starts_with("allread") || experiment.starts_with("forward") ||
                    experiment.starts_with("sawtooth") || experiment.starts_with("oneSM");
  return ring && size >= 28 && size <= 36;
}

bool is_near(double value, double measured) {
  return std::abs(value - measured) <= std::max(1.0, 0.05 * measured);
}

// Streams that are read again, by MiB: the medians from a clean L2 and from a dirty one, MB.
const std::map<double, std::pair<double, double>> kReadAgain{
    {32, {0.246, 6.824}}, {40, {8.970, 23.052}}, {44, {28.746, 38.232}}};

// Listens for what is written back in the first launch, but for what is still under way at its end.
class WritesOfFirstLaunch : public ReplayObserver {
 public:
  void launch_begins(const CtaSlots&, const BlockMap&, const L2State& state) override { state_ = &state; }
  void access_begins(const TileAccess&) override {}
  void block_begins(std::int64_t, const TileAccess&) override {}
  void share_begins(std::int64_t, int, int) override {}
  void launch_ends() override {
    if (ended_) return;
    ended_ = true;
    for (const ReadWrite& account : state_->accounts()) bytes_ += account.write;
    under_way_ = std::min(state_->early_writes(), geometry_.under_way_bytes);
    bytes_ -= under_way_;
  }

  double megabytes() const { return static_cast<double>(bytes_) / 1e6; }
  double under_way_megabytes() const { return static_cast<double>(under_way_) / 1e6; }

 private:
  const L2Geometry geometry_ = l2_geometry(load_gpu("h200"));
  const L2State* state_ = nullptr;
  bool ended_ = false;
  std::uint64_t bytes_ = 0;
  Bytes under_way_ = 0;
};

}  // namespace

TEST(MicrobenchmarksOnH200, DramReadsAreThoseMeasured) {
  int compared = 0;
  for (const Row& row : rows_of("tests/data/l2_microbenchmarks_h200.csv")) {
    const std::string& experiment = row.at("experiment");
    double size = 0;
    const Pattern pattern = pattern_of(experiment, size);
    if (pattern.buffers.empty()) continue;
    ++compared;
    Replayed got = replayed(pattern);
    // Of these rows only is not known how dirty the L2 was before: between clean and 28 MB.
    if (experiment.starts_with("rereadstream")) {
      const Replayed dirty = replayed(read_again(size, true));
      got.high = dirty.high;
      const auto medians = kReadAgain.find(size);
      if (medians != kReadAgain.end()) {
        EXPECT_NEAR(got.median, medians->second.first, 0.005) << experiment;
        EXPECT_NEAR(dirty.median, medians->second.second, 0.005) << experiment;
      }
    }
    const double measured = number(row, "dram_read_MB");
    const std::string text = fmt::format("{}: measured {:.3f}, replayed {:.3f} [{:.2f}, {:.2f}]", experiment,
                                         measured, got.median, got.low, got.high);
    const bool within = is_on_the_knee(experiment, size) ? got.low <= measured && measured <= got.high
                                                         : is_near(got.median, measured);
    EXPECT_TRUE(within || is_near(got.median, measured)) << text;
  }
  EXPECT_EQ(compared, 56);
}

// What is written and fits stays dirty up to a limit; a sweep over 512 MiB brings out the rest, but for what
// is under way to DRAM when the kernel ends: it has arrived before the sweep begins, and neither range sees
// it. Of 32 MiB and more 1.0 to 1.4 MB are missing from the two together.
TEST(MicrobenchmarksOnH200, DramWritesAreThoseMeasured) {
  std::map<double, std::pair<double, double>> measured;  // by size: of the kernel, of the sweep after it
  for (const Row& row : rows_of("tests/data/l2_microbenchmarks_h200.csv")) {
    double size = 0;
    const char* name = row.at("experiment").c_str();
    if (std::sscanf(name, "write %lf", &size) == 1) measured[size].first = number(row, "dram_write_MB");
    if (std::sscanf(name, "sweep after %lf", &size) == 1)
      measured[size].second = number(row, "dram_write_MB");
  }
  EXPECT_EQ(measured.size(), 9U);
  RingPass sweep = kReadByParts;
  sweep.first_buffer = 1;
  const std::array<RingPass, 2> passes{kWriteByParts, sweep};
  for (const auto& [size, written] : measured) {
    const std::array<Bytes, 2> buffers{mib(size), mib(512)};
    auto program = std::make_unique<Program>();
    build_ring_program(buffers, passes, *program);
    WritesOfFirstLaunch at_once;
    HbmTraffic hbm;
    replay(*program, load_gpu("h200"), 0, at_once, hbm);
    double all = 0;
    for (const LaunchHbmTraffic& launch : hbm.launches) {
      for (const ReadWrite& tensor : launch.tensors) all += static_cast<double>(tensor.write) / 1e6;
    }
    EXPECT_TRUE(is_near(at_once.megabytes(), written.first)) << size << " MiB: " << at_once.megabytes();
    const double later = all - at_once.megabytes() - at_once.under_way_megabytes();
    EXPECT_TRUE(is_near(later, written.second)) << size << " MiB: " << later;
  }
}

// Rings in pieces at random places, one placement measured of each: does it lie between the 5 % and 95 %
// quantiles of the replayed placements? All CTAs go in step, so that a few stand for all: 20 meet both sides.
// Of 45 rows four or five should lie outside. By pieces and MiB.
TEST(MicrobenchmarksOnH200, PlacementsOfRingsInPiecesSpreadAsMeasured) {
  constexpr std::uint64_t kPlacements = 41;
  const std::set<std::pair<std::int64_t, double>> known{{3, 30}, {4, 36}};
  std::set<std::pair<std::int64_t, double>> outside;
  int rows = 0;
  for (const Row& row : rows_of("tests/data/l2_segments_h200.csv")) {
    if (row.at("ctas_spread_around_ring") != "0" || number(row, "live_MiB") < 24) continue;
    ++rows;
    const auto pieces = static_cast<std::size_t>(size(row, "segments"));
    const std::vector<Bytes> buffers(pieces, mib(number(row, "live_MiB") / static_cast<double>(pieces)));
    const std::array<RingPass, 1> passes{{{.buffers = static_cast<int>(pieces), .ctas = 20, .rounds = 8}}};
    auto program = std::make_unique<Program>();
    build_ring_program(buffers, passes, *program);
    std::vector<double> reads;
    for (std::uint64_t seed = 0; seed < kPlacements; ++seed) {
      HbmTraffic hbm;
      replay(*program, load_gpu("h200"), seed, hbm);
      double read = 0;
      for (const ReadWrite& tensor : hbm.launches[0].tensors) read += static_cast<double>(tensor.read) / 1e6;
      reads.push_back(read);
    }
    std::sort(reads.begin(), reads.end());
    constexpr double kOthers =
        0.4;  // MB that counters see of others: what is written by kernels that only read
    const double measured = number(row, "dram_read_MB");
    if (measured < reads[2] - kOthers || measured > reads[kPlacements - 3] + kOthers)
      outside.emplace(size(row, "segments"), number(row, "live_MiB"));
  }
  EXPECT_EQ(rows, 45);
  EXPECT_EQ(outside, known);
}

}  // namespace hbmscope::test
