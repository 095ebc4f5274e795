#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reports/configuration.h"
#include "reports/json_reader.h"
#include "reports/run_info.h"
#include "sim/record.h"

namespace hbmscope {

// The records of a long run on disk as they come, so that a run that was killed can go on: JSON Lines whose
// header holds the run's configuration too. Only whole lines count; what a killed program began to write at
// the end is dropped.

// All that a journal holds. Throws UserError naming the file if it is no journal, see read_jsonl.
RunRecords read_journal(const std::string& path);
// The same of its text; `path` names it in errors.
RunRecords parse_journal(std::string_view text, const std::string& path);

// All columns of a point as one text.
std::string point_key(const Record& record);

struct JournalOptions {
  std::string path;
  bool resume = false;  // go on with a journal that is there; without one, begin it
  std::chrono::milliseconds sync_interval{
      0};  // how long a record may be on its way to the disk; 0: not at all
};

class Journal {
 public:
  // Opens the file, and reads it if the run is to go on. Throws UserError naming --journal for a file that
  // cannot be written or that another program is writing, and for one with records unless `resume` is set;
  // naming what differs for one that was begun with another configuration.
  Journal(const JournalOptions& options, const RunInfo& run, const Configuration& configuration);
  // Writes what is left, and removes a new journal that no record came to.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // How many records an earlier run left.
  std::size_t known() const { return records_.size(); }
  // What an earlier run left of this point; null if nothing.
  const Record* find(const Point& point);

  // Both throw UserError (disk full).
  void add(const Record& record);
  void sync();

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  void read(const Configuration& configuration);
  void begin(const RunInfo& run, const Configuration& configuration);
  void write_pending();
  [[noreturn]] void fail(const std::string& reason) const;

  JournalOptions options_;
  int descriptor_ = -1;
  bool removable_ = false;  // new, and still without a record
  std::string pending_;
  Clock::time_point synced_ = Clock::now();
  std::vector<Record> records_;
  std::unordered_map<std::string, std::size_t> by_key_;
  Record wanted_;  // kept so that find() reuses its strings
};

}  // namespace hbmscope
