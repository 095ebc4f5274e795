#include "profiler/counter_source.h"

namespace hbmscope {

std::vector<Quantity> quantities_of(CounterSet set, std::span<const Quantity> quantities) {
  std::vector<Quantity> result;
  for (const Quantity quantity : quantities) {
    if (info(quantity).set == set) result.push_back(quantity);
  }
  return result;
}

}  // namespace hbmscope
