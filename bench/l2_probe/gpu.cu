// Reads, writes and latencies of lines: by all SMs or by one.

#include "bench/l2_probe/gpu.cuh"

namespace hbmscope {
namespace {

constexpr int kThreads = 1024;
constexpr std::size_t kMemoryMib = 1024;
constexpr std::size_t kAlignmentMib = 8;

// The threads that share the work: this one's number among them, and how many they are.
struct Worker {
  std::size_t number;
  std::size_t count;
};

__device__ Worker worker_of_cta() { return {threadIdx.x, blockDim.x}; }

__device__ Worker worker_of_grid() {
  return {blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x,
          gridDim.x * static_cast<std::size_t>(blockDim.x)};
}

__device__ void read(Lines lines, Worker worker) {
  unsigned sum = 0;
  for (std::size_t i = worker.number; i < lines.count; i += worker.count)
    sum += load(lines.first + i * kLineBytes);
  keep(sum);
}

__device__ void write(Lines lines, Worker worker) {
  const std::size_t pieces = lines.count * kLineBytes / sizeof(uint4);
  for (std::size_t i = worker.number; i < pieces; i += worker.count)
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(lines.first + i * sizeof(uint4)),
                 "r"(static_cast<unsigned>(i))
                 : "memory");
}

__global__ void read_once_kernel(Lines lines) { read(lines, worker_of_grid()); }
__global__ void read_by_all_kernel(Lines lines) { read(lines, worker_of_cta()); }
__global__ void write_once_kernel(Lines lines) { write(lines, worker_of_grid()); }

__global__ void read_by_kernel(Turn turn, Lines lines) {
  if (takes(turn)) read(lines, worker_of_cta());
}

__global__ void write_by_kernel(Turn turn, Lines lines) {
  if (takes(turn)) write(lines, worker_of_cta());
}

__global__ void time_kernel(Turn turn, Lines lines, const std::uint32_t* order, std::size_t count,
                            std::uint16_t* cycles) {
  if (!takes(turn)) return;
  for (std::size_t i = 0; i < count; ++i)
    cycles[i] = static_cast<std::uint16_t>(min(timed_load(address_of(lines.first, order[i])), 65535U));
}

}  // namespace

Gpu::Gpu() : allocation_((kMemoryMib + kAlignmentMib) * kMiB) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  name_ = properties.name;
  sms_ = properties.multiProcessorCount;
  const auto address = reinterpret_cast<std::uintptr_t>(allocation_.data());
  memory_ = allocation_.data() + (kAlignmentMib * kMiB - address % (kAlignmentMib * kMiB));
}

void Gpu::read_once(Lines lines) const {
  read_once_kernel<<<2 * sms_, kThreads>>>(lines);
  finish("read_once");
}

void Gpu::read_by_all(Lines lines) const {
  read_by_all_kernel<<<sms_, kThreads>>>(lines);
  finish("read_by_all");
}

void Gpu::read_by(int sm, Lines lines) const { run_on(sm, kThreads, "read_by", read_by_kernel, lines); }

void Gpu::write_once(Lines lines) const {
  write_once_kernel<<<sms_, kThreads>>>(lines);
  finish("write_once");
}

void Gpu::write_by(int sm, Lines lines) const { run_on(sm, kThreads, "write_by", write_by_kernel, lines); }

std::vector<std::uint16_t> Gpu::latencies(int sm, Lines lines,
                                          const std::vector<std::uint32_t>& order) const {
  order_.assign(order);
  run_on(sm, 1, "latencies", time_kernel, lines, static_cast<const std::uint32_t*>(order_.data()),
         order.size(), cycles_.data());
  return cycles_.first(order.size());
}

}  // namespace hbmscope
