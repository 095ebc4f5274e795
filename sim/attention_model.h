#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/problem.h"

namespace hbmscope {

// The attention of one layer of a published model, a decoder: every query sees the keys up to its own.
struct AttentionModel {
  std::string name;       // as on the command line
  std::string full_name;  // as its authors call it
  std::string source;     // where the numbers stand
  std::int64_t hidden_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t head_dim_v = 0;
  std::optional<DataType> dtype;  // of its weights; absent where its config names none
  std::int64_t context_length = 0;
  std::optional<std::int64_t> window;  // keys that a query sees in window_layers layers, itself included
  std::int64_t window_layers = 0;      // 0 without a window
};

// Names of the models that come with hbmscope, sorted.
std::vector<std::string> model_names();

// A shipped model by name, or a file by path (anything with a '/' or ending in .toml). Throws UserError
// naming
// --model, or file:line and key, the value, and what is accepted.
AttentionModel load_model(std::string_view name_or_file);

// Parses a description; `origin` names it in errors.
AttentionModel parse_model(std::string_view toml_text, std::string_view origin);

}  // namespace hbmscope
