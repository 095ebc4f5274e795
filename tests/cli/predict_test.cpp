// What `predict` prints and writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "sim/gpu.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Predict, PrintsATableToStandardOutput) {
  const Workspace workspace;
  const Result result =
      workspace.run({"predict", "--seqlen", "1k", "--algorithm", "flash2", "--variant", "paper"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              HasSubstr("h200, bf16, batch 1, heads 16, head dim 128, seqlen 1024, full, flash2, paper"));
  // Q, K, V: 3 x 16 x 1024 x 128 x 2 B = 12.583 MB read at least.
  EXPECT_THAT(result.out, HasSubstr("MB"));
  EXPECT_THAT(result.out, HasSubstr("12.583"));
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(Predict, SaysWhyATileIsInfeasibleAndStillPredictsIt) {
  const Workspace workspace;
  const Result result = workspace.run({"predict", "--algorithm", "flash2", "--br", "128,512"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("infeasible (1 point): br 512"));
}

TEST(Predict, ShowsTheLaunchesOfASinglePoint) {
  const Workspace workspace;
  const std::string single = workspace.run({"predict", "--algorithm", "standard"}).out;
  EXPECT_THAT(single, HasSubstr("limited by"));
  EXPECT_THAT(single, HasSubstr("\nP = softmax(S) "));
  EXPECT_THAT(workspace.run({"predict"}).out, Not(HasSubstr("limited by")));
  // The paper's count has no kernel: dashes, no zeros.
  EXPECT_THAT(workspace.run({"predict", "--algorithm", "flash2", "--variant", "paper"}).out,
              ContainsRegex("tensor +-\n\n.*\nflash2 +- +- +- +- +- +- +[0-9]+ +[0-9.]+ +tensor\n"));
}

// Without --algorithm, variants that one algorithm alone has stand for it.
TEST(Predict, TakesTheAlgorithmOfAVariant) {
  const Workspace workspace;
  const Result implied = workspace.run({"predict", "--variant", "fa2,cudnn", "--csv", "-"});
  EXPECT_EQ(implied.code, 0) << implied.err;
  EXPECT_THAT(implied.out, HasSubstr("\n3,h200,flash2,fa2,"));
  EXPECT_THAT(implied.out, HasSubstr("\n3,h200,flash2,cudnn,"));
  EXPECT_THAT(implied.out, Not(HasSubstr(",standard,")));
  EXPECT_EQ(workspace.run({"predict", "--algorithm", "flash2", "--variant", "fa2,cudnn", "--csv", "-"}).out,
            implied.out);
  const Result beside_ours = workspace.run({"predict", "--variant", "fa2,mma", "--csv", "-"});
  EXPECT_THAT(beside_ours.out, HasSubstr("\n3,h200,flash2,fa2,"));
  EXPECT_THAT(beside_ours.out, HasSubstr("\n3,h200,flash2,mma,"));
  EXPECT_THAT(beside_ours.out, Not(HasSubstr(",standard,")));
  const Result both = workspace.run({"predict", "--variant", "cublas,fa2", "--csv", "-"});
  EXPECT_THAT(both.out, HasSubstr("\n3,h200,standard,cublas,"));
  EXPECT_THAT(both.out, HasSubstr("\n3,h200,flash2,fa2,"));
  const Result several = workspace.run({"predict", "--variant", "paper", "--csv", "-"});
  EXPECT_THAT(several.out, HasSubstr(",standard,paper,"));
  EXPECT_THAT(several.out, HasSubstr(",flash2,paper,"));
}

TEST(Predict, SaysWhatAPredictionTakesOverUnseen) {
  const Workspace workspace;
  constexpr const char* kOnA100 = "note: fa2 on a100-80: CTAs per SM";
  EXPECT_THAT(workspace.run({"predict", "--variant", "fa2"}).out, Not(HasSubstr("note: ")));
  EXPECT_THAT(workspace.run({"predict", "--variant", "fa2", "--gpu", "a100-80"}).out, HasSubstr(kOnA100));
  EXPECT_THAT(workspace.run({"predict", "--variant", "fa2", "--heads", "1", "--seqlen", "1k"}).out,
              HasSubstr("\nnote: fa2 splits K and V of prompts"));
  const Result sweep = workspace.run({"sweep", "--variant", "fa2", "--gpu", "h200,a100-80"});
  EXPECT_THAT(sweep.err, HasSubstr(kOnA100));
  EXPECT_THAT(sweep.out, HasSubstr(",\"fa2 on a100-80: CTAs per SM"));
  const Result many =
      workspace.run({"sweep", "--variant", "fa2", "--gpu", "v100,t4,a100-40,a100-80,l4,l40s"});
  EXPECT_THAT(many.err, HasSubstr("\nnote: there are others"));
}

TEST(Predict, ExplainsAFewPoints) {
  const Workspace workspace;
  const std::string few = workspace.run({"predict", "--seqlen", "1k,2k"}).out;
  EXPECT_THAT(few, HasSubstr("\nseqlen 2048, flash2\nlimiter: sram, at least "));
  EXPECT_THAT(few, HasSubstr("why: memory-bound"));
  EXPECT_THAT(few, HasSubstr("--seqlen       64..65536+64"));
  EXPECT_THAT(workspace.run({"predict", "--seqlen", "1k..4k*2"}).out, Not(HasSubstr("limiter:")));
}

// h100-sxm has no L2 rate, and the T4's tensor cores take no bf16.
TEST(Predict, NamesTheRatesThatAreNotKnown) {
  const Workspace workspace;
  const std::string line =
      "left out of the times: l2 on h100-sxm, t4; tensor on t4 (bf16): the rate is not known\n";
  const std::vector<std::string> points{"--gpu", "h200,h100-sxm,t4", "--seqlen", "1k,2k"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), points.begin(), points.end());
    return workspace.run(arguments);
  };
  EXPECT_THAT(run({"predict"}).out, HasSubstr("\n\n" + line));
  EXPECT_THAT(run({"sweep"}).err, HasSubstr(line));
  EXPECT_EQ(run({"sweep", "--quiet"}).err, "");
  EXPECT_THAT(run({"validate", "--counters", "recorded"}).out, HasSubstr(line));
  EXPECT_THAT(run({"predict", "--model", "llama2-7b"}).out,
              HasSubstr("left out of the times: l2 on h100-sxm, t4: "));
  EXPECT_THAT(workspace.run({"predict", "--seqlen", "1k..8k*2"}).out, Not(HasSubstr("left out")));
}

