// What is left of a set after some of its lines were read and written, one after the other.

#include "kernels/device/ptx.cuh"
#include "profiler/calibration/device/lines.cuh"
#include "profiler/calibration/device/results.h"

namespace hbmscope {
namespace {

__device__ unsigned load_with(const char* address, unsigned long long policy) {
  unsigned value;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(value)
               : "l"(address), "l"(policy)
               : "memory");
  return value;
}

__device__ void write_line(char* line, unsigned word) {
  const unsigned words[4] = {word, word, word, word};
  for (int piece = 0; piece < kLineBytes; piece += 16) store_global_piece(line + piece, words);
  asm volatile("membar.gl;" ::: "memory");
}

}  // namespace
}  // namespace hbmscope

// One thread does `count` things to lines, each before the next, and notes the cycles of those that it times.
extern "C" __global__ void use_lines(unsigned sm, unsigned* taken, char* lines, const hbmscope::LineUse* uses,
                                     unsigned count, unsigned short* cycles) {
  using namespace hbmscope;
  if (!takes(sm, taken)) return;
  unsigned long long first;
  unsigned long long last;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(last));
  unsigned timed = 0;
  for (unsigned i = 0; i < count; ++i) {
    char* const line = lines + static_cast<unsigned long long>(uses[i].line) * kLineBytes;
    switch (uses[i].kind) {
      case LineUse::kRead:
        keep(load(line));
        break;
      case LineUse::kWrite:
        write_line(line, i);
        break;
      case LineUse::kReadFirst:
        keep(load_with(line, first));
        break;
      case LineUse::kReadLast:
        keep(load_with(line, last));
        break;
      case LineUse::kTime:
        cycles[timed++] = static_cast<unsigned short>(min(timed_load(line), 65535u));
        break;
    }
    asm volatile("membar.cta;" ::: "memory");
  }
}
