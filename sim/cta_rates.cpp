#include "sim/cta_rates.h"

#include <algorithm>
#include <cmath>

namespace hbmscope {

double CtaRates::with_older(int older) const {
  return older == 0 ? 1 : younger * std::pow(further, older - 1);
}

double CtaRates::in_step(int older) const {
  const auto residents = static_cast<int>(ctas_per_sm);
  const double waits = stall_of(residents, 0, shared_stall.front());
  return std::min(1.0, with_older(older) * (1 + waits) + gain(residents, older) * waits);
}

double CtaRates::stall_beside(double busy_share) const {
  const double busier = (busy_share - kQuietShare) / (1 - kQuietShare);
  return std::lerp(quiet_stall.value_or(stall), stall, std::clamp(busier, 0.0, 1.0));
}

// The busier DRAM is, the later it answers: ln D by straight lines between the shares that are measured, the
// first of them continued to 0.
double CtaRates::shared_stall_beside(double hbm_share) const {
  if (shared_stall.front() <= 0) return 0;
  const std::size_t line = hbm_share < kStallShares[1] ? 0 : 1;
  const double along =
      (std::min(hbm_share, 1.0) - kStallShares[line]) / (kStallShares[line + 1] - kStallShares[line]);
  return std::exp(std::lerp(std::log(shared_stall[line]), std::log(shared_stall[line + 1]), along));
}

// Each further CTA takes its turn at the tensor cores and makes a step of all of them longer by the same
// time: T_n = T_1 + (T_k - T_1) (n - 1) / (k - 1), T_k = 1, T_1 = 1 / lone.
double CtaRates::speed(int residents, int older) const {
  const double alone = 1 / lone;
  const double turns =
      static_cast<double>(residents - 1) / static_cast<double>(std::max<std::int64_t>(ctas_per_sm - 1, 1));
  return with_older(older) / (alone + (1 - alone) * turns);
}

// A tile is asked for before it is needed, so that the longer a step takes, T, the less is left to wait for.
// DRAM does not answer after the same time always: what is left, D, falls off gradually. Between the two that
// are measured, and beyond the longer step, ln D by a straight line: D(T) = D_k (D_1 / D_k)^((1 - T) / (1 -
// T_1)). Steps shorter than a lone CTA's, of smaller tiles, wait as long as that.
double CtaRates::stall_of(int residents, int older, double shared) const {
  const double alone = 1 / lone;
  if (shared <= 0) return residents == 1 ? stall * alone : 0;
  const double most = std::max(stall * alone, shared);
  const double step = tiles * stages / speed(residents, older);
  const double falls = std::log(most / shared) / std::max(1 - alone, 0.01);
  return std::min(most, shared * std::exp(falls * (1 - step))) / tiles;
}

// Schedulers serve the oldest first: what it leaves while it waits is as if it were not there.
double CtaRates::gain(int residents, int older) const {
  if (older == 0) return 0;
  return std::max(speed(residents - 1, older - 1) - speed(residents, older), 0.0);
}

}  // namespace hbmscope
