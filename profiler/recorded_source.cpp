#include "profiler/recorded_source.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <variant>

#include "sim/error.h"
#include "sim/record_fields.h"

namespace hbmscope {
namespace {

std::string text_of(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::monostate>) {
          return "";
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string key_of(const Record& record) {
  constexpr char kUnitSeparator = '\x1f';
  std::string key;
  for (const Field& field : record_fields()) {
    if (!field.key) continue;
    key += text_of(field.get(record));
    key += kUnitSeparator;
  }
  return key;
}

Record record_of(const Point& point) {
  Record record;
  record.point = point;
  return record;
}

std::string named(const std::string& hash) { return hash.empty() ? "(none)" : hash; }

}  // namespace

RecordedSource::RecordedSource(std::vector<Record> records) {
  for (Record& record : records) {
    if (!record.measurement) continue;
    std::vector<std::size_t>& same_point = by_key_[key_of(record)];
    for (const std::size_t other : same_point) {
      if (records_[other].kernel_hash != record.kernel_hash) continue;
      throw UserError("recorded rows",
                      fmt::format("{}, seqlen {}", record.point.algorithm, record.point.problem.seqlen_q),
                      "expected one measured row for each point and kernel hash, found two; keep one");
    }
    same_point.push_back(records_.size());
    records_.push_back(std::move(record));
  }
}

RecordedMatch RecordedSource::find(const Point& point, const std::string& kernel_hash) const {
  const auto found = by_key_.find(key_of(record_of(point)));
  if (found == by_key_.end()) return {};
  RecordedMatch match;
  for (const std::size_t index : found->second) {
    const Record& record = records_[index];
    const bool fresh = record.kernel_hash == kernel_hash;
    if (match.fit == RecordedFit::fresh && !fresh) continue;
    match = {fresh ? RecordedFit::fresh : RecordedFit::stale, &record};
  }
  return match;
}

RecordedFit RecordedSource::fill(Record& record) const {
  const RecordedMatch match = find(record.point, record.kernel_hash);
  if (match.record == nullptr) return match.fit;
  record.measurement = match.record->measurement;
  record.provenance = match.record->provenance;
  record.provenance.source = "recorded";
  record.provenance.stale = match.fit == RecordedFit::stale;
  if (record.provenance.stale) {
    const std::string reason = fmt::format("stale: recorded with kernel {}, today's is {}",
                                           named(match.record->kernel_hash), named(record.kernel_hash));
    record.provenance.note += (record.provenance.note.empty() ? "" : "; ") + reason;
  }
  return match.fit;
}

}  // namespace hbmscope
