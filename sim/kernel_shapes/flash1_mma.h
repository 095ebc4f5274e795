#pragma once

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// flash1, variant mma: one CTA owns a query head. Outside it walks over the K/V tiles of Bc rows, inside over
// the q tiles of Br rows that see the tile: a visit reads Q, O (fp32), l and m of a q tile and writes O, l
// and m back.
//
// Shared-memory reads are ldmatrix, writes are cp.async; O, l and m move between registers and global memory.
// All counts are whole tiles: rows beyond the sequence are zero-filled, not skipped.
struct Flash1MmaShape : MmaTile {
  int stages;  // ring slots for Q

  constexpr bool supported() const { return MmaTile::supported() && mma_stages_supported(stages); }

  // Registers per thread: a warp's fp32 tile of r x c takes r c / 32; the rest, fitted to what the compiler
  // gets by with, covers fragments, addresses and the row statistics. It hoists more where O is small.
  constexpr int registers_estimate(int chunk) const {
    const int rows = rows_per_warp();
    const int hoisted = (128 - shape_math::smaller(head_dim, 128)) * rows / 128;
    return rows * head_dim / 32 + rows * chunk / 32 + rows / 4 + 64 + hoisted + (chunk < bc ? 16 : 0);
  }
  constexpr ColumnChunks chunks() const {
    int limit = 64;
    while (limit > 16 && registers_estimate(limit) > registers_available(threads(), 1)) limit -= 16;
    return column_chunks(bc, limit);
  }

  // K, V, then the Q slots; rows are unpadded, 16-byte pieces are swizzled.
  constexpr int shared_bytes() const { return 2 * key_bytes() + stages * query_bytes(); }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(chunks().width), shared_bytes());
  }

  // Shared-memory reads per visit. Every warp reads its own rows of Q once per chunk, together the whole
  // tile, and the whole K and V tiles as B fragments.
  constexpr int q_read_bytes_per_visit() const { return chunks().count * query_bytes(); }
  constexpr int k_read_bytes_per_visit() const { return warps() * key_bytes(); }
  constexpr int v_read_bytes_per_visit() const { return warps() * key_bytes(); }

  // Exponentials per row and visit besides one per score: a rescale factor per chunk, which each of the 4
  // lanes that share a row computes.
  constexpr int rescales_per_visit() const { return 4 * chunks().count; }
};

}  // namespace hbmscope
