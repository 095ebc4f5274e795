#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hbmscope::testing {

struct Result {
  int code = -1;  // exit code
  std::string out;
  std::string err;
};

// A folder of its own, in which the program is run; removed at the end.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Runs hbmscope in this folder.
  Result run(const std::vector<std::string>& arguments) const;
  // Runs a shell script in this folder; $PROGRAM is hbmscope.
  Result run_shell(const std::string& script) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  // Names of the files that are there, sorted.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path streams_;  // beside the folder, so that files() shows the program's own only
};

std::size_t count_lines(const std::string& text);

}  // namespace hbmscope::testing
