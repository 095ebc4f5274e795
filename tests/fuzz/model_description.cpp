// A model's description: what is accepted says the same when written and read again, and is a problem that
// the program takes.
#include "sim/attention_model.h"
#include "sim/toml_text.h"
#include "tests/fuzz/fuzz.h"

namespace hbmscope::fuzz {
namespace {

std::string toml_of(const AttentionModel& model) {
  TomlText out;
  out.put("name", model.name);
  out.put("full_name", model.full_name);
  out.put("source", model.source);
  out.put("hidden_size", model.hidden_size);
  out.put("layers", model.layers);
  out.put("heads", model.heads);
  out.put("kv_heads", model.kv_heads);
  out.put("head_dim", model.head_dim);
  out.put("head_dim_v", model.head_dim_v);
  if (model.dtype) out.put("dtype", std::string(to_string(*model.dtype)));
  out.put("context_length", model.context_length);
  out.put("window", model.window);
  if (model.window) out.put("window_layers", model.window_layers);
  return out.text();
}

}  // namespace

bool check_input(std::string_view input) {
  const auto model = accepted([&] { return parse_model(input, "model.toml"); });
  if (!model) return false;
  const std::string written = toml_of(*model);
  require(toml_of(parse_model(written, "written.toml")) == written,
          "a description is the same when read again");
  check_problem({.heads = model->heads,
                 .kv_heads = model->kv_heads,
                 .seqlen_q = model->context_length,
                 .seqlen_kv = model->context_length,
                 .head_dim = model->head_dim,
                 .head_dim_v = model->head_dim_v});
  require(model->window_layers <= model->layers, "no more layers have a window than there are");
  return true;
}

}  // namespace hbmscope::fuzz
