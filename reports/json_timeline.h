#pragma once

#include <nlohmann/json.hpp>

#include "reports/record_builder.h"
#include "sim/l2/timeline.h"

namespace hbmscope {

// A record's "timeline": the steps of a launch as one array for each of their values, so that a page can draw
// them as they are.
nlohmann::ordered_json timeline_json(const Timeline& timeline);

// Throws UserError naming the key for what hbmscope does not write.
Timeline read_timeline(const RecordPlace& place, const nlohmann::json& json);

}  // namespace hbmscope
