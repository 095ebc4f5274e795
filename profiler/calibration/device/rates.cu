// What the levels of the memory hierarchy and the pipes of an SM can do. Rates within an SM are counted in
// its clock, which moves; rates beyond it are timed by the host.

#include "kernels/device/ptx.cuh"
#include "profiler/calibration/device/lines.cuh"

namespace hbmscope {
namespace {

constexpr int kPieceBytes = 16;
constexpr int kUnroll = 4;

__device__ unsigned long long long_clock() {
  unsigned long long cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

__device__ unsigned folded(const Piece& piece) {
  return piece.word[0] ^ piece.word[1] ^ piece.word[2] ^ piece.word[3];
}

// Cycles between two barriers of a CTA, around work().
template <typename Work>
__device__ void count_cycles(unsigned long long* cycles, Work&& work) {
  __syncthreads();
  const unsigned long long begin = long_clock();
  work();
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = long_clock() - begin;
}

}  // namespace
}  // namespace hbmscope

// Each piece by one SM; `pieces` is a multiple of kUnroll.
extern "C" __global__ void __launch_bounds__(1024, 2)
    stream_read(const char* source, unsigned long long pieces) {
  using namespace hbmscope;
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < pieces / kUnroll; i += threads) {
    Piece piece[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      piece[k] = load_global_piece(source + (i + k * (pieces / kUnroll)) * kPieceBytes);
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) sum ^= folded(piece[k]);
  }
  keep(sum);
}

extern "C" __global__ void __launch_bounds__(1024, 2)
    stream_copy(char* target, const char* source, unsigned long long pieces) {
  using namespace hbmscope;
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < pieces / kUnroll; i += threads) {
    Piece piece[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      piece[k] = load_global_piece(source + (i + k * (pieces / kUnroll)) * kPieceBytes);
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      store_global_piece(target + (i + k * (pieces / kUnroll)) * kPieceBytes, piece[k].word);
  }
}

// Every CTA reads everything, each from a place of its own on: many SMs that ask for one line at once are
// answered once. `pieces` is a multiple of what a CTA reads at once, and so is each CTA's first one.
extern "C" __global__ void __launch_bounds__(1024, 2)
    read_l2(const char* source, unsigned long long pieces, int rounds) {
  using namespace hbmscope;
  const unsigned turn = blockDim.x * kUnroll;
  const unsigned turns = static_cast<unsigned>(pieces / turn);
  const unsigned first =
      static_cast<unsigned>(static_cast<unsigned long long>(turns) * blockIdx.x / gridDim.x);
  unsigned sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < turns; ++i) {
      const unsigned place = first + i < turns ? first + i : first + i - turns;
      const char* const address =
          source + (static_cast<unsigned long long>(place) * turn + threadIdx.x) * kPieceBytes;
      Piece piece[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) piece[k] = load_global_piece(address + k * blockDim.x * kPieceBytes);
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) sum ^= folded(piece[k]);
    }
  }
  keep(sum);
}

// Every thread reads 8 x 16 bytes of shared memory in each round, a warp 512 consecutive ones at a time.
// Volatile: ptxas makes one load of several that read the same bytes in unrolled rounds.
extern "C" __global__ void __launch_bounds__(1024) read_shared(int rounds, unsigned long long* cycles) {
  using namespace hbmscope;
  constexpr unsigned kReads = 8;
  constexpr unsigned kWords = (1024 * 16 + kReads * 512) / 4;
  __shared__ __align__(16) unsigned words[kWords];
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = i;
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(words)) + threadIdx.x * 16;
  unsigned sum = 0;
  count_cycles(cycles, [&] {
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (unsigned k = 0; k < kReads; ++k) {
        unsigned a, b, c, d;
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(own + k * 512)
                     : "memory");
        sum ^= a ^ b ^ c ^ d;
      }
    }
  });
  keep(sum);
}

// Every warp multiplies 16x16 by 16x8 into each of 8 accumulators in each round.
template <bool kBf16>
__device__ __forceinline__ void multiply(int rounds, unsigned long long* cycles) {
  using namespace hbmscope;
  constexpr int kAccumulators = 8;
  // Small numbers of either type.
  const unsigned word = 0x3c003c00u + threadIdx.x * 0x00010001u;
  const unsigned a[4] = {word, word ^ 0x80000000u, word, word ^ 0x00008000u};
  float c[kAccumulators][4] = {};
  count_cycles(cycles, [&] {
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int k = 0; k < kAccumulators; ++k) mma_m16n8k16<kBf16>(c[k], a, word, word ^ 0x80008000u);
    }
  });
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kAccumulators; ++k) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
  keep(__float_as_uint(sum));
}

extern "C" __global__ void __launch_bounds__(512) multiply_bf16(int rounds, unsigned long long* cycles) {
  multiply<true>(rounds, cycles);
}

extern "C" __global__ void __launch_bounds__(512) multiply_fp16(int rounds, unsigned long long* cycles) {
  multiply<false>(rounds, cycles);
}

// Every thread takes 8 exponentials in each round.
extern "C" __global__ void __launch_bounds__(1024) exponentiate(int rounds, unsigned long long* cycles) {
  using namespace hbmscope;
  constexpr int kChains = 8;
  float x[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) x[k] = -static_cast<float>(threadIdx.x + k);
  count_cycles(cycles, [&] {
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (int k = 0; k < kChains; ++k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[k]));
    }
  });
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kChains; ++k) sum += x[k];
  keep(__float_as_uint(sum));
}
