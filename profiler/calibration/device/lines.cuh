#pragma once

// What the kernels that measure an L2 do to its lines, and how they wait for what they measure. All loads
// pass L1 by (.cg). A load of one 32-byte sector is enough to bring in and keep a line's tag.

namespace hbmscope {

inline constexpr int kLineBytes = 128;

__device__ inline unsigned sm_id() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ inline unsigned long long nanoseconds() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

__device__ inline unsigned clock_cycles() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}

__device__ inline const char* address_of(const char* lines, unsigned line) {
  return lines + static_cast<unsigned long long>(line) * kLineBytes;
}

__device__ inline unsigned load(const char* address) {
  unsigned value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

// ptxas drops loads whose values nobody uses, volatile or not. The store also makes the thread wait for them.
__device__ inline void keep(unsigned value) {
  __shared__ volatile unsigned kept[1024];
  kept[threadIdx.x] = value;
}

// Cycles until the value is there. Without the fences earlier accesses would still be under way at the first
// reading of the clock, and the second would not wait for the load.
__device__ inline unsigned timed_load(const char* address) {
  asm volatile("membar.cta;" ::: "memory");
  const unsigned begin = clock_cycles();
  keep(load(address));
  asm volatile("membar.cta;" ::: "memory");
  return clock_cycles() - begin;
}

// A launch cannot name an SM. So more CTAs are launched than the GPU has SMs; the first one that finds itself
// on the wanted SM takes the work, and all others leave. `taken` is 0 before the launch.
__device__ inline bool takes(unsigned sm, unsigned* taken) {
  __shared__ bool mine;
  if (threadIdx.x == 0) mine = sm_id() == sm && atomicCAS(taken, 0u, 1u) == 0u;
  __syncthreads();
  return mine;
}

}  // namespace hbmscope
