#pragma once

#include "kernels/device/ptx.cuh"
#include "sim/kernel_shapes/mma_tile.h"

namespace hbmscope {

// Where piece `piece` of row `row` stands in a shared tile, in bytes. Rows are whole 128-byte lines; the
// piece's place within its line is XORed with the row, so that the 8 rows of an ldmatrix matrix (one piece
// each) and the 8 pieces of a line written by cp.async both touch all 32 banks once.
template <int kRowElements>
__device__ __forceinline__ int swizzled_offset(int row, int piece) {
  static_assert(kRowElements % 64 == 0);
  return row * kRowElements * kMmaElementBytes + (piece ^ (row & 7)) * kPieceBytes;
}

// Copies kRows x kHeadDim contiguous elements at `source` into a shared tile. Rows at or beyond valid_rows
// (which may be <= 0) are zero-filled and read nothing; `inside` is any 16-byte aligned address of the
// tensor.
template <int kThreads, int kRows, int kHeadDim>
__device__ __forceinline__ void copy_rows(unsigned tile, const char* source, int valid_rows,
                                          const char* inside) {
  constexpr int kPieces = kHeadDim / kPieceElements;
  constexpr int kRowsPerPass = kThreads / kPieces;
  constexpr int kPasses = shape_math::ceil_div(kRows, kRowsPerPass);
  const int first_row = static_cast<int>(threadIdx.x) / kPieces;
  const int piece = static_cast<int>(threadIdx.x) % kPieces;
  const char* const lane_source = source + threadIdx.x * kPieceBytes;
  constexpr int kPassBytes = kRowsPerPass * kHeadDim * kMmaElementBytes;
  if (valid_rows >= kRows) {
#pragma unroll 8
    for (int pass = 0; pass < kPasses; ++pass) {
      const int row = first_row + pass * kRowsPerPass;
      if (kRows % kRowsPerPass == 0 || row < kRows) {
        cp_async_piece(tile + swizzled_offset<kHeadDim>(row, piece), lane_source + pass * kPassBytes);
      }
    }
    return;
  }
#pragma unroll 1
  for (int row = first_row; row < kRows; row += kRowsPerPass) {
    const bool valid = row < valid_rows;
    const char* const row_source =
        source + static_cast<long long>(row) * (kHeadDim * kMmaElementBytes) + piece * kPieceBytes;
    cp_async_piece_or_zero(tile + swizzled_offset<kHeadDim>(row, piece), valid ? row_source : inside, valid);
  }
}

// Copies a kRows x kColumns block of S or P, whose rows are row_bytes apart, into a shared tile with rows of
// kRowElements. What lies beyond valid_rows or valid_columns (a multiple of 8) is zero-filled.
template <int kThreads, int kRows, int kColumns, int kRowElements>
__device__ __forceinline__ void copy_block(unsigned tile, const char* source, long long row_bytes,
                                           int valid_rows, int valid_columns, const char* inside) {
  constexpr int kPieces = kColumns / kPieceElements;
#pragma unroll 4
  for (int index = static_cast<int>(threadIdx.x); index < kRows * kPieces; index += kThreads) {
    const int row = index / kPieces;
    const int piece = index % kPieces;
    const bool valid = row < valid_rows && piece * kPieceElements < valid_columns;
    const char* const piece_source = source + row * row_bytes + piece * kPieceBytes;
    cp_async_piece_or_zero(tile + swizzled_offset<kRowElements>(row, piece), valid ? piece_source : inside,
                           valid);
  }
}

}  // namespace hbmscope
