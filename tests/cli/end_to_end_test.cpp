// Each command that needs no GPU, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiler/metrics.h"
#include "reports/csv.h"
#include "sim/gpu.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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
  EXPECT_THAT(workspace.run({"predict"}).out, ::testing::Not(HasSubstr("limited by")));
  // The paper's count has no kernel: dashes, no zeros.
  EXPECT_THAT(
      workspace.run({"predict", "--algorithm", "flash2", "--variant", "paper"}).out,
      ::testing::ContainsRegex("tensor +-\n\n.*\nflash2 +- +- +- +- +- +- +[0-9]+ +[0-9.]+ +tensor\n"));
}

TEST(Predict, ExplainsAFewPoints) {
  const Workspace workspace;
  const std::string few = workspace.run({"predict", "--seqlen", "1k,2k"}).out;
  EXPECT_THAT(few, HasSubstr("\nseqlen 2048, flash2\nlimiter: sram, at least "));
  EXPECT_THAT(few, HasSubstr("why: memory-bound"));
  EXPECT_THAT(few, HasSubstr("--seqlen       64..65536+64"));
  EXPECT_THAT(workspace.run({"predict", "--seqlen", "1k..4k*2"}).out, ::testing::Not(HasSubstr("limiter:")));
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
  EXPECT_THAT(workspace.run({"predict"}).out, ::testing::Not(HasSubstr("\x1b[")));
  EXPECT_THAT(workspace.run({"predict", "--color", "always"}).out, HasSubstr("\x1b["));
}

TEST(Sweep, WritesCsvToStandardOutputAndContextToStandardError) {
  const Workspace workspace;
  const Result result = workspace.run({"sweep", "--seqlen", "512..4k*2", "--mask", "full,causal"});
  ASSERT_EQ(result.code, 0);
  EXPECT_EQ(read_csv(result.out, "out").size(), 4U * 2 * 2);
  EXPECT_THAT(result.err, StartsWith("16 points in "));
  EXPECT_EQ(workspace.run({"sweep", "--quiet"}).err, "");
}

// 2^30 batches of 2^30 rows exceed 64 bits, those of 64 rows do not.
TEST(Sweep, GoesOnAfterAPointWhoseCountsExceed64Bits) {
  const Workspace workspace;
  const std::vector<std::string> points{"--algorithm", "flash2", "--batch", "1024m", "--seqlen", "1024m,64"};
  std::vector<std::string> sweep{"sweep", "--quiet", "--csv", "a.csv", "--html", "a.html", "--journal", "j"};
  sweep.insert(sweep.end(), points.begin(), points.end());
  EXPECT_EQ(workspace.run(sweep).code, 0);
  sweep.insert(sweep.end(), {"--resume", "--csv", "again.csv"});
  sweep.erase(sweep.begin() + 2, sweep.begin() + 6);
  EXPECT_EQ(workspace.run(sweep).code, 0);
  EXPECT_EQ(workspace.read("a.csv"), workspace.read("again.csv"));
  const std::vector<Record> rows = read_csv(workspace.read("a.csv"), "a.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].status, Status::skipped);
  EXPECT_THAT(rows[0].reason, HasSubstr("exceeds 64 bits"));
  EXPECT_FALSE(rows[0].feasible || rows[0].prediction);
  EXPECT_EQ(rows[1].status, Status::ok);
  EXPECT_TRUE(rows[1].prediction.has_value());

  std::vector<std::string> predict{"predict"};
  predict.insert(predict.end(), points.begin(), points.end());
  const Result table = workspace.run(predict);
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, ContainsRegex("\n1073741824( +-){10} +- +-\n"));
  EXPECT_THAT(table.out, HasSubstr("skipped (1 point): byte count: the count exceeds 64 bits"));
}

TEST(Sweep, DryRunCountsThePoints) {
  const Workspace workspace;
  const Result result =
      workspace.run({"sweep", "--seqlen", "512..16k*2", "--br", "64,128", "--dry-run", "--csv", "x.csv"});
  EXPECT_EQ(result.out, "24 points\n");
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(workspace.files(), IsEmpty());
}

TEST(Sweep, IsTheSameEveryTime) {
  const Workspace workspace;
  const std::vector<std::string> arguments{"sweep", "--seqlen", "64..512+64", "--heads",
                                           "4,8",   "--br",     "16,32"};
  EXPECT_EQ(workspace.run(arguments).out, workspace.run(arguments).out);
}

