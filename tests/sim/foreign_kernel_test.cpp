#include "sim/foreign_kernel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/algorithms/algorithm.h"
#include "tests/sim/described.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;

constexpr std::string_view kWhole = R"(name = "other"
full_name = "Other's kernel 1.0"
splits_prompts = true

[counted_on]
name = "a T4"
compute_capability = 75
sms = 40

[source]
tile = "test"
residency = "test"
grid = "test"
walks = "test"
spills = "test"
younger_cta_rate = "test"
gpc_clock_deviation = "test"

[[case]]
head_dim = 64
mask = "causal"
br = 96
bc = 48
stages = 2
threads = 192
shared_bytes = 1000
ctas_per_sm = 3
schedule = "longest-first"
persistent_ctas = 20
batch_before_head = true
q_walk = "down"
kv_walk = "alternating"
writes_lse = true
spill_bytes_per_step = 10
spill_bytes_per_cta = 30
younger_cta_percent = 90
gpc_clock_deviation_ppm = 2500
)";

std::string replaced(std::string_view what, std::string_view by) { return test::replaced(kWhole, what, by); }

std::string error_of(const std::string& text) {
  return test::error_of([&] { parse_foreign_kernel(text, "other.toml"); });
}

ForeignCase only_case(const std::string& text) {
  return parse_foreign_kernel(text, "other.toml").cases.at(0);
}

struct Wrong {
  const char* what;
  const char* by;
  const char* error;
};

}  // namespace

TEST(ForeignKernel, IsReadWhole) {
  const ForeignKernel kernel = parse_foreign_kernel(kWhole, "other.toml");
  EXPECT_EQ(kernel.name, "other");
  EXPECT_EQ(kernel.full_name, "Other's kernel 1.0");
  EXPECT_TRUE(kernel.splits_prompts);
  EXPECT_EQ(kernel.counted_on.name, "a T4");
  EXPECT_EQ(kernel.counted_on.compute_capability, 75);
  EXPECT_EQ(kernel.counted_on.sms, 40);
  ASSERT_EQ(kernel.cases.size(), 1U);
  const ForeignCase& read = kernel.cases.front();
  EXPECT_EQ(read.head_dim, 64);
  EXPECT_EQ(read.mask, Mask::causal);
  EXPECT_EQ(read.tile.br, 96);
  EXPECT_EQ(read.tile.bc, 48);
  EXPECT_EQ(read.tile.stages, 2);
  EXPECT_EQ(read.threads, 192);
  EXPECT_EQ(read.shared_bytes, 1000);
  EXPECT_EQ(read.ctas_per_sm, 3);
  EXPECT_EQ(read.schedule, Schedule::longest_first);
  EXPECT_EQ(read.persistent_ctas, 20);
  EXPECT_TRUE(read.batch_before_head);
  EXPECT_EQ(read.q_walk, Walk::down);
  EXPECT_EQ(read.kv_walk, Walk::alternating);
  EXPECT_TRUE(read.writes_lse);
  ASSERT_TRUE(read.spills);
  EXPECT_EQ(read.spills->bytes_per_step, 10);
  EXPECT_EQ(read.spills->bytes_per_cta, 30);
  EXPECT_EQ(read.younger_cta_rate, 0.9);
  EXPECT_DOUBLE_EQ(read.gpc_clock_deviation.value(), 0.0025);
}

TEST(ForeignKernel, LeavesOutWhatIsNotKnown) {
  std::string text(kWhole);
  for (const std::string_view line :
       {"splits_prompts = true\n", "spills = \"test\"\n", "younger_cta_rate = \"test\"\n",
        "spill_bytes_per_step = 10\n", "spill_bytes_per_cta = 30\n", "younger_cta_percent = 90\n",
        "gpc_clock_deviation = \"test\"\n", "gpc_clock_deviation_ppm = 2500\n"}) {
    text.erase(text.find(line), line.size());
  }
  EXPECT_FALSE(parse_foreign_kernel(text, "other.toml").splits_prompts);
  EXPECT_TRUE(parse_foreign_kernel(text, "other.toml").counted);
  const ForeignCase read = only_case(text);
  EXPECT_FALSE(read.spills);
  EXPECT_FALSE(read.younger_cta_rate);
  EXPECT_FALSE(read.gpc_clock_deviation);
}

