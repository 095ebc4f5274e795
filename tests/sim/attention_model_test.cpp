#include "sim/attention_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/described.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWhole = R"(name = "tiny"
full_name = "Tiny 1M"
source = "test"
hidden_size = 256
layers = 6
heads = 8
kv_heads = 2
head_dim = 32
dtype = "fp16"
context_length = 1024
window = 64
window_layers = 3
)";

std::string replaced(std::string_view what, std::string_view by) { return test::replaced(kWhole, what, by); }

std::string error_of(const std::string& text) {
  return test::error_of([&] { parse_model(text, "tiny.toml"); });
}

// From the models' configs: hidden_size, num_hidden_layers, num_attention_heads, num_key_value_heads,
// head_dim.
struct Config {
  const char* name;
  std::int64_t hidden_size, layers, heads, kv_heads, head_dim;
  std::optional<DataType> dtype;
  std::int64_t context_length;
};

}  // namespace

TEST(ShippedModels, AreTheirConfigs) {
  constexpr DataType kBf16 = DataType::bf16;
  constexpr DataType kFp16 = DataType::fp16;
  const std::vector<Config> configs{
      {"gpt2-small", 768, 12, 12, 12, 64, {}, 1024},      {"gpt2-medium", 1024, 24, 16, 16, 64, {}, 1024},
      {"gpt2-large", 1280, 36, 20, 20, 64, {}, 1024},     {"gpt2-xl", 1600, 48, 25, 25, 64, {}, 1024},
      {"llama2-7b", 4096, 32, 32, 32, 128, kFp16, 4096},  {"llama2-70b", 8192, 80, 64, 8, 128, kFp16, 4096},
      {"llama3-8b", 4096, 32, 32, 8, 128, kBf16, 8192},   {"llama3-70b", 8192, 80, 64, 8, 128, kBf16, 8192},
      {"mistral-7b", 4096, 32, 32, 8, 128, kBf16, 32768}, {"qwen2.5-7b", 3584, 28, 28, 4, 128, kBf16, 131072},
      {"gemma2-9b", 3584, 42, 16, 8, 256, kBf16, 8192},
  };
  for (const Config& config : configs) {
    SCOPED_TRACE(config.name);
    const AttentionModel model = load_model(config.name);
    EXPECT_EQ(model.name, config.name);
    EXPECT_FALSE(model.full_name.empty());
    EXPECT_THAT(model.source, HasSubstr("config.json of "));
    EXPECT_EQ(model.hidden_size, config.hidden_size);
    EXPECT_EQ(model.layers, config.layers);
    EXPECT_EQ(model.heads, config.heads);
    EXPECT_EQ(model.kv_heads, config.kv_heads);
    EXPECT_EQ(model.head_dim, config.head_dim);
    EXPECT_EQ(model.head_dim_v, config.head_dim);
    EXPECT_EQ(model.dtype, config.dtype);
    EXPECT_EQ(model.context_length, config.context_length);
    // Gemma 2 9B projects 16 x 256 columns back to 3584.
    if (model.name != "gemma2-9b") {
      EXPECT_EQ(model.heads * model.head_dim, model.hidden_size);
    }
  }
  EXPECT_EQ(model_names().size(), configs.size()) << "a shipped model is missing from this table";
}

TEST(ShippedModels, SlideTheirWindows) {
  for (const std::string& name : model_names()) {
    SCOPED_TRACE(name);
    const AttentionModel model = load_model(name);
    const bool slides = name == "mistral-7b" || name == "gemma2-9b";
    EXPECT_EQ(model.window.has_value(), slides);
    if (slides) {
      EXPECT_EQ(*model.window, 4096);
      EXPECT_EQ(model.window_layers, name == "mistral-7b" ? 32 : 21);
    } else {
      EXPECT_EQ(model.window_layers, 0);
    }
  }
}

TEST(ParseModel, ReadsEveryKey) {
  const AttentionModel model = parse_model(kWhole, "tiny.toml");
  EXPECT_EQ(model.layers, 6);
  EXPECT_EQ(model.head_dim_v, 32);
  EXPECT_EQ(model.dtype, DataType::fp16);
  EXPECT_EQ(model.window, 64);
  EXPECT_EQ(model.window_layers, 3);
  EXPECT_EQ(parse_model(replaced("head_dim = 32", "head_dim = 32\nhead_dim_v = 16"), "").head_dim_v, 16);
}

TEST(ParseModel, NamesWhatIsWrong) {
  struct Case {
    std::string text;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases{
      {replaced("heads = 8", "heads = 0"), {"tiny.toml:6", "heads", "'0'", "from 1"}},
      {replaced("kv_heads = 2", "kv_heads = 3"), {"tiny.toml:7", "kv_heads", "'3'", "a divisor of the 8"}},
      {replaced("kv_heads = 2", "kv_heads = 16"), {"tiny.toml:7", "'16'", "to 8"}},
      {replaced("\"fp16\"", "\"int4\""), {"tiny.toml:9", "dtype", "'int4'", "bf16, fp16"}},
      {replaced("\"fp16\"", "16"), {"tiny.toml:9", "dtype", "a text"}},
      {replaced("window_layers = 3", "window_layers = 7"), {"tiny.toml:12", "'7'", "to 6"}},
      {replaced("window_layers = 3\n", ""), {"window_layers", "missing"}},
      {replaced("window = 64\n", ""), {"tiny.toml:11", "window_layers", "unknown"}},
      {replaced("source = \"test\"\n", ""), {"source", "missing"}},
      {replaced("layers = 6", "layers = = 6"), {"tiny.toml:5", "not valid TOML"}},
  };
  for (const Case& wrong : cases) {
    const std::string message = error_of(wrong.text);
    for (const std::string& said : wrong.said) EXPECT_THAT(message, HasSubstr(said));
  }
  EXPECT_EQ(error_of(std::string(kWhole)), "");
}

}  // namespace hbmscope
