#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "cli/choose_gpu.h"
#include "cli/command.h"
#include "cli/list_counters.h"
#include "cli/recorded_rows.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "sim/algorithms/algorithm.h"
#include "sim/attention_model.h"
#include "sim/error.h"
#include "sim/gpu_settings.h"

namespace hbmscope {
namespace {

struct Arguments {
  std::string what;
  std::string gpu = "h200";
  TerminalArguments terminal;
};

std::string gpu_table(bool color) {
  TextTable table({{"", "name", Align::left},
                   {"", "GPU", Align::left},
                   {"", "sm"},
                   {"", "SMs"},
                   {"", "HBM GB"},
                   {"HBM, TB/s", "datasheet"},
                   {"HBM, TB/s", "measured"},
                   {"", "L2 MiB"},
                   {"", "bf16 TFLOP/s"},
                   {"", "shared KiB/CTA"}});
  for (const std::string& name : gpu_names()) {
    const GpuSpec gpu = load_gpu(name);
    const std::optional<SourcedValue>& measured = gpu.hbm_bytes_per_s_measured;
    const std::optional<double> rate = gpu.tensor_flops_per_s(DataType::bf16);
    table.add_row({{gpu.name},
                   {gpu.full_name},
                   {gpu.compute_capability ? fmt::format("{}", *gpu.compute_capability) : "-"},
                   {fmt::format("{}", gpu.sms)},
                   {fmt::format("{:.0f}", gpu.hbm_capacity_bytes.value / 1e9)},
                   {fmt::format("{:.2f}", gpu.hbm_bytes_per_s.value / 1e12)},
                   {measured ? fmt::format("{:.2f}", measured->value / 1e12) : "-"},
                   {fmt::format("{:.0f}", gpu.l2().capacity_bytes.value / 1024 / 1024)},
                   {rate ? fmt::format("{:.0f}", *rate / 1e12) : "-"},
                   {fmt::format("{}", gpu.limits.shared_bytes_per_cta / 1024)}});
  }
  return table.text(color);
}

std::string settings_table(const GpuSpec& gpu, bool color) {
  TextTable table({{"", "key", Align::left}, {"", gpu.name}, {"", "what it is", Align::left}});
  for (const GpuSetting& setting : gpu_settings()) {
    const std::optional<double> value = setting.value(gpu);
    table.add_row({{std::string(setting.key)},
                   {value ? setting_text(setting, *value) : "-"},
                   {std::string(setting.what)}});
  }
  std::string text = table.text(color) + "\n";
  for (const std::string& sentence : accepted_setting_values()) text += sentence + "\n";
  return text;
}

std::string model_table(bool color) {
  TextTable table({{"", "name", Align::left},
                   {"", "model", Align::left},
                   {"", "heads"},
                   {"", "KV heads"},
                   {"", "head dim"},
                   {"", "hidden"},
                   {"", "layers"},
                   {"sliding window", "keys"},
                   {"sliding window", "layers"},
                   {"", "context"},
                   {"", "dtype", Align::left}});
  for (const std::string& name : model_names()) {
    const AttentionModel model = load_model(name);
    table.add_row({{model.name},
                   {model.full_name},
                   {fmt::format("{}", model.heads)},
                   {fmt::format("{}", model.kv_heads)},
                   {fmt::format("{}", model.head_dim)},
                   {fmt::format("{}", model.hidden_size)},
                   {fmt::format("{}", model.layers)},
                   {model.window ? fmt::format("{}", *model.window) : "-"},
                   {model.window ? fmt::format("{}", model.window_layers) : "-"},
                   {fmt::format("{}", model.context_length)},
                   {model.dtype ? std::string(to_string(*model.dtype)) : "-"}});
  }
  return table.text(color);
}

std::string algorithm_table(bool color) {
  TextTable table(
      {{"", "name", Align::left}, {"", "variants", Align::left}, {"", "what it is", Align::left}});
  for (const Algorithm* algorithm : algorithms()) {
    std::vector<std::string_view> variants;
    for (const Variant& variant : algorithm->variants) variants.push_back(variant.name);
    table.add_row({{std::string(algorithm->name)},
                   {fmt::format("{}", fmt::join(variants, ", "))},
                   {std::string(algorithm->summary)}});
  }
  return table.text(color);
}

std::string variant_table(bool color) {
  TextTable table({{"", "algorithm", Align::left},
                   {"", "variant", Align::left},
                   {"", "kernel", Align::left},
                   {"", "what it is", Align::left}});
  for (const Algorithm* algorithm : algorithms()) {
    for (const Variant& variant : algorithm->variants) {
      table.add_row({{std::string(algorithm->name)},
                     {std::string(variant.name)},
                     {variant.has_kernel ? "yes" : "no"},
                     {std::string(variant.summary)}});
    }
  }
  return table.text(color);
}

std::string recorded_table(bool color) {
  std::map<std::vector<std::string>, std::size_t> counts;
  for (const Record& row : recorded_rows()) {
    ++counts[{row.point.gpu, row.provenance.gpu, row.provenance.date.substr(0, 10), row.point.algorithm,
              row.point.variant, std::string(to_string(row.point.problem.dtype))}];
  }
  if (counts.empty()) return "No measurements are recorded in this build.\n";
  TextTable table({{"", "gpu", Align::left},
                   {"", "measured on", Align::left},
                   {"", "date", Align::left},
                   {"", "algorithm", Align::left},
                   {"", "variant", Align::left},
                   {"", "dtype", Align::left},
                   {"", "rows"}});
  for (const auto& [words, count] : counts) {
    std::vector<Cell> cells;
    for (const std::string& word : words) cells.push_back({word});
    cells.push_back({fmt::format("{}", count)});
    table.add_row(std::move(cells));
  }
  std::string text = table.text(color) + "\nEach of these finds some of them, together all:\n";
  for (const std::string_view options : recorded_plan()) {
    text += fmt::format("hbmscope validate --counters recorded {}\n", options);
  }
  return text;
}

int run_list(const Arguments& arguments) {
  constexpr std::string_view kAccepted =
      "expected gpus, settings, models, algorithms, variants, counters or recorded";
  const Terminal terminal = arguments.terminal.terminal();
  const GpuSpec gpu = choose_gpu(arguments.gpu);
  const bool color = terminal.color_out;
  if (arguments.what == "gpus") {
    write_stdout(gpu_table(color));
  } else if (arguments.what == "settings") {
    write_stdout(settings_table(gpu, color));
  } else if (arguments.what == "models") {
    write_stdout(model_table(color));
  } else if (arguments.what == "algorithms") {
    write_stdout(algorithm_table(color));
  } else if (arguments.what == "variants") {
    write_stdout(variant_table(color));
  } else if (arguments.what == "counters") {
    write_stdout(counter_table(gpu.name, gpu.chip, color));
  } else if (arguments.what == "recorded") {
    write_stdout(recorded_table(color));
  } else {
    throw UserError("list", arguments.what, std::string(kAccepted));
  }
  return kDone;
}

}  // namespace

Action add_list(CLI::App& command) {
  const auto arguments = std::make_shared<Arguments>();
  command
      .add_option("what", arguments->what, "gpus, settings, models, algorithms, variants, counters, recorded")
      ->type_name("WHAT");
  command.add_option("--gpu", arguments->gpu, "whose settings and counters: a name, a file, or auto [h200]")
      ->type_name("NAME");
  arguments->terminal.add_to(command);
  return [arguments](const RunInfo&) { return run_list(*arguments); };
}

}  // namespace hbmscope
