#include "cli/point_parsers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/axis.h"
#include "cli/choose_gpu.h"
#include "sim/attention_model.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

template <class T>
void push_distinct(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

// Words that a parser of sim/ knows, of which only those in `offered` (a list for people) are built in.
template <class T>
std::vector<T> parse_words(std::string_view option, std::string_view text,
                           std::optional<T> (*parse)(std::string_view), std::string_view accepted,
                           bool (*offered)(T) = nullptr) {
  std::vector<T> values;
  for (const std::string& word : split_axis(option, text, accepted)) {
    const std::optional<T> value = parse(word);
    if (!value || (offered != nullptr && !offered(*value))) {
      throw UserError(std::string(option), word, std::string(accepted));
    }
    push_distinct(values, *value);
  }
  return values;
}

}  // namespace

void parse_directions(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.directions =
      parse_words<Direction>(option, text, parse_direction, "expected forward, backward or both");
}

void parse_dtypes(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.dtypes = parse_words<DataType>(option, text, parse_data_type, "expected bf16, fp16, fp32 or fp8");
}

void parse_orders(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.orders = parse_words<Order>(option, text, parse_order, "expected q-fastest or head-fastest");
}

void parse_kv_walks(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.kv_walks = parse_words<Walk>(option, text, parse_walk, "expected up, down or alternating");
}

void parse_l2_modes(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.l2_modes = parse_words<L2Mode>(
      option, text, parse_l2_mode,
      "expected none (HBM bytes are the compulsory ones), model (an estimate of an L2's misses) or replay "
      "(misses of a simulated L2)");
}

void parse_cache_states(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.cache_states = parse_words<CacheState>(option, text, parse_cache_state, "expected cold or warm");
}

void parse_masks(std::string_view option, std::string_view text, PointAxes& axes) {
  constexpr std::string_view kAccepted =
      "expected full, causal or window:N, N a whole number of keys from 1 to 1073741824";
  constexpr std::string_view kWindow = "window:";
  static_assert(kLargestSize == 1073741824);
  axes.masks.clear();
  for (const std::string& word : split_axis(option, text, kAccepted)) {
    if (word.starts_with(kWindow)) {
      const std::string keys = word.substr(kWindow.size());
      if (keys.empty()) throw UserError(std::string(option), word, std::string(kAccepted));
      push_distinct(axes.masks, {Mask::window, parse_number(std::string(option) + " window", keys, kSizes)});
      continue;
    }
    const std::optional<Mask> mask = parse_mask(word);
    if (!mask || *mask == Mask::window) throw UserError(std::string(option), word, std::string(kAccepted));
    push_distinct(axes.masks, {*mask, 0});
  }
}

void parse_gpus(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.gpus.clear();
  std::vector<std::string> given;
  for (const std::string& name :
       split_axis(option, text, "expected names of GPUs or files: see hbmscope list gpus")) {
    if (std::find(given.begin(), given.end(), name) != given.end()) continue;
    given.push_back(name);
    GpuSpec gpu = choose_gpu(name);
    if (has_name(axes.gpus, gpu.name)) {
      if (!gpu.changes.empty()) continue;  // the same changes, spelled in another way
      // An edited copy of a file needs a name of its own.
      throw UserError(
          std::string(option), name,
          fmt::format("expected a name that no other GPU of this run has; '{}' is there twice", gpu.name));
    }
    axes.gpus.push_back(std::move(gpu));
  }
}

void parse_models(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.layers.clear();
  for (const std::string& name :
       split_axis(option, text, "expected names of models or files: see hbmscope list models")) {
    const AttentionModel model = load_model(name);
    ModelLayer layer{model.heads,
                     model.kv_heads,
                     model.head_dim,
                     model.head_dim_v,
                     model.dtype.value_or(DataType::bf16),
                     {Mask::causal, 0}};
    if (model.window_layers < model.layers) push_distinct(axes.layers, layer);
    if (!model.window) continue;
    layer.mask = {Mask::window, *model.window};
    push_distinct(axes.layers, layer);
  }
}

void replace_in_layers(PointAxes& axes) {
  std::vector<ModelLayer> layers;
  for (ModelLayer layer : axes.layers) {
    if (!axes.dtypes.empty()) layer.dtype = axes.dtypes.front();
    if (!axes.masks.empty()) layer.mask = axes.masks.front();
    push_distinct(layers, layer);
  }
  axes.layers = std::move(layers);
}

