#include "sim/l2/replay_values.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace hbmscope {
namespace {

using Value = std::optional<SourcedValue>;

struct Assumable {
  std::string_view name;
  const Value& (*of)(const GpuSpec& gpu);
};

const Value& ways_of(const GpuSpec& gpu) { return gpu.l2().ways; }
const Value& stretch_of(const GpuSpec& gpu) { return gpu.l2().stretch_bytes; }
const Value& dirty_share_of(const GpuSpec& gpu) { return gpu.l2().dirty_share; }
const Value& younger_rate_of(const GpuSpec& gpu) { return gpu.younger_cta_rate; }
const Value& lone_rate_of(const GpuSpec& gpu) { return gpu.lone_cta_rate; }
const Value& shared_step_of(const GpuSpec& gpu) { return gpu.shared_step_deviation; }
const Value& lone_sm_of(const GpuSpec& gpu) { return gpu.lone_sm_deviation; }
const Value& gpc_clock_of(const GpuSpec& gpu) { return gpu.gpc_clock_deviation; }

constexpr Assumable kWays{"ways", ways_of};
constexpr Assumable kStretch{"stretch", stretch_of};
constexpr Assumable kDirtyShare{"dirty share", dirty_share_of};
constexpr Assumable kYounger{"rate of the younger CTA", younger_rate_of};
constexpr Assumable kLone{"rate of a lone CTA", lone_rate_of};
constexpr Assumable kSharedStep{"deviation of steps", shared_step_of};
constexpr Assumable kLoneSm{"deviation of lone SMs", lone_sm_of};
constexpr Assumable kGpcClock{"deviation of clocks", gpc_clock_of};

// The only GPU on which all of them were measured.
const GpuSpec& stand_in() {
  static const GpuSpec h200 = load_gpu("h200");
  return h200;
}

// What a kernel is compiled for; 0 for a launch without it.
std::int64_t compiled_for(const Launch& launch, std::string_view name) {
  for (const Macro& macro : launch.macros) {
    if (macro.name == name) return macro.value;
  }
  return 0;
}

// Kernels that are not compiled for it have one build.
template <class T>
bool fits(const std::optional<T>& build, const Launch& launch, std::string_view name) {
  return !build || static_cast<std::int64_t>(*build) == compiled_for(launch, name);
}

// Of the builds that fit the one with the nearest Bc; the first of all if none fits.
CtaRates rates_of(const KernelCtaRates& each, const Launch& launch) {
  const std::int64_t bc = compiled_for(launch, "HBMSCOPE_BC");
  const auto distance = [&](const BuildCtaRates& build) {
    return std::abs(build.bc.value_or(kMeasuredBc) - bc);
  };
  const BuildCtaRates* nearest = nullptr;
  for (const BuildCtaRates& build : each.builds) {
    const bool fitting = fits(build.mask, launch, "HBMSCOPE_MASK") &&
                         fits(build.order, launch, "HBMSCOPE_HEAD_FASTEST") &&
                         fits(build.kv_walk, launch, "HBMSCOPE_KV_WALK");
    if (fitting && (nearest == nullptr || distance(build) < distance(*nearest))) nearest = &build;
  }
  const BuildCtaRates& build = nearest == nullptr ? each.builds.front() : *nearest;
  CtaRates rates = build.rates;
  if (bc > 0) rates.tiles = static_cast<double>(bc) / static_cast<double>(build.bc.value_or(kMeasuredBc));
  return rates;
}

// Br of the kernel's measured tiles that is nearest to the launch's; of two that are as near, the larger.
std::int64_t nearest_br(const std::vector<KernelCtaRates>& known, const Launch& launch) {
  const std::int64_t br = compiled_for(launch, "HBMSCOPE_BR");
  std::int64_t nearest = 0;
  for (const KernelCtaRates& each : known) {
    if (each.kernel != launch.kernel) continue;
    const std::int64_t farther = std::abs(each.br - br) - std::abs(nearest - br);
    if (nearest == 0 || farther < 0 || (farther == 0 && each.br > nearest)) nearest = each.br;
  }
  return nearest;
}

// Between measured head dims by a straight line; beyond the smallest and the largest, those of the nearest.
std::optional<CtaRates> rates_of_tile(const std::vector<KernelCtaRates>& known, const Launch& launch,
                                      std::int64_t head_dim) {
  const std::int64_t br = nearest_br(known, launch);
  const KernelCtaRates* below = nullptr;
  const KernelCtaRates* above = nullptr;
  for (const KernelCtaRates& each : known) {
    if (each.kernel != launch.kernel || each.br != br) continue;
    if (each.head_dim <= head_dim && (below == nullptr || each.head_dim > below->head_dim)) below = &each;
    if (each.head_dim >= head_dim && (above == nullptr || each.head_dim < above->head_dim)) above = &each;
  }
  if (below == nullptr && above == nullptr) return std::nullopt;
  if (below == nullptr || above == nullptr || below == above)
    return rates_of(below != nullptr ? *below : *above, launch);
  const CtaRates low = rates_of(*below, launch);
  const CtaRates high = rates_of(*above, launch);
  const double share = static_cast<double>(head_dim - below->head_dim) /
                       static_cast<double>(above->head_dim - below->head_dim);
  std::optional<double> quiet_stall;
  if (low.quiet_stall && high.quiet_stall)
    quiet_stall = std::lerp(*low.quiet_stall, *high.quiet_stall, share);
  SharedStalls shared_stall{};
  for (std::size_t i = 0; i < shared_stall.size(); ++i)
    shared_stall[i] = std::lerp(low.shared_stall[i], high.shared_stall[i], share);
  return CtaRates{.younger = std::lerp(low.younger, high.younger, share),
                  .further = std::lerp(low.further, high.further, share),
                  .lone = std::lerp(low.lone, high.lone, share),
                  .stall = std::lerp(low.stall, high.stall, share),
                  .quiet_stall = quiet_stall,
                  .shared_stall = shared_stall,
                  .ctas_per_sm = std::max(low.ctas_per_sm, high.ctas_per_sm),
                  .tiles = low.tiles};
}

double value_of(const Assumable& assumable, const GpuSpec& gpu) {
  const Value& own = assumable.of(gpu);
  return own ? own->value : assumable.of(stand_in()).value().value;
}

}  // namespace

