#pragma once

// Stands in for kernels/device/ptx.cuh: the same functions, in plain C++ on top of the emulation.

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/float16.h"
#include "tests/kernels/emulation/emulation.h"

#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(threads, blocks)

#define threadIdx emulation::thread_index
#define blockIdx emulation::block_index

namespace hbmscope {

struct alignas(16) Piece {
  unsigned word[4];
};

inline void __syncthreads() { emulation::block_barrier(); }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }

template <typename T>
T __shfl_sync(unsigned, T value, int source) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t received = emulation::exchange(&word, 1).lane[source % 32][0];
  emulation::leave_exchange();
  return std::bit_cast<T>(received);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int distance) {
  return __shfl_sync(mask, value, static_cast<int>(threadIdx.x % 32) ^ distance);
}

inline float minus_infinity() { return -std::numeric_limits<float>::infinity(); }
inline unsigned dynamic_shared_address() { return 0; }
inline unsigned not_hoisted(unsigned value) { return value; }

inline void cp_async_piece(unsigned shared, const void* global) {
  emulation::copy_async(shared, global, true);
}
inline void cp_async_piece_or_zero(unsigned shared, const void* global, bool valid) {
  emulation::copy_async(shared, global, valid);
}
inline void cp_async_commit() { emulation::commit_copies(); }
template <int kPending>
void cp_async_wait() {
  emulation::wait_copies(kPending);
}

inline void ldmatrix_x4(unsigned (&fragment)[4], unsigned shared) {
  const unsigned lane = threadIdx.x % 32;
  const emulation::WarpView view = emulation::exchange(&shared, 1);
  emulation::note_ldmatrix(view);
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    fragment[matrix] = emulation::read_shared(view.lane[matrix * 8 + lane / 4][0] + lane % 4 * 4, 4);
  }
  emulation::leave_exchange();
}

inline void ldmatrix_x4_transposed(unsigned (&fragment)[4], unsigned shared) {
  const unsigned lane = threadIdx.x % 32;
  const emulation::WarpView view = emulation::exchange(&shared, 1);
  emulation::note_ldmatrix(view);
  for (unsigned matrix = 0; matrix < 4; ++matrix) {
    const unsigned row = matrix * 8 + lane % 4 * 2;
    const unsigned low = emulation::read_shared(view.lane[row][0] + lane / 4 * 2, 2);
    const unsigned high = emulation::read_shared(view.lane[row + 1][0] + lane / 4 * 2, 2);
    fragment[matrix] = low | high << 16;
  }
  emulation::leave_exchange();
}

template <bool kBf16>
float element(unsigned word, unsigned index) {
  const auto bits = static_cast<std::uint16_t>(index == 0 ? word : word >> 16);
  return kBf16 ? bf16_to_float(bits) : fp16_to_float(bits);
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
template <bool kBf16>
void mma_m16n8k16(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t words[6] = {a[0], a[1], a[2], a[3], b0, b1};
  const emulation::WarpView view = emulation::exchange(words, 6);
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4 + i / 2 * 8;
    const unsigned column = lane % 4 * 2 + i % 2;
    for (unsigned k = 0; k < 16; ++k) {
      const std::uint32_t a_word = view.lane[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2];
      const std::uint32_t b_word = view.lane[column * 4 + k % 8 / 2][4 + k / 8];
      c[i] += element<kBf16>(a_word, k % 2) * element<kBf16>(b_word, k % 2);
    }
  }
  emulation::leave_exchange();
}

template <bool kBf16>
unsigned pack(float low, float high) {
  const auto narrow = [](float x) { return unsigned{kBf16 ? float_to_bf16(x) : float_to_fp16(x)}; };
  return narrow(low) | narrow(high) << 16;
}

template <bool kBf16>
void unpack(unsigned packed, float& low, float& high) {
  low = element<kBf16>(packed, 0);
  high = element<kBf16>(packed, 1);
}

inline float exp2_approx(float x) { return std::exp2(x); }
inline float log_approx(float x) { return std::log(x); }

inline Piece load_global_piece(const void* global) {
  emulation::read_global(global, sizeof(Piece));
  Piece piece;
  std::memcpy(&piece, global, sizeof(Piece));
  return piece;
}
inline void store_global_piece(void* global, const unsigned (&word)[4]) {
  emulation::write_global(global, sizeof(Piece));
  std::memcpy(global, word, sizeof(Piece));
}
inline void store_global_half_piece(void* global, unsigned word0, unsigned word1) {
  emulation::write_global(global, 8);
  const unsigned word[2] = {word0, word1};
  std::memcpy(global, word, sizeof(word));
}

inline void load_global_floats(const float* global, float& first, float& second) {
  emulation::read_global(global, 8);
  first = global[0];
  second = global[1];
}
inline void store_global_floats(float* global, float first, float second) {
  emulation::write_global(global, 8);
  global[0] = first;
  global[1] = second;
}
inline float load_global_float(const float* global) {
  emulation::read_global(global, sizeof(float));
  return *global;
}
inline void store_global_float(float* global, float value) {
  emulation::write_global(global, sizeof(float));
  *global = value;
}

}  // namespace hbmscope
