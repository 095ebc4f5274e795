#include "sim/attention_model.h"

#include <fmt/format.h>

#include "sim/config_file.h"
#include "sim/error.h"
#include "sim/toml_reader.h"

namespace hbmscope {

std::span<const EmbeddedFile> embedded_model_files();

namespace {

std::optional<DataType> read_dtype(TomlReader& reader) {
  const std::optional<std::string> text = reader.text_if_present("dtype");
  if (!text) return std::nullopt;
  const std::optional<DataType> dtype = parse_data_type(*text);
  if (!dtype) reader.fail("dtype", *text, "bf16, fp16, fp32 or fp8");
  return dtype;
}

AttentionModel read_model(TomlReader reader) {
  constexpr std::int64_t kLargestLayers = 10'000;
  AttentionModel model;
  model.name = reader.text("name");
  model.full_name = reader.text("full_name");
  model.source = reader.text("source");
  model.hidden_size = reader.integer("hidden_size", 1, kLargestSize);
  model.layers = reader.integer("layers", 1, kLargestLayers);
  model.heads = reader.integer("heads", 1, kLargestSize);
  model.kv_heads = reader.integer("kv_heads", 1, model.heads);
  if (model.heads % model.kv_heads != 0) {
    reader.fail("kv_heads", fmt::format("{}", model.kv_heads),
                fmt::format("a divisor of the {} heads", model.heads));
  }
  model.head_dim = reader.integer("head_dim", 1, kLargestSize);
  model.head_dim_v = reader.integer_or("head_dim_v", 1, kLargestSize, model.head_dim);
  model.dtype = read_dtype(reader);
  model.context_length = reader.integer("context_length", 1, kLargestSize);
  model.window = reader.integer_if_present("window", 1, kLargestSize);
  if (model.window) model.window_layers = reader.integer("window_layers", 1, model.layers);
  reader.finish();
  return model;
}

}  // namespace

std::vector<std::string> model_names() { return config_names(embedded_model_files()); }

AttentionModel parse_model(std::string_view toml_text, std::string_view origin) {
  const std::string file(origin);
  const toml::table table = parse_toml(toml_text, file);
  return read_model({table, file, ""});
}

AttentionModel load_model(std::string_view name_or_file) {
  const ConfigText config = find_config("--model", embedded_model_files(), name_or_file);
  return parse_model(config.text, config.origin);
}

}  // namespace hbmscope
