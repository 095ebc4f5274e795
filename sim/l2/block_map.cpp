#include "sim/l2/block_map.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/error.h"
#include "sim/l2/l2_geometry.h"

namespace hbmscope {
namespace {

// The largest number there is stands for all that are larger.
std::int64_t saturated_product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return std::numeric_limits<std::int64_t>::max();
  }
  return product;
}

// At which multiples a form may lie: 1 if it is divided or comes out of a table.
std::int64_t step_of(const Affine& affine) {
  if (affine.divisor != 1) return 1;
  std::int64_t step = std::abs(affine.constant);
  for (std::size_t t = 0; t < static_cast<std::size_t>(affine.count); ++t) {
    step = std::gcd(step, std::abs(affine.terms[t].factor));
  }
  return step;
}

// How the accesses of a tensor cut one of its dimensions.
struct Cuts {
  std::vector<std::int64_t> steps;
  std::vector<std::int64_t> limits;  // constant ends within the tensor

  void add(const Range& range, std::int64_t first, std::int64_t size);
  std::int64_t step(std::int64_t size, bool exact) const;
  // Where accesses end within the tensor, if all at one place; else its own end.
  std::int64_t limit(std::int64_t size) const { return limits.empty() ? size : limits.back(); }
};

// Tensors of more blocks than these are cut more coarsely.
constexpr std::int64_t kMostExactBlocks = std::int64_t{1} << 20;

void Cuts::add(const Range& range, std::int64_t first, std::int64_t size) {
  std::int64_t step = std::gcd(std::gcd(step_of(range.start), range.extent), first);
  const Bound& limit = range.limit;
  if (limit.table != kNone) {
    step = 1;
  } else if (limit.affine.count > 0) {
    step = std::gcd(step, step_of(limit.affine));
  } else if (limit.affine.constant < size - first) {
    limits.push_back(limit.affine.constant + first);
  }
  steps.push_back(step == 0 ? size : step);
}

// Exact: pieces of which every access covers whole ones. Else the largest step, if all others are equal parts
// of it.
std::int64_t Cuts::step(std::int64_t size, bool exact) const {
  std::int64_t largest = 0;
  std::int64_t common = 0;
  for (const std::int64_t step : steps) {
    largest = std::max(largest, step);
    common = std::gcd(common, step);
  }
  const bool parts = !exact && std::all_of(steps.begin(), steps.end(),
                                           [&](std::int64_t step) { return largest % step == 0; });
  const bool one_limit =
      std::all_of(limits.begin(), limits.end(), [&](std::int64_t limit) { return limit == limits.front(); });
  if (!one_limit) return 1;
  return std::clamp<std::int64_t>(parts ? largest : common, 1, std::max<std::int64_t>(size, 1));
}

void add_rows(const Access& access, std::int64_t size, Cuts& cuts) {
  cuts.add(access.rows, 0, size);
  if (!access.rows_placed) return;
  std::int64_t& step = cuts.steps.back();
  step = std::gcd(step, step_of(access.place.offset));
  if (access.place.table != kNone) step = std::gcd(step, access.place.scale);
}

// Divides pieces until blocks are small enough, rows first: they are far apart in memory.
std::pair<std::int64_t, std::int64_t> shrunk(std::int64_t rows, std::int64_t columns,
                                             std::int64_t element_bytes) {
  const auto is_too_large = [&] {
    return saturated_product({rows, columns, element_bytes}) > static_cast<std::int64_t>(kL2BlockBytes);
  };
  for (std::int64_t* step : {&rows, &columns}) {
    for (std::int64_t divisor = 2; is_too_large() && *step > 1;) {
      if (*step % divisor == 0) {
        *step /= divisor;
      } else {
        ++divisor;
      }
    }
  }
  return {rows, columns};
}

