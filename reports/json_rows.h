#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/json_text.h"
#include "sim/record.h"

namespace hbmscope {

// A record's arrays "traffic", "launches", "roofs" and "crossovers". Throw UserError naming the row and the
// key for what hbmscope does not write.
std::vector<TrafficRow> read_traffic(const RecordPlace& place, const Json& json);
std::vector<LaunchRow> read_launches(const RecordPlace& place, const Json& json);
std::vector<RoofRow> read_roofs(const RecordPlace& place, const Json& json);
std::vector<CrossoverRow> read_crossovers(const RecordPlace& place, const Json& json);
// An array of texts.
std::vector<std::string> read_texts(const RecordPlace& place, std::string_view name, const Json& json);

}  // namespace hbmscope