// What this format alone asks for; that a key is missing, unknown or out of range is the reader's, tested
// with the descriptions of GPUs and models.
TEST(ForeignKernel, RefusesWhatIsWrongInOneLine) {
  for (const Wrong& wrong : {
           Wrong{"mask = \"causal\"", "mask = \"window\"",
                 "key case.mask: 'window' is not accepted; expected full or causal"},
           Wrong{"q_walk = \"down\"", "q_walk = \"alternating\"", "expected up or down"},
           Wrong{"kv_walk = \"alternating\"", "kv_walk = \"zigzag\"", "expected up, down or alternating"},
           Wrong{"\"longest-first\"", "\"random\"", "expected hardware, static-stride"},
           Wrong{"persistent_ctas = 20\n", "", "key case.persistent_ctas is missing"},
           Wrong{"\"longest-first\"", "\"hardware\"", "key case.persistent_ctas: unknown"},
           Wrong{"spills = \"test\"\n", "", "key source.spills is missing"},
           Wrong{"younger_cta_rate = \"test\"\n", "", "key source.younger_cta_rate is missing"},
           Wrong{"gpc_clock_deviation = \"test\"\n", "", "key source.gpc_clock_deviation is missing"},
           Wrong{"ppm = 2500", "ppm = 300001", "key case.gpc_clock_deviation_ppm: '300001'"},
       }) {
    EXPECT_THAT(error_of(replaced(wrong.what, wrong.by)), HasSubstr(wrong.error)) << wrong.by;
  }
  const std::string one_case(kWhole.substr(kWhole.find("[[case]]")));
  EXPECT_THAT(error_of(std::string(kWhole) + one_case),
              HasSubstr("head_dim 64, mask causal' is not accepted; expected each case once"));
}

// Everything that is shipped is a variant, and is described for every head dim under both masks.
TEST(ShippedForeignKernels, AreVariantsOfFlash2) {
  const Algorithm& flash2 = find_algorithm("flash2");
  for (const std::string& name : foreign_kernel_names()) {
    const ForeignKernel& kernel = foreign_kernel(name);
    EXPECT_EQ(kernel.name, name);
    const Variant& variant = find_variant(flash2, name);
    EXPECT_FALSE(variant.has_kernel);
    ASSERT_NE(variant.implied, nullptr);
    for (const ForeignCase& each : kernel.cases) {
      for (const Mask mask : {Mask::full, Mask::causal}) {
        const Problem problem{.head_dim = each.head_dim, .head_dim_v = each.head_dim, .mask = mask};
        const ForeignCase* found = find_case(kernel, problem);
        ASSERT_NE(found, nullptr) << name << " " << each.head_dim;
        EXPECT_EQ(variant.implied(problem).tile.bc, found->tile.bc);
      }
    }
  }
  EXPECT_THROW(foreign_kernel("fa9"), std::logic_error);
}

TEST(ForeignKernel, MayHintAndTakeHeadsInSections) {
  EXPECT_EQ(only_case(std::string(kWhole)).kv_hint, L2Hint::normal);
  const std::string keys =
      "writes_lse = true\nsection_bytes = 1000\nq_hint = \"evict-first\"\nkv_hint = \"evict-last\"";
  const ForeignCase read = only_case(replaced("writes_lse = true", keys));
  EXPECT_EQ(read.section_bytes, 1000);
  EXPECT_EQ(read.q_hint, L2Hint::evict_first);
  EXPECT_EQ(read.kv_hint, L2Hint::evict_last);
  EXPECT_THAT(error_of(replaced("writes_lse = true", "writes_lse = true\nq_hint = \"keep\"")),
              HasSubstr("expected normal, evict-first or evict-last"));
}

// By hand: K and V of a head are 2 x 4096 x 128 x 2 bytes, 2 MiB; 16 of them are 32 MiB.
TEST(ForeignKernel, SectionsDivideAllHeads) {
  const auto heads = [](std::int64_t batch, std::int64_t all, std::int64_t kv_heads) {
    return heads_of_section({.section_bytes = 32 * 1024 * 1024},
                            {.batch = batch, .heads = all, .kv_heads = kv_heads, .seqlen_kv = 4096});
  };
  EXPECT_EQ(heads(1, 8, 8), 8);
  EXPECT_EQ(heads(4, 16, 16), 16);
  EXPECT_EQ(heads(1, 40, 40), 10);
  EXPECT_EQ(heads(4, 16, 4), 64);  // four query heads for each of 16 KV heads
  EXPECT_EQ(heads_of_section({}, {}), 0);
}

TEST(ForeignKernel, HasCasesForOneQuery) {
  std::string text =
      replaced("mask = \"causal\"", "one_query = true\nsplit_places = 9\nsplit_stats = 2\ncombine_rows = 4");
  EXPECT_THAT(error_of(text), HasSubstr("key source.decode is missing"));
  text.replace(text.find("walks ="), 0, "decode = \"test\"\n");
  const ForeignCase read = only_case(text);
  EXPECT_TRUE(read.one_query);
  ASSERT_TRUE(read.split);
  EXPECT_EQ(read.split->places, 9);
  EXPECT_EQ(read.split->stats, 2);
  EXPECT_EQ(read.split->combine_rows, 4);
  EXPECT_THAT(error_of(replaced("mask = \"causal\"", "mask = \"causal\"\nsplit_places = 9")),
              HasSubstr("key case.split_places: unknown"));
}

