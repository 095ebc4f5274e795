#pragma once

#include <cstddef>

#include "profiler/calibration/kernels.h"
#include "sim/units.h"

namespace hbmscope {

// What CTAs of a traced kernel do.
struct TracedWork {
  int rows_of_cta = 0;
  int keys = 0;
  // Of so many CTAs the rows are one head's, and of so many one KV head's; 0: of all.
  std::size_t ctas_of_head = 0;
  std::size_t ctas_of_kv_head = 0;
};

// Whether its CTAs wait for each tile: all but flash2's do.
bool waits_for_tiles(const TracedKernel& traced);
// Whether they read P or S: standard's.
bool reads_weights(const TracedKernel& traced);

// In waves that fill the GPU: long enough for timestamps not to matter. flash2's find K and V in the L2.
TracedWork work_of_waves(const TracedKernel& traced, Bytes l2_bytes);

// flash2's for longer, with one K and V for all CTAs, wherever they are.
TracedWork long_work(const TracedKernel& traced);

// flash2's with K and V from DRAM, each of which so many CTAs share.
TracedWork work_from_hbm(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas_of_kv_head);

// Of so many CTAs of which some share an SM. P or S of standard's lie in the L2, so that they do not wait for
// DRAM; pairs of flash1's hide that they do.
TracedWork work_of_pairs(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas);

// Of so many CTAs alone on their SMs, with all that they wait for in the L2 (flash1's Q and O, standard's P
// or S), and with all of it in DRAM: so many rows, or keys, that each comes again after the L2 has lost it.
TracedWork work_in_l2(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas);
TracedWork work_beyond_l2(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas);

// The same of half as many tiles; of none, if there was but one.
TracedWork half_of(const TracedKernel& traced, TracedWork work);

// Of the bytes that such a CTA moves beyond the L2, those that it loads from DRAM.
double share_from_hbm(const TracedKernel& traced);

}  // namespace hbmscope
