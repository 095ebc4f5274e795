#include "sim/l2/l2_model.h"

#include "sim/units.h"

namespace hbmscope {

HbmTraffic hbm_traffic(const Program&, const Traffic& traffic, const GpuSpec&, L2Mode mode) {
  if (mode != L2Mode::none) {
    throw UserError("--l2", std::string(to_string(mode)),
                    "expected none: compulsory bytes, an L2 without limits");
  }
  HbmTraffic hbm;
  for (const LaunchTraffic& launch : traffic.launches) {
    const ReadWrite bytes = total_of(launch).compulsory;
    hbm.launches.push(bytes);
    hbm.total.read = checked_add(hbm.total.read, bytes.read);
    hbm.total.write = checked_add(hbm.total.write, bytes.write);
  }
  return hbm;
}

}  // namespace hbmscope
