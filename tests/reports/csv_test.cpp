#include "reports/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/reports/random_record.h"
#include "tests/reports/support.h"

namespace hbmscope {
namespace {

using testing::StartsWith;

// A file of the first schema version, before kv_walk, with one row that says only what it must.
std::string small_csv(std::string_view more_columns = "", std::string_view more_cells = "") {
  return std::string(
             "schema_version,gpu,algorithm,variant,direction,batch,heads,kv_heads,seqlen_q,seqlen_kv,"
             "head_dim,head_dim_v,dtype,mask,window,page_size,br,bc,stages,splits,order,l2_mode,cache_state,"
             "placement,seed,status") +
         std::string(more_columns) +
         "\n1,h200,flash2,mma,forward,1,16,4,4096,4096,128,128,bf16,full,0,0,128,64,1,1,q-fastest,none,cold,"
         "0,1,ok" +
         std::string(more_cells) + "\n";
}

std::string read_error(const std::string& text) {
  return error_of([&] { read_csv(text, "f.csv"); });
}

TEST(Csv, HasTheColumnsOfTheDesignInTheirOrder) {
  EXPECT_THAT(
      csv_header(),
      StartsWith(
          "schema_version,gpu,algorithm,variant,direction,batch,heads,kv_heads,seqlen_q,seqlen_kv,head_dim,"
          "head_dim_v,dtype,mask,window,page_size,br,bc,stages,splits,order,kv_walk,l2_mode,cache_state,"
          "placement,seed,kernel_hash,status,feasible,reason,pred_hbm_read_bytes,pred_hbm_read_bytes_p05,"
          "pred_hbm_read_bytes_p95,pred_hbm_write_bytes,pred_hbm_write_bytes_p05,pred_hbm_write_bytes_p95,"
          "pred_l2_read_bytes,pred_l2_write_bytes,pred_sram_read_bytes,pred_sram_write_bytes,pred_io_bytes,"
          "pred_compulsory_bytes,pred_footprint_bytes,pred_flops,pred_executed_flops,pred_time_s,"
          "pred_limiter,meas_hbm_read_bytes,meas_hbm_write_bytes,meas_hbm_deferred_write_bytes,"
          "meas_l2_read_bytes,meas_l2_write_bytes,meas_sram_read_bytes,meas_sram_write_bytes,"
          "meas_local_bytes,meas_time_s,meas_time_spread,max_error,err_hbm_read,err_hbm_write,err_l2_read,"
          "err_l2_write,err_sram_read,err_sram_write,err_time,"));
}

TEST(Csv, WritesExactIntegersShortRealsAndEmptyCells) {
  std::string row;
  append_csv_row(row, sample_record());
  EXPECT_THAT(
      row,
      StartsWith(
          "3,h200,flash2,mma,forward,1,16,16,4096,4096,128,128,bf16,full,0,0,128,64,1,1,"
          "q-fastest,up,model,cold,0,1,0123456789abcdef,ok,1,,1000,900,1100,500,450,550,18446744073709551615,"
          "500,7000,,9500,1500,1600,123456,123457,1e-05,tensor,800,300,200,"
          "18446744073709551614,,,,,2e-05,,0.001,0.25,0,0,,,,-0.5,live,NVIDIA H200,"));
  EXPECT_THAT(row, testing::EndsWith("\"sram: \"\"not read\"\", no permission\"\n"));
}

TEST(Csv, ARealThatIsNotFiniteIsAbsent) {
  Record record = sample_record();
  record.measurement->max_error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read_csv(write_csv({record}), "f.csv").at(0).measurement->max_error, std::nullopt);
}

TEST(Csv, StaleSaysNothingWithoutAMeasurement) {
  Record record = sample_record();
  record.provenance = {};
  std::string row;
  append_csv_row(row, record);
  EXPECT_THAT(row, testing::EndsWith(",,,,,\n"));
}

RC_GTEST_PROP(Csv, ReadsWhatItWrote, ()) {
  const std::vector<Record> records{random_record(), random_record()};
  const std::vector<Record> read = read_csv(write_csv(records), "f.csv");
  RC_ASSERT(read.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    RC_ASSERT(differences(read[i], records[i], false) == std::vector<std::string>{});
  }
}

TEST(Csv, ReadsASubsetOfColumns) {
  const std::vector<Record> records = read_csv(small_csv(), "f.csv");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].point.problem.kv_heads, 4);
  EXPECT_EQ(records[0].point.kv_walk, Walk::up);
  EXPECT_FALSE(records[0].prediction);
  EXPECT_FALSE(records[0].measurement);
  EXPECT_TRUE(read_csv(csv_header(), "f.csv").empty());
}

