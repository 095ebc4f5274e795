#include "profiler/calibration/traced_work.h"

#include <algorithm>

#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {
namespace {

// flash1's bytes of Q and of O in fp32 for each row and element of the head dim; O is stored again.
constexpr int kBytesLoaded = 2 + 4;
constexpr int kBytesStored = 4;

// The most that a part of the L2 can be counted on to keep, near copies and uneven sets considered.
constexpr Bytes kKeptPart = 4;

bool is_flash1(const TracedKernel& traced) { return traced.algorithm == "flash1"; }

// Whole steps, at least one, at most `most`.
int whole(Bytes count, int step, int most) {
  const Bytes steps = std::max<Bytes>(count / static_cast<Bytes>(step), 1);
  return static_cast<int>(std::min(steps * static_cast<Bytes>(step), static_cast<Bytes>(most)));
}

// So many keys that P or S of all CTAs takes `bytes`.
int keys_of(const TracedKernel& traced, Bytes bytes, std::size_t ctas, int most) {
  const Bytes of_key = static_cast<Bytes>(ctas) * static_cast<Bytes>(traced.br) * kMmaElementBytes;
  return whole(bytes / of_key, traced.bc, most);
}

}  // namespace

bool waits_for_tiles(const TracedKernel& traced) { return traced.algorithm != "flash2"; }

bool reads_weights(const TracedKernel& traced) { return traced.algorithm.starts_with("standard"); }

TracedWork work_of_waves(const TracedKernel& traced, Bytes l2_bytes) {
  if (is_flash1(traced)) return {1024, 1024, 1, 1};
  if (waits_for_tiles(traced)) return {traced.br, 2048, 0, 0};
  const Bytes of_key = 2 * static_cast<Bytes>(traced.head_dim) * kMmaElementBytes;  // K and V
  return {traced.br, whole(l2_bytes / (2 * kKeptPart) / of_key, traced.bc, 1 << 20), 1, 0};
}

TracedWork long_work(const TracedKernel& traced) { return {traced.br, 65536, 1, 0}; }

TracedWork work_from_hbm(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas_of_kv_head) {
  TracedWork work = work_of_waves(traced, l2_bytes);
  work.ctas_of_kv_head = ctas_of_kv_head;
  return work;
}

TracedWork work_of_pairs(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas) {
  if (is_flash1(traced)) return work_of_waves(traced, l2_bytes);
  return {traced.br, keys_of(traced, l2_bytes / 2, ctas, 2048), 0, 0};
}

TracedWork work_in_l2(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas) {
  if (!is_flash1(traced)) return {traced.br, keys_of(traced, l2_bytes / kKeptPart, ctas, 4096), 0, 0};
  const Bytes of_row = static_cast<Bytes>(ctas) * static_cast<Bytes>(traced.head_dim) * kBytesLoaded;
  return {whole(l2_bytes / kKeptPart / of_row, traced.br, 1024), 1024, 1, 1};
}

TracedWork half_of(const TracedKernel& traced, TracedWork work) {
  int& tiled = is_flash1(traced) ? work.rows_of_cta : work.keys;
  const int tile = is_flash1(traced) ? traced.br : traced.bc;
  tiled = tiled / 2 / tile * tile;
  return work;
}

TracedWork work_beyond_l2(const TracedKernel& traced, Bytes l2_bytes, std::size_t ctas) {
  constexpr int kMost = 1 << 20;
  if (!is_flash1(traced)) return {traced.br, keys_of(traced, 2 * l2_bytes, ctas, kMost) + traced.bc, 0, 0};
  const Bytes of_row = static_cast<Bytes>(ctas) * static_cast<Bytes>(traced.head_dim) * kBytesLoaded;
  return {whole(2 * l2_bytes / of_row, traced.br, kMost) + traced.br, 512, 1, 1};
}

double share_from_hbm(const TracedKernel& traced) {
  if (is_flash1(traced)) return static_cast<double>(kBytesLoaded) / (kBytesLoaded + kBytesStored);
  return static_cast<double>(traced.br) / (traced.br + traced.head_dim);  // P or S; V is everybody's
}

}  // namespace hbmscope
