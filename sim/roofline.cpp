#include "sim/roofline.h"

#include "sim/enum_names.h"

namespace hbmscope {
namespace {
constexpr EnumNames<Roof, kRoofs> kRoofNames{{"hbm", "l2", "sram", "tensor", "exp"}};
}

std::string_view to_string(Roof roof) { return kRoofNames.name(roof); }

Roofs roofs_of(const GpuSpec& gpu, DataType dtype) {
  Roofs roofs;
  roofs[static_cast<std::size_t>(Roof::hbm)] = gpu.hbm_bytes_per_s.value;
  if (gpu.l2_bytes_per_s) roofs[static_cast<std::size_t>(Roof::l2)] = gpu.l2_bytes_per_s->value;
  roofs[static_cast<std::size_t>(Roof::sram)] = gpu.sram_bytes_per_s();
  roofs[static_cast<std::size_t>(Roof::tensor)] = gpu.tensor_flops_per_s(dtype);
  roofs[static_cast<std::size_t>(Roof::exp)] = gpu.exp_per_s();
  return roofs;
}

RoofTime bound_of(const Demand& demand, const Roofs& roofs) {
  RoofTime bound;
  for (std::size_t roof = 0; roof < kRoofs; ++roof) {
    if (!roofs[roof]) continue;
    const double time_s = static_cast<double>(demand[roof]) / *roofs[roof];
    if (time_s > bound.time_s) bound = {time_s, static_cast<Roof>(roof)};
  }
  return bound;
}

}  // namespace hbmscope
