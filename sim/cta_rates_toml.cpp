#include "sim/cta_rates_toml.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "sim/record.h"

namespace hbmscope {
namespace {

constexpr double kLargestStall = 100;
constexpr double kSmallestSharedStall = 1e-6;
constexpr std::int64_t kMostCtasPerSm = 32;

CtaRates read_rates(TomlReader& reader) {
  const auto rate = [&](std::string_view key, double largest) {
    return reader.number(key, kSmallestCtaRate, largest);
  };
  const auto stall = [&](std::string_view key) {
    return reader.has(key) ? reader.number(key, 0, kLargestStall) : 0;
  };
  CtaRates rates;
  rates.younger = rate("younger", kLargestYoungerRate);
  rates.further = reader.has("further") ? rate("further", kLargestYoungerRate) : rates.younger;
  rates.lone = rate("lone", kLargestLoneRate);
  rates.stall = stall("stall");
  if (reader.has("quiet_stall")) rates.quiet_stall = stall("quiet_stall");
  const std::vector<double> shared =
      reader.numbers_if_present("shared_stall", kStallShares.size(), kSmallestSharedStall, kLargestStall);
  std::ranges::copy(shared, rates.shared_stall.begin());
  rates.ctas_per_sm = reader.integer_or("ctas_per_sm", 2, kMostCtasPerSm, 2);
  return rates;
}

BuildCtaRates read_build(TomlReader reader) {
  BuildCtaRates build;
  build.mask = reader.word_if_present("mask", parse_mask, "full, causal or window");
  build.order = reader.word_if_present("order", parse_order, "q-fastest or head-fastest");
  build.kv_walk = reader.word_if_present("kv_walk", parse_walk, "up, down or alternating");
  build.bc = reader.integer_if_present("bc", 1, std::numeric_limits<std::int32_t>::max());
  build.rates = read_rates(reader);
  reader.finish();
  return build;
}

KernelCtaRates read_kernel(TomlReader reader) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  KernelCtaRates rates;
  rates.kernel = reader.text("kernel");
  rates.br = reader.integer("br", 1, kLargest);
  rates.head_dim = reader.integer("head_dim", 1, kLargest);
  rates.source = reader.text("source");
  rates.measured = reader.boolean_or("measured", false);
  for (const toml::node& node : reader.tables("builds"))
    rates.builds.push_back(read_build(reader.element(node, "builds")));
  reader.finish();
  return rates;
}

std::string build_line(const BuildCtaRates& build) {
  std::vector<std::string> keys;
  const auto name = [&](std::string_view key, std::string_view value) {
    keys.push_back(fmt::format("{} = \"{}\"", key, value));
  };
  const auto number = [&](std::string_view key, auto value, bool written = true) {
    if (written) keys.push_back(fmt::format("{} = {}", key, value));
  };
  if (build.mask) name("mask", to_string(*build.mask));
  if (build.order) name("order", to_string(*build.order));
  if (build.kv_walk) name("kv_walk", to_string(*build.kv_walk));
  const CtaRates& rates = build.rates;
  if (build.bc) number("bc", *build.bc);
  number("younger", rates.younger);
  number("further", rates.further, rates.further != rates.younger);
  number("lone", rates.lone);
  number("stall", rates.stall, rates.stall > 0);
  if (rates.quiet_stall) number("quiet_stall", *rates.quiet_stall);
  if (rates.shared_stall.front() > 0)
    keys.push_back(fmt::format("shared_stall = [{}]", fmt::join(rates.shared_stall, ", ")));
  number("ctas_per_sm", rates.ctas_per_sm, rates.ctas_per_sm != 2);
  return fmt::format("  {{ {} }},", fmt::join(keys, ", "));
}

}  // namespace

std::vector<KernelCtaRates> read_cta_rates(TomlReader& reader) {
  std::vector<KernelCtaRates> kernels;
  if (!reader.has("cta_rates")) return kernels;
  for (const toml::node& node : reader.tables("cta_rates")) {
    KernelCtaRates rates = read_kernel(reader.element(node, "cta_rates"));
    const auto same = [&](const KernelCtaRates& other) {
      return other.kernel == rates.kernel && other.br == rates.br && other.head_dim == rates.head_dim;
    };
    if (std::any_of(kernels.begin(), kernels.end(), same)) {
      reader.fail(node, "cta_rates",
                  fmt::format("{}, br {}, head_dim {}", rates.kernel, rates.br, rates.head_dim),
                  "each tile of a kernel once");
    }
    kernels.push_back(std::move(rates));
  }
  return kernels;
}

void put_cta_rates(TomlText& out, const std::vector<KernelCtaRates>& kernels) {
  for (const KernelCtaRates& each : kernels) {
    out.line("\n[[cta_rates]]");
    out.put("kernel", each.kernel);
    out.put("br", each.br);
    out.put("head_dim", each.head_dim);
    out.put("source", each.source);
    if (each.measured) out.line("measured = true");
    out.line("builds = [");
    for (const BuildCtaRates& build : each.builds) out.line(build_line(build));
    out.line("]");
  }
}

}  // namespace hbmscope
