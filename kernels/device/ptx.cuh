#pragma once

// Every instruction that CUDA C++ has no plain word for, and nothing else: the kernels are written on top of
// these functions, without inline assembly, so they can also run on a CPU where this file is replaced.

namespace hbmscope {

// 16 bytes, moved as one: 8 elements of bf16 or fp16.
struct alignas(16) Piece {
  unsigned word[4];
};

__device__ __forceinline__ float minus_infinity() { return __int_as_float(static_cast<int>(0xff800000u)); }

// Address of dynamic shared memory, aligned so that a 128-byte line of a tile is a line of banks.
__device__ __forceinline__ unsigned dynamic_shared_address() {
  extern __shared__ __align__(1024) unsigned char hbmscope_dynamic_shared[];
  return static_cast<unsigned>(__cvta_generic_to_shared(hbmscope_dynamic_shared));
}

// The same value, but the compiler cannot compute ahead what follows from it. In a loop this keeps it from
// holding a register for every address that differs from another one by a constant.
__device__ __forceinline__ unsigned not_hoisted(unsigned value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Copies 16 bytes from global to shared memory past L1 (.cg), asynchronously.
__device__ __forceinline__ void cp_async_piece(unsigned shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global));
}

// The same, but writes zeros without reading when `valid` is false; `global` must be a valid address anyway.
__device__ __forceinline__ void cp_async_piece_or_zero(unsigned shared, const void* global, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
               "r"(valid ? 16 : 0));
}

__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most kPending of this thread's most recent groups are still in flight.
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// Four 8x8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void ldmatrix_x4(unsigned (&fragment)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared));
}

__device__ __forceinline__ void ldmatrix_x4_transposed(unsigned (&fragment)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared));
}

// c += a b with a 16x16, b 16x8, c 16x8 in fp32.
template <bool kBf16>
__device__ __forceinline__ void mma_m16n8k16(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                             unsigned b1) {
  if constexpr (kBf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

// Two floats rounded to nearest-even 16-bit; `low` is the element at the lower address. cvt takes the upper
// half first.
template <bool kBf16>
__device__ __forceinline__ unsigned pack(float low, float high) {
  unsigned packed;
  if constexpr (kBf16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  }
  return packed;
}

// Inverse of pack.
template <bool kBf16>
__device__ __forceinline__ void unpack(unsigned packed, float& low, float& high) {
  if constexpr (kBf16) {
    low = __int_as_float(static_cast<int>(packed << 16));
    high = __int_as_float(static_cast<int>(packed & 0xffff0000u));
  } else {
    asm("{\n\t.reg .b16 l, h;\n\tmov.b32 {l, h}, %2;\n\tcvt.f32.f16 %0, l;\n\tcvt.f32.f16 %1, h;\n\t}"
        : "=f"(low), "=f"(high)
        : "r"(packed));
  }
}

// 2^x; 2^-inf = 0.
__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Natural logarithm of x > 0.
__device__ __forceinline__ float log_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y * 0.6931471805599453f;
}

// Global loads and stores; the loads bypass L1, so that they see what this thread has stored before.
__device__ __forceinline__ Piece load_global_piece(const void* global) {
  Piece piece;
  asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(piece.word[0]), "=r"(piece.word[1]), "=r"(piece.word[2]), "=r"(piece.word[3])
               : "l"(global));
  return piece;
}

__device__ __forceinline__ void store_global_piece(void* global, const unsigned (&word)[4]) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(global), "r"(word[0]), "r"(word[1]),
               "r"(word[2]), "r"(word[3])
               : "memory");
}

__device__ __forceinline__ void store_global_half_piece(void* global, unsigned word0, unsigned word1) {
  asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(global), "r"(word0), "r"(word1) : "memory");
}

__device__ __forceinline__ void load_global_floats(const float* global, float& first, float& second) {
  asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(first), "=f"(second) : "l"(global) : "memory");
}

__device__ __forceinline__ void store_global_floats(float* global, float first, float second) {
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(global), "f"(first), "f"(second) : "memory");
}

__device__ __forceinline__ float load_global_float(const float* global) {
  float value;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(global) : "memory");
  return value;
}

__device__ __forceinline__ void store_global_float(float* global, float value) {
  asm volatile("st.global.f32 [%0], %1;" ::"l"(global), "f"(value) : "memory");
}

}  // namespace hbmscope
