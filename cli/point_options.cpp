#include "cli/point_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>

#include "cli/axis.h"
#include "cli/choose_gpu.h"
#include "cli/point_parsers.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr NumberRange kAnyNumber{0, std::numeric_limits<std::int64_t>::max()};
constexpr NumberRange kSeeds = kAnyNumber;
constexpr NumberRange kPlacementCounts{1, 1000};

template <auto member, const NumberRange& range>
void parse_numbers(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.*member = parse_number_axis(option, text, range);
}

void parse_placements(std::string_view option, std::string_view text, PointAxes& axes) {
  axes.placements.clear();
  const std::int64_t count = parse_number(option, text, kPlacementCounts);
  for (std::int64_t placement = 0; placement < count; ++placement) axes.placements.push_back(placement);
}

constexpr std::string_view kProblem = "Problem";
constexpr std::string_view kImplementation = "Implementation";
constexpr std::string_view kState = "GPU";

// In the order in which the points are made, the last option running fastest. --algorithm stands before
// --variant, which refers to it.
constexpr std::array kOptions{
    PointOption{"--gpu", "LIST", kState,
                "GPU: a name (hbmscope list gpus), a TOML file, or auto: the installed one", "h200",
                parse_gpus},
    PointOption{"--set", "KEY=LIST", kState,
                "changes a number of the GPUs, to ask what if (hbmscope list settings); may be repeated", "",
                parse_setting, true},
    PointOption{"--direction", "LIST", kProblem, "forward, backward, both (forward, then backward)",
                "forward", parse_directions},
    PointOption{"--dtype", "LIST", kProblem, "type of Q, K, V, O: bf16, fp16, fp32, fp8", "bf16",
                parse_dtypes},
    PointOption{"--model", "LIST", kProblem,
                "instead of heads and head dims: a layer of a model (hbmscope list models) or of a TOML file",
                "", parse_models},
    PointOption{"--heads", "AXIS", kProblem, "query heads", "16", parse_numbers<&PointAxes::heads, kSizes>},
    PointOption{"--kv-heads", "AXIS", kProblem, "key/value heads, a divisor of --heads [as --heads]", "",
                parse_numbers<&PointAxes::kv_heads, kSizes>},
    PointOption{"--head-dim", "AXIS", kProblem, "columns of Q and K", "128",
                parse_numbers<&PointAxes::head_dims, kSizes>},
    PointOption{"--head-dim-v", "AXIS", kProblem, "columns of V and O [as --head-dim]", "",
                parse_numbers<&PointAxes::head_dims_v, kSizes>},
    PointOption{"--batch", "AXIS", kProblem, "batch size", "1", parse_numbers<&PointAxes::batches, kSizes>},
    PointOption{
        "--tokens", "AXIS", kProblem,
        "instead of --batch: batch = tokens / seqlen, so that a sweep of --seqlen keeps batch x seqlen", "",
        parse_numbers<&PointAxes::tokens, kSizes>},
    PointOption{"--seqlen", "AXIS", kProblem, "query rows per head", "4096",
                parse_numbers<&PointAxes::seqlens, kSizes>},
    PointOption{"--seqlen-kv", "AXIS", kProblem, "key/value rows per head [as --seqlen]", "",
                parse_numbers<&PointAxes::seqlens_kv, kSizes>},
    PointOption{"--seed", "AXIS", kState, "seed of inputs and addresses", "1",
                parse_numbers<&PointAxes::seeds, kSeeds>},
    PointOption{"--mask", "LIST", kProblem, "full, causal, window:N (a query sees N keys, itself included)",
                "full", parse_masks},
    PointOption{"--algorithm", "LIST", kImplementation, "dataflows (hbmscope list algorithms)",
                "standard,flash2", parse_algorithms},
    PointOption{"--variant", "LIST", kImplementation,
                "implementations (hbmscope list variants) [the algorithm's first]", "", parse_variants},
    PointOption{"--br", "AXIS", kImplementation, "rows of Q in a tile", "128",
                parse_numbers<&PointAxes::brs, kSizes>},
    PointOption{"--bc", "AXIS", kImplementation, "rows of K/V in a tile", "64",
                parse_numbers<&PointAxes::bcs, kSizes>},
    PointOption{"--stages", "AXIS", kImplementation, "K/V tiles in flight", "1",
                parse_numbers<&PointAxes::stages, kSizes>},
    PointOption{"--splits", "AXIS", kImplementation,
                "CTAs that share a row of K/V tiles; 1: no algorithm here splits", "1",
                parse_numbers<&PointAxes::splits, kSizes>},
    PointOption{"--order", "LIST", kImplementation, "what runs fastest in the grid: q-fastest, head-fastest",
                "q-fastest", parse_orders},
    PointOption{"--kv-walk", "LIST", kImplementation,
                "order of a CTA's K/V tiles: up, down, alternating (from one q tile to the next)", "up",
                parse_kv_walks},
    PointOption{"--l2", "LIST", kState,
                "HBM bytes: none (compulsory, an L2 without limits), model (an estimate in a microsecond), "
                "replay (every tile access through a simulated L2)",
                "model", parse_l2_modes},
    PointOption{"--cache-state", "LIST", kState, "L2 before the program: cold, warm", "cold",
                parse_cache_states},
    PointOption{"--placements", "N", kState, "how many address layouts are measured, numbered from 0", "1",
                parse_placements},
};

