#pragma once

#include <cstdint>

#include "sim/gpu.h"
#include "sim/program.h"
#include "sim/stream.h"
#include "sim/traffic.h"

namespace hbmscope {

// Bytes of a tensor that a launch reads although something read or wrote them before. A view counts as its
// base.
struct RereadTensor {
  int tensor = kNone;
  std::uint64_t loaded = 0;    // bytes L2 -> SM
  std::uint64_t distinct = 0;  // of these
};

// What decides whether the L2 can answer what a launch reads again: how many CTAs run at once, and how many
// planes of the tensors between them. A plane is a head, of K and V a KV head.
struct LaunchReuse {
  std::int64_t ctas = 0;  // work items
  std::int64_t in_flight = 0;
  FixedList<RereadTensor, kMaxTensors> within;   // read more than once by the launch itself
  FixedList<RereadTensor, kMaxTensors> carried;  // read or written by earlier launches

  // The rest is about `within`; absent, or zero, where that is empty.
  int head_access = kNone;  // load of the tensor with most bytes read again
  std::int64_t heads = 0;
  double ctas_per_head = 0;  // that read a head's planes in all
  double heads_live = 0;     // at once; one of which few CTAs are in flight counts in part
  double head_bytes = 0;     // of all tensors that are read again
};

LaunchReuse launch_reuse(const Program& program, const Traffic& traffic, int launch, const GpuSpec& gpu);

// The plane that a work item's access meets first.
std::int64_t plane_of(const LaunchBody& body, int access, std::int64_t item);

}  // namespace hbmscope
