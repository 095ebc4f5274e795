#include "reports/json_timeline.h"

#include <fmt/format.h>

#include <array>

#include "reports/json_row.h"

namespace hbmscope {
namespace {

struct Column {
  const char* name;
  std::uint64_t TimelineStep::*value;
};
constexpr std::array kColumns{Column{"near_bytes", &TimelineStep::near_bytes},
                              Column{"home_bytes", &TimelineStep::home_bytes},
                              Column{"dram_bytes", &TimelineStep::dram_bytes},
                              Column{"written_bytes", &TimelineStep::written_bytes},
                              Column{"live_bytes", &TimelineStep::live_bytes},
                              Column{"live_cached_bytes", &TimelineStep::live_cached_bytes},
                              Column{"cached_bytes", &TimelineStep::cached_bytes},
                              Column{"heads", &TimelineStep::heads}};

LaunchTimeline read_launch(const RecordPlace& place, const JsonRow& row) {
  row.expect({"launch", "accesses", "near_bytes", "home_bytes", "dram_bytes", "written_bytes", "live_bytes",
              "live_cached_bytes", "cached_bytes", "heads"});
  LaunchTimeline launch{.launch = row.text("launch"), .accesses = row.bytes("accesses"), .steps = {}};
  for (const Column& column : kColumns) {
    const Json& values = row.array(column.name);
    if (&column == kColumns.data()) launch.steps.resize(values.size());
    if (values.size() != launch.steps.size()) {
      row.fail(column.name, fmt::format("{} values", values.size()),
               fmt::format("expected {}, as of {}", launch.steps.size(), kColumns.front().name));
    }
    for (std::size_t step = 0; step < values.size(); ++step) {
      launch.steps[step].*column.value =
          std::get<std::uint64_t>(field_value(place, row.name(column.name), FieldType::bytes, values[step]));
    }
  }
  return launch;
}

}  // namespace

nlohmann::ordered_json timeline_json(const Timeline& timeline) {
  auto launches = nlohmann::ordered_json::array();
  for (const LaunchTimeline& launch : timeline.launches) {
    nlohmann::ordered_json held = {{"launch", launch.launch}, {"accesses", launch.accesses}};
    for (const Column& column : kColumns) {
      auto& values = held[column.name] = nlohmann::ordered_json::array();
      for (const TimelineStep& step : launch.steps) values.push_back(step.*column.value);
    }
    launches.push_back(std::move(held));
  }
  return {{"seed", timeline.seed},
          {"hbm_read_bytes", timeline.hbm_read_bytes},
          {"hbm_write_bytes", timeline.hbm_write_bytes},
          {"effective_bytes", timeline.effective_bytes},
          {"launches", std::move(launches)}};
}

Timeline read_timeline(const RecordPlace& place, const Json& json) {
  expect_object(place, "timeline", json);
  const JsonRow row(place, "timeline", json);
  row.expect({"seed", "hbm_read_bytes", "hbm_write_bytes", "effective_bytes", "launches"});
  Timeline timeline{.seed = row.bytes("seed"),
                    .hbm_read_bytes = row.bytes("hbm_read_bytes"),
                    .hbm_write_bytes = row.bytes("hbm_write_bytes"),
                    .effective_bytes = row.bytes("effective_bytes"),
                    .launches = {}};
  for (const Json& launch : row.array("launches")) {
    timeline.launches.push_back(
        read_launch(place, JsonRow(place, row.name("launches"), timeline.launches.size(), launch)));
  }
  return timeline;
}

}  // namespace hbmscope