TEST(Csv, RefusesOtherVersions) {
  EXPECT_EQ(read_error(replaced(small_csv(), "\n1,", "\n4,")),
            "f.csv:2: schema_version: '4' is not accepted; expected a version from 1 to 3; a newer hbmscope "
            "wrote this file");
  // The newer version is the reason even where its columns are not known.
  EXPECT_THAT(read_error(replaced(small_csv(",pred_new", ",5"), "\n1,", "\n7,")),
              StartsWith("f.csv:2: schema_version: '7'"));
  for (const char* version : {"0", "-1", "x", "1.0"}) {
    EXPECT_THAT(read_error(replaced(small_csv(), "\n1,", std::string("\n") + version + ",")),
                StartsWith(std::string("f.csv:2: schema_version: '") + version + "' is not accepted"));
  }
  EXPECT_THAT(read_error(replaced(small_csv(), "\n1,", "\n,")),
              StartsWith("f.csv:2: schema_version: expected"));
}

TEST(Csv, RefusesColumnsThatAreUnknownMissingOrTwice) {
  EXPECT_EQ(read_error(small_csv(",pred_l1_bytes", ",5")),
            "f.csv:1: column 27: 'pred_l1_bytes' is not accepted; expected a column of hbmscope's");
  EXPECT_THAT(read_error(replaced(csv_header(), "reason", "raison")),
              StartsWith("f.csv:1: column 30: 'raison'"));
  EXPECT_EQ(read_error(small_csv(",heads", ",16")),
            "f.csv:1: 'heads' is not accepted; this column is there twice; expected each column once");
  EXPECT_EQ(read_error(replaced(replaced(small_csv(), ",kv_heads", ""), ",16,4,", ",16,")),
            "f.csv:1: kv_heads: expected this column");
  EXPECT_EQ(read_error("name,value\na,1\n"),
            "f.csv:1: schema_version: expected this column; is it a CSV of hbmscope?");
  EXPECT_THAT(read_error(""), StartsWith("f.csv: the file is empty"));
}

TEST(Csv, RefusesRowsThatAreCutOrTooLong) {
  const std::string csv = small_csv();
  EXPECT_EQ(read_error(csv.substr(0, csv.find(",4096,128")) + "\n"),
            "f.csv:2: '9 fields' is not accepted; expected 26 as in the header; the row may be truncated");
  EXPECT_THAT(read_error(csv + "end of file\n"), StartsWith("f.csv:3: '1 fields'"));
  EXPECT_THAT(read_error(csv + "\n"), StartsWith("f.csv:3: '1 fields'"));
  EXPECT_THAT(read_error(csv.substr(0, csv.size() - 1)), StartsWith("f.csv:2: expected a line break"));
}

// A whole file that is cut anywhere within its last row is never read as if it were whole.
TEST(Csv, RefusesATruncatedRowWhereverItIsCut) {
  const std::string csv = write_csv({sample_record()});
  for (std::size_t size = csv_header().size() + 1; size < csv.size(); ++size) {
    EXPECT_THAT(read_error(csv.substr(0, size)), testing::HasSubstr("the file seems truncated"));
  }
}

