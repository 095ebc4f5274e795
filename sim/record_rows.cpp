#include "sim/record_rows.h"

#include <utility>

#include "sim/occupancy.h"
#include "sim/units.h"

namespace hbmscope {
namespace {

void describe_kernel(const Launch& launch, const Program& program, const GpuSpec& gpu, LaunchRow& row) {
  const Occupancy occupancy = occupancy_of(launch, program, gpu);
  if (!launch.kernel.empty()) row.kernel = launch.kernel;
  row.ctas = occupancy.ctas;
  row.threads = launch.threads;
  row.shared_bytes = launch.shared_bytes;
  row.ctas_per_sm = occupancy.ctas_per_sm;
  row.limited_by = occupancy.limited_by;
  row.waves = occupancy.waves;
}

void push_traffic_row(Record& record, const Launch& launch, std::string_view tensor, Boundary boundary,
                      const ReadWrite& bytes, const std::optional<ReadWrite>& io = std::nullopt) {
  if (bytes.read == 0 && bytes.write == 0) return;
  TrafficRow row{std::string(launch.name), std::string(tensor), boundary, bytes.read, bytes.write, {}, {}};
  if (io) {
    row.io_read_bytes = io->read;
    row.io_write_bytes = io->write;
  }
  record.traffic.push_back(std::move(row));
}

}  // namespace

bool describes_every_kernel(const Program& program) {
  for (const Launch& launch : program.launches) {
    if (launch.threads == 0 || !launch.sram_described) return false;
  }
  return true;
}

void list_launches(const PredictionScratch& scratch, const GpuSpec& gpu, const Roofs& roofs, Record& record) {
  for (int l = 0; l < scratch.program.launches.count(); ++l) {
    const Launch& launch = scratch.program.launches[l];
    const LaunchTraffic& counted = scratch.traffic.launches[l];
    LaunchRow row;
    row.launch = launch.name;
    if (launch.threads != 0) describe_kernel(launch, scratch.program, gpu, row);
    row.flops = counted.flops;
    row.executed_flops = counted.executed_flops;
    row.exponentials = counted.exponentials;
    const RoofTime bound = bound_of(demand_of(scratch, l), roofs);
    row.time_s = bound.time_s;
    row.limiter = to_string(bound.roof);
    record.launches.push_back(std::move(row));
  }
}

void list_roofs(const PredictionScratch& scratch, const Roofs& roofs, Record& record) {
  Demand total{};
  std::array<double, kRoofs> binds_s{};
  for (int l = 0; l < scratch.traffic.launches.count(); ++l) {
    const Demand demand = demand_of(scratch, l);
    for (std::size_t roof = 0; roof < kRoofs; ++roof) total[roof] = checked_add(total[roof], demand[roof]);
    const RoofTime bound = bound_of(demand, roofs);
    binds_s[static_cast<std::size_t>(bound.roof)] += bound.time_s;
  }
  for (std::size_t i = 0; i < kRoofs; ++i) {
    const auto roof = static_cast<Roof>(i);
    if (!roofs[i] || (roof == Roof::sram && !describes_every_kernel(scratch.program))) continue;
    record.roofs.push_back({std::string(to_string(roof)), total[i], *roofs[i],
                            static_cast<double>(total[i]) / *roofs[i], binds_s[i]});
  }
}

void list_traffic(const PredictionScratch& scratch, Record& record) {
  // Copies alone are not what an undescribed kernel moves through shared memory.
  const bool with_sram = describes_every_kernel(scratch.program);
  for (int l = 0; l < scratch.program.launches.count(); ++l) {
    const Launch& launch = scratch.program.launches[l];
    const LaunchTraffic& counted = scratch.traffic.launches[l];
    for (int t = 0; t < scratch.program.tensors.count(); ++t) {
      const std::string_view tensor = scratch.program.tensors[t].name;
      push_traffic_row(record, launch, tensor, Boundary::hbm, scratch.hbm.launches[l].tensors[t]);
      push_traffic_row(record, launch, tensor, Boundary::l2, counted.tensors[t].l2, counted.tensors[t].io);
      if (with_sram) push_traffic_row(record, launch, tensor, Boundary::sram, counted.tensors[t].sram);
    }
    if (with_sram) push_traffic_row(record, launch, "on chip", Boundary::sram, counted.on_chip_sram);
  }
}

}  // namespace hbmscope
