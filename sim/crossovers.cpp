#include "sim/crossovers.h"

#include <array>
#include <optional>
#include <string>

#include "sim/error.h"

namespace hbmscope {
namespace {

bool always(const Point& /*point*/) { return true; }

// Sizes that follow another one by default go with it as long as they are equal.
void set_seqlen(Point& point, std::int64_t value) {
  Problem& problem = point.problem;
  if (problem.seqlen_kv == problem.seqlen_q) problem.seqlen_kv = value;
  problem.seqlen_q = value;
}

void set_head_dim(Point& point, std::int64_t value) {
  Problem& problem = point.problem;
  if (problem.head_dim_v == problem.head_dim) problem.head_dim_v = value;
  problem.head_dim = value;
}

constexpr std::array kAxes{
    ScannedAxis{"seqlen", 64, 65536, 64, set_seqlen, always},
    ScannedAxis{"seqlen-kv", 64, 65536, 64,
                [](Point& point, std::int64_t value) { point.problem.seqlen_kv = value; },
                [](const Point& point) { return point.problem.seqlen_kv != point.problem.seqlen_q; }},
    ScannedAxis{"head-dim", 16, 256, 16, set_head_dim, always},
    ScannedAxis{"batch", 1, 64, 1, [](Point& point, std::int64_t value) { point.problem.batch = value; },
                always},
    ScannedAxis{"br", 16, 256, 16, [](Point& point, std::int64_t value) { point.tile.br = value; }, always},
    ScannedAxis{"bc", 16, 256, 16, [](Point& point, std::int64_t value) { point.tile.bc = value; }, always},
};

// A prediction, and what makes it comparable with another one.
struct Limit {
  bool feasible = false;
  bool knows_sram = false;
  std::string limiter;
};

// Absent where counts exceed 64 bits.
std::optional<Limit> limit_of(const PointContext& context, const Point& point, PredictionScratch& scratch) {
  const Plan plan{point.problem, point.tile, point.order, point.kv_walk};
  const L2Mode mode = point.l2_mode == L2Mode::replay ? L2Mode::model : point.l2_mode;
  try {
    Prediction prediction = predict(context, plan, mode, scratch);
    return Limit{context.variant->has_kernel && infeasible_reason(context, plan, scratch.program).empty(),
                 prediction.sram_read_bytes.has_value(), std::move(prediction.limiter)};
  } catch (const UserError&) {
    return std::nullopt;
  }
}

bool comparable(const Limit& limit, const Limit& base) {
  return base.feasible ? limit.feasible : limit.knows_sram == base.knows_sram;
}

void append(CrossoverRow& row, std::int64_t value, std::string&& limiter) {
  ++row.counted;
  if (row.stretches.empty() || row.stretches.back().limiter != limiter) {
    row.stretches.push_back({value, value, std::move(limiter)});
  } else {
    row.stretches.back().last = value;
  }
}

CrossoverRow scan(const PointContext& context, const Point& point, const Limit& base, const ScannedAxis& axis,
                  PredictionScratch& scratch) {
  CrossoverRow row{std::string(axis.name), axis.first, axis.last, axis.step, 0, {}};
  for (std::int64_t value = axis.first; value <= axis.last; value += axis.step) {
    Point moved = point;
    axis.set(moved, value);
    std::optional<Limit> limit = limit_of(context, moved, scratch);
    if (limit && comparable(*limit, base)) append(row, value, std::move(limit->limiter));
  }
  return row;
}

}  // namespace

std::span<const ScannedAxis> scanned_axes() { return kAxes; }

std::vector<CrossoverRow> find_crossovers(const PointContext& context, const Point& point,
                                          PredictionScratch& scratch) {
  std::vector<CrossoverRow> rows;
  const std::optional<Limit> base = limit_of(context, point, scratch);
  if (!base) return rows;
  for (const ScannedAxis& axis : kAxes) {
    if (axis.applies(point)) rows.push_back(scan(context, point, *base, axis, scratch));
  }
  return rows;
}

}  // namespace hbmscope