TEST(Sweep, WritesEveryFormat) {
  const Workspace workspace;
  ASSERT_EQ(
      workspace.run({"sweep", "--csv", "a.csv", "--json", "a.json", "--jsonl", "a.jsonl", "--html", "a.html"})
          .code,
      0);
  EXPECT_THAT(workspace.files(), ElementsAre("a.csv", "a.html", "a.json", "a.jsonl"));
  EXPECT_THAT(workspace.read("a.html"), HasSubstr("</html>"));
}

TEST(Report, KeepsTheArraysOfJson) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"predict", "--json", "a.json"}).code, 0);
  const Result result = workspace.run({"report", "a.json", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(result.out).at("records"),
            nlohmann::json::parse(workspace.read("a.json")).at("records"));
}

TEST(Report, ConvertsWithoutLoss) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv", "--json", "a.json", "--jsonl", "a.jsonl"}).code, 0);
  const std::string csv = workspace.read("a.csv");
  for (const char* input : {"a.csv", "a.json", "a.jsonl"}) {
    const Result result = workspace.run({"report", input, "--csv", "-"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, csv) << input;
  }
  ASSERT_EQ(workspace.run({"report", "a.csv", "a.json", "--html", "both.html"}).code, 0);
  EXPECT_THAT(workspace.read("both.html"), HasSubstr("</html>"));
}

// The rows of a file that is read twice would count twice; the same points in two files may be two runs.
TEST(Report, ReadsAFileOnce) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv"}).code, 0);
  ASSERT_EQ(workspace.run_shell("ln -s a.csv link.csv; cp a.csv b.csv").code, 0);
  for (const char* again : {"a.csv", "./a.csv", "link.csv"}) {
    const Result result = workspace.run({"report", "a.csv", again, "--json", "x.json"});
    EXPECT_EQ(result.code, 2) << again;
    EXPECT_EQ(result.err,
              std::string("hbmscope: ") + again + ": expected each file once; it is given as a.csv too\n");
  }
  EXPECT_THAT(workspace.files(), ::testing::Not(::testing::Contains("x.json")));
  EXPECT_EQ(workspace.run({"report", "a.csv", "b.csv"}).err, "4 points\n");
}

TEST(Report, PrintsTheErrorsOfWhatWasMeasured) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv"}).code, 0);
  EXPECT_EQ(workspace.run({"report", "a.csv"}).out, "No point was measured.\n");
  ASSERT_EQ(workspace.run({"validate", "--tokens", "16k", "--counters", "recorded", "--csv", "b.csv"}).code,
            0);
  const Result result = workspace.run({"report", "b.csv", "--html", "b.html"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("hbm +flash2 +mma +reads +1 "));
  EXPECT_THAT(workspace.read("b.html"), HasSubstr("</html>"));
}

TEST(Outputs, NeverReplaceWhatIsRead) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--csv", "a.csv", "--journal", "a.journal"}).code, 0);
  const std::string csv = workspace.read("a.csv");
  const std::string journal = workspace.read("a.journal");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"report", "a.csv", "--csv", "./a.csv"},
        {"merge", "a.journal", "--jsonl", "a.journal"},
        {"validate", "--counters", "recorded", "--recorded", "a.csv", "--csv", "a.csv"}}) {
    const Result result = workspace.run(arguments);
    EXPECT_EQ(result.code, 2) << arguments.front();
    EXPECT_THAT(result.err, HasSubstr("expected another file than those that are read"));
  }
  EXPECT_EQ(workspace.read("a.csv"), csv);
  EXPECT_EQ(workspace.read("a.journal"), journal);
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

TEST(Set, NamesTheChangedGpuInTheRows) {
  const Workspace workspace;
  const Result result = workspace.run({"sweep", "--quiet", "--algorithm", "flash2", "--set", "sms=66,160",
                                       "--set", "l2.capacity=100MiB", "--csv", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<Record> records = read_csv(result.out, "out.csv");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].point.gpu, "h200+sms=66+l2.capacity=100MiB");
  EXPECT_EQ(records[1].point.gpu, "h200+sms=160+l2.capacity=100MiB");
  // flash2 is bound by the SMs here, so 160 of them need 66 / 160 of the time.
  EXPECT_NEAR(records[1].prediction->time_s / records[0].prediction->time_s, 66.0 / 160, 1e-9);
}

