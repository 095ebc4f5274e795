#include "reports/json_rows.h"

#include <gtest/gtest.h>

#include "reports/json_timeline.h"
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

TEST(TimelineRows, NameLaunchAndKeyOfWhatIsRefused) {
  const auto timeline_error = [](const std::string& text) {
    return error_of([&] { read_timeline(kPlace, Json::parse(text)); });
  };
  const std::string text =
      R"({"seed":1,"hbm_read_bytes":2,"hbm_write_bytes":3,"effective_bytes":4,"launches":[)"
      R"({"launch":"a","accesses":9,"near_bytes":[1,2],"home_bytes":[3,4],)"
      R"("dram_bytes":[5,6],"written_bytes":[7,8],"live_bytes":[9,10],)"
      R"("live_cached_bytes":[11,12],"cached_bytes":[13,14],"heads":[15,16]}]})";
  const Timeline expected{
      .seed = 1,
      .hbm_read_bytes = 2,
      .hbm_write_bytes = 3,
      .effective_bytes = 4,
      .launches = {{"a", 9, {{1, 3, 5, 7, 9, 11, 13, 15}, {2, 4, 6, 8, 10, 12, 14, 16}}}}};
  const Json json = Json::parse(text);
  EXPECT_EQ(read_timeline(kPlace, json), expected);
  EXPECT_EQ(Json::parse(timeline_json(expected).dump()), json);
  EXPECT_EQ(
      timeline_error(replaced(text, "[5,6]", "[5]")),
      "f.json: record 2: timeline.launches[0].dram_bytes: '1 values' is not accepted; expected 2, as of "
      "near_bytes");
  EXPECT_THAT(timeline_error(replaced(text, "[15,16]", R"([15,"x"])")),
              StartsWith("f.json: record 2: timeline.launches[0].heads"));
  EXPECT_THAT(timeline_error(replaced(text, R"("seed":1,)", "")),
              StartsWith("f.json: record 2: timeline.seed: expected this key"));
  EXPECT_THAT(timeline_error(replaced(text, "accesses", "visits")),
              StartsWith("f.json: record 2: timeline.launches[0]: 'visits'"));
}

TEST(Texts, AreTexts) {
  EXPECT_EQ(read_texts(kPlace, "hbm_reasons", Json::parse(R"(["a","b"])")),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_THAT(error_of([] { read_texts(kPlace, "hbm_reasons", Json::parse("[7]")); }),
              StartsWith("f.json: record 2: hbm_reasons: '7'"));
}

}  // namespace
}  // namespace hbmscope