TEST(Csv, RefusesValuesOfTheWrongType) {
  const std::string bytes = "expected a whole number from 0 to 18446744073709551615";
  for (const char* value : {"-1", "1.5", "1e3", " 1", "0x10", "18446744073709551616", "many"}) {
    EXPECT_EQ(read_error(small_csv(",meas_l2_read_bytes", std::string(",") + value)),
              std::string("f.csv:2: meas_l2_read_bytes: '") + value + "' is not accepted; " + bytes);
  }
  for (const char* value : {"nan", "inf", "-inf", "1e999", "1,5", "fast"}) {
    EXPECT_THAT(read_error(small_csv(",meas_time_s", std::string(",\"") + value + "\"")),
                StartsWith(std::string("f.csv:2: meas_time_s: '") + value + "'"));
  }
  EXPECT_EQ(read_error(small_csv(",feasible", ",yes")),
            "f.csv:2: feasible: 'yes' is not accepted; expected 0 or 1");
  EXPECT_EQ(read_error(replaced(small_csv(), "bf16", "bf15")),
            "f.csv:2: dtype: 'bf15' is not accepted; expected fp32, bf16, fp16 or fp8");
  EXPECT_EQ(read_error(replaced(small_csv(), ",ok\n", ",fine\n")),
            "f.csv:2: status: 'fine' is not accepted; expected ok, skipped or failed");
}

TEST(Csv, NamesTheLineWithinAQuotedField) {
  EXPECT_THAT(read_error(small_csv(",reason,pred_io_bytes", ",\"two\nlines\",x")),
              StartsWith("f.csv:3: pred_io_bytes: 'x'"));
}

TEST(Csv, RefusesImpossiblePoints) {
  EXPECT_EQ(read_error(replaced(small_csv(), ",16,4,", ",16,3,")),
            "f.csv:2: kv_heads: '3' is not accepted; expected a divisor of --heads 16");
  EXPECT_THAT(read_error(replaced(small_csv(), ",4,4096,", ",4,0,")), StartsWith("f.csv:2: seqlen_q: '0'"));
  EXPECT_THAT(read_error(replaced(small_csv(), ",4096,128", ",4611686018427387904,128")),
              StartsWith("f.csv:2: seqlen_kv: '4611686018427387904'"));
  EXPECT_THAT(read_error(replaced(small_csv(), "full,0,", "window,0,")), StartsWith("f.csv:2: window: '0'"));
  EXPECT_THAT(read_error(replaced(small_csv(), ",128,64,", ",0,64,")), StartsWith("f.csv:2: br: '0'"));
  EXPECT_EQ(read_error(replaced(small_csv(), ",16,4,", ",,4,")), "f.csv:2: heads: expected a value");
  EXPECT_EQ(read_error(replaced(small_csv(), "h200", "")), "f.csv:2: gpu: expected a value");
}

TEST(Csv, RefusesHalfAPrediction) {
  EXPECT_EQ(read_error(small_csv(",pred_l2_read_bytes", ",5")),
            "f.csv:2: pred_hbm_read_bytes: expected a value, because the prediction has others");
}

TEST(Csv, RefusesAnErrorThatDoesNotFollow) {
  const std::string csv = write_csv({sample_record()});
  EXPECT_EQ(read_error(replaced(csv, ",0.25,", ",0.24,")),
            "f.csv:2: err_hbm_read: '0.24' is not accepted; the values beside it give 0.25");
  EXPECT_THAT(read_error(replaced(csv, ",800,300,", ",900,300,")),
              StartsWith("f.csv:2: err_hbm_read: '0.25'"));
  EXPECT_THAT(read_error(replaced(csv, ",800,300,", ",,300,")),
              StartsWith("f.csv:2: err_hbm_read: '0.25' is not accepted; expected no value"));
  EXPECT_EQ(read_error(replaced(csv, ",0.25,", ",0.2500000000001,")), "no error");
  EXPECT_EQ(read_error(replaced(csv, ",0.25,", ",,")), "no error");
}

TEST(Csv, RefusesMeasuredBytesWhoseSumOverflows) {
  const std::string huge = "18446744073709551615";
  EXPECT_THAT(read_error(replaced(replaced(write_csv({sample_record()}), ",800,300,", ",800," + huge + ","),
                                  ",0.25,0,", ",0.25,,")),
              testing::AllOf(StartsWith("f.csv:2: "), testing::HasSubstr("exceeds 64 bits")));
}

}  // namespace
}  // namespace hbmscope