TEST(Set, ReportDrawsTheRoofsOfTheChangedGpu) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--quiet", "--set", "hbm.bandwidth=8TB/s", "--csv", "a.csv"}).code, 0);
  ASSERT_EQ(workspace.run({"report", "a.csv", "--json", "a.json", "--quiet"}).code, 0);
  const nlohmann::json gpus = nlohmann::json::parse(workspace.read("a.json")).at("gpus");
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus.at(0).at("name"), "h200+hbm.bandwidth=8TB/s");
  EXPECT_EQ(gpus.at(0).at("full_name"), "NVIDIA H200 with hbm.bandwidth=8TB/s");
  EXPECT_EQ(gpus.at(0).at("hbm_bytes_per_s"), 8e12);
  EXPECT_EQ(gpus.at(0).at("sources").at("hbm_bytes_per_s").at("source"),
            "set on the command line: hbm.bandwidth=8TB/s");
}

// A GPU of the user's own is known by its name only, and so is what was made of it.
TEST(Set, ReportLeavesOutWhatItCannotRebuild) {
  const Workspace workspace;
  ASSERT_EQ(workspace.run({"sweep", "--quiet", "--set", "sms=66", "--csv", "a.csv"}).code, 0);
  std::string text = workspace.read("a.csv");
  for (const std::string other : {"h200+smms=66", "mine+sms=66"}) {
    std::string edited = text;
    for (std::size_t at = 0; (at = edited.find("h200+sms=66", at)) != std::string::npos;) {
      edited.replace(at, std::string("h200+sms=66").size(), other);
      at += other.size();
    }
    workspace.write("b.csv", edited);
    ASSERT_EQ(workspace.run({"report", "b.csv", "--json", "b.json", "--quiet"}).code, 0);
    EXPECT_TRUE(nlohmann::json::parse(workspace.read("b.json")).at("gpus").empty()) << other;
  }
}

