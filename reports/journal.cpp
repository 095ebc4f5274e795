#include "reports/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "reports/field_value.h"
#include "reports/json.h"
#include "reports/records_file.h"
#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

// Up to and with the last line break.
std::size_t whole_lines(std::string_view text) { return text.rfind('\n') + 1; }

}  // namespace

RunRecords parse_journal(std::string_view text, const std::string& path) {
  RunRecords journal = read_jsonl(text.substr(0, whole_lines(text)), path);
  if (journal.configuration.empty()) {
    throw UserError(path, "", "has no configuration in its first line; expected a file that --journal wrote");
  }
  return journal;
}

RunRecords read_journal(const std::string& path) { return parse_journal(read_file(path), path); }

std::string point_key(const Record& record) {
  constexpr char kUnitSeparator = '\x1f';
  static const Field* const kernel_hash = find_field("kernel_hash");  // of the kernels, not of the question
  std::string key;
  for (const Field& field : record_fields()) {
    if (field.group != FieldGroup::point || &field == kernel_hash) continue;
    append_value(key, field.get(record));
    key += kUnitSeparator;
  }
  return key;
}

Journal::Journal(const JournalOptions& options, const RunInfo& run, const Configuration& configuration)
    : options_(options) {
  open();
  try {
    read(configuration);
    if (removable_) begin(run, configuration);
  } catch (...) {
    if (removable_) unlink(options_.path.c_str());
    close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  if (removable_) {
    unlink(options_.path.c_str());
  } else {
    try {
      sync();
    } catch (const UserError&) {  // another error is on its way already
    }
  }
  close(descriptor_);
}

void Journal::open() {
  descriptor_ = ::open(options_.path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::strerror(errno));
  struct stat status {};
  const char* reason = nullptr;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    reason = "it is no regular file";
  } else if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    reason = "another hbmscope is writing it";
  }
  if (reason == nullptr) return;
  close(descriptor_);
  fail(reason);
}

void Journal::read(const Configuration& configuration) {
  const std::string text = read_file(options_.path);
  const std::size_t size = whole_lines(text);
  if (size == 0) {
    // Empty, or torn before its first line was whole. Another file's text is not ours to drop.
    if (!text.empty() && !text.starts_with("{\"schema_version\":")) fail("it is no journal");
    removable_ = true;
    return;
  }
  if (!options_.resume) {
    throw UserError("--journal", options_.path,
                    "the file is there already; expected --resume to go on with it, or a new file");
  }
  RunRecords journal = parse_journal(text, options_.path);
  if (const auto difference = first_difference(configuration, journal.configuration)) {
    throw UserError(difference->name, difference->one,
                    fmt::format("expected '{}', with which {} was begun", difference->other, options_.path));
  }
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail(std::strerror(errno));
  records_ = std::move(journal.records);
  for (std::size_t i = 0; i < records_.size(); ++i) by_key_.emplace(point_key(records_[i]), i);
}

void Journal::begin(const RunInfo& run, const Configuration& configuration) {
  if (ftruncate(descriptor_, 0) != 0) fail(std::strerror(errno));
  pending_ = jsonl_header(run, configuration);
  write_pending();
}

const Record* Journal::find(const Point& point) {
  if (records_.empty()) return nullptr;
  wanted_.point = point;
  const auto found = by_key_.find(point_key(wanted_));
  return found == by_key_.end() ? nullptr : &records_[found->second];
}

void Journal::add(const Record& record) {
  removable_ = false;
  append_jsonl_row(pending_, record);
  if (Clock::now() - synced_ >= options_.sync_interval) {
    sync();
  } else if (pending_.size() >= kBlockBytes) {
    write_pending();
  }
}

void Journal::sync() {
  write_pending();
  if (fdatasync(descriptor_) != 0) fail(std::strerror(errno));
  synced_ = Clock::now();
}

void Journal::write_pending() {
  const std::string text = std::exchange(pending_, {});
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Journal::fail(const std::string& reason) const {
  throw UserError(
      "--journal", options_.path,
      fmt::format("cannot be written: {}; expected a file in an existing directory that may be written",
                  reason));
}

}  // namespace hbmscope
