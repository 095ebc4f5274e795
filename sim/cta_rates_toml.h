#pragma once

#include <vector>

#include "sim/gpu.h"
#include "sim/toml_reader.h"
#include "sim/toml_text.h"

namespace hbmscope {

inline constexpr double kSmallestCtaRate = 0.01;
inline constexpr double kLargestYoungerRate = 1;  // relative to an older CTA
inline constexpr double kLargestLoneRate = 100;

// The tables of [[cta_rates]], none if there are none; throws UserError as TomlReader does.
std::vector<KernelCtaRates> read_cta_rates(TomlReader& reader);

void put_cta_rates(TomlText& out, const std::vector<KernelCtaRates>& kernels);

}  // namespace hbmscope
