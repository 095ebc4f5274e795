#include "kernels/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "kernels/panel_gemm.h"
#include "kernels/parallel.h"
#include "sim/units.h"

namespace hbmscope {

namespace {

constexpr std::int64_t kRowsAtOnce = 64;    // rows of one head worked on together
constexpr std::int64_t kDepthAtOnce = 512;  // keys of V between two visits to O: 32 KiB of a panel

std::size_t index_of(std::int64_t value) { return static_cast<std::size_t>(value); }

// [begin, end) of the keys that a query sees; the mask is aligned bottom-right.
struct KeyRange {
  std::int64_t begin;
  std::int64_t end;
};
KeyRange visible_keys(const Problem& problem, std::int64_t query) {
  if (problem.mask == Mask::full) return {0, problem.seqlen_kv};
  const std::int64_t end = std::max<std::int64_t>(0, query + problem.seqlen_kv - problem.seqlen_q + 1);
  const std::int64_t begin =
      problem.mask == Mask::window ? std::max<std::int64_t>(0, end - problem.window) : 0;
  return {begin, end};
}

// One query head, and room to work in. The scores are read from `stored`, or computed if it is null.
class HeadReference {
 public:
  HeadReference(const Problem& problem, const AttentionInputs& inputs, Scores scores,
                const StoredScores* stored, std::int64_t head)
      : problem_(problem),
        scores_(scores),
        scale_(static_cast<double>(softmax_scale(problem))),
        q_(inputs.q.data() + head * problem.seqlen_q * problem.head_dim),
        stored_(stored),
        first_stored_row_(head * problem.seqlen_q),
        keys_padded_(round_up(problem.seqlen_kv, kPanelColumns)),
        dims_padded_(round_up(problem.head_dim_v, kPanelColumns)) {
    const std::int64_t kv_head = kv_head_of(problem, head);
    const Half* const k = inputs.k.data() + kv_head * problem.seqlen_kv * problem.head_dim;
    const Half* const v = inputs.v.data() + kv_head * problem.seqlen_kv * problem.head_dim_v;
    k_transposed_ = pack_panels(problem.head_dim, problem.seqlen_kv, [&](std::int64_t dim, std::int64_t key) {
      return as_double(k[key * problem.head_dim + dim]);
    });
    v_ = pack_panels(problem.seqlen_kv, problem.head_dim_v, [&](std::int64_t key, std::int64_t dim) {
      return as_double(v[key * problem.head_dim_v + dim]);
    });
  }

  // `rows` has at most kRowsAtOnce; results go to o (rows × head_dim_v) and lse (rows).
  void compute(std::span<const std::int64_t> rows, double* o, double* lse) {
    std::int64_t end = 0;  // of the keys that any of these rows sees
    for (const std::int64_t row : rows) end = std::max(end, visible_keys(problem_, row).end);
    scores_matrix_.assign(index_of(kRowsAtOnce * keys_padded_), 0.0);
    if (stored_ == nullptr) {
      multiply_queries(rows, end);
    } else {
      read_scores(rows, end);
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      lse[row] =
          softmax(scores_matrix_.data() + static_cast<std::int64_t>(row) * keys_padded_, rows[row], end);
    }
    multiply_values(rows, end, o);
  }

 private:
  double as_double(Half bits) const { return static_cast<double>(half_to_float(bits, problem_.dtype)); }

  // S = scale · Q Kᵀ for keys below `end`.
  void multiply_queries(std::span<const std::int64_t> rows, std::int64_t end) {
    const std::int64_t d = problem_.head_dim;
    q_rows_.assign(index_of(kRowsAtOnce * d), 0.0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::int64_t dim = 0; dim < d; ++dim) {
        q_rows_[row * index_of(d) + index_of(dim)] = scale_ * as_double(q_[rows[row] * d + dim]);
      }
    }
    for (std::int64_t key = 0; key < end; key += kPanelColumns) {
      multiply_panel(padded_rows(rows), d, q_rows_.data(), d, k_transposed_.data() + key * d,
                     scores_matrix_.data() + key, keys_padded_);
    }
  }

