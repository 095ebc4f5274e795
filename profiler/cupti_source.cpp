#include "profiler/cupti_source.h"

#include <cmath>
#include <optional>
#include <utility>

#include "profiler/cupti_library.h"

namespace hbmscope {
namespace {

struct PlannedSum {
  Quantity quantity;
  std::span<const MetricTerm> terms;
  std::size_t first;  // where its metrics stand in the plan
};

}  // namespace

// One configuration: the quantities that this chip can count, and why it cannot count the others.
struct CuptiCounterSource::SetPlan {
  std::vector<PlannedSum> sums;
  std::map<Quantity, std::string> absent;
  std::optional<MetricPlan> plan;  // absent if there is nothing to count
};

CuptiCounterSource::CuptiCounterSource(const Device& device) : session_(device) {}
CuptiCounterSource::~CuptiCounterSource() = default;

const CuptiCounterSource::SetPlan& CuptiCounterSource::plan_for(const std::vector<Quantity>& quantities) {
  std::unique_ptr<SetPlan>& slot = plans_[quantities];
  if (slot) return *slot;
  auto set = std::make_unique<SetPlan>();
  std::vector<std::string> metrics;
  for (const Quantity quantity : quantities) {
    const MetricLookup lookup = find_metric_sum(quantity, session_.host().chip());
    if (lookup.sum == nullptr) {
      set->absent[quantity] = lookup.reason;
      continue;
    }
    const std::vector<std::string> own = metric_names(*lookup.sum);
    try {
      session_.host().plan(own);  // alone first: a counter that this GPU lacks must not take the others along
    } catch (const CuptiError& error) {
      set->absent[quantity] = error.what();
      continue;
    }
    set->sums.push_back({quantity, lookup.sum->terms, metrics.size()});
    metrics.insert(metrics.end(), own.begin(), own.end());
  }
  if (!metrics.empty()) set->plan.emplace(session_.host().plan(metrics));
  slot = std::move(set);
  return *slot;
}

void CuptiCounterSource::measure_set(const std::vector<Quantity>& quantities, const Replay& replay,
                                     CounterReadings& readings) {
  const SetPlan& set = plan_for(quantities);
  readings.absent.insert(set.absent.begin(), set.absent.end());
  if (!set.plan) return;
  const RangeValues measured = session_.measure(*set.plan, replay);
  readings.passes += measured.passes;
  for (std::size_t range = 0; range < measured.values.size(); ++range) {
    for (const PlannedSum& sum : set.sums) {
      double total = 0;
      for (std::size_t i = 0; i < sum.terms.size(); ++i) {
        total += sum.terms[i].factor * measured.values[range][sum.first + i];
      }
      if (std::isfinite(total)) {
        readings.ranges[range][sum.quantity] = total;
      } else {
        readings.absent[sum.quantity] = "CUPTI collected no value in range " + replay.ranges[range].name;
      }
    }
  }
}

CounterReadings CuptiCounterSource::measure(std::span<const Quantity> quantities, const Replay& replay) {
  CounterReadings readings;
  readings.ranges.resize(replay.ranges.size());
  for (const CounterSet set : {CounterSet::traffic, CounterSet::pipes, CounterSet::patched}) {
    const std::vector<Quantity> members = quantities_of(set, quantities);
    if (members.empty()) continue;
    // What the SMs' own instruments count matters for the program alone: the sweep that follows is ours.
    const bool first_only = set != CounterSet::traffic;
    try {
      measure_set(members, first_only ? Replay{replay.prepare, {replay.ranges.front()}} : replay, readings);
    } catch (const CounterError& error) {
      for (const Quantity quantity : members) readings.absent[quantity] = error.what();
    }
  }
  for (const auto& [quantity, reason] : readings.absent) {
    for (auto& range : readings.ranges) range.erase(quantity);
  }
  return readings;
}

}  // namespace hbmscope
