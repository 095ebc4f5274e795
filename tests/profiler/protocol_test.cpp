#include "profiler/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "profiler/fake_counter_source.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Writes down what is done to the GPU, in order.
struct Journal {
  std::vector<std::string> lines;
  MeasuredProgram program() {
    return {[this] { lines.emplace_back("launches"); }, [this] { lines.emplace_back("sweep"); }};
  }
};

std::optional<double> constant(Quantity, const std::string&, int) { return 1000.0; }

ProtocolOptions one_repeat(CacheState state, std::vector<Quantity> quantities) {
  return {state, 1, std::move(quantities)};
}

TEST(Protocol, ColdCleansBeforeTheProgramAndSweepsAfterIt) {
  Journal journal;
  FakeCounterSource source(2, constant);
  measure_program(source, journal.program(), one_repeat(CacheState::cold, {Quantity::hbm_write}));
  EXPECT_THAT(journal.lines, ElementsAre("sweep", "launches", "sweep",  // first pass
                                         "sweep", "launches", "sweep"));
}

TEST(Protocol, OnlyTrafficIsCountedInTheDeferredRange) {
  Journal journal;
  FakeCounterSource source(1, constant);
  measure_program(source, journal.program(), one_repeat(CacheState::cold, {Quantity::sram_read}));
  EXPECT_THAT(journal.lines, ElementsAre("sweep", "launches"));
}

TEST(Protocol, WarmRunsTheProgramBetweenSweepAndRange) {
  Journal journal;
  FakeCounterSource source(1, constant);
  measure_program(source, journal.program(), one_repeat(CacheState::warm, {Quantity::hbm_write}));
  EXPECT_THAT(journal.lines, ElementsAre("sweep", "launches", "launches", "sweep"));
}

// Keeps what a source was asked to run, to look at the ranges themselves.
class ReplayCatcher : public CounterSource {
 public:
  CounterReadings measure(std::span<const Quantity>, const Replay& replay) override {
    replay_ = replay;
    return {{{}, {}}, {}, 1};
  }
  Replay replay_;
};

TEST(Protocol, TheProgramRangeHoldsTheLaunchesAndNothingElse) {
  Journal journal;
  ReplayCatcher source;
  const MeasuredProgram program = journal.program();
  measure_program(source, program, one_repeat(CacheState::cold, {Quantity::hbm_read}));
  ASSERT_EQ(source.replay_.ranges.size(), 2U);
  EXPECT_EQ(source.replay_.ranges[0].name, "program");
  EXPECT_EQ(source.replay_.ranges[1].name, "deferred");
  source.replay_.ranges[0].body();
  EXPECT_THAT(journal.lines, ElementsAre("launches"));
  source.replay_.ranges[1].body();
  EXPECT_THAT(journal.lines, ElementsAre("launches", "sweep"));
}

TEST(Protocol, EveryQuantityLandsInItsField) {
  Journal journal;
  FakeCounterSource source(1, [](Quantity quantity, const std::string& range, int) -> std::optional<double> {
    return 100.0 * (static_cast<int>(quantity) + 1) + (range == kDeferredRange ? 7 : 0);
  });
  const Measurement m = measure_program(source, journal.program()).measurement;
  const auto expected = [](Quantity quantity) {
    return static_cast<std::uint64_t>(100 * (static_cast<int>(quantity) + 1));
  };
  EXPECT_EQ(m.hbm_read_bytes, expected(Quantity::hbm_read));
  EXPECT_EQ(m.hbm_write_bytes, expected(Quantity::hbm_write));
  EXPECT_EQ(m.hbm_deferred_write_bytes, expected(Quantity::hbm_write) + 7);
  EXPECT_EQ(m.l2_read_bytes, expected(Quantity::l2_read));
  EXPECT_EQ(m.l2_write_bytes, expected(Quantity::l2_write));
  EXPECT_EQ(m.sram_read_bytes, expected(Quantity::sram_read));
  EXPECT_EQ(m.sram_write_bytes, expected(Quantity::sram_write));
  EXPECT_EQ(m.local_bytes, expected(Quantity::local_read) + expected(Quantity::local_write));
  EXPECT_EQ(m.time_s, std::nullopt) << "time never comes from a run with counters";
}

TEST(Protocol, RepeatsGiveMedianAndSpread) {
  Journal journal;
  FakeCounterSource source(1, [](Quantity, const std::string&, int call) {
    return std::array{1200.0, 1000.0, 900.0}.at(static_cast<std::size_t>(call));
  });
  const ProtocolResult result = measure_program(source, journal.program(), {CacheState::cold, 3});
  EXPECT_EQ(result.measurement.hbm_read_bytes, 1000U);
  EXPECT_DOUBLE_EQ(result.hbm_spread.value(), 0.3);
  EXPECT_EQ(result.repeats, 3);
  EXPECT_EQ(result.passes, 3 + 1 + 1) << "three counter sets first, then traffic only";
  EXPECT_EQ(result.note, "");
}

TEST(Protocol, SaysHowManyRepeatsRan) {
  Journal journal;
  FakeCounterSource source(1, constant);
  const ProtocolResult result =
      measure_program(source, journal.program(), {CacheState::cold, 3, {Quantity::sram_read}});
  EXPECT_EQ(result.repeats, 1) << "nothing of what is asked for differs between repeats";
  EXPECT_EQ(result.passes, 1);
}

TEST(Protocol, AnUnreadableCounterIsAbsentWithTheReason) {
  Journal journal;
  FakeCounterSource source(1, [](Quantity quantity, const std::string&, int) -> std::optional<double> {
    if (quantity == Quantity::sram_read) return std::nullopt;
    return 5.0;
  });
  const ProtocolResult result = measure_program(source, journal.program());
  EXPECT_EQ(result.measurement.sram_read_bytes, std::nullopt);
  EXPECT_EQ(result.measurement.sram_write_bytes, 5U);
  EXPECT_EQ(result.note, "sram_read absent: the script has no value");
}

TEST(Protocol, ACounterThatFailsOnceIsAbsentAndAZeroIsAZero) {
  Journal journal;
  FakeCounterSource source(1, [](Quantity quantity, const std::string&, int call) -> std::optional<double> {
    if (quantity == Quantity::hbm_read && call == 1) return std::nullopt;
    return 0.0;
  });
  const ProtocolResult result = measure_program(source, journal.program());
  EXPECT_EQ(result.measurement.hbm_read_bytes, std::nullopt);
  EXPECT_EQ(result.hbm_spread, std::nullopt);
  EXPECT_EQ(result.measurement.hbm_write_bytes, 0U);
  EXPECT_THAT(result.note, HasSubstr("hbm_read absent"));
}

TEST(Protocol, HalfOfTheSpillsIsNotTheSpills) {
  Journal journal;
  FakeCounterSource source(1, [](Quantity quantity, const std::string&, int) -> std::optional<double> {
    if (quantity == Quantity::local_write) return std::nullopt;
    return 64.0;
  });
  EXPECT_EQ(measure_program(source, journal.program()).measurement.local_bytes, std::nullopt);
}

TEST(Protocol, AFailedLaunchPassesThrough) {
  FakeCounterSource source(1, constant);
  const MeasuredProgram program{[] { throw std::runtime_error("launch failed"); }, [] {}};
  EXPECT_THROW(measure_program(source, program), std::runtime_error);
}

TEST(Protocol, RefusesNoRepeats) {
  Journal journal;
  FakeCounterSource source(1, constant);
  EXPECT_THROW(measure_program(source, journal.program(), {CacheState::cold, 0}), UserError);
}

}  // namespace
}  // namespace hbmscope
