#pragma once

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// The LSE of each head starts at a sector of 8 floats, so that a warp's 8 rows never straddle two: the store
// of a partial sector crosses to the L2 as a whole one.
inline constexpr int kLseMultiple = 8;
constexpr long long flash2_lse_columns(long long seqlen_q) {
  return (seqlen_q + kLseMultiple - 1) / kLseMultiple * kLseMultiple;
}

// flash2, variant mma: one CTA owns Br rows of Q and walks over the K/V tiles of Bc rows. The kernel takes
// its structure from here and the model its counts, so the two cannot drift apart.
//
// Shared-memory reads are ldmatrix (sm__sass_data_bytes_mem_shared_op_ldsm), writes are cp.async
// (…_op_ldgsts); O leaves through warp shuffles and LSE from registers, so there is no ld.shared and no
// st.shared at all. All counts are whole tiles: rows beyond the sequence are zero-filled, not skipped.
struct Flash2MmaShape : MmaTile {
  int stages;  // ring slots for K and, separately, for V

  constexpr bool supported() const { return MmaTile::supported() && mma_stages_supported(stages); }

  // Registers per thread: a warp's fp32 tile of r x c takes r c / 32, its 16-bit Q fragments half of that;
  // the rest, fitted to what the compiler gets by with, covers K/V fragments, addresses and the row
  // statistics, and walking over several chunks of a tile takes some more.
  constexpr int registers_estimate(int chunk, bool q_held) const {
    const int rows = rows_per_warp();
    const int q = q_held ? rows * head_dim / 64 : rows / 4;
    const int rest = 72 - shape_math::smaller(shape_math::larger(head_dim, 64), 160) / 4;
    const int several_chunks = chunk < bc ? shape_math::smaller(head_dim / 4, 48) : 0;
    return rows * head_dim / 32 + rows * chunk / 32 + q + rest + several_chunks;
  }
  constexpr int registers_limit() const { return registers_available(threads(), 1); }

  // Q fragments stay in registers when a warp has 16 rows and they leave room for chunks of 32 columns;
  // otherwise they are read again from shared memory for every chunk.
  constexpr bool q_in_registers() const {
    return rows_per_warp() == 16 && registers_estimate(32, true) <= registers_limit();
  }
  constexpr ColumnChunks chunks() const {
    int limit = 64;
    while (limit > 16 && registers_estimate(limit, q_in_registers()) > registers_limit()) limit -= 16;
    return column_chunks(bc, limit);
  }

  // Q, then the K slots, then the V slots; rows are unpadded, 16-byte pieces are swizzled.
  constexpr int shared_bytes() const { return query_bytes() + 2 * stages * key_bytes(); }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(chunks().width, q_in_registers()), shared_bytes());
  }

  // Shared-memory reads. Every warp reads its own rows of Q, together the whole tile: once per CTA that has
  // at least one K/V tile if it holds them, else once per chunk of each.
  constexpr int held_q_read_bytes() const { return q_in_registers() ? query_bytes() : 0; }
  constexpr int q_read_bytes_per_step() const {
    return q_in_registers() ? 0 : chunks().count * query_bytes();
  }
  // Every warp reads the whole K tile and the whole V tile as B fragments; P comes from the accumulators of
  // S.
  constexpr int k_read_bytes_per_step() const { return warps() * key_bytes(); }
  constexpr int v_read_bytes_per_step() const { return warps() * key_bytes(); }

  // Rescale factors per row and K/V tile: one for each chunk, which each of the 4 lanes that share a row
  // computes.
  constexpr int rescales_per_step() const { return 4 * chunks().count; }
};

}  // namespace hbmscope
