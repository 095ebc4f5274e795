// The device code against the float64 reference, and what it moves against what its program counts.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/stored_scores.h"
#include "sim/traffic.h"
#include "tests/kernels/emulation/emulated_program.h"
#include "tests/kernels/gpu_cases.h"

namespace hbmscope {
namespace {

using emulation::CopyTime;
using emulation::Counts;
using emulation::Instance;

// The kernel of each algorithm whose macros say which plans it can be tried with.
struct TriedKernel {
  std::string_view kernel;
  std::string algorithm;
};
const std::vector<TriedKernel> kTriedKernels = {{"flash2_mma", "flash2"},
                                                {"flash1_mma", "flash1"},
                                                {"standard_pv", "standard"},
                                                {"standard_online_pv", "standard-online"}};

struct Sizes {
  std::int64_t batch, heads, kv_heads, seqlen_q, seqlen_kv;
  std::int64_t window;  // where there is one
  float q_spread = 1.0F;
};

const std::vector<Sizes> kSizes = {
    {1, 2, 1, 200, 200, 64},           // GQA, ragged
    {1, 2, 2, 128, 256, 100},          // whole tiles
    {2, 1, 1, 65, 150, 1},             // more keys than queries
    {1, 1, 1, 150, 40, 30},            // fewer keys: causal rows that see nothing
    {1, 1, 1, 1, 300, 128},            // one query
    {1, 1, 1, 3, 2100, 1000},          // scores of a row beyond one warp of the softmax
    {1, 1, 1, 70, 130, 50, 16.0F},     // large logits
    {1, 1, 1, 70, 130, 500, 3000.0F},  // beyond fp16; a window that covers all
};

GpuCase case_of(const Instance& instance, const std::string& algorithm, const Sizes& sizes, Mask mask) {
  const std::int64_t head_dim = instance.macros.at("HBMSCOPE_HEAD_DIM");
  const Problem problem{
      .batch = sizes.batch,
      .heads = sizes.heads,
      .kv_heads = sizes.kv_heads,
      .seqlen_q = sizes.seqlen_q,
      .seqlen_kv = sizes.seqlen_kv,
      .head_dim = head_dim,
      .head_dim_v = head_dim,
      .dtype = instance.macros.at("HBMSCOPE_DTYPE_BF16") != 0 ? DataType::bf16 : DataType::fp16,
      .mask = mask,
      .window = mask == Mask::window ? sizes.window : 0};
  const Tile tile{.br = instance.macros.at("HBMSCOPE_BR"),
                  .bc = instance.macros.at("HBMSCOPE_BC"),
                  .stages = instance.macros.at("HBMSCOPE_STAGES")};
  const auto choice = [&](const char* macro) {
    const auto found = instance.macros.find(macro);
    return found == instance.macros.end() ? 0 : found->second;
  };
  return {.algorithm = algorithm,
          .problem = problem,
          .tile = tile,
          .spread = {.q = sizes.q_spread},
          .order = static_cast<Order>(choice("HBMSCOPE_HEAD_FASTEST")),
          .kv_walk = static_cast<Walk>(choice("HBMSCOPE_KV_WALK"))};
}

std::vector<GpuCase> emulated_cases() {
  std::vector<GpuCase> cases;
  for (const Instance& instance : emulation::instances()) {
    for (const TriedKernel& tried : kTriedKernels) {
      if (instance.kernel != tried.kernel) continue;
      const auto only_mask = instance.macros.find("HBMSCOPE_MASK");
      for (const Mask mask : {Mask::full, Mask::causal, Mask::window}) {
        if (only_mask != instance.macros.end() && only_mask->second != static_cast<int>(mask)) continue;
        for (const Sizes& sizes : kSizes) cases.push_back(case_of(instance, tried.algorithm, sizes, mask));
      }
    }
  }
  return cases;
}

void expect_counts(const Program& program, int launch, const Counts& counts, const LaunchTraffic& predicted) {
  SCOPED_TRACE(program.launches[launch].kernel);
  ReadWrite sram;  // of tensors: what warps exchange through static shared memory is not seen here
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    const TensorTraffic& traffic = predicted.tensors[tensor];
    const auto at = static_cast<std::size_t>(tensor);
    EXPECT_EQ(counts.read_bytes[at], traffic.l2.read) << "reads of " << program.tensors[tensor].name;
    EXPECT_EQ(counts.written_bytes[at], traffic.l2.write) << "writes of " << program.tensors[tensor].name;
    sram.read += traffic.sram.read;
    sram.write += traffic.sram.write;
  }
  EXPECT_EQ(counts.ldmatrix_bytes, sram.read);
  EXPECT_EQ(counts.cp_async_bytes, sram.write);
  EXPECT_EQ(counts.bank_conflicts, 0U);
}

// flash1's statistics: LSE = ln(l 2^m).
void expect_statistics(const EmulatedProgram& run, const Reference& reference) {
  const std::vector<float> l = run.floats("l");
  const std::vector<float> m = run.floats("m");
  const std::size_t columns = l.size() * reference.rows.size() / reference.lse.size();  // padding included
  for (std::size_t row = 0; row < reference.lse.size(); ++row) {
    const std::size_t at = row / reference.rows.size() * columns + row % reference.rows.size();
    const double expected = reference.lse[row];
    if (std::isinf(expected)) {
      EXPECT_EQ(l[at], 0.0F) << row;
      EXPECT_EQ(m[at], -std::numeric_limits<float>::infinity()) << row;
    } else {
      EXPECT_NEAR(std::log(double{l[at]}) + double{m[at]} * std::log(2.0), expected,
                  1e-4 + 1e-5 * std::fabs(expected))
          << row;
    }
  }
}

class Emulation : public testing::TestWithParam<GpuCase> {};

TEST_P(Emulation, AgreesWithTheReferenceAndMovesWhatTheProgramCounts) {
  const GpuCase& c = GetParam();
  const Program program = program_of(c);
  const AttentionInputs inputs = make_inputs(c.problem, 1, c.spread);
  Traffic traffic;
  count_traffic(program, traffic);
  EmulatedProgram run(program, inputs);
  const CopyTime copy_time = c.problem.seqlen_q % 2 == 0 ? CopyTime::kAtOnce : CopyTime::kAtWait;
  for (int launch = 0; launch < program.launches.count(); ++launch) {
    expect_counts(program, launch, run.launch(launch, copy_time), traffic.launches[launch]);
  }

  const std::vector<std::int64_t> rows = rows_to_check(c.problem.seqlen_q, c.tile.br);
  const auto expect_output = [&](const Reference& reference) {
    if (c.algorithm == "flash1") expect_statistics(run, reference);
    const Comparison result = compare(c.problem, reference, run.halves("O"), run.floats("LSE"));
    EXPECT_EQ(result.failure(error_tolerance(c.problem.dtype)), "");
  };
  const Scores scores = scores_of(program);
  if (scores == Scores::stored) {
    const StoredScores stored = run.stored_scores();
    EXPECT_EQ(check_scores(c.problem, inputs, rows, stored).failure(), "");
    expect_output(compute_reference(c.problem, inputs, rows, stored));
  }
  if (scores == Scores::exact || !has_large_logits(c)) {
    expect_output(compute_reference(c.problem, inputs, rows, scores));
  }
}

const auto kName = [](const testing::TestParamInfo<GpuCase>& info) { return name_of(info.param); };
INSTANTIATE_TEST_SUITE_P(Kernels, Emulation, testing::ValuesIn(emulated_cases()), kName);

}  // namespace
}  // namespace hbmscope
