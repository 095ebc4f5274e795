#include "tests/kernels/emulation/emulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/device/params.h"
#include "kernels/float16.h"
#include "kernels/stored_scores.h"
#include "sim/kernel_shapes/flash2_mma.h"
#include "sim/kernel_shapes/standard_mma.h"

namespace hbmscope {
namespace {

using emulation::CopyTime;
using emulation::Counts;
using emulation::Instance;

struct Sizes {
  int batch, heads, kv_heads, seqlen_q, seqlen_kv;
  float magnitude = 1.0f;  // of Q
};

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

// A problem with its tensors, and what they should become, in float64.
struct Case {
  Sizes sizes;
  int head_dim;
  bool bf16, causal;
  int s_columns;
  int lse_columns;
  std::vector<std::uint16_t> q, k, v, o, s, p;
  std::vector<float> lse;
  AttentionParams params;

  float widen(std::uint16_t bits) const { return bf16 ? bf16_to_float(bits) : fp16_to_float(bits); }
  std::uint16_t narrow(float x) const { return bf16 ? float_to_bf16(x) : float_to_fp16(x); }

  Case(const Sizes& problem, const Instance& instance)
      : sizes(problem), head_dim(instance.head_dim), bf16(instance.bf16), causal(instance.causal) {
    s_columns = static_cast<int>(standard_s_columns(sizes.seqlen_kv));
    const auto q_rows = static_cast<std::size_t>(sizes.batch * sizes.heads * sizes.seqlen_q);
    const auto kv_rows = static_cast<std::size_t>(sizes.batch * sizes.kv_heads * sizes.seqlen_kv);
    const auto d = static_cast<std::size_t>(head_dim);
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<std::uint16_t>& tensor, std::size_t size, float factor) {
      tensor.resize(size);
      for (auto& x : tensor) x = narrow(factor * normal(random));
    };
    fill(q, q_rows * d, sizes.magnitude);
    fill(k, kv_rows * d, 1);
    fill(v, kv_rows * d, 1);
    o.assign(q_rows * d, narrow(kPoison));
    s.assign(q_rows * static_cast<std::size_t>(s_columns), narrow(kPoison));
    p = s;
    lse_columns = static_cast<int>(flash2_lse_columns(sizes.seqlen_q));
    lse.assign(static_cast<std::size_t>(sizes.batch * sizes.heads * lse_columns), kPoison);
    params = {q.data(),       k.data(),       v.data(),
              o.data(),       lse.data(),     s.data(),
              p.data(),       sizes.batch,    sizes.heads,
              sizes.kv_heads, sizes.seqlen_q, sizes.seqlen_kv,
              s_columns,      lse_columns,    static_cast<float>(1 / std::sqrt(head_dim))};
  }

  int rows() const { return sizes.batch * sizes.heads * sizes.seqlen_q; }
  int visible(int row) const {
    const int keys = causal ? row % sizes.seqlen_q + 1 + sizes.seqlen_kv - sizes.seqlen_q : sizes.seqlen_kv;
    return std::max(0, keys);
  }
  const std::uint16_t* kv_row(const std::vector<std::uint16_t>& tensor, int row, int key) const {
    const int head_and_batch = row / sizes.seqlen_q;
    const int kv_head = head_and_batch % sizes.heads / (sizes.heads / sizes.kv_heads);
    const int kv = (head_and_batch / sizes.heads * sizes.kv_heads + kv_head) * sizes.seqlen_kv + key;
    return tensor.data() + static_cast<std::ptrdiff_t>(kv) * head_dim;
  }
  double score(int row, int key) const {
    double sum = 0;
    const std::uint16_t* const k_row = kv_row(k, row, key);
    for (int i = 0; i < head_dim; ++i) {
      sum += double{widen(q[static_cast<std::size_t>(row * head_dim + i)])} * double{widen(k_row[i])};
    }
    return sum * double{params.scale};
  }

