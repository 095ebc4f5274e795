#pragma once

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// The three launches of `standard`: S = scale Q K^T, P = softmax(S), O = P V. S and P are stored in the
// problem's 16-bit type; their rows are padded to a multiple of 64 elements so that every sector is whole.
inline constexpr int kScoreRowMultiple = 64;

// Elements from one row of S or P to the next.
constexpr long long standard_s_columns(long long seqlen_kv) {
  return (seqlen_kv + kScoreRowMultiple - 1) / kScoreRowMultiple * kScoreRowMultiple;
}

// Launch 1, kernel standard_qk. A CTA computes Br x Bc of S from Br x d of Q and Bc x d of K.
// Grid: ceil(Nq / Br) q tiles (fastest), ceil(s_columns / Bc) kv tiles, query heads, batch: the tiles cover
// the padded row, whose padding becomes 0, and a tile stores its valid rows up to s_columns. K rows at or
// beyond Nkv are zero-filled, not read. Shared memory: reads are ldmatrix, writes cp.async; S leaves through
// shuffles.
struct StandardQkShape {
  int br;
  int bc;
  int head_dim;

  constexpr bool supported() const {
    return mma_tile_side_supported(br) && mma_tile_side_supported(bc) && mma_head_dim_supported(head_dim);
  }
  constexpr int rows_per_warp() const { return mma_rows_per_warp(br); }
  constexpr int warps() const { return br / rows_per_warp(); }
  constexpr int threads() const { return warps() * kWarpThreads; }
  // With 16 rows per warp the Q fragments are held: d / 4 registers.
  constexpr bool q_in_registers() const { return rows_per_warp() == 16 && threads() <= 256; }
  constexpr int chunk_limit() const { return threads() <= 256 ? 64 : 32; }
  constexpr int chunks() const { return chunk_count(bc, chunk_limit()); }
  constexpr int chunk_columns() const { return chunk_width(bc, chunk_limit()); }
  constexpr int last_chunk_columns() const { return last_chunk_width(bc, chunk_limit()); }
  constexpr int registers_estimate() const {
    return rows_per_warp() * chunk_columns() / 32 + (q_in_registers() ? head_dim / 4 : 8) + 56;
  }
  constexpr int shared_bytes() const { return (br + bc) * head_dim * kMmaElementBytes; }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }

  // Per CTA: both tiles written once; each warp reads the whole K tile, and its rows of Q once per chunk, or
  // once when it holds them.
  constexpr long long q_shared_write_bytes() const { return mma_tile_bytes(br, head_dim); }
  constexpr long long k_shared_write_bytes() const { return mma_tile_bytes(bc, head_dim); }
  constexpr long long q_shared_read_bytes() const {
    return (q_in_registers() ? 1 : chunks()) * mma_tile_bytes(br, head_dim);
  }
  constexpr long long k_shared_read_bytes() const { return warps() * mma_tile_bytes(bc, head_dim); }
};

// Launch 2, kernel standard_softmax. A row of s_columns elements is read once, kept in registers and written
// once, padding included. Grid: ceil(Nq / rows_per_cta()) row tiles (fastest), then head and batch.
struct StandardSoftmaxShape {
  int threads_per_row;     // a warp up to kWarpRowElements, 256 beyond
  int vectors_per_thread;  // 16-byte vectors; a power of two

  static constexpr int kWarpRowElements = 2048;
  static constexpr int kLargestRowElements = 65536;

