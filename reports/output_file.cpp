#include "reports/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "sim/error.h"

namespace hbmscope {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

// What a file that open() creates would get. There is no way to read the mask without setting it.
mode_t new_file_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Names of temporary files where a signal handler can read them: no allocation, and a slot counts only while
// `used`. A file beyond the slots is merely not removed by a second Ctrl-C.
struct UnfinishedFile {
  std::atomic<bool> used = false;
  std::array<char, PATH_MAX> name{};
};
std::array<UnfinishedFile, 8> unfinished_files;

void note_unfinished(const std::string& name) {
  for (UnfinishedFile& file : unfinished_files) {
    if (file.used || name.size() >= file.name.size()) continue;
    std::copy_n(name.c_str(), name.size() + 1, file.name.begin());
    file.used = true;
    return;
  }
}

void forget_unfinished(const std::string& name) noexcept {
  for (UnfinishedFile& file : unfinished_files) {
    if (file.used && name == file.name.data()) file.used = false;
  }
}

// Where a write to `path` ends: symbolic links are followed, also to a file that is not there yet. A circle
// of links remains a link, which stat() then names.
std::filesystem::path link_end(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // as in the kernel
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;
  }
  return path;
}

}  // namespace

std::string write_target(const std::string& path) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  if (!error) return resolved.string();
  // A pipe behind /dev/stdout is there without a path of its own.
  if (std::filesystem::exists(path, error)) return path;
  const std::filesystem::path end = link_end(path);
  const std::filesystem::path folder =
      std::filesystem::canonical(end.has_parent_path() ? end.parent_path() : ".", error);
  return error ? end.string() : (folder / end.filename()).string();
}

void remove_unfinished_files() noexcept {
  for (const UnfinishedFile& file : unfinished_files) {
    if (file.used) unlink(file.name.data());
  }
}

OutputFile::OutputFile(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)) {
  std::signal(SIGPIPE, SIG_IGN);
  if (path_.empty()) {
    throw UserError(option_, "", "expected a file name, or - for standard output; got an empty one");
  }
  if (path_ == "-") {
    descriptor_ = STDOUT_FILENO;
    return;
  }
  target_ = write_target(path_);
  struct stat status {};
  if (stat(target_.c_str(), &status) != 0) {
    if (errno != ENOENT || path_.ends_with('/')) fail(errno);
    status = {};
  } else if (S_ISDIR(status.st_mode)) {
    fail(EISDIR);
  } else if (!S_ISREG(status.st_mode)) {
    open_directly();
    return;
  } else if (access(target_.c_str(), W_OK) != 0) {
    fail(errno);
  }
  open_temporary(status.st_mode != 0 ? target_ : "");
}

// The temporary file stands in the same directory, for a rename cannot cross file systems. It takes the
// permissions of the file that it will replace.
void OutputFile::open_temporary(const std::string& existing) {
  const std::filesystem::path target(target_);
  std::string pattern =
      (target.parent_path() / fmt::format(".{}.XXXXXX", target.filename().string())).string();
  descriptor_ = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  temporary_ = pattern;
  note_unfinished(temporary_);
  struct stat status {};
  const bool replaces = !existing.empty() && stat(existing.c_str(), &status) == 0;
  if (fchmod(descriptor_, replaces ? status.st_mode & 0777U : new_file_mode()) != 0) {
    const int error = errno;
    discard();
    fail(error);
  }
}

void OutputFile::open_directly() {
  descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : option_(std::move(other.option_)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      pending_(std::exchange(other.pending_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() noexcept {
  if (descriptor_ > STDERR_FILENO) close(descriptor_);
  descriptor_ = -1;
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  forget_unfinished(temporary_);
  temporary_.clear();
}

void OutputFile::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kBlockBytes) flush();
}

void OutputFile::flush() { write_out(std::exchange(pending_, {})); }

void OutputFile::write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw BrokenPipe();
      fail(errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  flush();
  if (descriptor_ == STDOUT_FILENO) return;
  // Some file systems report a full disk only here.
  if (close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  forget_unfinished(temporary_);
  temporary_.clear();
}

void OutputFile::fail(int error) const {
  throw UserError(option_, path_,
                  fmt::format("cannot be written: {}; expected a file in an existing directory that may be "
                              "written, or - for standard output",
                              std::strerror(error)));
}

}  // namespace hbmscope
