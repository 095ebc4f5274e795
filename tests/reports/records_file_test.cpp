#include "reports/records_file.h"

#include "reports/csv.h"
#include "reports/json.h"
#include "tests/reports/support.h"
#include "tests/reports/temporary_folder.h"

namespace hbmscope {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RecordsFileTest : public TemporaryFolder {};

std::string jsonl_text(const RunInfo& run) {
  std::string text = jsonl_header(run);
  append_jsonl_row(text, sample_record());
  return text;
}

TEST_F(RecordsFileTest, ReadsEveryFormatWhateverTheName) {
  const RunInfo run{.argv = {"records", "\"records\":"}};
  const std::string csv = write_csv({sample_record()});
  const std::string json = write_json(run, {}, {sample_record()});
  for (const auto& [name, text] : {std::pair<std::string, std::string>{"a.csv", csv},
                                   {"a.json", json},
                                   {"a.jsonl", jsonl_text(run)},
                                   {"csv", csv},
                                   {"json", json},
                                   {"jsonl", jsonl_text(run)}}) {
    put(path(name), text);
    const std::vector<Record> records = read_records(path(name));
    ASSERT_EQ(records.size(), 1U) << name;
    EXPECT_TRUE(differences(records[0], sample_record(), false).empty()) << name;
  }
}

TEST_F(RecordsFileTest, TheExtensionDecides) {
  put(path("a.json"), write_csv({sample_record()}));
  EXPECT_THAT(error_of([&] { read_records(path("a.json")); }), HasSubstr("a.json:1: expected JSON"));
  put(path("a.csv"), "{}\n");
  EXPECT_THAT(error_of([&] { read_records(path("a.csv")); }), HasSubstr("a.csv:1: schema_version: expected"));
}

TEST_F(RecordsFileTest, SaysWhyAFileCannotBeRead) {
  EXPECT_THAT(error_of([&] { read_records(path("no.csv")); }),
              StartsWith(path("no.csv") + ": cannot be read: No such file or directory"));
  EXPECT_THAT(error_of([&] { read_records(path("")); }), HasSubstr("it is a directory"));
  EXPECT_THAT(error_of([&] { read_records(""); }), StartsWith("input file: expected a file name"));
  put(path("empty"), "");
  EXPECT_THAT(error_of([&] { read_records(path("empty")); }), HasSubstr("the file is empty"));
}

}  // namespace
}  // namespace hbmscope
