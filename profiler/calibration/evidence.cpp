#include "profiler/calibration/evidence.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "sim/error.h"

namespace hbmscope {

EvidenceFile::EvidenceFile(const std::string& folder, std::string_view name, std::string_view header) {
  if (folder.empty()) return;
  path_ = (std::filesystem::path(folder) / name).string();
  file_.open(path_);
  row(header);
}

void EvidenceFile::row(std::string_view text) {
  if (path_.empty()) return;
  file_ << text << '\n' << std::flush;
  if (!file_)
    throw UserError("--evidence", path_, fmt::format("cannot be written: {}", std::strerror(errno)));
}

void make_evidence_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    throw UserError("--evidence", folder,
                    fmt::format("expected a folder, or a place for one: {}", error.message()));
  }
}

}  // namespace hbmscope
