#pragma once

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// flash1, variant mma: one CTA owns a query head. Outside it walks over the K/V tiles of Bc rows, inside over
// the q tiles of Br rows that see the tile: a visit reads Q, O (fp32), l and m of a q tile and writes O, l
// and m back. 16-bit elements, head_dim_v == head_dim.
//
// Shared-memory reads are ldmatrix, writes are cp.async; O, l and m move between registers and global memory.
// All counts are whole tiles: rows beyond the sequence are zero-filled, not skipped.
struct Flash1MmaShape {
  int br;
  int bc;
  int head_dim;
  int stages;  // ring slots for Q

  constexpr bool supported() const {
    return mma_tile_side_supported(br) && mma_tile_side_supported(bc) && mma_head_dim_supported(head_dim) &&
           mma_stages_supported(stages);
  }

  constexpr int rows_per_warp() const { return mma_rows_per_warp(br); }
  constexpr int warps() const { return br / rows_per_warp(); }
  constexpr int threads() const { return warps() * kWarpThreads; }

  // Registers per thread: a warp's fp32 tile of r x c takes r c / 32; the rest, fitted to what the compiler
  // uses, covers fragments, addresses and the row statistics.
  constexpr int registers_estimate(int chunk) const {
    const int rows = rows_per_warp();
    return rows * head_dim / 32 + rows * chunk / 32 + rows / 4 + 64 + (chunk < bc ? 16 : 0);
  }
  constexpr int chunk_limit() const {
    int limit = 64;
    while (limit > 16 && registers_estimate(limit) > registers_available(threads(), 1)) limit -= 16;
    return limit;
  }
  constexpr int chunks() const { return chunk_count(bc, chunk_limit()); }
  constexpr int chunk_columns() const { return chunk_width(bc, chunk_limit()); }
  constexpr int last_chunk_columns() const { return last_chunk_width(bc, chunk_limit()); }

  // K, V, then the Q slots; rows are unpadded, 16-byte pieces are swizzled.
  constexpr int shared_bytes() const { return (2 * bc + stages * br) * head_dim * kMmaElementBytes; }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(chunk_columns()), shared_bytes());
  }

  // Per visit. Every warp reads its own rows of Q once per chunk, together the whole tile, and the whole K
  // and V tiles as B fragments.
  constexpr long long q_shared_read_bytes_per_visit() const {
    return chunks() * mma_tile_bytes(br, head_dim);
  }
  constexpr long long k_shared_read_bytes_per_visit() const { return warps() * mma_tile_bytes(bc, head_dim); }
  constexpr long long v_shared_read_bytes_per_visit() const { return warps() * mma_tile_bytes(bc, head_dim); }

  // Exponentials per row and visit besides one per score: a rescale factor per chunk, which each of the 4
  // lanes that share a row computes.
  constexpr long long exponentials_per_row() const { return 4LL * chunks(); }
};

}  // namespace hbmscope
