// What must hold for every program: closed forms are sums over the stream, and caches lie between no cache
// and an infinite one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/traffic.h"
#include "tests/sim/random_programs.h"
#include "tests/sim/replay.h"

namespace hbmscope::test {
namespace {

class Identities : public testing::TestWithParam<Builder> {};

INSTANTIATE_TEST_SUITE_P(Programs, Identities, testing::ValuesIn(all_builders()), [](const auto& builder) {
  std::string name = builder.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

void expect_same(const ReadWrite& closed, const ReadWrite& replayed, const std::string& where) {
  RC_LOG(where);
  RC_ASSERT(closed.read == replayed.read);
  RC_ASSERT(closed.write == replayed.write);
}

std::uint64_t sum(const ReadWrite& bytes) { return bytes.read + bytes.write; }

}  // namespace

TEST_P(Identities, ProgramIsWellFormed) {
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    check_program(built.program);
  }));
}

TEST_P(Identities, ClosedFormsAreSumsOverTheStream) {
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    Traffic replayed;
    replay_traffic(built.program, replayed);
    for (int launch = 0; launch < built.program.launches.count(); ++launch) {
      for (int tensor = 0; tensor < built.program.tensors.count(); ++tensor) {
        const TensorTraffic& a = closed.launches[launch].tensors[tensor];
        const TensorTraffic& b = replayed.launches[launch].tensors[tensor];
        const std::string where = std::string(built.program.launches[launch].name) + ", tensor " +
                                  std::string(built.program.tensors[tensor].name);
        expect_same(a.l2, b.l2, "l2 of " + where);
        expect_same(a.io, b.io, "io of " + where);
        expect_same(a.compulsory, b.compulsory, "compulsory of " + where);
      }
    }
  }));
}

TEST_P(Identities, ArithmeticIsASumOverTheIterations) {
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    Arithmetic sum;
    for (const LaunchTraffic& launch : closed.launches) {
      sum.flops += launch.flops;
      sum.executed_flops += launch.executed_flops;
      sum.exponentials += launch.exponentials;
    }
    const Arithmetic replayed = replay_arithmetic(built.program);
    RC_ASSERT(sum.flops == replayed.flops);
    RC_ASSERT(sum.executed_flops == replayed.executed_flops);
    RC_ASSERT(sum.exponentials == replayed.exponentials);
  }));
}

TEST_P(Identities, HbmBytesNeverGrowWithTheCache) {
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    const TensorTraffic total = total_of(closed);
    const SegmentStream stream(built.program);

    LruTraffic smaller = stream.replay(0);
    RC_ASSERT(smaller.load_bytes + smaller.reduce_bytes == total.io.read);
    RC_ASSERT(smaller.write_bytes == total.io.write);
    const std::uint64_t everything = stream.distinct_bytes();
    for (const std::uint64_t part : {64U, 16U, 8U, 4U, 3U, 2U, 1U}) {
      const LruTraffic larger = stream.replay(everything / part);
      RC_ASSERT(larger.load_bytes + larger.reduce_bytes <= smaller.load_bytes + smaller.reduce_bytes);
      RC_ASSERT(larger.write_bytes <= smaller.write_bytes);
      RC_ASSERT(larger.load_bytes <= total.l2.read);
      smaller = larger;
    }
    RC_ASSERT(smaller.load_bytes + smaller.reduce_bytes == total.compulsory.read);
    RC_ASSERT(smaller.write_bytes == total.compulsory.write);
  }));
}

TEST_P(Identities, CountsAreOrdered) {
  EXPECT_TRUE(rc::check([&] {
    const BuiltProgram built = GetParam()(*any_plan());
    Traffic closed;
    count_traffic(built.program, closed);
    const TensorTraffic total = total_of(closed);
    RC_ASSERT(sum(total.compulsory) <= sum(total.io));
    RC_ASSERT(total.compulsory.read <= total.l2.read);
    RC_ASSERT(total.compulsory.write <= footprint_bytes(built.program));
    for (const LaunchTraffic& launch : closed.launches) RC_ASSERT(launch.executed_flops >= launch.flops);
  }));
}

}  // namespace hbmscope::test
