// `--set` and `--model`: points of changed GPUs and of real models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/csv.h"
#include "tests/cli/program.h"

namespace hbmscope::testing {
namespace {

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

}  // namespace
}  // namespace hbmscope::testing
