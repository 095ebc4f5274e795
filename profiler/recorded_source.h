#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/record.h"

namespace hbmscope {

// How a recorded row fits a point.
enum class RecordedFit : std::uint8_t {
  none,   // no row with this key
  fresh,  // same key, same kernel
  stale,  // same key, measured with another kernel
};

struct RecordedMatch {
  RecordedFit fit = RecordedFit::none;
  const Record* record = nullptr;  // null for none
};

// Measurements that were made earlier, found by the key columns of record_fields() and the kernel hash.
class RecordedSource {
 public:
  // Rows without a measurement are left out. Throws UserError for two of the same point and kernels.
  explicit RecordedSource(std::vector<Record> records);

  std::size_t size() const { return records_.size(); }
  // A fresh row wins over stale ones; of several alike, the last given.
  RecordedMatch find(const Point& point, const std::string& kernel_hash) const;
  // Copies the matching row's measurement and provenance into `record`; a stale one with provenance.stale set
  // and a note that names both hashes. Leaves `record` alone if there is none.
  RecordedFit fill(Record& record) const;

 private:
  std::vector<Record> records_;  // only those with a measurement
  std::unordered_map<std::string, std::vector<std::size_t>> by_key_;
};

}  // namespace hbmscope
