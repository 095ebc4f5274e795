#include "cli/failure_guard.h"

#include <fmt/format.h>

#include <new>

#include "cli/point_columns.h"
#include "kernels/device_error.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

// For what went wrong before all was measured.
void fail_unmeasured(Record& record, const std::string& reason) {
  record.measurement.reset();
  fail(record, reason);
}

}  // namespace

void fail(Record& record, const std::string& reason) {
  record.status = Status::failed;
  record.reason = reason;
}

bool FailureGuard::run(Record& record, const std::function<void()>& measure) {
  if (!lost_by_.empty()) {
    fail(record, fmt::format("not run: the GPU's context was lost by an earlier point, {}", lost_by_));
    return false;
  }
  try {
    measure();
  } catch (const DeviceError& error) {
    fail_unmeasured(record, error.what());
    if (error.context_is_lost())
      lost_by_ = fmt::format("{} ({})", describe_point(record.point), error.what());
  } catch (const UserError&) {
    throw;
  } catch (const std::bad_alloc&) {
    fail_unmeasured(record, "not enough memory of the host for this point");
  } catch (const std::runtime_error& error) {  // a kernel that does not compile
    fail_unmeasured(record, error.what());
  }
  return true;
}

}  // namespace hbmscope
