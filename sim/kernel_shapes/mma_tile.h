#pragma once

// Rules that every mma.sync kernel of hbmscope shares. No include: the run-time compiler reads this file too.
// Shared-memory bytes are what the instructions move: ldmatrix.x4 reads 32 lanes x 16 B = 512 B, one 16x16
// fragment of 2-byte elements; cp.async writes 16 B per lane.

namespace hbmscope {

inline constexpr int kMmaElementBytes = 2;   // bf16 and fp16
inline constexpr int kPieceBytes = 16;       // one cp.async, one row of an ldmatrix 8x8 matrix
inline constexpr int kPieceElements = 8;     // 2-byte elements in a piece
inline constexpr int kMmaStep = 16;          // rows, keys and dims come in units of 16
inline constexpr int kLargestMmaTile = 256;  // Br and Bc
inline constexpr int kLargestMmaStages = 8;  // K/V ring slots
inline constexpr int kWarpThreads = 32;
inline constexpr int kRegistersPerSm = 65536;
inline constexpr int kLargestRegisters = 255;         // per thread
inline constexpr int kSharedBytesPerSm = 228 * 1024;  // sm_90; smaller GPUs only hold fewer CTAs
inline constexpr int kSharedBytesReserved = 1024;     // per resident CTA, kept by the driver
inline constexpr int kLargestCtasPerSm = 16;          // asked of the compiler, not a limit of the hardware

namespace shape_math {
constexpr int ceil_div(int a, int b) { return (a - 1) / b + 1; }
constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }
}  // namespace shape_math

constexpr bool mma_tile_side_supported(int side) {
  return side > 0 && side <= kLargestMmaTile && side % kMmaStep == 0;
}
constexpr bool mma_head_dim_supported(int head_dim) { return head_dim == 64 || head_dim == 128; }
constexpr bool mma_stages_supported(int stages) { return stages >= 1 && stages <= kLargestMmaStages; }

// A warp owns 32 rows where the tile leaves at least 4 warps: each K or V fragment read from shared memory
// then feeds two m16 tiles, which halves the reads. Smaller tiles need the warps more.
constexpr int mma_rows_per_warp(int br) { return br % 32 == 0 && br >= 128 ? 32 : 16; }

// Registers a thread may have when one CTA of this many threads is resident; the hardware gives them in
// eights.
constexpr int registers_available(int threads, int ctas) {
  return shape_math::smaller(kLargestRegisters,
                             kRegistersPerSm / (shape_math::round_up(threads, 128) * ctas) / 8 * 8);
}

// CTAs that fit an SM by registers (an estimate per thread) and by shared memory: the minimum of
// __launch_bounds__, so the compiler does not spend registers that would cost a resident CTA.
constexpr int mma_ctas_per_sm(int threads, int registers, int shared_bytes) {
  const int by_registers = kRegistersPerSm / (threads * shape_math::round_up(registers, 8));
  const int by_shared = kSharedBytesPerSm / (shared_bytes + kSharedBytesReserved);
  return shape_math::larger(
      1, shape_math::smaller(kLargestCtasPerSm, shape_math::smaller(by_registers, by_shared)));
}

// The Bc columns of a tile are worked on in chunks of at most `limit` columns, as equal as units of 16 allow;
// the last chunk may be narrower.
constexpr int chunk_count(int columns, int limit) { return shape_math::ceil_div(columns, limit); }
constexpr int chunk_width(int columns, int limit) {
  return shape_math::round_up(shape_math::ceil_div(columns, chunk_count(columns, limit)), kMmaStep);
}
constexpr int last_chunk_width(int columns, int limit) {
  return columns - (chunk_count(columns, limit) - 1) * chunk_width(columns, limit);
}

// Bytes of a rows x columns tile of 2-byte elements.
constexpr long long mma_tile_bytes(int rows, int columns) {
  return static_cast<long long>(rows) * columns * kMmaElementBytes;
}

}  // namespace hbmscope
