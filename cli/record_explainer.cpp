#include "cli/record_explainer.h"

#include <algorithm>
#include <utility>

#include "sim/error.h"
#include "sim/l2/hbm_reasons.h"
#include "sim/l2/l2_model.h"
#include "sim/l2/timeline.h"

namespace hbmscope {
namespace {

// What a timeline may cost that nobody asked for: five to eleven replays of so many blocks take a second.
constexpr std::uint64_t kQuicklyReplayedBlocks = std::uint64_t{1} << 20;

Plan plan_of(const Point& point) { return {point.problem, point.tile, point.order, point.kv_walk}; }

// Bytes at DRAM, measured or else predicted, over the compulsory ones.
double excess_of(const Record& record) {
  const Prediction& prediction = *record.prediction;
  double moved =
      static_cast<double>(prediction.hbm_read_bytes) + static_cast<double>(prediction.hbm_write_bytes);
  if (record.measurement && record.measurement->hbm_read_bytes) {
    if (const auto written = total_hbm_write_bytes(*record.measurement))
      moved = static_cast<double>(*record.measurement->hbm_read_bytes) + static_cast<double>(*written);
  }
  return moved / std::max(1.0, static_cast<double>(prediction.compulsory_bytes));
}

}  // namespace

std::optional<PointContext> RecordExplainer::prepare(const Record& record) {
  const Point& point = record.point;
  const auto gpu =
      std::find_if(gpus_.begin(), gpus_.end(), [&](const GpuSpec& each) { return each.name == point.gpu; });
  if (gpu == gpus_.end()) return std::nullopt;
  try {
    const Algorithm& algorithm = find_algorithm(point.algorithm);
    const Variant& variant = find_variant(algorithm, point.variant);
    check_plan(algorithm, variant, plan_of(point));
    build_program(algorithm, variant, plan_of(point), scratch_.program);
    count_traffic(scratch_.program, scratch_.traffic);
    return PointContext{&*gpu, &algorithm, &variant};
  } catch (const UserError&) {  // of another version
    return std::nullopt;
  }
}

void RecordExplainer::add_reasons(Record& record) {
  if (!record.prediction || !record.hbm_reasons.empty()) return;
  const std::optional<PointContext> context = prepare(record);
  if (!context) return;
  record.hbm_reasons =
      hbm_reasons({.program = scratch_.program, .traffic = scratch_.traffic, .gpu = *context->gpu});
}

bool RecordExplainer::add_timeline(Record& record) {
  const std::optional<PointContext> context = prepare(record);
  if (!context || !record.prediction || record.point.cache_state == CacheState::warm) return false;
  predict(*context, plan_of(record.point), L2Mode::replay, scratch_);
  record.timeline =
      replay_timeline(scratch_.program, scratch_.traffic, *context->gpu, scratch_.hbm.seed.value());
  return true;
}

void RecordExplainer::add_one_timeline(std::vector<Record>& records) {
  std::vector<Record*> candidates;
  for (Record& record : records) {
    if (record.timeline) return;
    if (record.prediction && record.status == Status::ok) candidates.push_back(&record);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Record* a, const Record* b) { return excess_of(*a) > excess_of(*b); });
  for (Record* record : candidates) {
    if (!prepare(*record) || replayed_blocks(scratch_.program, scratch_.traffic) > kQuicklyReplayedBlocks)
      continue;
    try {
      if (add_timeline(*record)) return;
    } catch (const PointError&) {  // too large in another way
    }
  }
}

}  // namespace hbmscope
