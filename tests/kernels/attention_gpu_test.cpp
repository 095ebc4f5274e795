// The kernels on a GPU against the float64 reference. `--gtest_filter=Small*` is meant for compute-sanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "kernels/attention_run.h"
#include "kernels/cuda/device.h"
#include "kernels/stored_scores.h"
#include "tests/kernels/case_builds.h"

namespace hbmscope {
namespace {

constexpr Bytes kGuardBytes = 4096;
constexpr unsigned char kGuardByte = 0xa5;

// A program's tensors, each with a guard before and behind it.
class GuardedTensors {
 public:
  explicit GuardedTensors(const Program& program) {
    for (const Bytes bytes : tensor_bytes(program)) {
      buffers_.emplace_back(bytes + 2 * kGuardBytes);
      check(driver().memset_d8_async(buffers_.back().address(), kGuardByte, buffers_.back().bytes(), nullptr),
            "cuMemsetD8Async");
      addresses_.push_back(buffers_.back().address() + kGuardBytes);
    }
  }

  std::span<const DeviceAddress> addresses() const { return addresses_; }

  std::vector<std::byte> contents(int tensor) const {
    const DeviceBuffer& buffer = buffers_[static_cast<std::size_t>(tensor)];
    std::vector<std::byte> bytes(buffer.bytes());
    copy_to_host(bytes, buffer.address());
    return bytes;
  }

  bool guards_intact(int tensor) const {
    const std::vector<std::byte> bytes = contents(tensor);
    const auto intact = [](std::span<const std::byte> guard) {
      return std::ranges::all_of(guard, [](std::byte byte) { return byte == std::byte{kGuardByte}; });
    };
    return intact(std::span(bytes).first(kGuardBytes)) && intact(std::span(bytes).last(kGuardBytes));
  }

 private:
  std::vector<DeviceBuffer> buffers_;
  std::vector<DeviceAddress> addresses_;
};

void expect_agreement(const GpuCase& c, const Device& device, const KernelCompiler& compiler) {
  const Program program = program_of(c);
  AttentionRun run(program, compiler, device.compute_capability());
  const GuardedTensors tensors(program);
  const AttentionInputs inputs = make_inputs(c.problem, 1, c.spread);
  upload_inputs(program, inputs, tensors.addresses());
  poison_outputs(program, tensors.addresses());
  run.bind(tensors.addresses());
  run.launch();

  const std::vector<std::int64_t> rows = rows_to_check(c.problem.seqlen_q, c.tile.br);
  const auto expect_output = [&](const Reference& reference, const std::string& name) {
    const Comparison result = compare_outputs(program, reference, tensors.addresses());
    EXPECT_EQ(result.failure(error_tolerance(c.problem.dtype)), "") << name;
    testing::Test::RecordProperty(name, std::to_string(result.worst_error));
  };
  // Written scores are held to their last bit, then the output to what follows from them. At ordinary logits
  // the output also agrees with a reference that knows the inputs alone.
  const Scores scores = scores_of(program);
  if (scores == Scores::stored) {
    const StoredScores stored = download_scores(program, tensors.addresses());
    EXPECT_EQ(check_scores(c.problem, inputs, rows, stored).failure(), "");
    expect_output(compute_reference(c.problem, inputs, rows, stored), "max_error_from_stored_scores");
  }
  if (scores == Scores::exact || !has_large_logits(c)) {
    expect_output(compute_reference(c.problem, inputs, rows, scores), "max_error");
  }
  for (int tensor = 0; tensor < program.tensors.count(); ++tensor) {
    EXPECT_TRUE(tensors.guards_intact(tensor)) << program.tensors[tensor].name;
  }

  // A race would show as a second run that differs in some bit.
  const int o = find_tensor(program, "O");
  const std::vector<std::byte> first = tensors.contents(o);
  poison_outputs(program, tensors.addresses());
  run.launch();
  device.synchronize();
  EXPECT_EQ(tensors.contents(o), first);
}

class AttentionGpuTest : public testing::TestWithParam<GpuCase> {
 protected:
  void SetUp() override {
    const std::string reason = gpu_absence_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(AttentionGpuTest, AgreesWithTheReference) {
  const Device device;
  const GpuCase& c = GetParam();
  if (c.variant == "cublas" && device.compute_capability() != 90) {
    GTEST_SKIP() << "cuBLAS's tiles are known for compute capability 9.0";
  }
  expect_agreement(c, device, KernelCompiler{});
}

const auto kName = [](const testing::TestParamInfo<GpuCase>& info) { return name_of(info.param); };
INSTANTIATE_TEST_SUITE_P(Small, AttentionGpuTest, testing::ValuesIn(small_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Order, AttentionGpuTest, testing::ValuesIn(order_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Cublas, AttentionGpuTest, testing::ValuesIn(cublas_cases()), kName);
INSTANTIATE_TEST_SUITE_P(Large, AttentionGpuTest, testing::ValuesIn(large_cases()), kName);

TEST(RandomShapesGpuTest, AgreeWithTheReference) {
  const std::string reason = gpu_absence_reason();
  if (!reason.empty()) GTEST_SKIP() << reason;
  const Device device;
  const KernelCompiler compiler;
  const std::vector<GpuCase> cases = random_cases(kRandomShapes, 1);
  compile_all(cases, compiler, device.compute_capability(),
              [](const LaunchBuild&, const KernelResources&) {});
  for (const GpuCase& c : cases) {
    SCOPED_TRACE(name_of(c));
    expect_agreement(c, device, compiler);
  }
}

}  // namespace
}  // namespace hbmscope