constexpr std::string_view kAxisHelp =
    "AXIS: numbers separated by commas, or ranges lo..hi*factor and lo..hi+step, both ends included; 16k = "
    "16384,\n"
    "1m = 1048576. LIST: words separated by commas. A value given twice counts once. Every combination is a "
    "point,\n"
    "in the order of gpu, direction, dtype, model or heads, kv-heads, head-dim, head-dim-v, batch, seqlen, "
    "seqlen-kv, "
    "seed,\n"
    "mask, algorithm and variant, br, bc, stages, splits, order, kv-walk, l2, cache-state, placement: the "
    "last runs "
    "fastest.\n"
    "--model: without --dtype and --mask a layer has the model's type and its own mask, causal or window:N; "
    "a "
    "model with\n"
    "both kinds of layers makes two points. Bytes are those of one layer. bf16 where the model names no "
    "type.";

// What a model replaces, and what it gives where the command line says nothing.
constexpr std::array<std::string_view, 4> kReplacedByModel{"--heads", "--kv-heads", "--head-dim",
                                                           "--head-dim-v"};
constexpr std::array<std::string_view, 2> kGivenByModel{"--dtype", "--mask"};

// What a variant may imply: without such an option its own value holds, else that of a plan that says
// nothing.
constexpr std::array<std::string_view, 6> kImpliedByVariant{"--br",     "--bc",    "--stages",
                                                            "--splits", "--order", "--kv-walk"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string full_help(const PointOption& option) {
  if (option.default_text.empty()) return std::string(option.help);
  return fmt::format("{} [{}]", option.help, option.default_text);
}

}  // namespace

std::span<const PointOption> point_options() { return kOptions; }

void PointArguments::add_to(CLI::App& command) {
  for (const PointOption& option : kOptions) {
    const auto store = [this, name = option.name](const std::vector<std::string>& texts) {
      texts_[name] = texts;
    };
    CLI::Option* added = command.add_option_function<std::vector<std::string>>(std::string(option.name),
                                                                               store, full_help(option));
    added->type_name(std::string(option.placeholder))->group(std::string(option.group))->expected(1);
    if (option.repeatable) added->take_all();
  }
  command.add_flag("--causal", causal_, "short for --mask causal")->group(std::string(kProblem));
  command.footer(std::string(kAxisHelp));
}

PointList PointArguments::points() const {
  if (causal_ && texts_.contains("--mask")) {
    throw UserError("--causal", "", "expected either --causal or --mask, not both");
  }
  if (texts_.contains("--tokens") && texts_.contains("--batch")) {
    throw UserError("--tokens", texts_.at("--tokens").front(),
                    "expected either --tokens or --batch, not both");
  }
  const bool has_model = texts_.contains("--model");
  for (const std::string_view replaced : kReplacedByModel) {
    if (!has_model || !texts_.contains(replaced)) continue;
    throw UserError("--model", texts_.at("--model").front(),
                    fmt::format("expected either --model or {}, not both", replaced));
  }
  PointAxes axes;
  for (const PointOption& option : kOptions) {
    if (contains(kImpliedByVariant, option.name) && !texts_.contains(option.name)) continue;
    for (const std::string& text : texts_of(option)) option.parse(option.name, text, axes);
  }
  axes.gpus = changed_gpus(axes.gpus, axes.settings);
  replace_in_layers(axes);
  return PointList(std::move(axes));
}

// None for an option that follows another one, or a model.
std::vector<std::string> PointArguments::texts_of(const PointOption& option) const {
  const auto given = texts_.find(option.name);
  if (given != texts_.end()) return given->second;
  if (option.name == "--mask" && causal_) return {"causal"};
  if (option.name == "--algorithm" && texts_.contains("--variant")) {
    return {algorithms_of_variants(texts_.at("--variant").front(), option.default_text)};
  }
  const bool of_model = texts_.contains("--model") &&
                        (contains(kReplacedByModel, option.name) || contains(kGivenByModel, option.name));
  if (option.default_text.empty() || of_model) return {};
  return {std::string(option.default_text)};
}

std::vector<std::pair<std::string, std::string>> PointArguments::texts() const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const PointOption& option : kOptions) {
    std::vector<std::string> own = texts_of(option);
    if (option.placeholder == "AXIS") {
      for (std::string& text : own) text = axis_text(parse_number_axis(option.name, text, kAnyNumber));
    }
    texts.emplace_back(option.name, fmt::format("{}", fmt::join(own, " ")));
  }
  return texts;
}

}  // namespace hbmscope