TEST(Predict, NamesWhatAReplayTakesFromTheH200) {
  const Workspace workspace;
  const std::string line =
      "not measured on a100-80, replayed with: ways, stretch, dirty share, rate of the younger CTA, rate of "
      "a lone CTA, deviation of steps, deviation of lone SMs, deviation of clocks as on the H200; the order "
      "of "
      "SMs by a guess (hbmscope calibrate measures a GPU)\n";
  const auto run = [&](const std::string& command, const std::string& l2) {
    return workspace.run({command, "--gpu", "h200,a100-80", "--seqlen", "512", "--l2", l2});
  };
  EXPECT_THAT(run("predict", "replay").out, HasSubstr(line));
  EXPECT_THAT(run("sweep", "none,replay").err, HasSubstr(line));
  EXPECT_THAT(run("predict", "none").out, Not(HasSubstr("not measured on")));
  EXPECT_THAT(workspace.run({"predict", "--seqlen", "512", "--l2", "replay"}).out,
              Not(HasSubstr("not measured on")));
}

TEST(Predict, SaysWhyHbmBytesOfAFewPointsDiffer) {
  const Workspace workspace;
  const Result none = workspace.run({"predict", "--seqlen", "1k", "--algorithm", "flash2", "--l2", "none"});
  EXPECT_THAT(none.out, HasSubstr("HBM bytes, and why:\n  io counts every access"));
  EXPECT_THAT(none.out, HasSubstr("--l2 replay predicts what DRAM is asked for.\n"));
  const Result replay =
      workspace.run({"predict", "--seqlen", "1k", "--algorithm", "flash2", "--l2", "replay"});
  EXPECT_THAT(replay.out, HasSubstr("heads live at once: "));
  EXPECT_THAT(replay.out, HasSubstr("  Predicted by --l2 replay: "));
  EXPECT_THAT(workspace.run({"predict", "--seqlen", "1k..4k*2"}).out, Not(HasSubstr("and why:")));
}

TEST(Predict, WritesJsonToStandardOutputAlone) {
  const Workspace workspace;
  const Result result = workspace.run({"predict", "--json", "-"});
  ASSERT_EQ(result.code, 0);
  const nlohmann::json json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("records").size(), 2U);
  EXPECT_FALSE(json.at("records").at(0).at("traffic").empty());
  EXPECT_EQ(json.at("records").at(0).at("launches").size(), 3U);
  EXPECT_EQ(json.at("records").at(0).at("roofs").size(), 5U);
  EXPECT_EQ(json.at("records").at(0).at("crossovers").at(0).at("axis"), "seqlen");
  EXPECT_EQ(json.at("gpus").at(0).at("name"), "h200");
  EXPECT_EQ(json.at("provenance").at("argv").at(1), "predict");
}

TEST(Predict, ColoursOnlyWhenAsked) {
  const Workspace workspace;
  EXPECT_THAT(workspace.run({"predict"}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(workspace.run({"predict", "--color", "always"}).out, HasSubstr("\x1b["));
}

TEST(Predict, TellsWalksApart) {
  const Result result =
      Workspace().run({"predict", "--algorithm", "flash2", "--kv-walk", "up,down", "--quiet"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("K/V down"));
}

TEST(Predict, ShowsTheLaunchesOfEveryAlgorithmOnEveryGpu) {
  const Workspace workspace;
  for (const std::string& gpu : gpu_names()) {
    for (const char* seqlen : {"1k", "4k"}) {
      const Result result =
          workspace.run({"predict", "--gpu", gpu, "--seqlen", seqlen, "--json", "-", "--algorithm",
                         "standard,standard-online,standard-masked-dropout,flash1,flash2"});
      EXPECT_EQ(result.code, 0) << gpu << " " << result.err;
    }
  }
}

}  // namespace
}  // namespace hbmscope::testing
