#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "kernels/gpu.h"
#include "profiler/cupti_source.h"
#include "profiler/device_arena.h"
#include "profiler/gpu_state.h"
#include "profiler/protocol.h"
#include "profiler/sweep.h"
#include "profiler/timing.h"
#include "sim/error.h"
#include "tests/profiler/stream_kernels.h"

namespace hbmscope {
namespace {

constexpr Bytes kBufferBytes = 256 * kMiB;

// Everything a measurement needs. Opening CUPTI takes most of a second, so there is one for all tests.
struct Gpu {
  Device device;
  CuptiCounterSource source{device};
  L2Sweep sweep{device};
  StreamKernels stream{device};
  ReadKernel read{device};
  DeviceArena arena{device, 2 * kBufferBytes};
  std::vector<CUdeviceptr> buffers = arena.place(std::vector<Bytes>{kBufferBytes, kBufferBytes}, 1, 0);

  MeasuredProgram program(std::function<void()> launches) {
    return {std::move(launches), [this] { sweep.run(); }};
  }
};

class GpuCounters : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    skip_reason_ = gpu_absence_reason();
    if (!skip_reason_.empty()) return;
    try {
      gpu_ = std::make_unique<Gpu>();
    } catch (const UserError& error) {
      skip_reason_ = error.what();
    }
  }
  static void TearDownTestSuite() { gpu_.reset(); }
  void SetUp() override {
    if (!gpu_) GTEST_SKIP() << skip_reason_;
  }

  static ProtocolResult measure(std::function<void()> launches, ProtocolOptions options = {}) {
    return measure_program(gpu_->source, gpu_->program(std::move(launches)), options);
  }

  static inline std::unique_ptr<Gpu> gpu_;
  static inline std::string skip_reason_;
};

void expect_bytes(std::optional<std::uint64_t> measured, Bytes expected, double tolerance) {
  ASSERT_TRUE(measured.has_value());
  EXPECT_NEAR(static_cast<double>(*measured), static_cast<double>(expected),
              tolerance * static_cast<double>(expected));
}

constexpr Bytes kNothing = 256 * kKiB;  // what the GPU moves on its own during a range

TEST_F(GpuCounters, AnEmptyRangeMovesNothing) {
  const ProtocolResult result = measure([] {});
  EXPECT_EQ(result.note, "");
  EXPECT_LT(result.measurement.hbm_read_bytes.value(), kNothing);
  EXPECT_LT(result.measurement.hbm_write_bytes.value(), kNothing);
  EXPECT_LT(result.measurement.hbm_deferred_write_bytes.value(), kNothing);
  EXPECT_LT(result.measurement.l2_read_bytes.value(), kNothing);
  EXPECT_LT(result.measurement.l2_write_bytes.value(), kNothing);
  EXPECT_EQ(result.measurement.sram_read_bytes, 0U);
  EXPECT_EQ(result.measurement.sram_write_bytes, 0U);
  EXPECT_EQ(result.measurement.local_bytes, 0U);
}

TEST_F(GpuCounters, AStreamReadsItsBytesOnce) {
  const Bytes bytes = 64 * kMiB;  // 67.11 MB
  const ProtocolResult result =
      measure([&] { gpu_->read.run(gpu_->buffers[0], bytes); }, {CacheState::cold, 5});
  expect_bytes(result.measurement.hbm_read_bytes, bytes, 0.005);
  expect_bytes(result.measurement.l2_read_bytes, bytes, 0.005);
  EXPECT_LT(result.measurement.hbm_write_bytes.value(), kNothing);
  EXPECT_LT(result.hbm_spread.value(), 0.01);
}

TEST_F(GpuCounters, WarmReadsStayInTheCache) {
  const Bytes bytes = 8 * kMiB;
  const ProtocolResult result =
      measure([&] { gpu_->read.run(gpu_->buffers[0], bytes); }, {CacheState::warm, 3});
  EXPECT_LT(result.measurement.hbm_read_bytes.value(), bytes / 100);
  expect_bytes(result.measurement.l2_read_bytes, bytes, 0.005);
}

TEST_F(GpuCounters, WritesAndDeferredWritesAreAllWrites) {
  for (const Bytes bytes : {16 * kMiB, 64 * kMiB}) {
    const ProtocolResult result = measure([&] { gpu_->stream.fill(gpu_->buffers[0], bytes); });
    expect_bytes(total_hbm_write_bytes(result.measurement), bytes, 0.01);
    expect_bytes(result.measurement.l2_write_bytes, bytes, 0.005);
    EXPECT_GT(result.measurement.hbm_deferred_write_bytes.value(), 0U);
    EXPECT_LT(result.measurement.hbm_read_bytes.value(), bytes / 100) << "whole sectors are not read first";
  }
}

