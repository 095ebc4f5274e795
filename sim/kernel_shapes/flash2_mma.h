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
// its structure from here and the model its counts, so the two cannot drift apart. 16-bit elements,
// head_dim_v == head_dim.
//
// Shared-memory reads are ldmatrix (sm__sass_data_bytes_mem_shared_op_ldsm), writes are cp.async
// (…_op_ldgsts); O leaves through warp shuffles and LSE from registers, so there is no ld.shared and no
// st.shared at all. All counts are whole tiles: rows beyond the sequence are zero-filled, not skipped.
struct Flash2MmaShape {
  int br;
  int bc;
  int head_dim;
  int stages;  // ring slots for K and, separately, for V

  constexpr bool supported() const {
    return mma_tile_side_supported(br) && mma_tile_side_supported(bc) && mma_head_dim_supported(head_dim) &&
           mma_stages_supported(stages);
  }

  constexpr int rows_per_warp() const { return mma_rows_per_warp(br); }
  constexpr int warps() const { return br / rows_per_warp(); }
  constexpr int threads() const { return warps() * kWarpThreads; }

  // Registers per thread: a warp's fp32 tile of r x c takes r c / 32, its 16-bit Q fragments half of that;
  // the rest, fitted to what the compiler uses, covers K/V fragments, addresses and the row statistics, and
  // walking over several chunks of a tile takes some more.
  constexpr int registers_estimate(int chunk, bool q_held) const {
    const int rows = rows_per_warp();
    const int q = q_held ? rows * head_dim / 64 : rows / 4;
    return rows * head_dim / 32 + rows * chunk / 32 + q + 72 - head_dim / 4 + (chunk < bc ? 36 : 0);
  }
  constexpr int registers_limit() const { return registers_available(threads(), 1); }

  // Q fragments stay in registers when a warp has 16 rows and they leave room for chunks of 32 columns;
  // otherwise they are read again from shared memory for every chunk.
  constexpr bool q_in_registers() const {
    return rows_per_warp() == 16 && registers_estimate(32, true) <= registers_limit();
  }
  constexpr int chunk_limit() const {
    int limit = 64;
    while (limit > 16 && registers_estimate(limit, q_in_registers()) > registers_limit()) limit -= 16;
    return limit;
  }
  constexpr int chunks() const { return chunk_count(bc, chunk_limit()); }
  constexpr int chunk_columns() const { return chunk_width(bc, chunk_limit()); }
  constexpr int last_chunk_columns() const { return last_chunk_width(bc, chunk_limit()); }

  // Q, then the K slots, then the V slots; rows are unpadded, 16-byte pieces are swizzled.
  constexpr int shared_bytes() const { return (br + 2 * stages * bc) * head_dim * kMmaElementBytes; }
  constexpr int ctas_per_sm() const {
    return mma_ctas_per_sm(threads(), registers_estimate(chunk_columns(), q_in_registers()), shared_bytes());
  }

  // Once per CTA. Q is written by cp.async: Br x d elements.
  constexpr long long q_shared_write_bytes() const { return mma_tile_bytes(br, head_dim); }
  // Once per CTA that has at least one K/V tile: every warp reads its own rows of Q, together the whole tile.
  constexpr long long q_shared_read_bytes() const {
    return q_in_registers() ? mma_tile_bytes(br, head_dim) : 0;
  }

  // Per K/V tile. K and V are written once each by cp.async: Bc x d elements.
  constexpr long long k_shared_write_bytes_per_step() const { return mma_tile_bytes(bc, head_dim); }
  constexpr long long v_shared_write_bytes_per_step() const { return mma_tile_bytes(bc, head_dim); }
  // S = Q K^T: every warp reads the whole K tile as B fragments, and its rows of Q once per chunk unless it
  // holds them.
  constexpr long long q_shared_read_bytes_per_step() const {
    return q_in_registers() ? 0 : chunks() * mma_tile_bytes(br, head_dim);
  }
  constexpr long long k_shared_read_bytes_per_step() const { return warps() * mma_tile_bytes(bc, head_dim); }
  constexpr long long qk_shared_read_bytes_per_step() const {
    return q_shared_read_bytes_per_step() + k_shared_read_bytes_per_step();
  }
  // O += P V: P comes from the accumulators of S; every warp reads the whole V tile as B fragments.
  constexpr long long pv_shared_read_bytes_per_step() const { return warps() * mma_tile_bytes(bc, head_dim); }

  // O is transposed within each quad of lanes by shuffles and stored in 16-byte pieces.
  constexpr long long epilogue_shared_read_bytes() const { return 0; }
  constexpr long long epilogue_shared_write_bytes() const { return 0; }

  // Exponentials per K/V tile: one per score, and one rescale factor per row and chunk, which each of the
  // 4 lanes that share a row computes.
  constexpr long long exponentials_per_step() const {
    return static_cast<long long>(br) * bc + 4LL * br * chunks();
  }
};

}  // namespace hbmscope
