#include "reports/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/l2/hbm_reasons.h"
#include "tests/reports/support.h"

namespace hbmscope {
namespace {

const RunInfo kRun{
    .version = "0.1.0", .git_commit = "abc", .argv = {"hbmscope", "predict"}, .date = "2026-11-29T12:00:00Z"};

nlohmann::json written(const std::vector<Record>& records, const RunInfo& run = kRun) {
  const std::vector<GpuSpec> gpus{load_gpu("h200")};
  return nlohmann::json::parse(write_json(run, gpus, records));
}

TEST(Json, HasTheKeysOfTheSchema) {
  const nlohmann::json json = written({});
  EXPECT_EQ(json.at("schema_version"), kSchemaVersion);
  EXPECT_EQ(json.at("provenance"), nlohmann::json::parse(R"({"tool":"hbmscope","version":"0.1.0",
      "git_commit":"abc","argv":["hbmscope","predict"],"date":"2026-11-29T12:00:00Z"})"));
  EXPECT_EQ(json.at("records"), nlohmann::json::array());
  EXPECT_EQ(json.size(), 4U);
}

TEST(Json, DescribesTheGpusWithTheirSources) {
  const GpuSpec gpu = load_gpu("h200");
  const nlohmann::json json = written({}).at("gpus").at(0);
  EXPECT_EQ(json.at("name"), "h200");
  EXPECT_EQ(json.at("sms"), gpu.sms);
  EXPECT_EQ(json.at("clock_hz"), gpu.clock_hz.value);
  EXPECT_EQ(json.at("sram_bytes_per_s"), gpu.sram_bytes_per_s());
  EXPECT_EQ(json.at("exp_per_s"), gpu.exp_per_s());
  EXPECT_EQ(json.at("tensor_flops_per_s").at("bf16"), *gpu.tensor_flops_per_s(DataType::bf16));
  EXPECT_TRUE(json.at("l2_capacity_bytes").is_number_unsigned());
  EXPECT_EQ(json.at("sources").at("hbm_bytes_per_s").at("source"), gpu.hbm_bytes_per_s.source);
  EXPECT_EQ(json.at("sources").at("l2_bytes_per_s").at("measured"), true);
}

TEST(Json, LeavesOutARateThatNobodyKnows) {
  GpuSpec gpu = load_gpu("h200");
  gpu.l2_bytes_per_s.reset();
  gpu.tensor_flops_fp16.reset();
  const nlohmann::json json = nlohmann::json::parse(write_json(kRun, std::vector{gpu}, {})).at("gpus").at(0);
  EXPECT_FALSE(json.contains("l2_bytes_per_s"));
  EXPECT_FALSE(json.at("sources").contains("l2_bytes_per_s"));
  EXPECT_FALSE(json.at("tensor_flops_per_s").contains("fp16"));
}

TEST(Json, NestsFieldsByGroup) {
  const nlohmann::json record = written({sample_record()}).at("records").at(0);
  EXPECT_EQ(record.at("point").at("heads"), 16);
  EXPECT_EQ(record.at("point").at("kernel_hash"), "0123456789abcdef");
  EXPECT_EQ(record.at("status"), "ok");
  EXPECT_EQ(record.at("feasible"), true);
  EXPECT_EQ(record.at("prediction").at("l2_read_bytes"), 18446744073709551615U);
  EXPECT_EQ(record.at("measurement").at("hbm_deferred_write_bytes"), 200);
  EXPECT_EQ(record.at("error").at("hbm_read"), 0.25);
  EXPECT_EQ(record.at("provenance").at("gpu"), "NVIDIA H200");
  EXPECT_EQ(record.at("traffic"), nlohmann::json::parse(R"([{"launch":"forward","tensor":"Q",
      "boundary":"l2","read_bytes":400,"write_bytes":0,"io_read_bytes":450,"io_write_bytes":0}])"));
}

// The second launch describes no kernel.
TEST(Json, ListsLaunchesWithoutWhatIsAbsent) {
  EXPECT_EQ(written({sample_record()}).at("records").at(0).at("launches"),
            nlohmann::json::parse(R"([{"launch":"forward","kernel":"flash2_mma","ctas":32,"threads":256,
                "shared_bytes":0,"ctas_per_sm":0,"limited_by":"threads","flops":7,"executed_flops":8,
                "exponentials":9},{"launch":"combine","flops":1,"executed_flops":2,"exponentials":0}])"));
}

TEST(Json, ListsRoofsAndCrossovers) {
  Record record = sample_record();
  EXPECT_FALSE(written({record}).at("records").at(0).contains("crossovers"));
  record.launches = {{.launch = "forward", .time_s = 0.5, .limiter = "l2"}};
  record.roofs = {{"l2", 5, 10, 0.5, 0.25}};
  record.crossovers = {{"br", 16, 64, 16, 3, {{16, 32, "l2"}, {64, 64, "sram"}}}};
  const nlohmann::json json = written({record}).at("records").at(0);
  EXPECT_EQ(json.at("launches").at(0).at("limiter"), "l2");
  EXPECT_EQ(json.at("launches").at(0).at("time_s"), 0.5);
  EXPECT_EQ(json.at("roofs"), nlohmann::json::parse(R"([{"roof":"l2","demand":5,"rate_per_s":10.0,
      "time_s":0.5,"binds_s":0.25}])"));
  EXPECT_EQ(json.at("crossovers"), nlohmann::json::parse(R"([{"axis":"br","first":16,"last":64,"step":16,
      "counted":3,"stretches":[{"first":16,"last":32,"limiter":"l2"},
      {"first":64,"last":64,"limiter":"sram"}]}])"));
}

// Conclusions follow from the values, so that they stand beside the reasons and are not read back.
TEST(Json, SaysWhyHbmBytesDiffer) {
  Record record = sample_record();
  EXPECT_FALSE(written({record}).at("records").at(0).contains("hbm_conclusions"));
  record.hbm_reasons = {"K is read 4 times."};
  const nlohmann::json json = written({record}).at("records").at(0);
  EXPECT_EQ(json.at("hbm_reasons"), nlohmann::json::parse(R"(["K is read 4 times."])"));
  EXPECT_EQ(json.at("hbm_conclusions"), nlohmann::json(hbm_conclusions(record)));
}

TEST(Json, LeavesOutAbsentValuesAndGroups) {
  Record record = sample_record();
  record.measurement.reset();
  record.provenance = {};
  record.traffic.clear();
  record.launches.clear();
  const nlohmann::json json = written({record}).at("records").at(0);
  for (const char* key :
       {"reason", "measurement", "error", "provenance", "traffic", "launches", "hbm_reasons", "timeline"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
  EXPECT_FALSE(json.at("prediction").contains("sram_write_bytes"));
}

TEST(Json, ReplacesWhatIsNotUtf8) {
  RunInfo run = kRun;
  run.argv = {"\xff"};
  EXPECT_EQ(written({}, run).at("provenance").at("argv").at(0), "\xef\xbf\xbd");
}

TEST(Jsonl, HoldsARecordALine) {
  std::string text = jsonl_header(kRun);
  append_jsonl_row(text, sample_record());
  const std::size_t end = text.find('\n');
  EXPECT_EQ(text.find('\n', end + 1), text.size() - 1);
  EXPECT_EQ(nlohmann::json::parse(text.substr(0, end)).at("provenance").at("git_commit"), "abc");
  EXPECT_EQ(nlohmann::json::parse(text.substr(end)), written({sample_record()}).at("records").at(0));
}

}  // namespace
}  // namespace hbmscope
