#include "sim/record.h"

#include <gtest/gtest.h>

#include "sim/error.h"

namespace hbmscope {
namespace {

Record both_sides() {
  Record record;
  record.prediction = Prediction{.hbm_read_bytes = 90,
                                 .hbm_write_bytes = 50,
                                 .l2_read_bytes = 200,
                                 .l2_write_bytes = 100,
                                 .sram_read_bytes = 1000,
                                 .time_s = 0.5};
  record.measurement = Measurement{.hbm_read_bytes = 100,
                                   .hbm_write_bytes = 10,
                                   .hbm_deferred_write_bytes = 40,
                                   .l2_read_bytes = 160,
                                   .l2_write_bytes = 100,
                                   .sram_read_bytes = 800,
                                   .sram_write_bytes = 700,
                                   .time_s = 1.0};
  return record;
}

}  // namespace

TEST(Errors, ArePredictedOverMeasuredMinusOne) {
  const Errors errors = errors_of(both_sides());
  EXPECT_DOUBLE_EQ(errors.hbm_read.value(), -0.1);
  EXPECT_DOUBLE_EQ(errors.hbm_write.value(), 0.0);  // the deferred 40 count
  EXPECT_DOUBLE_EQ(errors.l2_read.value(), 0.25);
  EXPECT_DOUBLE_EQ(errors.l2_write.value(), 0.0);
  EXPECT_DOUBLE_EQ(errors.sram_read.value(), 0.25);
  EXPECT_FALSE(errors.sram_write.has_value());  // not predicted
  EXPECT_DOUBLE_EQ(errors.time.value(), -0.5);
}

TEST(Errors, AreAbsentWhereASideIs) {
  Record record = both_sides();
  record.measurement->l2_read_bytes.reset();
  record.measurement->hbm_deferred_write_bytes.reset();
  record.measurement->l2_write_bytes = 0;
  record.measurement->time_s = 0.0;
  const Errors errors = errors_of(record);
  EXPECT_FALSE(errors.l2_read.has_value());
  EXPECT_FALSE(errors.hbm_write.has_value());
  EXPECT_FALSE(errors.l2_write.has_value());
  EXPECT_FALSE(errors.time.has_value());
  EXPECT_TRUE(errors.hbm_read.has_value());

  record.measurement.reset();
  EXPECT_FALSE(errors_of(record).hbm_read.has_value());
  record = both_sides();
  record.prediction.reset();
  EXPECT_FALSE(errors_of(record).hbm_read.has_value());
}

TEST(Measurement, DeferredWritesOverflowIsAnError) {
  Measurement measurement{.hbm_write_bytes = ~std::uint64_t{0}, .hbm_deferred_write_bytes = 1};
  EXPECT_THROW(total_hbm_write_bytes(measurement), UserError);
}

TEST(RecordNames, ParseWhatTheyPrint) {
  for (Status status : {Status::ok, Status::skipped, Status::failed})
    EXPECT_EQ(parse_status(to_string(status)), status);
  for (Order order : {Order::q_fastest, Order::head_fastest}) EXPECT_EQ(parse_order(to_string(order)), order);
  for (Walk walk : {Walk::up, Walk::down, Walk::alternating}) EXPECT_EQ(parse_walk(to_string(walk)), walk);
  for (L2Mode mode : {L2Mode::none, L2Mode::model, L2Mode::replay})
    EXPECT_EQ(parse_l2_mode(to_string(mode)), mode);
  for (CacheState state : {CacheState::cold, CacheState::warm}) {
    EXPECT_EQ(parse_cache_state(to_string(state)), state);
  }
  for (Boundary boundary : {Boundary::hbm, Boundary::l2, Boundary::sram}) {
    EXPECT_EQ(parse_boundary(to_string(boundary)), boundary);
  }
  EXPECT_FALSE(parse_status("fine").has_value());
}

}  // namespace hbmscope