  Problem problem() const {
    return {.batch = sizes.batch,
            .heads = sizes.heads,
            .kv_heads = sizes.kv_heads,
            .seqlen_q = sizes.seqlen_q,
            .seqlen_kv = sizes.seqlen_kv,
            .head_dim = head_dim,
            .head_dim_v = head_dim,
            .dtype = bf16 ? DataType::bf16 : DataType::fp16,
            .mask = causal ? Mask::causal : Mask::full};
  }
  std::vector<std::int64_t> every_row() const {
    return rows_to_check(sizes.seqlen_q, 1);  // short enough for all
  }
  StoredScores stored_scores() const { return {s, s_columns}; }

  emulation::Launch launch(unsigned blocks, int threads, int shared_bytes, CopyTime copy_time) const {
    const auto bytes = [](const auto& tensor) {
      return emulation::Range{tensor.data(), tensor.size() * sizeof(tensor[0])};
    };
    return {blocks,
            static_cast<unsigned>(threads),
            static_cast<std::size_t>(shared_bytes),
            copy_time,
            {bytes(q), bytes(k), bytes(v), bytes(o), bytes(s), bytes(p)}};
  }
};

double tolerance(bool bf16) { return bf16 ? 1e-2 : 2e-3; }

unsigned tiles(long long size, int tile) { return static_cast<unsigned>((size + tile - 1) / tile); }

void check_output(const Case& c, bool check_lse) {
  double worst = 0, largest = 0;
  for (int row = 0; row < c.rows(); ++row) {
    const int visible = c.visible(row);
    std::vector<double> weights;
    double max = -INFINITY, sum = 0;
    for (int key = 0; key < visible; ++key) weights.push_back(c.score(row, key));
    for (const double x : weights) max = std::max(max, x);
    for (double& x : weights) sum += x = std::exp(x - max);
    for (int i = 0; i < c.head_dim; ++i) {
      double expected = 0;
      for (int key = 0; key < visible; ++key) {
        expected +=
            weights[static_cast<std::size_t>(key)] / sum * double{c.widen(c.kv_row(c.v, row, key)[i])};
      }
      const double got = double{c.widen(c.o[static_cast<std::size_t>(row * c.head_dim + i)])};
      ASSERT_FALSE(std::isnan(got)) << "row " << row << " dim " << i;
      worst = std::max(worst, std::fabs(got - expected));
      largest = std::max(largest, std::fabs(expected));
    }
    if (!check_lse) continue;
    const int lse_index = row / c.sizes.seqlen_q * c.lse_columns + row % c.sizes.seqlen_q;
    const double lse = double{c.lse[static_cast<std::size_t>(lse_index)]};
    if (visible == 0) {
      ASSERT_EQ(lse, -INFINITY) << "row " << row;
    } else {
      const double expected = max + std::log(sum);
      ASSERT_NEAR(lse, expected, 1e-4 + 1e-5 * std::fabs(expected)) << "row " << row;
    }
  }
  EXPECT_LE(worst, tolerance(c.bf16) * largest);
}

const std::vector<Sizes> kProblems = {
    {1, 2, 1, 200, 200},          // GQA, ragged
    {2, 1, 1, 65, 150},           // more keys than queries
    {1, 1, 1, 150, 40},           // fewer keys: causal rows that see nothing
    {1, 1, 1, 1, 300},            // one query
    {1, 1, 1, 70, 130, 16.0f},    // large logits
    {1, 1, 1, 70, 130, 3000.0f},  // beyond fp16
};

class Flash2 : public testing::TestWithParam<Sizes> {};

TEST_P(Flash2, MatchesFloat64AndItsCounts) {
  int run = 0;
  for (const Instance& instance : emulation::instances()) {
    if (instance.kernel != "flash2_mma") continue;
    const Flash2MmaShape shape{instance.br, instance.bc, instance.head_dim, instance.stages};
    SCOPED_TRACE(testing::Message() << "Br " << shape.br << " Bc " << shape.bc << " d " << shape.head_dim
                                    << " stages " << shape.stages << " bf16 " << instance.bf16 << " causal "
                                    << instance.causal);
    const CopyTime copy_time = ++run % 2 == 0 ? CopyTime::kAtOnce : CopyTime::kAtWait;
    Case c(GetParam(), instance);
    const Sizes& n = c.sizes;
    const unsigned q_tiles = tiles(n.seqlen_q, shape.br);
    const auto heads = static_cast<unsigned>(n.batch * n.heads);
    const Counts counts = emulation::run(
        c.launch(q_tiles * heads, shape.threads(), shape.shared_bytes(), copy_time), instance.run, &c.params);
    check_output(c, true);

    long long steps = 0, key_rows = 0;
    for (unsigned tile = 0; tile < q_tiles; ++tile) {
      const int end = std::min(static_cast<int>(tile + 1) * shape.br, n.seqlen_q);
      const int keys = instance.causal ? std::max(0, end + n.seqlen_kv - n.seqlen_q) : n.seqlen_kv;
      const long long tile_steps = tiles(keys, shape.bc);
      steps += tile_steps;
      key_rows += std::min<long long>(tile_steps * shape.bc, n.seqlen_kv);
    }
    const long long ctas = heads * q_tiles;
    steps *= heads;
    key_rows *= heads;
    const long long row_bytes = 2LL * shape.head_dim;
    EXPECT_EQ(counts.ldmatrix_bytes,
              static_cast<std::uint64_t>(
                  ctas * shape.q_shared_read_bytes() +
                  steps * (shape.qk_shared_read_bytes_per_step() + shape.pv_shared_read_bytes_per_step())));
    EXPECT_EQ(counts.cp_async_bytes,
              static_cast<std::uint64_t>(
                  ctas * shape.q_shared_write_bytes() +
                  steps * (shape.k_shared_write_bytes_per_step() + shape.v_shared_write_bytes_per_step())));
    EXPECT_EQ(counts.global_read_bytes, static_cast<std::uint64_t>((c.rows() + 2 * key_rows) * row_bytes));
    EXPECT_EQ(counts.global_write_bytes, static_cast<std::uint64_t>(c.rows() * row_bytes));
    EXPECT_EQ(counts.bank_conflicts, 0u);
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Emulated, Flash2, testing::ValuesIn(kProblems));

class Standard : public testing::TestWithParam<Sizes> {};

TEST_P(Standard, ScoresMatchFloat64AndTheirCounts) {
  int run = 0;
  for (const Instance& instance : emulation::instances()) {
    if (instance.kernel != "standard_qk") continue;
    const StandardQkShape shape{instance.br, instance.bc, instance.head_dim};
    SCOPED_TRACE(testing::Message() << "Br " << shape.br << " Bc " << shape.bc);
    ++run;
    Case c(GetParam(), instance);
    const Sizes& n = c.sizes;
    const unsigned q_tiles = tiles(n.seqlen_q, shape.br), kv_tiles = tiles(c.s_columns, shape.bc);
    const auto heads = static_cast<unsigned>(n.batch * n.heads);
    const Counts counts = emulation::run(
        c.launch(q_tiles * kv_tiles * heads, shape.threads(), shape.shared_bytes(), CopyTime::kAtWait),
        instance.run, &c.params);
    EXPECT_EQ(check_scores(c.problem(), {c.q, c.k, c.v}, c.every_row(), c.stored_scores()).failure(), "");
    const long long ctas = q_tiles * kv_tiles * heads;
    EXPECT_EQ(counts.ldmatrix_bytes,
              static_cast<std::uint64_t>(ctas * (shape.q_shared_read_bytes() + shape.k_shared_read_bytes())));
    EXPECT_EQ(counts.cp_async_bytes, static_cast<std::uint64_t>(ctas * (shape.q_shared_write_bytes() +
                                                                        shape.k_shared_write_bytes())));
    EXPECT_EQ(counts.global_write_bytes, 2 * c.s.size());
    EXPECT_EQ(counts.bank_conflicts, 0u);
  }
  EXPECT_GT(run, 0);
}

// From given S to P, and from given P to O: scores as the first kernel would store them.
TEST_P(Standard, SoftmaxAndOutputMatchFloat64) {
  int run = 0;
  for (const Instance& instance : emulation::instances()) {
    if (instance.kernel != "standard_softmax") continue;
    const StandardSoftmaxShape shape{instance.threads_per_row, instance.vectors_per_thread};
    SCOPED_TRACE(testing::Message() << "threads " << shape.threads_per_row << " bf16 " << instance.bf16);
    ++run;
    Case c(GetParam(), instance);
    const auto columns = static_cast<std::size_t>(c.s_columns);
    for (int row = 0; row < c.rows(); ++row) {
      for (int key = 0; key < c.sizes.seqlen_kv; ++key) {
        const double limit = c.bf16 ? 3e38 : 65504;
        c.s[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(key)] =
            c.narrow(static_cast<float>(std::clamp(c.score(row, key), -limit, limit)));
      }
    }
    const Counts counts = emulation::run(c.launch(tiles(c.sizes.seqlen_q, shape.rows_per_cta()) *
                                                      static_cast<unsigned>(c.sizes.batch * c.sizes.heads),
                                                  shape.threads(), 0, CopyTime::kAtOnce),
                                         instance.run, &c.params);
    EXPECT_EQ(counts.global_read_bytes, 2 * c.s.size());
    EXPECT_EQ(counts.global_write_bytes, 2 * c.p.size());
    for (int row = 0; row < c.rows(); ++row) {
      const std::uint16_t* const s = c.s.data() + static_cast<std::size_t>(row) * columns;
      double max = -INFINITY, sum = 0;
      for (int key = 0; key < c.visible(row); ++key) max = std::max(max, double{c.widen(s[key])});
      for (int key = 0; key < c.visible(row); ++key) sum += std::exp(double{c.widen(s[key])} - max);
      for (int key = 0; key < c.s_columns; ++key) {
        const double expected = key < c.visible(row) ? std::exp(double{c.widen(s[key])} - max) / sum : 0;
        const double got =
            double{c.widen(c.p[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(key)])};
        ASSERT_NEAR(got, expected, 1e-4 + 5e-3 * expected) << row << " " << key;
      }
    }

    for (const Instance& pv : emulation::instances()) {
      if (pv.kernel != "standard_pv" || pv.bf16 != c.bf16 || pv.head_dim != c.head_dim) continue;
      const StandardPvShape pv_shape{pv.br, pv.bc, pv.head_dim, pv.stages};
      SCOPED_TRACE(testing::Message() << "Br " << pv_shape.br << " Bc " << pv_shape.bc);
      std::fill(c.o.begin(), c.o.end(), c.narrow(kPoison));
      const unsigned ctas =
          tiles(c.sizes.seqlen_q, pv_shape.br) * static_cast<unsigned>(c.sizes.batch * c.sizes.heads);
      const Counts pv_counts = emulation::run(
          c.launch(ctas, pv_shape.threads(), pv_shape.shared_bytes(), CopyTime::kAtWait), pv.run, &c.params);
      const Reference from_scores =
          compute_reference(c.problem(), {c.q, c.k, c.v}, c.every_row(), c.stored_scores());
      EXPECT_EQ(compare(c.problem(), from_scores, c.o, {}).failure(tolerance(c.bf16)), "");
      // At large logits the stored S is not the score any more.
      if (c.sizes.magnitude == 1) check_output(c, false);
      const std::uint64_t steps = std::uint64_t{ctas} * tiles(c.sizes.seqlen_kv, pv_shape.bc);
      EXPECT_EQ(pv_counts.ldmatrix_bytes,
                steps * static_cast<std::uint64_t>(pv_shape.p_shared_read_bytes_per_step() +
                                                   pv_shape.v_shared_read_bytes_per_step()));
      EXPECT_EQ(pv_counts.cp_async_bytes,
                steps * static_cast<std::uint64_t>(pv_shape.p_shared_write_bytes_per_step() +
                                                   pv_shape.v_shared_write_bytes_per_step()));
      EXPECT_EQ(pv_counts.global_write_bytes, 2 * c.o.size());
      EXPECT_EQ(pv_counts.bank_conflicts, 0u);
    }
  }
  EXPECT_GT(run, 0);
}

INSTANTIATE_TEST_SUITE_P(Emulated, Standard, testing::ValuesIn(kProblems));

}  // namespace
}  // namespace hbmscope