TEST(Model, BringsHeadsTypeAndMask) {
  const Workspace workspace;
  const Result result = workspace.run({"sweep", "--quiet", "--algorithm", "flash2", "--seqlen", "8k", "--csv",
                                       "-", "--model", "llama2-7b,gemma2-9b,mistral-7b"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<Record> records = read_csv(result.out, "out.csv");
  // Half of Gemma 2's layers see all keys up to their own, the other half and all of Mistral's a window.
  ASSERT_EQ(records.size(), 4U);
  const Problem& llama = records[0].point.problem;
  EXPECT_EQ(llama.heads, 32);
  EXPECT_EQ(llama.kv_heads, 32);
  EXPECT_EQ(llama.head_dim, 128);
  EXPECT_EQ(llama.dtype, DataType::fp16);
  EXPECT_EQ(llama.mask, Mask::causal);
  const Problem& gemma = records[1].point.problem;
  EXPECT_EQ(gemma.heads, 16);
  EXPECT_EQ(gemma.kv_heads, 8);
  EXPECT_EQ(gemma.head_dim_v, 256);
  EXPECT_EQ(gemma.mask, Mask::causal);
  for (const std::size_t windowed : {2U, 3U}) {
    EXPECT_EQ(records[windowed].point.problem.mask, Mask::window);
    EXPECT_EQ(records[windowed].point.problem.window, 4096);
  }
  EXPECT_EQ(records[3].point.problem.heads, 32);
}

TEST(Model, GivesWayToTypeAndMask) {
  const Workspace workspace;
  const std::vector<std::string> two{"predict", "--dry-run", "--algorithm", "flash2", "--model"};
  const auto points = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = two;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace.run(arguments).out;
  };
  EXPECT_EQ(points({"gemma2-9b"}), "2 points\n");
  EXPECT_EQ(points({"gemma2-9b", "--causal"}), "1 point\n");
  EXPECT_EQ(points({"gemma2-9b", "--mask", "full,causal", "--dtype", "bf16,fp16"}), "4 points\n");
  // A layer of Mistral 7B differs from one of Llama 3 8B in its window alone.
  EXPECT_EQ(points({"llama3-8b,mistral-7b"}), "2 points\n");
  EXPECT_EQ(points({"llama3-8b,mistral-7b", "--causal"}), "1 point\n");
  EXPECT_EQ(points({"llama2-7b,llama2-7b"}), "1 point\n");
}

TEST(List, KnowsWhatThereIs) {
  const Workspace workspace;
  EXPECT_THAT(workspace.run({"list", "gpus"}).out, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(workspace.run({"list", "settings"}).out, HasSubstr("4.8TB/s"));
  EXPECT_THAT(workspace.run({"list", "settings", "--gpu", "mi300x"}).out, HasSubstr("5.3TB/s"));
  EXPECT_THAT(workspace.run({"list", "models"}).out, HasSubstr("Gemma 2 9B"));
  EXPECT_THAT(workspace.run({"list", "algorithms"}).out, HasSubstr("flash1"));
  EXPECT_THAT(workspace.run({"list", "variants"}).out, HasSubstr("paper"));
  const Result counters = workspace.run({"list", "counters", "--gpu", "a100-80"});
  EXPECT_THAT(counters.out, HasSubstr("metrics on a100-80 (GA100)"));
  EXPECT_THAT(counters.out, HasSubstr("l1tex__m_xbar2l1tex_read_bytes.sum"));
  EXPECT_THAT(workspace.run({"list", "recorded"}).out,
              HasSubstr("hbmscope validate --counters recorded --algorithm standard,"));
}

TEST(List, KnowsTheChipOfEveryGpuThatRunsCuda) {
  for (const std::string& name : gpu_names()) {
    const GpuSpec gpu = load_gpu(name);
    EXPECT_EQ(family_of(gpu.chip) != nullptr, gpu.compute_capability.has_value()) << name << " " << gpu.chip;
  }
}

TEST(Compile, SaysWhenNoPointHasAKernel) {
  const Workspace workspace;
  for (const std::vector<std::string>& choice : {std::vector<std::string>{"--variant", "paper"},
                                                 {"--br", "17"},
                                                 {"--batch", "1024m", "--seqlen", "1m"},
                                                 {"--set", "hbm.capacity=1MB"}}) {
    std::vector<std::string> arguments{"compile"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    const Result result = workspace.run(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, StartsWith("hbmscope: points: none has a kernel"));
  }
}

TEST(Version, NamesCommitAndLibraries) {
  const Workspace workspace;
  const Result result = workspace.run({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, StartsWith("hbmscope "));
  EXPECT_THAT(result.out, HasSubstr("NVRTC"));
  EXPECT_THAT(result.out, HasSubstr("CUPTI"));
}

TEST(StandardOutput, ABrokenPipeEndsQuietlyAndKeepsNoHalfFile) {
  const Workspace workspace;
  // `true` reads nothing; the program writes more than a pipe holds.
  const Result result =
      workspace.run_shell("(\"$PROGRAM\" sweep --quiet --seqlen 64..64k+64; echo code $? >&2) | true");
  EXPECT_EQ(result.err, "code 0\n");
}

TEST(StandardOutput, AFullDiskIsAnError) {
  const Workspace workspace;
  const Result result = workspace.run_shell("\"$PROGRAM\" sweep > /dev/full");
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(count_lines(result.err), 1U);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST(Interrupt, KeepsWhatIsFinished) {
  const Workspace workspace;
  const Result result = workspace.run_shell(
      "\"$PROGRAM\" sweep --csv x.csv --seqlen 1..9000+1 --br 16..256+16 --bc 16..128+16 & pid=$!; sleep 1; "
      "kill -INT $pid; wait $pid");
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("hbmscope: interrupted after "));
  EXPECT_FALSE(read_csv(workspace.read("x.csv"), "x.csv").empty());
  EXPECT_THAT(workspace.files(), ElementsAre("x.csv"));
}

TEST(Interrupt, AHangUpKeepsWhatIsFinishedAndASecondInterruptLeavesNothing) {
  const Workspace workspace;
  const std::string sweep = "set -m; $PROGRAM sweep --seqlen 1..50000+1 --br 16..128*2 --quiet ";
  EXPECT_EQ(workspace.run_shell(sweep + "--csv x.csv & pid=$!; sleep 0.3; kill -HUP $pid; wait $pid").code,
            130);
  EXPECT_EQ(workspace.files(), std::vector<std::string>{"x.csv"});
  EXPECT_NE(
      workspace
          .run_shell(
              sweep +
              "--json y.json & pid=$!; sleep 0.3; kill -INT $pid; sleep 0.02; kill -INT $pid; wait $pid")
          .code,
      0);
  EXPECT_EQ(workspace.files(), std::vector<std::string>{"x.csv"});
}

}  // namespace
}  // namespace hbmscope::testing
