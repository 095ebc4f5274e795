#include "reports/json_rows.h"

#include <gtest/gtest.h>

#include "tests/reports/support.h"

namespace hbmscope {
namespace {

using testing::StartsWith;

const RecordPlace kPlace{.file = "f.json", .record = 2, .field_name = json_field_name};

std::string traffic_error(const char* text) {
  return error_of([&] { read_traffic(kPlace, Json::parse(text)); });
}

TEST(TrafficRows, NameRowAndKeyOfWhatIsRefused) {
  EXPECT_THAT(traffic_error("{}"), StartsWith("f.json: record 2: traffic: '{}' is not accepted"));
  EXPECT_THAT(traffic_error("[7]"), StartsWith("f.json: record 2: traffic[0]: '7' is not accepted"));
  EXPECT_THAT(traffic_error(R"([{"launch":"a","bytes":1}])"),
              StartsWith("f.json: record 2: traffic[0]: 'bytes' is not accepted"));
  EXPECT_THAT(
      traffic_error(R"([{"launch":"a","tensor":"Q","boundary":"l2","read_bytes":-1,"write_bytes":0}])"),
      StartsWith("f.json: record 2: traffic[0].read_bytes: '-1'"));
}

TEST(TrafficRows, HaveIoBytesAtTheL2Only) {
  const std::string row = R"([{"launch":"a","tensor":"Q","boundary":"l2","read_bytes":1,"write_bytes":2)";
  const std::vector<TrafficRow> rows =
      read_traffic(kPlace, Json::parse(row + R"(,"io_read_bytes":3,"io_write_bytes":4}])"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].io_read_bytes, 3U);
  EXPECT_EQ(rows[0].io_write_bytes, 4U);
  EXPECT_EQ(read_traffic(kPlace, Json::parse(row + "}]"))[0].io_read_bytes, std::nullopt);
  EXPECT_EQ(
      traffic_error(replaced(row + R"(,"io_read_bytes":3}])", "l2", "hbm").c_str()),
      "f.json: record 2: traffic[0].boundary: 'hbm' is not accepted; expected l2, because the row has io "
      "bytes");
}

TEST(LaunchRows, NameRowAndKeyOfWhatIsRefused) {
  const auto launch_error = [](const std::string& text) {
    return error_of([&] { read_launches(kPlace, Json::parse(text)); });
  };
  const std::string row = R"([{"launch":"a","flops":1,"executed_flops":2,"exponentials":3)";
  EXPECT_EQ(launch_error(row + "}]"), "no error");
  EXPECT_EQ(launch_error(row + R"(,"ctas":-1}])"),
            "f.json: record 2: launches[0].ctas: '-1' is not accepted; expected a number from 0 on");
  EXPECT_THAT(launch_error(row + R"(,"waves":-0.5}])"),
              StartsWith("f.json: record 2: launches[0].waves: '-0.5'"));
  EXPECT_THAT(launch_error(row + R"(,"kernel":7}])"),
              StartsWith("f.json: record 2: launches[0].kernel: '7'"));
  EXPECT_THAT(launch_error(row + R"(,"warps":8}])"), StartsWith("f.json: record 2: launches[0]: 'warps'"));
  EXPECT_THAT(launch_error(replaced(row, R"("flops":1,)", "") + "}]"),
              StartsWith("f.json: record 2: launches[0].flops: expected this key"));
  EXPECT_THAT(launch_error("{}"), StartsWith("f.json: record 2: launches: '{}'"));
}

TEST(RoofRows, NameRowAndKeyOfWhatIsRefused) {
  const auto roof_error = [](const std::string& text) {
    return error_of([&] { read_roofs(kPlace, Json::parse(text)); });
  };
  const std::string row = R"([{"roof":"l2","demand":1,"rate_per_s":2.5,"time_s":0.4,"binds_s":0}])";
  EXPECT_EQ(read_roofs(kPlace, Json::parse(row)), (std::vector<RoofRow>{{"l2", 1, 2.5, 0.4, 0}}));
  EXPECT_EQ(roof_error(replaced(row, "0.4", "-0.4")),
            "f.json: record 2: roofs[0].time_s: '-0.4' is not accepted; expected a number from 0 on");
  EXPECT_THAT(roof_error(replaced(row, R"("demand":1,)", "")),
              StartsWith("f.json: record 2: roofs[0].demand: expected this key"));
  EXPECT_THAT(roof_error(replaced(row, "demand", "bytes")),
              StartsWith("f.json: record 2: roofs[0]: 'bytes'"));
}

TEST(CrossoverRows, NameRowAndKeyOfWhatIsRefused) {
  const auto crossover_error = [](const std::string& text) {
    return error_of([&] { read_crossovers(kPlace, Json::parse(text)); });
  };
  const std::string row = R"([{"axis":"br","first":16,"last":48,"step":16,"counted":2,)"
                          R"("stretches":[{"first":16,"last":32,"limiter":"l2"}]}])";
  EXPECT_EQ(read_crossovers(kPlace, Json::parse(row)),
            (std::vector<CrossoverRow>{{"br", 16, 48, 16, 2, {{16, 32, "l2"}}}}));
  EXPECT_THAT(crossover_error(replaced(row, R"("l2")", "7")),
              StartsWith("f.json: record 2: crossovers[0].stretches[0].limiter: '7'"));
  EXPECT_THAT(crossover_error(replaced(row, R"([{"first")", R"([{"begin")")),
              StartsWith("f.json: record 2: crossovers[0].stretches[0]: 'begin'"));
  EXPECT_THAT(crossover_error(replaced(row, R"("counted":2)", R"("counted":-2)")),
              StartsWith("f.json: record 2: crossovers[0].counted: '-2'"));
}

}  // namespace
}  // namespace hbmscope
