#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "sim/record.h"

namespace hbmscope {

// Text with everything that CSV and JSON must escape, and letters of several bytes; perhaps empty.
inline std::string random_text() {
  const auto parts = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", "7", " ", ",", "\"", "\"\"", "'", "\n", "\r\n", "\r", "\t", "\\",
                                    "<", "é", "→", "=", ":", "{", "]"));
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

inline std::string random_name() { return "n" + random_text(); }

inline double random_real() {
  const auto value = std::bit_cast<double>(*rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>()));
  return std::isfinite(value) ? std::abs(value) : 0.1;
}

// Half of what fits: two of them are added up for the measured HBM writes.
inline std::uint64_t random_bytes() { return *rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>()) / 2; }

template <class Make>
auto random_optional(Make make) -> std::optional<decltype(make())> {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return make();
}

inline std::int64_t random_size(std::int64_t largest = kLargestSize) {
  return *rc::gen::inRange<std::int64_t>(1, largest + 1);
}

inline std::int64_t random_number() {
  return *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
}

inline Problem random_problem() {
  Problem problem;
  problem.kv_heads = random_size(64);
  problem.heads = problem.kv_heads * random_size(64);
  problem.batch = random_size();
  problem.seqlen_q = random_size();
  problem.seqlen_kv = random_size();
  problem.head_dim = random_size();
  problem.head_dim_v = random_size();
  problem.dtype = *rc::gen::element(DataType::fp32, DataType::bf16, DataType::fp16, DataType::fp8);
  problem.mask = *rc::gen::element(Mask::full, Mask::causal, Mask::window);
  problem.window = problem.mask == Mask::window ? random_size() : 0;
  problem.page_size = *rc::gen::element<std::int64_t>(0, 16, 256);
  problem.direction = *rc::gen::element(Direction::forward, Direction::backward, Direction::both);
  return problem;
}

inline Prediction random_prediction() {
  return {.hbm_read_bytes = random_bytes(),
          .hbm_write_bytes = random_bytes(),
          .l2_read_bytes = *rc::gen::arbitrary<std::uint64_t>(),
          .l2_write_bytes = random_bytes(),
          .sram_read_bytes = random_optional(random_bytes),
          .sram_write_bytes = random_optional(random_bytes),
          .io_bytes = random_bytes(),
          .compulsory_bytes = random_bytes(),
          .footprint_bytes = random_bytes(),
          .flops = random_bytes(),
          .executed_flops = random_bytes(),
          .time_s = random_real(),
          .limiter = random_text()};
}

inline Measurement random_measurement() {
  return {.hbm_read_bytes = random_optional(random_bytes),
          .hbm_write_bytes = random_optional(random_bytes),
          .hbm_deferred_write_bytes = random_optional(random_bytes),
          .l2_read_bytes = random_optional(random_bytes),
          .l2_write_bytes = random_optional(random_bytes),
          .sram_read_bytes = random_optional(random_bytes),
          .sram_write_bytes = random_optional(random_bytes),
          .local_bytes = random_optional(random_bytes),
          .time_s = random_optional(random_real),
          .time_spread = random_optional(random_real),
          .max_error = random_optional(random_real)};
}

inline Provenance random_provenance() {
  const auto number = random_number;
  Provenance provenance{.source = random_text(),
                        .gpu = random_text(),
                        .driver = random_text(),
                        .cuda = random_text(),
                        .date = random_text(),
                        .hbmscope = random_text(),
                        .sm_clock_mhz_before = random_optional(number),
                        .sm_clock_mhz_after = random_optional(number),
                        .memory_clock_mhz = random_optional(number),
                        .passes = random_optional(number),
                        .repeats = random_optional(number),
                        .hbm_spread = random_optional(random_real),
                        .registers = random_optional(number),
                        .spill_bytes = random_optional(number),
                        .note = random_text()};
  provenance.stale = !provenance.source.empty() && *rc::gen::arbitrary<bool>();
  return provenance;
}

