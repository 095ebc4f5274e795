#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/poison.h"
#include "kernels/reference.h"

namespace hbmscope {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Every NaN fails: a maximum would drop it, because comparisons with it are false.
double larger_error(double worst, double error) {
  return std::isnan(error) ? kInfinity : std::max(worst, error);
}

double lse_difference(double lse, double expected) {
  if (std::isinf(expected)) return lse == expected ? 0.0 : kInfinity;
  return std::abs(lse - expected) / std::max(1.0, std::abs(expected));
}

struct HeadErrors {
  double largest_difference = 0.0;
  double largest_reference = 0.0;
  double lse_error = 0.0;
  std::uint64_t unwritten = 0;
  std::uint64_t not_a_number = 0;

  // A head whose reference is all 0 must be all 0.
  double error() const {
    if (largest_difference == 0.0) return 0.0;
    return largest_reference == 0.0 ? kInfinity : largest_difference / largest_reference;
  }
};

void count_nans(std::span<const Half> o, DataType dtype, HeadErrors& errors) {
  for (const Half bits : o) {
    if (bits == kPoisonHalf) {
      ++errors.unwritten;
    } else if (std::isnan(half_to_float(bits, dtype))) {
      ++errors.not_a_number;
    }
  }
}

void count_nans(std::span<const float> lse, HeadErrors& errors) {
  for (const float value : lse) {
    if (std::bit_cast<std::uint32_t>(value) == kPoisonFloatBits) {
      ++errors.unwritten;
    } else if (std::isnan(value)) {
      ++errors.not_a_number;
    }
  }
}

HeadErrors compare_head(const Problem& problem, const Reference& reference, std::span<const Half> o,
                        std::span<const float> lse, std::size_t head) {
  const auto columns = static_cast<std::size_t>(problem.head_dim_v);
  const auto head_rows = static_cast<std::size_t>(problem.seqlen_q);
  const std::span<const Half> head_o = o.subspan(head * head_rows * columns, head_rows * columns);
  HeadErrors errors;
  count_nans(head_o, problem.dtype, errors);
  if (!lse.empty()) count_nans(lse.subspan(head * head_rows, head_rows), errors);

  for (std::size_t index = 0; index < reference.rows.size(); ++index) {
    const auto row = static_cast<std::size_t>(reference.rows[index]);
    const std::size_t expected_row = head * reference.rows.size() + index;
    for (std::size_t column = 0; column < columns; ++column) {
      const double expected = reference.o[expected_row * columns + column];
      const double value = static_cast<double>(half_to_float(head_o[row * columns + column], problem.dtype));
      errors.largest_difference = larger_error(errors.largest_difference, std::abs(value - expected));
      errors.largest_reference = std::max(errors.largest_reference, std::abs(expected));
    }
    if (lse.empty()) continue;
    const double value = static_cast<double>(lse[head * head_rows + row]);
    errors.lse_error = larger_error(errors.lse_error, lse_difference(value, reference.lse[expected_row]));
  }
  return errors;
}

}  // namespace

Comparison compare(const Problem& problem, const Reference& reference, std::span<const Half> o,
                   std::span<const float> lse) {
  const std::int64_t heads = problem.batch * problem.heads;
  std::vector<HeadErrors> errors(static_cast<std::size_t>(heads));
  parallel_for(heads, [&](std::int64_t head) {
    const auto index = static_cast<std::size_t>(head);
    errors[index] = compare_head(problem, reference, o, lse, index);
  });
  Comparison result;
  for (std::int64_t head = 0; head < heads; ++head) {
    const HeadErrors& of_head = errors[static_cast<std::size_t>(head)];
    if (of_head.error() > result.worst_error) {
      result.worst_error = of_head.error();
      result.worst_head = head;
    }
    result.lse_error = larger_error(result.lse_error, of_head.lse_error);
    result.unwritten += of_head.unwritten;
    result.not_a_number += of_head.not_a_number;
  }
  return result;
}

std::string Comparison::failure(double tolerance) const {
  constexpr double kLseTolerance = 1e-3;  // LSE is fp32; the inputs' products are summed in fp32
  if (unwritten != 0) return fmt::format("{} output elements were never written", unwritten);
  if (not_a_number != 0) return fmt::format("{} output elements are NaN", not_a_number);
  if (!(worst_error <= tolerance)) {
    return fmt::format(
        "O differs from the float64 reference by {:.3g} of its largest value (head {}); at most {:.3g} "
        "passes",
        worst_error, worst_head, tolerance);
  }
  if (!(lse_error <= kLseTolerance)) {
    return fmt::format("LSE differs from the float64 reference by {:.3g}; at most {:.3g} passes", lse_error,
                       kLseTolerance);
  }
  return {};
}

double error_tolerance(DataType dtype) { return dtype == DataType::bf16 ? 1e-2 : 2e-3; }

}  // namespace hbmscope