BlockGrid cut(const Tensor& tensor, std::int64_t planes, const Cuts& rows, const Cuts& columns, bool exact) {
  const auto [row_step, column_step] =
      shrunk(rows.step(tensor.rows, exact), columns.step(tensor.columns, exact), tensor.element_bytes);
  BlockGrid grid{.rows = Pieces(row_step, rows.limit(tensor.rows), tensor.rows),
                 .columns = Pieces(column_step, columns.limit(tensor.columns), tensor.columns)};
  grid.count = saturated_product({planes, grid.rows.count(), grid.columns.count()});
  return grid;
}

}  // namespace

Pieces::Pieces(std::int64_t step, std::int64_t limit, std::int64_t size)
    : step_(step), limit_(limit), size_(size), cut_(limit < size && limit % step != 0 ? 1 : 0) {
  const auto bits = static_cast<std::uint64_t>(step);
  shift_ = std::has_single_bit(bits) ? std::countr_zero(bits) : -1;
  count_ = at_or_after(size);
}

std::int64_t Pieces::begin(std::int64_t piece) const {
  if (cut_ == 0 || piece * step_ < limit_) return piece * step_;
  return std::max(limit_, (piece - 1) * step_);
}

BlockMap::BlockMap(const Program& program, std::int64_t slots) : program_(&program) {
  const auto tensors = static_cast<std::size_t>(program.tensors.count());
  grids_.resize(tensors);
  base_tensor_.resize(tensors);
  first_column_.resize(tensors);
  std::vector<Cuts> rows(tensors);
  std::vector<Cuts> columns(tensors);
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
    const Tensor& described = program.tensors[static_cast<int>(tensor)];
    base_tensor_[tensor] = base_tensor(program, static_cast<int>(tensor));
    first_column_[tensor] = described.view_of == kNone ? 0 : described.first_column;
  }
  for (const Launch& launch : program.launches) {
    for (const Access& access : launch.accesses) {
      const auto base = static_cast<std::size_t>(base_tensor_[static_cast<std::size_t>(access.tensor)]);
      const Tensor& tensor = program.tensors[static_cast<int>(base)];
      add_rows(access, tensor.rows, rows[base]);
      columns[base].add(access.columns, first_column_[static_cast<std::size_t>(access.tensor)],
                        tensor.columns);
    }
  }
  for (std::size_t tensor = 0; tensor < tensors; ++tensor) {
    if (rows[tensor].steps.empty()) continue;
    const Tensor& described = program.tensors[static_cast<int>(tensor)];
    const std::int64_t planes = described.role == Role::local ? slots : described.planes;
    BlockGrid& grid = grids_[tensor];
    grid = cut(described, planes, rows[tensor], columns[tensor], true);
    if (grid.count > kMostExactBlocks) grid = cut(described, planes, rows[tensor], columns[tensor], false);
    if (grid.count > kMostL2Blocks - blocks_) {
      throw PointError(
          "--l2", "replay",
          "expected model or none: the tensors are too many blocks to follow one by one; use smaller sizes");
    }
    grid.first = blocks_;
    blocks_ += grid.count;
  }
}

Bytes BlockMap::bytes_of(int tensor, std::int64_t block) const {
  const BlockGrid& grid = grids_[static_cast<std::size_t>(tensor)];
  const std::int64_t rows = grid.rows.length(block / grid.columns.count() % grid.rows.count());
  const std::int64_t columns = grid.columns.length(block % grid.columns.count());
  return static_cast<Bytes>(rows * columns * program_->tensors[tensor].element_bytes);
}

Bytes BlockMap::pitch_of(int tensor, std::int64_t block) const {
  const Bytes bytes = bytes_of(tensor, block);
  const BlockGrid& grid = grids_[static_cast<std::size_t>(tensor)];
  const Tensor& described = program_->tensors[tensor];
  if (described.row_stride <= described.columns || (block + 1) % grid.columns.count() != 0) return bytes;
  const std::int64_t rows = grid.rows.length(block / grid.columns.count() % grid.rows.count());
  return bytes +
         static_cast<Bytes>(rows * (described.row_stride - described.columns) * described.element_bytes);
}

}  // namespace hbmscope
