#include "sim/l2/ring_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/gpu.h"
#include "sim/l2/replay.h"
#include "sim/stream.h"
#include "sim/traffic.h"

namespace hbmscope {
namespace {

constexpr std::int64_t kSms = 132;

std::unique_ptr<Program> ring(const std::vector<Bytes>& buffers, const std::vector<RingPass>& passes) {
  auto program = std::make_unique<Program>();
  build_ring_program(buffers, passes, *program);
  check_program(*program);
  return program;
}

HbmTraffic replayed(const Program& program) {
  HbmTraffic hbm;
  replay(program, load_gpu("h200"), 0, hbm);
  return hbm;
}

double read_mb(const HbmTraffic& hbm, int launch) {
  double bytes = 0;
  for (const ReadWrite& tensor : hbm.launches[launch].tensors) bytes += static_cast<double>(tensor.read);
  return bytes / 1e6;
}

double written_mb(const HbmTraffic& hbm, int launch) {
  double bytes = 0;
  for (const ReadWrite& tensor : hbm.launches[launch].tensors) bytes += static_cast<double>(tensor.write);
  return bytes / 1e6;
}

// Tile of every access of one work item, in order.
std::vector<std::int64_t> tiles_of(const Program& program, std::int64_t item) {
  std::vector<std::int64_t> tiles;
  visit_stream(program, [&](const TileAccess& access) {
    if (access.item == item) tiles.push_back(access.rows.begin / 128);
  });
  return tiles;
}

}  // namespace

TEST(RingProgram, EveryCtaReadsTheWholeRingInEveryRound) {
  const auto program = ring({3 * kRingTileBytes}, {{.ctas = 2, .rounds = 2, .walk = Walk::alternating}});
  EXPECT_EQ(tiles_of(*program, 0), (std::vector<std::int64_t>{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(tiles_of(*program, 1), tiles_of(*program, 0));
  Traffic traffic;
  count_traffic(*program, traffic);
  EXPECT_EQ(total_of(traffic).l2.read, 2 * 2 * 3 * kRingTileBytes);
  EXPECT_EQ(total_of(traffic).compulsory.read, 3 * kRingTileBytes);
}

TEST(RingProgram, PartsAreDealtTileByTile) {
  const auto program = ring({5 * kRingTileBytes}, {{.share = RingShare::part, .ctas = 2, .rounds = 1}});
  EXPECT_EQ(tiles_of(*program, 0), (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(tiles_of(*program, 1), (std::vector<std::int64_t>{1, 3}));
}

TEST(RingProgram, SegmentsAreReadSideBySide) {
  const auto program = ring(std::vector<Bytes>(3, 2 * kRingTileBytes), {{.buffers = 3, .ctas = 1}});
  EXPECT_EQ(tiles_of(*program, 0), (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1}));
}

TEST(RingProgram, ACopyReadsOneBufferAndWritesTheOther) {
  const auto program = ring(std::vector<Bytes>(2, 3 * kRingTileBytes),
                            {{.copies_to = 1, .share = RingShare::part, .ctas = 2}});
  EXPECT_EQ(tiles_of(*program, 0), (std::vector<std::int64_t>{0, 0, 2, 2}));
  Traffic traffic;
  count_traffic(*program, traffic);
  EXPECT_EQ(total_of(traffic).compulsory.read, 3 * kRingTileBytes);
  EXPECT_EQ(total_of(traffic).compulsory.write, 3 * kRingTileBytes);
  EXPECT_THROW(ring({kRingTileBytes}, {{.copies_to = 1}}), std::logic_error);
  EXPECT_THROW(ring({kRingTileBytes}, {{.operation = Operation::store, .copies_to = 0}}), std::logic_error);
}

TEST(RingProgram, WhatDoesNotExistIsRefused) {
  Program program;
  const std::vector<Bytes> one{kRingTileBytes};
  const std::vector<Bytes> odd{kRingTileBytes + 1};
  const std::vector<Bytes> different{kRingTileBytes, 2 * kRingTileBytes};
  const std::vector<RingPass> first{RingPass{}};
  const std::vector<RingPass> second{{.first_buffer = 1}};
  const std::vector<RingPass> both{{.buffers = 2}};
  EXPECT_THROW(build_ring_program(odd, first, program), std::logic_error);
  EXPECT_THROW(build_ring_program(one, second, program), std::logic_error);
  EXPECT_THROW(build_ring_program(different, both, program), std::logic_error);
}

// Counted on an H200 (docs/model.md, "What HBM sees"): MB that DRAM was asked for in four rounds.
TEST(RingProgram, ReplaysAsCountedOnAnH200) {
  const auto rounds = [](Bytes mib, std::int64_t ctas, Walk walk) {
    const auto program = ring({mib * kMiB}, {{.ctas = ctas, .rounds = 4, .walk = walk}});
    return read_mb(replayed(*program), 0);
  };
  EXPECT_NEAR(rounds(24, kSms, Walk::up), 25.17, 1);
  EXPECT_NEAR(rounds(28, kSms, Walk::up), 29.38, 1);
  EXPECT_NEAR(rounds(40, kSms, Walk::up), 167.80, 1);
  EXPECT_NEAR(rounds(28, 1, Walk::up), 29.51, 1);
  EXPECT_NEAR(rounds(48, 1, Walk::up), 125.91, 3);
  EXPECT_NEAR(rounds(40, kSms, Walk::alternating), 75.51, 0.05 * 75.51);
  EXPECT_NEAR(rounds(64, kSms, Walk::alternating), 176.14, 0.05 * 176.14);
}

TEST(RingProgram, WrittenLinesAreLeftDirtyAsOnAnH200) {
  const auto program =
      ring({64 * kMiB, 512 * kMiB}, {{.operation = Operation::store, .share = RingShare::part, .ctas = kSms},
                                     {.first_buffer = 1, .share = RingShare::part, .ctas = kSms}});
  // Writes are billed to who wrote, whenever they happen; the sweep reads what it reads, and leaves the L2
  // clean.
  EXPECT_NEAR(written_mb(replayed(*program), 0), 67.1, 0.1);
  EXPECT_NEAR(read_mb(replayed(*program), 1), 536.87, 0.1);
  EXPECT_EQ(replayed(*program).written_later, 0U);
  for (const Bytes mib : {16U, 48U, 64U, 128U}) {
    const auto alone =
        ring({mib * kMiB}, {{.operation = Operation::store, .share = RingShare::part, .ctas = kSms}});
    const double left = std::min(static_cast<double>(mib * kMiB), 29.5e6);
    EXPECT_NEAR(static_cast<double>(replayed(*alone).written_later.value()), left, 0.3e6) << mib;
  }
}

}  // namespace hbmscope
