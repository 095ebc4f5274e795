#pragma once

#include <array>
#include <memory>

#include "sim/l2/ring_program.h"

namespace hbmscope::test {

// Tiles are dealt to all SMs of an H200.
inline constexpr RingPass kByAll{.share = RingShare::part, .ctas = 132};

// One pass over the first of two buffers of 8 MiB.
inline std::unique_ptr<Program> one_pass(const RingPass& pass) {
  constexpr std::array<Bytes, 2> kBuffers{8 * kMiB, 8 * kMiB};
  const std::array<RingPass, 1> passes{pass};
  auto program = std::make_unique<Program>();
  build_ring_program(kBuffers, passes, *program);
  return program;
}

}  // namespace hbmscope::test
