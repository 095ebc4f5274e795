#include "sim/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/enum_names.h"

namespace hbmscope {
namespace {

constexpr EnumNames<DataType, 4> kDataTypeNames{{"fp32", "bf16", "fp16", "fp8"}};
constexpr EnumNames<Mask, 3> kMaskNames{{"full", "causal", "window"}};
constexpr EnumNames<Direction, 3> kDirectionNames{{"forward", "backward", "both"}};

// Σ over rows r in [begin, end) of clamp(r + shift, low, high): rows below low - shift give low, rows from
// high - shift on give high, and those between form an arithmetic series.
std::int64_t sum_of_clamped(std::int64_t begin, std::int64_t end, std::int64_t shift, std::int64_t low,
                            std::int64_t high) {
  if (end <= begin || high < low) return 0;
  const std::int64_t rise = std::clamp(low - shift, begin, end);
  const std::int64_t plateau = std::clamp(high - shift, rise, end);
  const std::int64_t rising_rows = plateau - rise;
  const std::int64_t first_and_last = rise + shift + plateau - 1 + shift;
  return (rise - begin) * low + rising_rows * first_and_last / 2 + (end - plateau) * high;
}

}  // namespace

void check_size(const char* option, std::int64_t value, std::int64_t smallest) {
  if (value < smallest || value > kLargestSize) {
    throw UserError(option, std::to_string(value),
                    fmt::format("expected a whole number from {} to {}", smallest, kLargestSize));
  }
}

void check_problem(const Problem& problem) {
  check_size("--batch", problem.batch, 1);
  check_size("--heads", problem.heads, 1);
  check_size("--kv-heads", problem.kv_heads, 1);
  check_size("--seqlen", problem.seqlen_q, 1);
  check_size("--seqlen-kv", problem.seqlen_kv, 1);
  check_size("--head-dim", problem.head_dim, 1);
  check_size("--head-dim-v", problem.head_dim_v, 1);
  check_size("--mask window", problem.window, problem.mask == Mask::window ? 1 : 0);
  check_size("--page-size", problem.page_size, 0);
  if (problem.heads % problem.kv_heads != 0) {
    throw UserError("--kv-heads", std::to_string(problem.kv_heads),
                    fmt::format("expected a divisor of --heads {}", problem.heads));
  }
}

std::int64_t element_bytes(DataType dtype) {
  switch (dtype) {
    case DataType::fp32:
      return 4;
    case DataType::bf16:
    case DataType::fp16:
      return 2;
    case DataType::fp8:
      return 1;
  }
  return 0;
}

std::string_view to_string(DataType dtype) { return kDataTypeNames.name(dtype); }
std::string_view to_string(Mask mask) { return kMaskNames.name(mask); }
std::string_view to_string(Direction direction) { return kDirectionNames.name(direction); }
std::optional<DataType> parse_data_type(std::string_view text) { return kDataTypeNames.parse(text); }
std::optional<Mask> parse_mask(std::string_view text) { return kMaskNames.parse(text); }
std::optional<Direction> parse_direction(std::string_view text) { return kDirectionNames.parse(text); }

namespace {

// Of the rows of one head.
std::uint64_t visible_pairs_of_head(const Problem& problem, std::int64_t row_begin, std::int64_t row_end,
                                    std::int64_t key_begin, std::int64_t key_end) {
  if (problem.mask == Mask::full) {
    return checked_multiply(static_cast<std::uint64_t>(row_end - row_begin),
                            static_cast<std::uint64_t>(key_end - key_begin), "pair count");
  }
  // Row r sees keys in [r + offset + 1 - window, r + offset + 1).
  const std::int64_t offset = problem.seqlen_kv - problem.seqlen_q;
  const std::int64_t up_to_last = sum_of_clamped(row_begin, row_end, offset + 1, key_begin, key_end);
  const std::int64_t before_first =
      problem.mask == Mask::causal
          ? (row_end - row_begin) * key_begin
          : sum_of_clamped(row_begin, row_end, offset + 1 - problem.window, key_begin, key_end);
  return static_cast<std::uint64_t>(up_to_last - before_first);
}

}  // namespace

std::uint64_t visible_pairs(const Problem& problem, std::int64_t row_begin, std::int64_t row_end,
                            std::int64_t key_begin, std::int64_t key_end) {
  if (row_end <= row_begin || key_end <= key_begin) return 0;
  const std::int64_t rows = problem.seqlen_q;
  if (row_end <= rows || problem.mask == Mask::full) {
    return visible_pairs_of_head(problem, row_begin, row_end, key_begin, key_end);
  }
  const auto pairs = [&](std::int64_t begin, std::int64_t end) {
    return visible_pairs_of_head(problem, begin, end, key_begin, key_end);
  };
  const auto below = [&](std::int64_t row) {
    return checked_add(checked_multiply(static_cast<std::uint64_t>(row / rows), pairs(0, rows), "pair count"),
                       pairs(0, row % rows), "pair count");
  };
  return below(row_end) - below(row_begin);
}

}  // namespace hbmscope
