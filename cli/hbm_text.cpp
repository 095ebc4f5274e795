#include "cli/hbm_text.h"

#include "cli/error_summary.h"
#include "cli/point_columns.h"
#include "sim/l2/hbm_reasons.h"

namespace hbmscope {

std::string hbm_text(const Record& record) {
  if (record.hbm_reasons.empty() || !record.prediction) return "";
  std::string text = "HBM bytes, and why:\n";
  for (const std::string& sentence : record.hbm_reasons) text += "  " + sentence + "\n";
  for (const std::string& sentence : hbm_conclusions(record)) text += "  " + sentence + "\n";
  return text;
}

std::string measured_hbm_text(std::span<const Record> records, bool color) {
  if (records.size() > kFewPoints) return "";
  const PointColumns points(records);
  std::string text;
  for (const Record& record : records) {
    const std::string reasons = hbm_text(record);
    if (!was_measured(record) || reasons.empty()) continue;
    const std::string name = points.text(record);
    text += "\n";
    if (!name.empty()) text += toned(name, Tone::strong, color) + "\n";
    text += reasons;
  }
  return text;
}

}  // namespace hbmscope
