#include "reports/json_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reports/json.h"
#include "tests/reports/random_record.h"
#include "tests/reports/support.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const RunInfo kRun{.version = "0.1.0",
                   .git_commit = "abc",
                   .argv = {"hbmscope", "predict", "a \"b\""},
                   .date = "2026-11-29T12:00:00Z",
                   .gpu = "NVIDIA H200",
                   .driver = "580"};

std::string document(const std::vector<Record>& records = {sample_record(), sample_record()}) {
  return write_json(kRun, {}, records);
}

std::string lines(const std::vector<Record>& records = {sample_record(), sample_record()}) {
  std::string text = jsonl_header(kRun);
  for (const Record& record : records) append_jsonl_row(text, record);
  return text;
}

std::string json_error(const std::string& text) {
  return error_of([&] { read_json(text, "f.json"); });
}

std::string jsonl_error(const std::string& text) {
  return error_of([&] { read_jsonl(text, "f.jsonl"); });
}

// In the last record, whose number is 2 in the document and whose line is 3 in JSON Lines.
std::string changed_last(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<Record> random_records() { return {random_record(), random_record()}; }

void check_same(const RunRecords& read, const std::vector<Record>& records) {
  RC_ASSERT(read.records.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    RC_ASSERT(differences(read.records[i], records[i], true) == std::vector<std::string>{});
  }
}

RC_GTEST_PROP(JsonReader, ReadsWhatWasWritten, ()) {
  const std::vector<Record> records = random_records();
  check_same(read_json(document(records), "f.json"), records);
}

RC_GTEST_PROP(JsonlReader, ReadsWhatWasWritten, ()) {
  const std::vector<Record> records = random_records();
  check_same(read_jsonl(lines(records), "f.jsonl"), records);
}

TEST(JsonReader, ReadsTheRun) {
  for (const RunInfo& run : {read_json(document(), "f.json").run, read_jsonl(lines(), "f.jsonl").run}) {
    EXPECT_EQ(run.version, kRun.version);
    EXPECT_EQ(run.git_commit, kRun.git_commit);
    EXPECT_EQ(run.argv, kRun.argv);
    EXPECT_EQ(run.date, kRun.date);
    EXPECT_EQ(run.gpu, kRun.gpu);
    EXPECT_EQ(run.driver, kRun.driver);
    EXPECT_EQ(run.cuda, "");
  }
}

TEST(JsonReader, ReadsADocumentWithGpus) {
  const std::vector<GpuSpec> gpus{load_gpu("h200")};
  EXPECT_EQ(read_json(write_json(kRun, gpus, {sample_record()}), "f.json").records.size(), 1U);
}

TEST(JsonReader, RefusesOtherVersions) {
  EXPECT_EQ(json_error(replaced(document(), "\"schema_version\":3", "\"schema_version\":4,\"new\":1")),
            "f.json: schema_version: '4' is not accepted; expected a version from 1 to 3; a newer hbmscope "
            "wrote this file");
  EXPECT_THAT(jsonl_error(replaced(lines(), "\"schema_version\":3", "\"schema_version\":4")),
              StartsWith("f.jsonl:1: schema_version: '4' is not accepted"));
  EXPECT_THAT(json_error(replaced(document(), "\"schema_version\":3", "\"schema_version\":\"1\"")),
              StartsWith("f.json: schema_version: '\"1\"'"));
  EXPECT_THAT(json_error("{\"records\":[]}"), StartsWith("f.json: schema_version: expected"));
}

TEST(JsonReader, NamesRecordAndKey) {
  const std::string from = "\"heads\":16";
  const std::string tail = "'\"16\"' is not accepted; expected a whole number of 64 bits";
  EXPECT_EQ(json_error(changed_last(document(), from, "\"heads\":\"16\"")),
            "f.json: record 2: point.heads: " + tail);
  EXPECT_EQ(jsonl_error(changed_last(lines(), from, "\"heads\":\"16\"")), "f.jsonl:3: point.heads: " + tail);
}

TEST(JsonReader, RefusesKeysThatAreUnknownOrMissing) {
  EXPECT_THAT(json_error(changed_last(document(), "\"heads\"", "\"haeds\"")),
              StartsWith("f.json: record 2: point.haeds: this key is not known"));
  EXPECT_THAT(json_error(changed_last(document(), "\"status\"", "\"state\"")),
              StartsWith("f.json: record 2: state: this key is not known"));
  EXPECT_EQ(json_error(changed_last(document(), "\"heads\":16,", "")),
            "f.json: record 2: point.heads: expected a value");
  EXPECT_EQ(json_error(changed_last(document(), "\"io_bytes\":9500,", "")),
            "f.json: record 2: prediction.io_bytes: expected a value, because the prediction has others");
  EXPECT_THAT(json_error(replaced(document(), "\"gpus\"", "\"gpu_list\"")),
              StartsWith("f.json: 'gpu_list' is not accepted; expected one of the keys schema_version, "));
  EXPECT_THAT(json_error(replaced(document(), "\"driver\"", "\"drivers\"")),
              StartsWith("f.json: provenance: 'drivers'"));
  EXPECT_THAT(json_error(replaced(document(), "\"tool\":\"hbmscope\"", "\"tool\":\"other\"")),
              StartsWith("f.json: provenance.tool: 'other'"));
  EXPECT_THAT(json_error(changed_last(document(), "\"tensor\":\"Q\",", "")),
              StartsWith("f.json: record 2: traffic[0].tensor: expected this key"));
}

TEST(JsonReader, RefusesOtherShapes) {
  EXPECT_THAT(json_error("[]"), StartsWith("f.json: '[]' is not accepted; expected an object"));
  EXPECT_THAT(json_error(R"({"schema_version":1,"provenance":{"tool":"hbmscope","argv":[]},"records":{}})"),
              StartsWith("f.json: records: '{}' is not accepted; expected an array"));
  EXPECT_THAT(json_error(R"({"schema_version":1,"provenance":{"tool":"hbmscope","argv":[]},"records":[5]})"),
              StartsWith("f.json: record 1: '5' is not accepted; expected an object"));
  EXPECT_THAT(json_error(changed_last(document(), "\"boundary\":\"l2\"", "\"boundary\":\"l1\"")),
              StartsWith("f.json: record 2: traffic[0].boundary: 'l1'"));
}

TEST(JsonReader, RefusesImpossiblePointsAndErrors) {
  EXPECT_EQ(json_error(changed_last(document(), "\"kv_heads\":16", "\"kv_heads\":3")),
            "f.json: record 2: point.kv_heads: '3' is not accepted; expected a divisor of --heads 16");
  EXPECT_EQ(json_error(changed_last(document(), "\"dtype\":\"bf16\"", "\"dtype\":\"bf15\"")),
            "f.json: record 2: point.dtype: 'bf15' is not accepted; expected fp32, bf16, fp16 or fp8");
  EXPECT_EQ(jsonl_error(changed_last(lines(), "\"hbm_read\":0.25", "\"hbm_read\":0.5")),
            "f.jsonl:3: error.hbm_read: '0.5' is not accepted; the values beside it give 0.25");
}

// Nothing that lacks its end is read as if it were whole.
TEST(JsonReader, RefusesATruncatedDocumentWhereverItIsCut) {
  const std::string text = document();
  for (std::size_t size = 1; size + 1 < text.size(); ++size) {
    EXPECT_THAT(json_error(text.substr(0, size)), HasSubstr("the file seems truncated"));
  }
}

TEST(JsonlReader, RefusesTruncatedLines) {
  const std::string text = lines();
  EXPECT_THAT(jsonl_error(text.substr(0, text.size() - 10)),
              testing::AllOf(StartsWith("f.jsonl:3: "), HasSubstr("the file seems truncated")));
  // The byte is that of the file, not of the line.
  EXPECT_THAT(jsonl_error(text + "x\n"), HasSubstr("byte " + std::to_string(text.size() + 1)));
  EXPECT_THAT(jsonl_error(text + "\n"), StartsWith("f.jsonl:4: expected JSON"));
}

TEST(JsonReader, RefusesEmptyFiles) {
  EXPECT_THAT(json_error(""), StartsWith("f.json: the file is empty"));
  EXPECT_THAT(json_error(" \n"), StartsWith("f.json: the file is empty"));
  EXPECT_THAT(jsonl_error(""), StartsWith("f.jsonl: the file is empty"));
}

}  // namespace
}  // namespace hbmscope