void parse_setting(std::string_view option, std::string_view text, PointAxes& axes) {
  constexpr std::string_view kAccepted = "expected KEY=VALUE: see hbmscope list settings";
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw UserError(std::string(option), std::string(text), std::string(kAccepted));
  }
  std::vector<std::string>& values = axes.settings.emplace_back();
  for (const std::string& value : split_axis(option, text.substr(equals + 1), kAccepted)) {
    push_distinct(values, fmt::format("{}={}", text.substr(0, equals), value));
  }
}

void parse_algorithms(std::string_view option, std::string_view text, PointAxes& axes) {
  std::vector<Implementation> chosen;
  for (const std::string& name :
       split_axis(option, text, "expected names of algorithms: see hbmscope list algorithms")) {
    const Algorithm& algorithm = find_algorithm(name);
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const Implementation& other) {
      return other.algorithm == &algorithm;
    });
    if (!known) chosen.push_back({&algorithm, &algorithm.variants.front()});
  }
  axes.implementations = std::move(chosen);
}

std::string algorithms_of_variants(std::string_view variants, std::string_view otherwise) {
  std::vector<std::string_view> owners;
  for (const std::string& name :
       split_axis("--variant", variants, "expected names of variants: see hbmscope list variants")) {
    std::vector<std::string_view> having;
    for (const Algorithm* algorithm : algorithms()) {
      const auto is_named = [&](const Variant& variant) { return variant.name == name; };
      if (std::any_of(algorithm->variants.begin(), algorithm->variants.end(), is_named)) {
        having.push_back(algorithm->name);
      }
    }
    if (having.size() == 1) push_distinct(owners, having.front());
  }
  return owners.empty() ? std::string(otherwise) : fmt::format("{}", fmt::join(owners, ","));
}

namespace {

const Variant* variant_or_null(const Algorithm& algorithm, std::string_view name) {
  const auto found = std::find_if(algorithm.variants.begin(), algorithm.variants.end(),
                                  [&](const Variant& variant) { return variant.name == name; });
  return found == algorithm.variants.end() ? nullptr : &*found;
}

// Where no algorithm of the run has the variant.
[[noreturn]] void refuse_variant(std::string_view option, const std::string& name,
                                 const std::vector<Implementation>& implementations) {
  std::vector<std::string> accepted;
  for (const Implementation& each : implementations) {
    std::vector<std::string_view> names;
    for (const Variant& variant : each.algorithm->variants) names.push_back(variant.name);
    accepted.push_back(fmt::format("{} (of {})", fmt::join(names, ", "), each.algorithm->name));
  }
  std::vector<std::string_view> owners;
  for (const Algorithm* algorithm : algorithms()) {
    if (variant_or_null(*algorithm, name) != nullptr) owners.push_back(algorithm->name);
  }
  throw UserError(
      std::string(option), name,
      fmt::format(
          "expected one of {}{}", fmt::join(accepted, " or "),
          owners.empty() ? "" : fmt::format("; it is one of --algorithm {}", fmt::join(owners, " or "))));
}

}  // namespace

void parse_variants(std::string_view option, std::string_view text, PointAxes& axes) {
  const std::vector<std::string> names =
      split_axis(option, text, "expected names of variants: see hbmscope list variants");
  for (const std::string& name : names) {
    const auto has_it = [&](const Implementation& each) {
      return variant_or_null(*each.algorithm, name) != nullptr;
    };
    if (std::none_of(axes.implementations.begin(), axes.implementations.end(), has_it))
      refuse_variant(option, name, axes.implementations);
  }
  std::vector<Implementation> chosen;
  for (const Implementation& implementation : axes.implementations) {
    const std::size_t before = chosen.size();
    for (const std::string& name : names) {
      const Variant* variant = variant_or_null(*implementation.algorithm, name);
      const bool known = std::any_of(chosen.begin(), chosen.end(),
                                     [&](const Implementation& other) { return other.variant == variant; });
      if (variant != nullptr && !known) chosen.push_back({implementation.algorithm, variant});
    }
    if (chosen.size() == before) find_variant(*implementation.algorithm, names.front());  // refuses it
  }
  axes.implementations = std::move(chosen);
}

}  // namespace hbmscope