inline TrafficRow random_traffic_row() {
  TrafficRow row{.launch = random_text(),
                 .tensor = random_text(),
                 .boundary = *rc::gen::element(Boundary::hbm, Boundary::l2, Boundary::sram),
                 .read_bytes = random_bytes(),
                 .write_bytes = random_bytes()};
  if (row.boundary == Boundary::l2) {
    row.io_read_bytes = random_optional(random_bytes);
    row.io_write_bytes = random_optional(random_bytes);
  }
  return row;
}

inline LaunchRow random_launch_row() {
  return {.launch = random_text(),
          .kernel = random_optional(random_text),
          .ctas = random_optional(random_number),
          .threads = random_optional(random_number),
          .shared_bytes = random_optional(random_number),
          .ctas_per_sm = random_optional(random_number),
          .limited_by = random_optional(random_text),
          .waves = random_optional(random_real),
          .flops = random_bytes(),
          .executed_flops = random_bytes(),
          .exponentials = random_bytes(),
          .time_s = random_optional(random_real),
          .limiter = random_optional(random_text)};
}

inline RoofRow random_roof_row() {
  return {.roof = random_text(),
          .demand = random_bytes(),
          .rate_per_s = random_real(),
          .time_s = random_real(),
          .binds_s = random_real()};
}

inline CrossoverRow random_crossover_row() {
  CrossoverRow row{.axis = random_text(),
                   .first = random_number(),
                   .last = random_number(),
                   .step = random_number(),
                   .counted = random_number(),
                   .stretches = {}};
  const int stretches = *rc::gen::inRange(0, 3);
  for (int i = 0; i < stretches; ++i)
    row.stretches.push_back({random_number(), random_number(), random_text()});
  return row;
}

inline Timeline random_timeline() {
  Timeline timeline{.seed = random_bytes(),
                    .hbm_read_bytes = random_bytes(),
                    .hbm_write_bytes = random_bytes(),
                    .effective_bytes = random_bytes(),
                    .launches = {}};
  const int launches = *rc::gen::inRange(0, 3);
  for (int i = 0; i < launches; ++i) {
    LaunchTimeline launch{.launch = random_text(), .accesses = random_bytes(), .steps = {}};
    const int steps = *rc::gen::inRange(0, 3);
    for (int step = 0; step < steps; ++step) {
      launch.steps.push_back({random_bytes(), random_bytes(), random_bytes(), random_bytes(), random_bytes(),
                              random_bytes(), random_bytes(), random_bytes()});
    }
    timeline.launches.push_back(std::move(launch));
  }
  return timeline;
}

// Any record that may be written, as far as text, numbers and absent values go; the numbers make no sense.
inline Record random_record() {
  Record record;
  record.point.gpu = random_name();
  record.point.algorithm = random_name();
  record.point.variant = random_name();
  record.point.problem = random_problem();
  record.point.tile = {random_size(), random_size(), random_size(), random_size()};
  record.point.order = *rc::gen::element(Order::q_fastest, Order::head_fastest);
  record.point.kv_walk = *rc::gen::element(Walk::up, Walk::down, Walk::alternating);
  record.point.l2_mode = *rc::gen::element(L2Mode::none, L2Mode::model, L2Mode::replay);
  record.point.cache_state = *rc::gen::element(CacheState::cold, CacheState::warm);
  record.point.placement = random_number();
  record.point.seed = random_number();
  record.kernel_hash = random_text();
  record.status = *rc::gen::element(Status::ok, Status::skipped, Status::failed);
  record.feasible = *rc::gen::element<std::optional<bool>>(std::nullopt, false, true);
  record.reason = random_text();
  record.prediction = random_optional(random_prediction);
  record.measurement = random_optional(random_measurement);
  record.provenance = random_provenance();
  const int rows = *rc::gen::inRange(0, 3);
  for (int i = 0; i < rows; ++i) {
    record.traffic.push_back(random_traffic_row());
    record.launches.push_back(random_launch_row());
    record.roofs.push_back(random_roof_row());
    record.crossovers.push_back(random_crossover_row());
    record.hbm_reasons.push_back(random_text());
  }
  record.timeline = random_optional(random_timeline);
  return record;
}

}  // namespace hbmscope
