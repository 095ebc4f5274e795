#include "sim/predict.h"

#include <fmt/format.h>

#include "sim/l2/hbm_reasons.h"
#include "sim/occupancy.h"
#include "sim/record_rows.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

std::uint64_t sum(const ReadWrite& bytes) { return checked_add(bytes.read, bytes.write); }

// Launches run one after the other, so their bounds add up; the limiter is the roof that holds longest.
void bound_time(const PointContext& context, const Plan& plan, const PredictionScratch& scratch,
                Prediction& prediction) {
  const Roofs roofs = roofs_of(*context.gpu, plan.problem.dtype);
  std::array<double, kRoofs> held{};
  for (int launch = 0; launch < scratch.traffic.launches.count(); ++launch) {
    const RoofTime bound = bound_of(demand_of(scratch, launch), roofs);
    prediction.time_s += bound.time_s;
    held[static_cast<std::size_t>(bound.roof)] += bound.time_s;
  }
  std::size_t longest = 0;
  for (std::size_t roof = 1; roof < kRoofs; ++roof) {
    if (held[roof] > held[longest]) longest = roof;
  }
  prediction.limiter = to_string(static_cast<Roof>(longest));
}

std::string version_text(std::int64_t capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

std::string capability_limit(const Capabilities& needed, const GpuSpec& gpu) {
  if (!gpu.compute_capability) return gpu.name + " does not run CUDA, and the kernels are CUDA's";
  const std::int64_t has = *gpu.compute_capability;
  if (has >= needed.oldest && has <= needed.newest) return "";
  return fmt::format("{} has compute capability {}, the kernels need {}{}", gpu.name, version_text(has),
                     version_text(needed.oldest), needed.newest == needed.oldest ? " and no other" : "");
}

// What a datasheet calls the capacity is more than a program gets, so what exceeds it fits nowhere.
std::string memory_limit(const Program& program, const GpuSpec& gpu) {
  const Bytes needed = footprint_bytes(program);
  const double capacity = gpu.hbm_capacity_bytes.value;
  if (static_cast<double>(needed) <= capacity) return "";
  return fmt::format("the tensors need {} bytes of HBM, {} has {:.0f}", needed, gpu.name, capacity);
}

}  // namespace

Demand demand_of(const PredictionScratch& scratch, int launch) {
  const LaunchTraffic& counted = scratch.traffic.launches[launch];
  const TensorTraffic bytes = total_of(counted);
  return {sum(scratch.hbm.launches[launch].total), sum(bytes.l2), sum(bytes.sram), counted.executed_flops,
          counted.exponentials};
}

std::string infeasible_reason(const PointContext& context, const Plan& plan, const Program& program) {
  if (!context.variant->has_kernel) return "";
  std::string reason = context.variant->limit(plan);
  if (!reason.empty()) return reason;
  reason = capability_limit(context.variant->capabilities, *context.gpu);
  if (!reason.empty()) return reason;
  for (const Launch& launch : program.launches) {
    if (launch.kernel.empty() && !launch.library_gemm) {
      return fmt::format("no kernel for direction {}: it can be predicted, not run",
                         to_string(plan.problem.direction));
    }
    reason = launch_limit(launch, *context.gpu);
    if (!reason.empty()) return reason;
  }
  return memory_limit(program, *context.gpu);
}

Prediction predict(const PointContext& context, const Plan& plan, L2Mode l2_mode,
                   PredictionScratch& scratch) {
  check_plan(*context.algorithm, *context.variant, plan);
  build_program(*context.algorithm, *context.variant, plan, scratch.program);
  count_traffic(scratch.program, scratch.traffic);
  const TensorTraffic total = total_of(scratch.traffic);
  hbm_traffic(scratch.program, scratch.traffic, *context.gpu, l2_mode, scratch.hbm, scratch.stop);

  Prediction prediction;
  prediction.hbm_read_bytes = scratch.hbm.total.read;
  prediction.hbm_write_bytes = scratch.hbm.total.write;
  if (const std::optional<HbmBand>& band = scratch.hbm.band) {
    prediction.hbm_read_bytes_p05 = band->p05.read;
    prediction.hbm_read_bytes_p95 = band->p95.read;
    prediction.hbm_write_bytes_p05 = band->p05.write;
    prediction.hbm_write_bytes_p95 = band->p95.write;
  }
  prediction.l2_read_bytes = total.l2.read;
  prediction.l2_write_bytes = total.l2.write;
  if (describes_every_kernel(scratch.program)) {
    prediction.sram_read_bytes = total.sram.read;
    prediction.sram_write_bytes = total.sram.write;
  }
  prediction.io_bytes = sum(total.io);
  prediction.compulsory_bytes = sum(total.compulsory);
  prediction.footprint_bytes = footprint_bytes(scratch.program);
  for (const LaunchTraffic& launch : scratch.traffic.launches) {
    prediction.flops = checked_add(prediction.flops, launch.flops, "FLOP count");
    prediction.executed_flops = checked_add(prediction.executed_flops, launch.executed_flops, "FLOP count");
  }
  bound_time(context, plan, scratch, prediction);
  return prediction;
}

Record predict_record(const PointContext& context, const Point& point, PredictionScratch& scratch,
                      bool with_rows) {
  Record record;
  record.point = point;
  if (point.l2_mode != L2Mode::none && point.cache_state == CacheState::warm) {
    throw PointError("--cache-state", "warm", "expected cold: --l2 model and replay begin with an empty L2");
  }
  const Plan plan{point.problem, point.tile, point.order, point.kv_walk};
  record.prediction = predict(context, plan, point.l2_mode, scratch);
  record.reason = infeasible_reason(context, plan, scratch.program);
  if (context.variant->has_kernel) record.feasible = record.reason.empty();
  if (context.variant->note != nullptr)
    record.provenance.note = context.variant->note(plan.problem, *context.gpu);
  if (with_rows) {
    const Roofs roofs = roofs_of(*context.gpu, plan.problem.dtype);
    list_launches(scratch, *context.gpu, roofs, record);
    list_roofs(scratch, roofs, record);
    list_traffic(scratch, record);
    record.hbm_reasons = hbm_reasons({.program = scratch.program,
                                      .traffic = scratch.traffic,
                                      .gpu = *context.gpu,
                                      .hbm = point.l2_mode == L2Mode::none ? nullptr : &scratch.hbm});
  }
  return record;
}

Record predict_record(const Point& point) {
  check_problem(point.problem);
  check_size("--br", point.tile.br, 1);
  check_size("--bc", point.tile.bc, 1);
  check_size("--stages", point.tile.stages, 1);
  check_size("--splits", point.tile.splits, 1);
  const GpuSpec gpu = load_gpu(point.gpu);
  const Algorithm& algorithm = find_algorithm(point.algorithm);
  const Variant& variant = find_variant(algorithm, point.variant);
  PredictionScratch scratch;
  return predict_record({&gpu, &algorithm, &variant}, point, scratch, true);
}

}  // namespace hbmscope