  void read_scores(std::span<const std::int64_t> rows, std::int64_t end) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Half* const s = stored_->s.data() + (first_stored_row_ + rows[row]) * stored_->row_stride;
      std::transform(s, s + end, scores_matrix_.data() + static_cast<std::int64_t>(row) * keys_padded_,
                     [this](Half bits) { return as_double(bits); });
    }
  }

  // Turns a row of scores into probabilities, 0 where the query sees nothing, and returns its LSE.
  double softmax(double* row, std::int64_t query, std::int64_t end) const {
    const KeyRange visible = visible_keys(problem_, query);
    if (scores_ == Scores::stored) {
      for (std::int64_t key = visible.begin; key < visible.end; ++key) {
        row[key] = as_double(float_to_half(static_cast<float>(row[key]), problem_.dtype));
      }
    }
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t key = visible.begin; key < visible.end; ++key) largest = std::max(largest, row[key]);
    double sum = 0.0;
    for (std::int64_t key = visible.begin; key < visible.end; ++key) {
      row[key] = std::exp(row[key] - largest);
      sum += row[key];
    }
    std::fill(row, row + visible.begin, 0.0);
    std::fill(row + visible.end, row + std::max(visible.end, end), 0.0);
    if (visible.begin >= visible.end) return -std::numeric_limits<double>::infinity();
    for (std::int64_t key = visible.begin; key < visible.end; ++key) row[key] /= sum;
    return largest + std::log(sum);
  }

  // O = P V over keys below `end`.
  void multiply_values(std::span<const std::int64_t> rows, std::int64_t end, double* o) {
    o_rows_.assign(index_of(kRowsAtOnce * dims_padded_), 0.0);
    for (std::int64_t dim = 0; dim < problem_.head_dim_v; dim += kPanelColumns) {
      const double* const panel = v_.data() + dim * problem_.seqlen_kv;
      for (std::int64_t key = 0; key < end; key += kDepthAtOnce) {
        multiply_panel(padded_rows(rows), std::min(kDepthAtOnce, end - key), scores_matrix_.data() + key,
                       keys_padded_, panel + key * kPanelColumns, o_rows_.data() + dim, dims_padded_);
      }
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      std::copy_n(o_rows_.data() + row * index_of(dims_padded_), problem_.head_dim_v,
                  o + row * index_of(problem_.head_dim_v));
    }
  }

  static std::int64_t padded_rows(std::span<const std::int64_t> rows) {
    return round_up(static_cast<std::int64_t>(rows.size()), kPanelRows);
  }

  const Problem& problem_;
  Scores scores_;
  double scale_;
  const Half* q_;
  const StoredScores* stored_;
  std::int64_t first_stored_row_;
  std::int64_t keys_padded_;
  std::int64_t dims_padded_;
  std::vector<double> k_transposed_;   // (head_dim × keys) in panels
  std::vector<double> v_;              // (keys × head_dim_v) in panels
  std::vector<double> q_rows_;         // kRowsAtOnce × head_dim
  std::vector<double> scores_matrix_;  // kRowsAtOnce × keys_padded_: S, then P
  std::vector<double> o_rows_;         // kRowsAtOnce × dims_padded_
};

Reference compute_rows(const Problem& problem, const AttentionInputs& inputs, std::vector<std::int64_t> rows,
                       Scores scores, const StoredScores* stored) {
  Reference reference{std::move(rows), {}, {}};
  const auto row_count = static_cast<std::int64_t>(reference.rows.size());
  const std::int64_t heads = problem.batch * problem.heads;
  reference.o.resize(index_of(heads * row_count * problem.head_dim_v));
  reference.lse.resize(index_of(heads * row_count));
  parallel_for(heads, [&](std::int64_t head) {
    HeadReference work(problem, inputs, scores, stored, head);
    for (std::int64_t row = 0; row < row_count; row += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, row_count - row);
      const std::int64_t first = head * row_count + row;
      work.compute(std::span(reference.rows).subspan(index_of(row), index_of(count)),
                   reference.o.data() + first * problem.head_dim_v, reference.lse.data() + first);
    }
  });
  return reference;
}

}  // namespace

std::vector<std::int64_t> rows_to_check(std::int64_t seqlen_q, std::int64_t br) {
  std::set<std::int64_t> rows;
  if (seqlen_q <= kAllRows) {
    for (std::int64_t row = 0; row < seqlen_q; ++row) rows.insert(row);
    return {rows.begin(), rows.end()};
  }
  rows.insert({0, seqlen_q - 1});
  const std::int64_t edges = (seqlen_q - 1) / br;  // tile edges inside the sequence
  const std::int64_t edges_taken = std::min<std::int64_t>(edges, kChosenRows / 4);
  for (std::int64_t index = 1; index <= edges_taken; ++index) {
    const std::int64_t edge = br * (index * edges / edges_taken);
    rows.insert({edge - 1, edge});
  }
  // The golden ratio's multiples spread evenly over an interval (Knuth, TAOCP 3, 6.4).
  for (std::int64_t index = 1; static_cast<std::int64_t>(rows.size()) < kChosenRows; ++index) {
    const double fraction = std::fmod(static_cast<double>(index) * 0.6180339887498949, 1.0);
    rows.insert(static_cast<std::int64_t>(fraction * static_cast<double>(seqlen_q)));
  }
  return {rows.begin(), rows.end()};
}

Reference compute_reference(const Problem& problem, const AttentionInputs& inputs,
                            std::vector<std::int64_t> rows, Scores scores) {
  return compute_rows(problem, inputs, std::move(rows), scores, nullptr);
}

Reference compute_reference(const Problem& problem, const AttentionInputs& inputs,
                            std::vector<std::int64_t> rows, const StoredScores& stored) {
  return compute_rows(problem, inputs, std::move(rows), Scores::exact, &stored);  // they are rounded already
}

}  // namespace hbmscope
