// Whole programs on the CPU: what their launches compute, and that the bytes they move are the program's,
// tensor by tensor.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/attention_params.h"
#include "kernels/poison.h"
#include "kernels/stored_scores.h"
#include "sim/algorithms/algorithm.h"
#include "sim/kernel_shapes/standard_mma.h"
#include "sim/traffic.h"
#include "tests/kernels/emulation/emulation.h"

namespace hbmscope {
namespace {

using emulation::CopyTime;
using emulation::Counts;
using emulation::Instance;

struct Sizes {
  std::int64_t batch, heads, kv_heads, seqlen_q, seqlen_kv;
};

Plan plan_of(const Sizes& sizes, const Instance& instance) {
  return {.problem = {.batch = sizes.batch,
                      .heads = sizes.heads,
                      .kv_heads = sizes.kv_heads,
                      .seqlen_q = sizes.seqlen_q,
                      .seqlen_kv = sizes.seqlen_kv,
                      .head_dim = instance.head_dim,
                      .head_dim_v = instance.head_dim,
                      .dtype = instance.bf16 ? DataType::bf16 : DataType::fp16,
                      .mask = instance.causal ? Mask::causal : Mask::full},
          .tile = {.br = instance.br, .bc = instance.bc, .stages = instance.stages}};
}

// A program with its tensors in memory.
class EmulatedProgram {
 public:
  EmulatedProgram(std::string_view algorithm, const Plan& plan, const InputSpread& spread) : plan_(plan) {
    const Algorithm& found = find_algorithm(algorithm);
    const Variant& variant = find_variant(found, "mma");
    EXPECT_EQ(variant.limit(plan), "");
    build_program(found, variant, plan, program_);
    inputs_ = make_inputs(plan.problem, 1, spread);
    for (const Bytes bytes : tensor_bytes(program_)) {
      // Words of 16 bytes, so that every tensor is aligned as on the GPU.
      tensors_.emplace_back(bytes / sizeof(Word) + 1, Word{});
      std::memset(tensors_.back().data(), kPoisonByte, bytes);
      memory_.push_back({tensors_.back().data(), bytes});
      addresses_.push_back(std::bit_cast<DeviceAddress>(tensors_.back().data()));
    }
    upload("Q", inputs_.q);
    upload("K", inputs_.k);
    upload("V", inputs_.v);
  }

  // Runs all launches; returns what each of them moved.
  std::vector<Counts> run(CopyTime copy_time) const {
    const AttentionParams params = attention_params(program_, addresses_);
    std::vector<Counts> counts;
    for (const Launch& launch : program_.launches) {
      counts.push_back(emulation::run(
          {static_cast<unsigned>(grid_ctas(program_, launch)), static_cast<unsigned>(launch.threads),
           static_cast<std::size_t>(launch.shared_bytes), copy_time, memory_},
          instance_of(launch).run, &params));
    }
    return counts;
  }

  template <class T>
  std::span<const T> contents(std::string_view tensor) const {
    const auto index = static_cast<std::size_t>(find_tensor(program_, tensor));
    return {reinterpret_cast<const T*>(memory_.at(index).begin), memory_[index].bytes / sizeof(T)};
  }

  const Program& program() const { return program_; }
  const AttentionInputs& inputs() const { return inputs_; }

 private:
  struct alignas(16) Word {
    unsigned char bytes[16];
  };

  void upload(std::string_view name, const std::vector<Half>& values) {
    auto& tensor = tensors_.at(static_cast<std::size_t>(find_tensor(program_, name)));
    std::memcpy(tensor.data(), values.data(), values.size() * sizeof(Half));
  }

  // The kernel of a launch compiled for this plan.
  const Instance& instance_of(const Launch& launch) const {
    for (const Instance& instance : emulation::instances()) {
      const Plan plan = plan_of({}, instance);
      if (instance.kernel == launch.kernel && plan.tile.br == plan_.tile.br &&
          plan.tile.bc == plan_.tile.bc && plan.tile.stages == plan_.tile.stages &&
          plan.problem.head_dim == plan_.problem.head_dim && plan.problem.dtype == plan_.problem.dtype &&
          plan.problem.mask == plan_.problem.mask) {
        return instance;
      }
    }
    throw std::logic_error("no instance of " + std::string(launch.kernel) + " for this plan");
  }

