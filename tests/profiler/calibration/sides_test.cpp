#include "profiler/calibration/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <stdexcept>

#include "tests/profiler/calibration/recorded_probe.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

std::vector<int> recorded_sides() {
  std::vector<int> sides;
  for (const auto& row : recorded_probe("sm_sides.csv")) sides.push_back(std::stoi(row.at("side")));
  return sides;
}

SmOrder recorded_order(const std::string& ctas, const std::string& shared_bytes) {
  SmOrder order;
  for (const auto& row : recorded_probe("sm_order.csv")) {
    if (row.at("ctas") == ctas && row.at("shared_bytes") == shared_bytes)
      order.push_back(std::stoi(row.at("sm")));
  }
  return order;
}

LineShares recorded_shares(const std::string& experiment, const std::string& side) {
  for (const auto& row : recorded_probe("states.csv")) {
    if (row.at("experiment") == experiment && row.at("asking_side") == side)
      return {std::stod(row.at("near")), std::stod(row.at("far")), std::stod(row.at("dram"))};
  }
  throw std::runtime_error("not recorded: " + experiment);
}

}  // namespace

TEST(Sides, AreThoseOfTheRecordedSms) {
  std::vector<double> far_shares;
  for (const auto& row : recorded_probe("sm_sides.csv")) far_shares.push_back(std::stod(row.at("far_share")));
  EXPECT_EQ(far_shares.size(), 132U);
  EXPECT_EQ(sides_of(far_shares), recorded_sides());
}

TEST(Sides, RefuseAShareThatIsNeither) {
  EXPECT_THROW(sides_of(std::vector<double>{0, 0.5, 0.25}), std::runtime_error);
  EXPECT_THROW(sides_of(std::vector<double>{0, 0.9}), std::runtime_error);
}

TEST(HomeRule, FindsTheParityOfAddressBits) {
  const std::vector<int> bits{12, 13, 15, 17, 19, 21, 22};
  std::size_t mask = 0;
  for (const int bit : bits) mask |= std::size_t{1} << (bit - 7);
  std::vector<int> home;
  for (std::size_t line = 0; line < 65536; ++line)
    home.push_back(std::popcount(line & mask) % 2 == 0 ? -1 : 1);
  for (std::size_t line = 0; line < 65536; line += 50) home[line] = 0;  // not to be told
  for (std::size_t line = 7; line < 65536; line += 997) home[line] *= -1;
  const HomeRule rule = home_rule(home);
  EXPECT_EQ(rule.address_bits, bits);
  EXPECT_EQ(rule.lines, 65536U - 1311);
  EXPECT_GT(rule.share_explained, 0.998);
  EXPECT_EQ(text_of(rule), "parity of address bits 12, 13, 15, 17, 19, 21, 22");
}

TEST(HomeRule, SaysNothingOfHomesThatFollowNone) {
  std::vector<int> home;
  for (std::size_t line = 0; line < 65536; ++line) home.push_back(line * line / 7 % 3 == 0 ? 1 : -1);
  EXPECT_THROW(text_of(home_rule(home)), std::runtime_error);
  EXPECT_THROW(text_of(home_rule(std::vector<int>(1024, 0))), std::runtime_error);
}

TEST(Copies, AreTwoWhereBothSidesKeepWhatAllRead) {
  const std::string read = "8 MiB read by all";
  EXPECT_EQ(copies_of(recorded_shares(read, "A"), recorded_shares(read, "B")), 2);
  EXPECT_EQ(copies_of({.near = 0.49, .far = 0.51}, {.near = 0.52, .far = 0.48}), 1);
  const std::string written = "8 MiB written by all";  // three quarters are near: neither
  EXPECT_THROW(copies_of(recorded_shares(written, "A"), recorded_shares(written, "B")), std::runtime_error);
}

// Nine runs, as %smid says for one CTA on each SM; four of the first eight SMs are a GPC of their own, which
// stands on both sides.
TEST(SmRuns, AreThoseOfTheRecordedOrder) {
  const std::vector<SmRun> runs =
      sm_runs_of(recorded_order("132", "204800"), recorded_order("32", "204800"), recorded_sides());
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const SmRun& run : runs) found.emplace_back(run.sms, run.side);
  EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                       {8, 0}, {16, 0}, {16, 1}, {18, 1}, {18, 0}, {8, 0}, {16, 1}, {16, 1}, {16, 0}}));
}

TEST(SmRuns, RefuseAnOrderThatMissesAnSm) {
  SmOrder full = recorded_order("132", "204800");
  full.back() = full.front();
  EXPECT_THROW(sm_runs_of(full, {}, recorded_sides()), std::runtime_error);
}

}  // namespace hbmscope
