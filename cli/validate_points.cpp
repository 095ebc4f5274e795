#include "cli/validate_points.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/predictions.h"
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

std::vector<Record> validate_points(const PointWork& asked, bool with_rows, Measurements& measurements,
                                    const TakeRecord& take) {
  PointWork work = asked;
  if (measurements.wants_idle_cpu()) work.threads = 1;
  Predictions predictions(work, with_rows);
  Program program;
  std::vector<Record> records;
  const auto make = [&](const PointContext& context, const Point& point) {
    MadeRecord made{.record = predictions.make(context, point)};
    Record& record = made.record;
    if (record.status == Status::skipped) return made;
    if (!context.variant->has_kernel) {
      skip(record, fmt::format("{} {} is a model without a kernel", point.algorithm, point.variant));
    } else if (!*record.feasible) {
      skip(record, record.reason);
    } else {
      const Plan plan{point.problem, point.tile, point.order, point.kv_walk};
      build_program(*context.algorithm, *context.variant, plan, program);
      made.tried = measurements.fill(program, record);
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