  constexpr bool supported() const {
    return (threads_per_row == kWarpThreads || threads_per_row == 256) && vectors_per_thread >= 1 &&
           vectors_per_thread <= 32 && (vectors_per_thread & (vectors_per_thread - 1)) == 0;
  }
  constexpr int rows_per_cta() const { return threads_per_row == kWarpThreads ? 4 : 1; }
  constexpr int threads() const { return rows_per_cta() * threads_per_row; }
  constexpr int warps_per_row() const { return threads_per_row / kWarpThreads; }
  // 4 registers hold a vector's packed scores, 8 more its unpacked ones while the compiler overlaps passes.
  constexpr int registers_estimate() const {
    return shape_math::smaller(kLargestRegisters, 12 * vectors_per_thread + 48);
  }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), static_shared_bytes());
  }
  // One fp32 maximum and one fp32 sum per warp, declared statically; no dynamic shared memory.
  constexpr int static_shared_bytes() const { return warps_per_row() > 1 ? 2 * 4 * warps_per_row() : 0; }

  // Per row: one lane of each warp stores its warp's maximum, then its sum (st.shared, 4 B); every warp reads
  // one of each of every warp back (ld.shared; lanes that read the same word get it by one broadcast, which
  // counts once). A row owned by one warp needs neither.
  constexpr long long shared_write_bytes_per_row() const { return static_shared_bytes(); }
  constexpr long long shared_read_bytes_per_row() const {
    return warps_per_row() > 1 ? 2LL * 4 * warps_per_row() * warps_per_row() : 0;
  }
  // The row is kept as 16-bit scores, so the sum and the result each take an exponential per element slot.
  constexpr long long exponentials_per_row() const {
    return 2LL * threads_per_row * vectors_per_thread * kPieceElements;
  }
};

constexpr bool standard_softmax_supported(long long s_columns) {
  return s_columns > 0 && s_columns <= StandardSoftmaxShape::kLargestRowElements;
}

// The shape for rows of s_columns elements; only for supported lengths.
constexpr StandardSoftmaxShape standard_softmax_shape(long long s_columns) {
  StandardSoftmaxShape shape{s_columns <= StandardSoftmaxShape::kWarpRowElements ? kWarpThreads : 256, 1};
  while (static_cast<long long>(shape.threads_per_row) * shape.vectors_per_thread * kPieceElements <
         s_columns) {
    shape.vectors_per_thread *= 2;
  }
  return shape;
}

// Launch 3, kernel standard_pv. A CTA computes Br x d of O, walking over ceil(Nkv / Bc) tiles: Br x Bc of P
// and Bc x d of V. P is read up to s_columns, V up to Nkv; the rest is zero-filled. The whole square under a
// mask. Grid: ceil(Nq / Br) q tiles (fastest), query heads, batch.
struct StandardPvShape {
  int br;
  int bc;
  int head_dim;
  int stages;  // ring slots, each P and V

  constexpr bool supported() const {
    return mma_tile_side_supported(br) && mma_tile_side_supported(bc) && mma_head_dim_supported(head_dim) &&
           mma_stages_supported(stages);
  }
  constexpr int rows_per_warp() const { return mma_rows_per_warp(br); }
  constexpr int warps() const { return br / rows_per_warp(); }
  constexpr int threads() const { return warps() * kWarpThreads; }
  constexpr int registers_estimate() const {
    return rows_per_warp() * head_dim / 32 + rows_per_warp() / 4 + 64;
  }

  // A row of P takes whole 128-byte lines in shared memory, which keeps the swizzle free of bank conflicts
  // for every Bc.
  constexpr int p_row_elements() const { return shape_math::round_up(bc, 64); }
  constexpr int p_slot_bytes() const { return br * p_row_elements() * kMmaElementBytes; }
  constexpr int v_slot_bytes() const { return bc * head_dim * kMmaElementBytes; }
  constexpr int shared_bytes() const { return stages * (p_slot_bytes() + v_slot_bytes()); }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }

  // Per kv tile: P and V written once by cp.async; each warp reads its own rows of P as A fragments and the
  // whole V tile as B fragments. O leaves through shuffles.
  constexpr long long p_shared_write_bytes_per_step() const { return mma_tile_bytes(br, bc); }
  constexpr long long v_shared_write_bytes_per_step() const { return mma_tile_bytes(bc, head_dim); }
  constexpr long long p_shared_read_bytes_per_step() const { return mma_tile_bytes(br, bc); }
  constexpr long long v_shared_read_bytes_per_step() const { return warps() * mma_tile_bytes(bc, head_dim); }
};

}  // namespace hbmscope
