#include "cli/validate_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/verdict.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

void skip(Record& record, const std::string& reason) {
  record.status = Status::skipped;
  record.reason = reason;
}

std::size_t count(const std::vector<Record>& records, Status status) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [&](const Record& record) { return record.status == status; }));
}

}  // namespace

std::vector<Record> validate_points(const PointWork& work, bool with_rows, Measurements& measurements,
                                    const TakeRecord& take) {
  PredictionScratch scratch;
  std::vector<Record> records;
  const auto make = [&](const PointContext& context, const Point& point) {
    MadeRecord made{.record = predict_point(context, point, scratch, with_rows)};
    Record& record = made.record;
    if (record.status == Status::skipped) return made;
    if (!context.variant->has_kernel) {
      skip(record, fmt::format("{} {} is a model without a kernel", point.algorithm, point.variant));
    } else if (!*record.feasible) {
      skip(record, record.reason);
    } else {
      made.tried = measurements.fill(scratch.program, record);
    }
    return made;
  };
  work_through(work, "validating", make, [&](Record& record) {
    take(record);
    records.push_back(std::move(record));
  });
  return records;
}

int validation_exit_code(const std::vector<Record>& records, const Tolerance& tolerance) {
  const std::size_t failed = count(records, Status::failed);
  const std::string broken = tolerance_report(records, tolerance);
  write_stderr(broken);
  if (failed > 0) {
    write_stderr(fmt::format("hbmscope: {} of {} points failed\n", failed, records.size()));
    return kFailed;
  }
  if (!broken.empty()) return kFailed;
  const std::size_t skipped = count(records, Status::skipped);
  if (skipped == records.size()) {
    throw UserError("points", "",
                    fmt::format("none of {} could be measured: {}", records.size(), records.front().reason));
  }
  return kDone;
}

}  // namespace hbmscope