  Plan plan_;
  Program program_;
  AttentionInputs inputs_;
  std::vector<std::vector<Word>> tensors_;
  std::vector<emulation::Range> memory_;
  std::vector<DeviceAddress> addresses_;
};

// Bytes of every tensor at the L2, bytes of shared memory and the absence of bank conflicts.
void expect_counts(const Program& program, const std::vector<Counts>& counts) {
  Traffic traffic;
  count_traffic(program, traffic);
  for (int index = 0; index < program.launches.count(); ++index) {
    const Counts& counted = counts.at(static_cast<std::size_t>(index));
    SCOPED_TRACE(program.launches[index].name);
    for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
      const ReadWrite& l2 = traffic.launches[index].tensors[tensor].l2;
      EXPECT_EQ(counted.read_bytes[static_cast<std::size_t>(tensor)], l2.read)
          << "reads of " << program.tensors[tensor].name;
      EXPECT_EQ(counted.written_bytes[static_cast<std::size_t>(tensor)], l2.write)
          << "writes of " << program.tensors[tensor].name;
    }
    const ReadWrite sram = total_of(traffic.launches[index]).sram;
    EXPECT_EQ(counted.ldmatrix_bytes, sram.read);
    EXPECT_EQ(counted.cp_async_bytes, sram.write);
    EXPECT_EQ(counted.bank_conflicts, 0U);
  }
}

std::vector<std::int64_t> every_row(const Problem& problem) {
  return rows_to_check(problem.seqlen_q, 1);  // short enough for all
}

// l and m: LSE = ln(l 2^m).
void expect_statistics(const EmulatedProgram& emulated, const Reference& reference) {
  const Problem& problem = emulated.program().problem;
  const std::span<const float> l = emulated.contents<float>("l");
  const std::span<const float> m = emulated.contents<float>("m");
  const auto stride =
      static_cast<std::size_t>(emulated.program().tensors[find_tensor(emulated.program(), "l")].row_stride);
  const auto rows = static_cast<std::size_t>(problem.seqlen_q);
  for (std::size_t row = 0; row < reference.lse.size(); ++row) {
    const std::size_t at = row / rows * stride + row % rows;
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

const std::vector<Sizes> kProblems = {
    {1, 2, 1, 200, 200},  // GQA, ragged
    {2, 1, 1, 65, 150},   // more keys than queries
    {1, 1, 1, 150, 40},   // fewer keys: causal rows, and whole q tiles, that see nothing
    {1, 1, 1, 1, 300},    // one query
    {1, 2, 2, 128, 256},  // whole tiles
};

class EmulatedPrograms : public testing::TestWithParam<Sizes> {};

// Calls check(emulated program after its run, its reference) for every tile that `kernel` is compiled for.
template <class Check>
void run_all(const Sizes& sizes, std::string_view kernel, std::string_view algorithm, Check check) {
  int run = 0;
  for (const Instance& instance : emulation::instances()) {
    if (instance.kernel != kernel) continue;
    const Plan plan = plan_of(sizes, instance);
    SCOPED_TRACE(testing::Message() << "Br " << instance.br << " Bc " << instance.bc << " d "
                                    << instance.head_dim << " stages " << instance.stages << " bf16 "
                                    << instance.bf16 << " causal " << instance.causal);
    ++run;
    const EmulatedProgram emulated(algorithm, plan, {.q = run % 3 == 0 ? 16.0F : 1.0F});
    const std::vector<Counts> counts = emulated.run(run % 2 == 0 ? CopyTime::kAtOnce : CopyTime::kAtWait);
    expect_counts(emulated.program(), counts);
    check(emulated);
  }
  EXPECT_GT(run, 0);
}

void expect_output(const EmulatedProgram& emulated, const Reference& reference) {
  const Problem& problem = emulated.program().problem;
  EXPECT_EQ(
      compare(problem, reference, emulated.contents<Half>("O"), {}).failure(error_tolerance(problem.dtype)),
      "");
}

TEST_P(EmulatedPrograms, Flash1MatchesFloat64AndItsCounts) {
  run_all(GetParam(), "flash1_mma", "flash1", [](const EmulatedProgram& emulated) {
    const Problem& problem = emulated.program().problem;
    const Reference reference =
        compute_reference(problem, emulated.inputs(), every_row(problem), Scores::exact);
    expect_output(emulated, reference);
    expect_statistics(emulated, reference);
  });
}

TEST_P(EmulatedPrograms, StandardOnlineMatchesFloat64AndItsCounts) {
  run_all(GetParam(), "standard_online_pv", "standard-online", [](const EmulatedProgram& emulated) {
    const Problem& problem = emulated.program().problem;
    const std::span<const Half> s = emulated.contents<Half>("S");
    const StoredScores stored{{s.begin(), s.end()}, standard_s_columns(problem.seqlen_kv)};
    EXPECT_EQ(check_scores(problem, emulated.inputs(), every_row(problem), stored).failure(), "");
    expect_output(emulated, compute_reference(problem, emulated.inputs(), every_row(problem), stored));
  });
}

INSTANTIATE_TEST_SUITE_P(Emulated, EmulatedPrograms, testing::ValuesIn(kProblems));

}  // namespace
}  // namespace hbmscope
