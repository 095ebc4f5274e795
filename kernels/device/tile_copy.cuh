#pragma once

#include "kernels/device/ptx.cuh"
#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// Shared tiles have rows of P = kRowElements / 8 pieces without padding. An ldmatrix reads one piece of each
// of 8 rows and is free of bank conflicts when they differ modulo 8. With g = gcd(P, 8), 8 / g neighbouring
// rows start at as many different multiples of g (modulo 8); the g groups of them are told apart by XORing
// their number into the piece's, within its group of g pieces.
template <int kRowElements>
struct RowSwizzle {
  static_assert(kRowElements % kMmaStep == 0);
  static constexpr int kPieces = kRowElements / kPieceElements;
  static constexpr int kGroup = shape_math::smaller(kPieces & -kPieces, 8);  // g, which divides P
  static constexpr int kGroupBytes = kGroup * kPieceBytes;
};

// Where piece `piece` of row `row` stands in a shared tile, in bytes.
template <int kRowElements>
__device__ __forceinline__ int swizzled_offset(int row, int piece) {
  constexpr unsigned kGroup = RowSwizzle<kRowElements>::kGroup;
  const int swizzle = static_cast<int>(static_cast<unsigned>(row) / (8 / kGroup) % kGroup);
  return row * kRowElements * kMmaElementBytes + (piece ^ swizzle) * kPieceBytes;
}

// Copies a kRows x kColumns block, whose rows are row_bytes apart, into a shared tile. What lies beyond
// valid_rows or valid_columns (a multiple of 8; both may be <= 0) is zero-filled and reads nothing; `inside`
// is any 16-byte aligned address of the tensor.
//
// A pass copies kLanes pieces of each of kPassRows rows: a whole row or whole lines of 128 bytes where that
// can be had. Passes of a multiple of 8 rows see the same swizzle, so that all their addresses differ by
// constants; what threads are left over idle.
template <int kThreads, int kRows, int kColumns>
__device__ __forceinline__ void copy_block(unsigned tile, const char* source, long long row_bytes,
                                           int valid_rows, int valid_columns, const char* inside) {
  using Swizzle = RowSwizzle<kColumns>;
  constexpr int kPieces = Swizzle::kPieces;
  constexpr bool kWholeRow = kPieces <= 16 && kThreads >= 8 * kPieces;
  constexpr int kLanes = kWholeRow ? kPieces : kPieces % 16 == 0 ? 16 : Swizzle::kGroup;
  constexpr int kLanePasses = kPieces / kLanes;
  constexpr int kPassRows = kThreads / kLanes < 8 ? kThreads / kLanes : kThreads / kLanes / 8 * 8;
  constexpr int kPasses = shape_math::ceil_div(kRows, kPassRows);
  [[maybe_unused]] constexpr int kUnroll = shape_math::larger(1, 8 / kLanePasses);
  const int first_row = static_cast<int>(threadIdx.x) / kLanes;
  const int piece = static_cast<int>(threadIdx.x) % kLanes;
  if (kThreads % (kPassRows * kLanes) != 0 && first_row >= kPassRows) return;
  if (valid_rows >= kRows && valid_columns >= kColumns) {
    const char* const lane_source = source + first_row * row_bytes + piece * kPieceBytes;
#pragma unroll kUnroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const int row = first_row + pass * kPassRows;
      const unsigned row_tile = tile + static_cast<unsigned>(swizzled_offset<kColumns>(row, piece));
      const char* const row_source = lane_source + pass * (kPassRows * row_bytes);
#pragma unroll
      for (int lanes = 0; lanes < kPieces; lanes += kLanes) {
        if (kRows % kPassRows == 0 || row < kRows) {
          cp_async_piece(row_tile + static_cast<unsigned>(lanes * kPieceBytes),
                         row_source + lanes * kPieceBytes);
        }
      }
    }
    return;
  }
#pragma unroll 1
  for (int row = first_row; row < kRows; row += kPassRows) {
    const unsigned row_tile = tile + static_cast<unsigned>(swizzled_offset<kColumns>(row, piece));
    const char* const row_source = source + row * row_bytes + piece * kPieceBytes;
#pragma unroll
    for (int lanes = 0; lanes < kPieces; lanes += kLanes) {
      const bool valid = row < valid_rows && (piece + lanes) * kPieceElements < valid_columns;
      cp_async_piece_or_zero(row_tile + static_cast<unsigned>(lanes * kPieceBytes),
                             valid ? row_source + lanes * kPieceBytes : inside, valid);
    }
  }
}

// Copies kRows x kHeadDim contiguous elements.
template <int kThreads, int kRows, int kHeadDim>
__device__ __forceinline__ void copy_rows(unsigned tile, const char* source, int valid_rows,
                                          const char* inside) {
  copy_block<kThreads, kRows, kHeadDim>(tile, source, kHeadDim * kMmaElementBytes, valid_rows, kHeadDim,
                                        inside);
}

// The same with the fewest instructions, for which it takes more registers: where a pass is a multiple of 8
// whole rows, a thread's pieces lie whole passes apart.
template <int kThreads, int kRows, int kHeadDim>
__device__ __forceinline__ void copy_rows_quickly(unsigned tile, const char* source, int valid_rows,
                                                  const char* inside) {
  constexpr int kPieces = kHeadDim / kPieceElements;
  if constexpr (kThreads % (8 * kPieces) == 0) {
    constexpr int kPassRows = kThreads / kPieces;
    constexpr int kPassBytes = kThreads * kPieceBytes;
    const int first_row = static_cast<int>(threadIdx.x) / kPieces;
    const int piece = static_cast<int>(threadIdx.x) % kPieces;
    const char* const lane_source = source + threadIdx.x * kPieceBytes;
    if (valid_rows >= kRows) {
#pragma unroll 8
      for (int pass = 0; pass < shape_math::ceil_div(kRows, kPassRows); ++pass) {
        const int row = first_row + pass * kPassRows;
        if (kRows % kPassRows == 0 || row < kRows) {
          cp_async_piece(tile + swizzled_offset<kHeadDim>(row, piece), lane_source + pass * kPassBytes);
        }
      }
      return;
    }
  }
  copy_rows<kThreads, kRows, kHeadDim>(tile, source, valid_rows, inside);
}

}  // namespace hbmscope
