#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/program.h"
#include "sim/stream.h"
#include "sim/units.h"

namespace hbmscope {

// Rows or columns of a tensor cut at the multiples of `step` and, where some accesses end within the tensor
// (valid columns before a padding), at a `limit`. What the replay asks for at every access stands ready: a
// division there would cost more than a look into the cache.
class Pieces {
 public:
  Pieces() = default;
  Pieces(std::int64_t step, std::int64_t limit, std::int64_t size);

  std::int64_t step() const { return step_; }
  std::int64_t count() const { return count_; }
  // Number of the first piece that begins at `position` or after it.
  std::int64_t at_or_after(std::int64_t position) const {
    const std::int64_t reached = std::min(position, size_) + step_ - 1;
    const std::int64_t pieces = shift_ >= 0 ? reached >> shift_ : reached / step_;
    return position > limit_ ? pieces + cut_ : pieces;
  }
  std::int64_t begin(std::int64_t piece) const;
  std::int64_t length(std::int64_t piece) const { return std::min(begin(piece + 1), size_) - begin(piece); }

 private:
  std::int64_t step_ = 1;
  std::int64_t limit_ = 0;
  std::int64_t size_ = 0;
  std::int64_t cut_ = 0;  // 1 if the limit lies within a piece
  std::int64_t count_ = 0;
  int shift_ = 0;  // of a step that is a power of two, else -1
};

// A tensor cut into blocks, in the order in which they lie in memory: rows of blocks, each of one number of
// the tensor's rows.
struct BlockGrid {
  Pieces rows;
  Pieces columns;
  std::int64_t first = 0;  // number of the tensor's first block
  std::int64_t count = 0;  // 0 for a tensor without memory of its own
};

// About 50 bytes of each are kept.
inline constexpr std::int64_t kMostL2Blocks = std::int64_t{1} << 25;

// The blocks of all tensors of a program. Every access covers whole blocks, so that sums over blocks are
// exact. Only where that makes too many of them (S, read row by row and written tile by tile) an access may
// be a part of a block: it stands for the blocks that begin within it, the first part of a block for the
// whole and the others for nothing.
class BlockMap {
 public:
  // `slots`: how many CTAs have local memory at once. Throws PointError (--l2) for more than kMostL2Blocks.
  BlockMap(const Program& program, std::int64_t slots);

  std::int64_t blocks() const { return blocks_; }
  const BlockGrid& grid(int tensor) const { return grids_[static_cast<std::size_t>(tensor)]; }
  // Valid bytes of a tensor's block, counted from its first.
  Bytes bytes_of(int tensor, std::int64_t block) const;
  // Bytes of memory from its beginning to the next block's: those, and after the last block of a row of
  // blocks what pads the tensor's rows.
  Bytes pitch_of(int tensor, std::int64_t block) const;

  // Calls visit(block) for the blocks that an access stands for.
  template <class Visit>
  void visit(const TileAccess& access, Visit&& visit) const {
    const int base = base_tensor_[static_cast<std::size_t>(access.tensor)];
    const BlockGrid& grid = grids_[static_cast<std::size_t>(base)];
    const std::int64_t column = access.columns.begin + first_column_[static_cast<std::size_t>(access.tensor)];
    const std::int64_t row_end = grid.rows.at_or_after(access.rows.end);
    const bool whole_rows = column == 0 && grid.columns.count() == 1;  // as most accesses to K and V
    const std::int64_t first_column = whole_rows ? 0 : grid.columns.at_or_after(column);
    const std::int64_t last_column =
        whole_rows ? 1 : grid.columns.at_or_after(column + access.columns.length());
    for (std::int64_t row = grid.rows.at_or_after(access.rows.begin); row < row_end; ++row) {
      const std::int64_t first = grid.first + (access.plane * grid.rows.count() + row) * grid.columns.count();
      for (std::int64_t block = first_column; block < last_column; ++block) visit(first + block);
    }
  }

 private:
  const Program* program_;
  std::vector<BlockGrid> grids_;
  std::vector<int> base_tensor_;
  std::vector<std::int64_t> first_column_;
  std::int64_t blocks_ = 0;
};

}  // namespace hbmscope
