#pragma once

#include <array>
#include <cstdint>

#include "sim/program.h"
#include "sim/record.h"

namespace hbmscope {

struct ReadWrite {
  std::uint64_t read = 0;
  std::uint64_t write = 0;
};

// Bytes of one tensor in one launch. The closed forms are exact, ragged edges included:
//   l2          what crosses L2 <-> SM: every tile access; an atomic add counts its payload as a write
//   io          reads + writes when every tile access goes to HBM (an atomic add reads and writes)
//   compulsory  reads and writes with an infinite cache: bytes read before the program wrote or read them,
//               and bytes written for the first time
//   sram        shared memory: fills of whole tiles, and operands as the instructions read and write them
struct TensorTraffic {
  ReadWrite l2;
  ReadWrite io;
  ReadWrite compulsory;
  ReadWrite sram;
};

struct LaunchTraffic {
  FixedList<TensorTraffic, kMaxTensors> tensors;  // as in Program::tensors
  ReadWrite on_chip_sram;            // shared-memory bytes of what is no tensor (reductions, staging)
  std::uint64_t flops = 0;           // useful: visible pairs only
  std::uint64_t executed_flops = 0;  // of whole tiles
  std::uint64_t exponentials = 0;    // executed
};

struct Traffic {
  FixedList<LaunchTraffic, kMaxLaunches> launches;  // as in Program::launches
};

// Fills `traffic` without allocating. Throws UserError if a count exceeds 64 bits.
void count_traffic(const Program& program, Traffic& traffic);

// Sums over all tensors and launches.
TensorTraffic total_of(const Traffic& traffic);

// Sums over the tensors of one launch, on-chip bytes included.
TensorTraffic total_of(const LaunchTraffic& traffic);

// Bytes of a tensor in global memory: 0 for a view, which lies in its base, and for what stays on chip.
std::uint64_t tensor_bytes(const Tensor& tensor);

// All tensors in HBM together.
std::uint64_t footprint_bytes(const Program& program);

// Fills the compulsory counts alone; count_traffic calls it.
void count_compulsory(const Program& program, Traffic& traffic);

}  // namespace hbmscope
