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

// Launch 1, kernel standard_qk. A CTA computes Br rows of S from Br x d of Q, walking over ceil(s_columns /
// Bc) tiles of Bc x d of K: they cover the padded row, whose padding becomes 0, and the CTA stores its valid
// rows up to s_columns. K rows at or beyond Nkv are zero-filled, not read. Grid: ceil(Nq / Br) q tiles
// (fastest), query heads, batch. Shared memory: reads are ldmatrix, writes cp.async; S leaves through
// shuffles.
struct StandardQkShape : MmaTile {
  int stages;  // K tiles in flight besides the one that is multiplied

  constexpr bool supported() const { return MmaTile::supported() && mma_stages_supported(stages); }
  // With 16 rows per warp the Q fragments are held: d / 4 registers.
  constexpr bool q_in_registers() const { return rows_per_warp() == 16 && threads() <= 256; }
  constexpr ColumnChunks chunks() const { return column_chunks(bc, threads() <= 256 ? 64 : 32); }
  constexpr int registers_estimate() const {
    return rows_per_warp() * chunks().width / 32 + (q_in_registers() ? head_dim / 4 : 8) + 56;
  }
  constexpr int slots() const { return stages + 1; }
  constexpr int shared_bytes() const { return query_bytes() + slots() * key_bytes(); }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }

  // Shared-memory reads: each warp reads its rows of Q once if it holds them, else once per chunk of each K
  // tile, and the whole of each K tile.
  constexpr int held_q_read_bytes() const { return q_in_registers() ? query_bytes() : 0; }
  constexpr int q_read_bytes_per_step() const {
    return q_in_registers() ? 0 : chunks().count * query_bytes();
  }
  constexpr int k_read_bytes_per_step() const { return warps() * key_bytes(); }
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
  // A row stays in registers as 16-bit scores; so do its exponentials in fp32, unless they are too many.
  constexpr bool exponentials_kept() const { return vectors_per_thread <= 8; }
  // Of a vector 4 registers hold the scores and 8 more the exponentials.
  constexpr int registers_estimate() const {
    return exponentials_kept() ? 12 * vectors_per_thread + 16 : 4 * vectors_per_thread + 48;
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
  // One per element slot, and another where the result computes it again.
  constexpr long long exponentials_per_row() const {
    return (exponentials_kept() ? 1LL : 2LL) * threads_per_row * vectors_per_thread * kPieceElements;
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
struct StandardPvShape : MmaTile {
  int stages;  // tiles of P and V in flight besides those that are multiplied

  constexpr bool supported() const { return MmaTile::supported() && mma_stages_supported(stages); }
  constexpr int registers_estimate() const {
    return rows_per_warp() * head_dim / 32 + rows_per_warp() / 4 + 88;
  }
  constexpr int p_bytes() const { return mma_tile_bytes(br, bc); }
  constexpr int slots() const { return stages + 1; }
  constexpr int shared_bytes() const { return slots() * (p_bytes() + key_bytes()); }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(), shared_bytes());
  }

  // Shared-memory reads per kv tile: each warp reads its own rows of P as A fragments and the whole V tile as
  // B fragments. O leaves through shuffles.
  constexpr int p_read_bytes_per_step() const { return p_bytes(); }
  constexpr int v_read_bytes_per_step() const { return warps() * key_bytes(); }
};

}  // namespace hbmscope