// By hand: `ctas` K/V heads on 100 places, 64 tiles of K and V.
TEST(ForeignKernel, SplitsWhereTooFewCtasWouldRun) {
  ForeignCase described{.split = SplitRule{.places = 100}, .tile = {.br = 64, .bc = 128}};
  const auto splits = [&](std::int64_t ctas, std::int64_t tiles = 64) {
    return splits_of(described,
                     {.batch = 1, .heads = ctas, .kv_heads = ctas, .seqlen_q = 1, .seqlen_kv = tiles * 128});
  };
  EXPECT_EQ(splits(80), 1);  // 80 % are taken
  EXPECT_EQ(splits(79), 5);  // 1 to 4 fill 79 %, 5 fill 3.95 of 4 waves, 64 the best: 50.56 of 51
  EXPECT_EQ(splits(50), 2);  // 100 %
  EXPECT_EQ(splits(30), 3);  // 90 %; the best, 10, fills 3 waves
  EXPECT_EQ(splits(1), 64);  // 64 %: all tiles apart
  EXPECT_EQ(splits(1, 1), 1);
  EXPECT_EQ(splits(1 << 30), 1);
  described.split.reset();
  EXPECT_EQ(splits(50), 1);
}

TEST(ShippedForeignKernels, SayWhatTheyAreKnownFor) {
  const Variant& fa2 = find_variant(find_algorithm("flash2"), "fa2");
  const auto refused = [&](const Problem& problem) { return test::error_of([&] { fa2.implied(problem); }); };
  EXPECT_THAT(refused({.head_dim = 96, .head_dim_v = 96}),
              HasSubstr("--head-dim: '96' is not accepted; expected 64 or 128"));
  EXPECT_THAT(refused({.head_dim = 64, .head_dim_v = 128}),
              HasSubstr("--head-dim-v: '128' is not accepted; expected 64"));
  EXPECT_THAT(refused({.mask = Mask::window, .window = 8}), HasSubstr("--mask: 'window'"));
  EXPECT_THAT(refused({.dtype = DataType::fp32}), HasSubstr("--dtype: 'fp32'"));
}

// Its residency is counted on an H200, which has the SMs and the compute capability of an H100.
TEST(ForeignKernel, NotesAGpuOnWhichItWasNotCounted) {
  const Variant& cudnn = find_variant(find_algorithm("flash2"), "cudnn");
  const auto note = [&](const char* gpu) { return cudnn.note({.seqlen_q = 4096}, load_gpu(gpu)); };
  EXPECT_EQ(note("h200"), "");
  EXPECT_EQ(note("h100-sxm"), "");
  EXPECT_EQ(note("h200+l2.capacity=100MiB"), "");
  for (const char* other : {"a100-80", "h100-pcie", "h200+sms=66", "mi300x"}) {
    EXPECT_EQ(note(other),
              fmt::format("cudnn on {}: CTAs per SM, persistent CTAs, splits and spills are those counted on "
                          "an H200",
                          load_gpu(other).name));
  }
}

// mha_fwd asks num_splits_heuristic with q tiles of 64 rows: from 80 % of 264 places on it splits nothing.
TEST(ForeignKernel, NotesAPromptThatIsSplit) {
  const GpuSpec h200 = load_gpu("h200");
  const Variant& fa2 = find_variant(find_algorithm("flash2"), "fa2");
  const auto note = [&](const Problem& problem) { return fa2.note(problem, h200); };
  Problem problem{.heads = 4, .kv_heads = 4, .seqlen_q = 53 * 64, .seqlen_kv = 4096, .head_dim = 128};
  EXPECT_EQ(note(problem), "");  // 212 of 211.2
  problem.seqlen_q = 52 * 64;
  EXPECT_EQ(note(problem),
            "fa2 splits K and V of prompts whose q tiles leave SMs idle; this one is predicted unsplit");
  problem.kv_heads = 1;  // the q tiles of a prompt are those of its query heads
  EXPECT_NE(note(problem), "");
  problem.seqlen_kv = 128;  // one tile cannot be split
  EXPECT_EQ(note(problem), "");
  problem.seqlen_q = 1;  // described with its splits
  EXPECT_EQ(note(problem), "");
  problem = {.heads = 1, .kv_heads = 1, .seqlen_q = 64, .seqlen_kv = 4096};
  EXPECT_EQ(find_variant(find_algorithm("flash2"), "cudnn").note(problem, h200), "");
}

}  // namespace hbmscope
