#include "kernels/stored_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/panel_gemm.h"
#include "kernels/parallel.h"
#include "kernels/poison.h"
#include "sim/units.h"

namespace hbmscope {

namespace {

constexpr std::int64_t kRowsAtOnce = 64;
constexpr double kLargestFp16 = 65504.0;

double round_to(double value, DataType dtype) {
  if (dtype == DataType::fp16) value = std::clamp(value, -kLargestFp16, kLargestFp16);
  return static_cast<double>(half_to_float(float_to_half(static_cast<float>(value), dtype), dtype));
}

// (rows × keys) matrices of one head: scale · Q Kᵀ, and the same of the absolute values.
struct ExactScores {
  std::int64_t keys_padded = 0;
  std::vector<double> scores;
  std::vector<double> magnitudes;
};

class HeadScores {
 public:
  HeadScores(const Problem& problem, const AttentionInputs& inputs, std::int64_t head)
      : problem_(problem), q_(inputs.q.data() + head * problem.seqlen_q * problem.head_dim) {
    const Half* const k = inputs.k.data() + kv_head_of(problem, head) * problem.seqlen_kv * problem.head_dim;
    keys_ = pack_panels(problem.head_dim, problem.seqlen_kv, [&](std::int64_t dim, std::int64_t key) {
      return as_double(k[key * problem.head_dim + dim]);
    });
    key_magnitudes_ = absolute(keys_);
  }

  ExactScores compute(std::span<const std::int64_t> rows) const {
    const std::int64_t d = problem_.head_dim;
    const auto scale = static_cast<double>(softmax_scale(problem_));
    const auto row_count = round_up(static_cast<std::int64_t>(rows.size()), kPanelRows);
    std::vector<double> q(static_cast<std::size_t>(row_count * d));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::transform(q_ + rows[row] * d, q_ + (rows[row] + 1) * d,
                     q.begin() + static_cast<std::ptrdiff_t>(row) * d,
                     [&](Half bits) { return scale * as_double(bits); });
    }
    ExactScores exact{
        .keys_padded = round_up(problem_.seqlen_kv, kPanelColumns), .scores = {}, .magnitudes = {}};
    exact.scores = multiply(row_count, q, keys_, exact.keys_padded);
    exact.magnitudes = multiply(row_count, absolute(q), key_magnitudes_, exact.keys_padded);
    return exact;
  }

 private:
  double as_double(Half bits) const { return static_cast<double>(half_to_float(bits, problem_.dtype)); }

  static std::vector<double> absolute(std::vector<double> values) {
    for (double& value : values) value = std::abs(value);
    return values;
  }

  std::vector<double> multiply(std::int64_t rows, const std::vector<double>& q,
                               const std::vector<double>& keys, std::int64_t keys_padded) const {
    const std::int64_t d = problem_.head_dim;
    std::vector<double> product(static_cast<std::size_t>(rows * keys_padded));
    for (std::int64_t key = 0; key < keys_padded; key += kPanelColumns) {
      multiply_panel(rows, d, q.data(), d, keys.data() + key * d, product.data() + key, keys_padded);
    }
    return product;
  }

  const Problem& problem_;
  const Half* q_;
  std::vector<double> keys_;  // (head_dim × keys) in panels
  std::vector<double> key_magnitudes_;
};

void check_every_element(const Problem& problem, std::span<const Half> s, std::int64_t row_stride,
                         ScoreCheck& check) {
  for (std::size_t index = 0; index < s.size(); ++index) {
    const float value = half_to_float(s[index], problem.dtype);
    const bool is_padding = static_cast<std::int64_t>(index) % row_stride >= problem.seqlen_kv;
    if (s[index] == kPoisonHalf) {
      ++check.unwritten;
    } else if (std::isnan(value)) {
      ++check.not_a_number;
    } else if (is_padding && value != 0.0F) {
      ++check.padding;
    }
  }
}

void check_row(const Problem& problem, const Half* s, const double* scores, const double* magnitudes,
               std::int64_t head, std::int64_t row, ScoreCheck& check) {
  for (std::int64_t key = 0; key < problem.seqlen_kv; ++key) {
    const ScoreInterval may_be =
        storable_scores(scores[key], accumulation_error(problem.head_dim, magnitudes[key]), problem.dtype);
    const auto value = static_cast<double>(half_to_float(s[key], problem.dtype));
    if (value >= may_be.low && value <= may_be.high) continue;  // never true of a NaN
    if (check.wrong++ == 0) {
      check.first_wrong = fmt::format(
          "head {}, row {}, key {}: {:.9g} was stored, float64 gives {:.9g}, {:.9g} to {:.9g} passes", head,
          row, key, value, scores[key], may_be.low, may_be.high);
    }
  }
}

ScoreCheck check_head(const Problem& problem, const AttentionInputs& inputs,
                      std::span<const std::int64_t> rows, const StoredScores& stored, std::int64_t head) {
  const std::int64_t elements = problem.seqlen_q * stored.row_stride;
  const std::span<const Half> s = std::span(stored.s).subspan(static_cast<std::size_t>(head * elements),
                                                              static_cast<std::size_t>(elements));
  ScoreCheck check;
  check_every_element(problem, s, stored.row_stride, check);
  const HeadScores head_scores(problem, inputs, head);
  while (!rows.empty()) {
    const auto block = rows.first(std::min<std::size_t>(rows.size(), kRowsAtOnce));
    const ExactScores exact = head_scores.compute(block);
    for (std::size_t index = 0; index < block.size(); ++index) {
      const auto first = static_cast<std::int64_t>(index) * exact.keys_padded;
      check_row(problem, s.data() + block[index] * stored.row_stride, exact.scores.data() + first,
                exact.magnitudes.data() + first, head, block[index], check);
    }
    rows = rows.subspan(block.size());
  }
  return check;
}

}  // namespace

double accumulation_error(std::int64_t head_dim, double magnitude) {
  return (1.5 * static_cast<double>(head_dim) + 1.0) * 0x1p-23 * magnitude;
}

ScoreInterval storable_scores(double score, double error, DataType dtype) {
  return {round_to(score - error, dtype), round_to(score + error, dtype)};
}

ScoreCheck check_scores(const Problem& problem, const AttentionInputs& inputs,
                        std::span<const std::int64_t> rows, const StoredScores& stored) {
  const std::int64_t heads = problem.batch * problem.heads;
  std::vector<ScoreCheck> checks(static_cast<std::size_t>(heads));
  parallel_for(heads, [&](std::int64_t head) {
    checks[static_cast<std::size_t>(head)] = check_head(problem, inputs, rows, stored, head);
  });
  ScoreCheck result;
  for (const ScoreCheck& of_head : checks) {
    result.unwritten += of_head.unwritten;
    result.not_a_number += of_head.not_a_number;
    result.padding += of_head.padding;
    result.wrong += of_head.wrong;
    if (result.first_wrong.empty()) result.first_wrong = of_head.first_wrong;
  }
  return result;
}

std::string ScoreCheck::failure() const {
  if (unwritten != 0) return fmt::format("{} elements of S were never written", unwritten);
  if (not_a_number != 0) return fmt::format("{} elements of S are NaN", not_a_number);
  if (padding != 0) return fmt::format("{} padding elements of S are not 0", padding);
  if (wrong != 0) return fmt::format("{} scores are wrong; {}", wrong, first_wrong);
  return {};
}

}  // namespace hbmscope
