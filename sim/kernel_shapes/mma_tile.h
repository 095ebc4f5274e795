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
inline constexpr int kLargestCtasPerSm = 12;          // asked of the compiler, not a limit of the hardware

namespace shape_math {
constexpr int ceil_div(int a, int b) { return (a - 1) / b + 1; }
constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }
constexpr int larger(int a, int b) { return a > b ? a : b; }
}  // namespace shape_math

constexpr bool mma_tile_side_supported(int side) {
  return side > 0 && side <= kLargestMmaTile && side % kMmaStep == 0;
}
inline constexpr int kMmaHeadDims[] = {32, 64, 80, 96, 128, 192, 256};
constexpr bool mma_head_dim_supported(int head_dim) {
  for (const int supported : kMmaHeadDims) {
    if (head_dim == supported) return true;
  }
  return false;
}
constexpr bool mma_stages_supported(int stages) { return stages >= 1 && stages <= kLargestMmaStages; }

// A warp owns 32 rows where the tile leaves at least 4 warps: each K or V fragment read from shared memory
// then feeds two m16 tiles, which halves the reads. Smaller tiles need the warps more, and beyond 128 dims
// the accumulators of 32 rows of O alone would fill the registers.
constexpr int mma_rows_per_warp(int br, int head_dim) {
  return br % 32 == 0 && br >= 128 && head_dim <= 128 ? 32 : 16;
}

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
struct ColumnChunks {
  int count;
  int width;
  int last_width;
};
constexpr ColumnChunks column_chunks(int columns, int limit) {
  const int count = shape_math::ceil_div(columns, limit);
  const int width = shape_math::round_up(shape_math::ceil_div(columns, count), kMmaStep);
  return {count, width, columns - (count - 1) * width};
}

// Bytes of a rows x columns tile of 2-byte elements.
constexpr int mma_tile_bytes(int rows, int columns) { return rows * columns * kMmaElementBytes; }

// What every kernel of a Br x Bc tile begins with: warps that own whole rows of Q, S and O. 16-bit elements,
// head_dim_v == head_dim.
struct MmaTile {
  int br;
  int bc;
  int head_dim;

  constexpr bool supported() const {
    return mma_tile_side_supported(br) && mma_tile_side_supported(bc) && mma_head_dim_supported(head_dim);
  }
  constexpr int rows_per_warp() const { return mma_rows_per_warp(br, head_dim); }
  constexpr int warps() const { return br / rows_per_warp(); }
  constexpr int threads() const { return warps() * kWarpThreads; }
  constexpr int query_bytes() const { return mma_tile_bytes(br, head_dim); }
  constexpr int key_bytes() const { return mma_tile_bytes(bc, head_dim); }
};

}  // namespace hbmscope