TEST_F(GpuCounters, SeveralLaunchesShareOneRange) {
  const Bytes bytes = 8 * kMiB;
  const ProtocolResult result = measure([&] {
    gpu_->stream.fill(gpu_->buffers[0], bytes);
    gpu_->stream.copy(gpu_->buffers[1], gpu_->buffers[0], bytes);
  });
  expect_bytes(result.measurement.l2_write_bytes, 2 * bytes, 0.005);
  expect_bytes(result.measurement.l2_read_bytes, bytes, 0.005);
  EXPECT_LT(result.measurement.hbm_read_bytes.value(), bytes / 50)
      << "what the first kernel wrote is still in the L2 for the second";
}

TEST_F(GpuCounters, SharedMemoryBytesAreExact) {
  const unsigned ctas = 1000;
  const ProtocolResult result = measure([&] { gpu_->stream.shared(gpu_->buffers[0], ctas); });
  EXPECT_EQ(result.measurement.sram_write_bytes, ctas * StreamKernels::kSharedWriteBytes);
  EXPECT_EQ(result.measurement.sram_read_bytes, ctas * StreamKernels::kSharedReadBytes);
  expect_bytes(result.measurement.l2_write_bytes, ctas * StreamKernels::kSharedTargetBytes, 0.005);
  EXPECT_EQ(result.measurement.local_bytes, 0U);
}

TEST_F(GpuCounters, EveryQuantityIsReadOrAbsentWithAReason) {
  ProtocolOptions options;
  options.repeats = 1;
  options.quantities.clear();
  for (const QuantityInfo& row : quantities()) options.quantities.push_back(row.quantity);
  const Replay replay{[&] { gpu_->sweep.run(); },
                      {{"only", [&] { gpu_->stream.shared(gpu_->buffers[0], 1000); }}}};
  const CounterReadings readings = gpu_->source.measure(options.quantities, replay);
  for (const QuantityInfo& row : quantities()) {
    EXPECT_NE(readings.ranges[0].contains(row.quantity), readings.absent.contains(row.quantity)) << row.name;
  }
  EXPECT_GT(readings.ranges[0].at(Quantity::duration), 0);
  EXPECT_GT(readings.ranges[0].at(Quantity::shared_wavefronts), 0);
}

TEST_F(GpuCounters, AFailedProgramLeavesTheSourceUsable) {
  EXPECT_THROW(measure([] { throw std::runtime_error("launch failed"); }), std::runtime_error);
  const ProtocolResult result = measure([&] { gpu_->read.run(gpu_->buffers[0], 64 * kMiB); });
  EXPECT_EQ(result.note, "");
  expect_bytes(result.measurement.hbm_read_bytes, 64 * kMiB, 0.005);
}

TEST_F(GpuCounters, TimeIsThatOfTheProgramAlone) {
  const auto program =
      gpu_->program([&] { gpu_->stream.copy(gpu_->buffers[1], gpu_->buffers[0], kBufferBytes); });
  const Timing timing = time_program(program, CacheState::cold, 5);
  ASSERT_EQ(timing.samples_s.size(), 5U);
  const double bytes_per_s = 2.0 * static_cast<double>(kBufferBytes) / timing.median_s;
  EXPECT_GT(bytes_per_s, 50e9);  // slower than any GPU with a name in the table
  EXPECT_LT(bytes_per_s, 20e12);
  EXPECT_LT(timing.spread.value(), 0.5);
  const Timing empty = time_program(gpu_->program([] {}), CacheState::cold, 5);
  EXPECT_LT(empty.median_s, 0.2 * timing.median_s) << "the sweep must not be timed";
}

// Patched passes instrument kernels; what is timed afterwards must be the kernel as it was.
TEST_F(GpuCounters, CountingDoesNotChangeTheTimeThatFollows) {
  const unsigned ctas = 60000;  // 234 MiB of results
  const auto program = gpu_->program([&] { gpu_->stream.shared(gpu_->buffers[0], ctas); });
  time_program(program, CacheState::cold, 20);  // clocks rise
  const double before_s = time_program(program, CacheState::cold, 20).median_s;
  EXPECT_EQ(measure_program(gpu_->source, program).note, "");
  const double after_s = time_program(program, CacheState::cold, 20).median_s;
  EXPECT_NEAR(after_s, before_s, 0.1 * before_s);
}

TEST_F(GpuCounters, ClocksAreReadOrAbsentWithAReason) {
  const GpuState state(gpu_->device);
  const GpuClocks clocks = state.clocks();
  if (clocks.sm_mhz && clocks.memory_mhz) {
    EXPECT_GT(*clocks.sm_mhz, 0);
    EXPECT_GT(*clocks.memory_mhz, 0);
  } else {
    EXPECT_NE(clocks.reason, "");
  }
}

TEST_F(GpuCounters, AProblemLargerThanTheGpuIsRefused) {
  EXPECT_THROW(DeviceArena(gpu_->device, 1024 * kGiB), UserError);
}

}  // namespace
}  // namespace hbmscope