ReplayValues replay_values(const GpuSpec& gpu) {
  const GpuSpec& stretches = gpu.l2().stretch_bytes ? gpu : stand_in();
  return {.ways = static_cast<Bytes>(value_of(kWays, gpu)),
          .stretch_bytes = static_cast<Bytes>(value_of(kStretch, gpu)),
          .stretch_swaps = stretches.l2().stretch_swaps,
          .dirty_share = value_of(kDirtyShare, gpu),
          .shared_step_deviation = value_of(kSharedStep, gpu),
          .lone_sm_deviation = value_of(kLoneSm, gpu),
          .gpc_clock_deviation = value_of(kGpcClock, gpu)};
}

CtaRates cta_rates(const Launch& launch, const Program& program, const GpuSpec& gpu) {
  const double younger = value_of(kYounger, gpu);
  CtaRates rates{.younger = younger, .further = younger, .lone = value_of(kLone, gpu)};
  const bool measured = gpu.younger_cta_rate || gpu.lone_cta_rate || !gpu.cta_rates.empty();
  const std::vector<KernelCtaRates>& known = measured ? gpu.cta_rates : stand_in().cta_rates;
  rates = rates_of_tile(known, launch, program.problem.head_dim).value_or(rates);
  if (const std::int64_t stages = compiled_for(launch, "HBMSCOPE_STAGES"); stages > 0)
    rates.stages = static_cast<double>(stages) / kMeasuredStages;
  if (launch.younger_cta_rate) rates.younger = rates.further = *launch.younger_cta_rate;
  return rates;
}

std::vector<std::string_view> assumed_values(const GpuSpec& gpu) {
  std::vector<std::string_view> names;
  for (const Assumable* assumable :
       {&kWays, &kStretch, &kDirtyShare, &kYounger, &kLone, &kSharedStep, &kLoneSm, &kGpcClock}) {
    if (!assumable->of(gpu)) names.push_back(assumable->name);
  }
  return names;
}

}  // namespace hbmscope
