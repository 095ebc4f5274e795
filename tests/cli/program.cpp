#include "tests/cli/program.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace hbmscope::testing {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hbmscope-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

}  // namespace

Workspace::Workspace() : folder_(new_folder()), streams_(new_folder()) {}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  std::filesystem::remove_all(streams_, ignored);
}

Result Workspace::run(const std::vector<std::string>& arguments) const {
  std::string script = "exec \"$PROGRAM\"";
  for (const std::string& argument : arguments) script.append(" ").append(quoted(argument));
  return run_shell(script);
}

// Background jobs of a shell ignore SIGINT unless it controls jobs (set -m).
Result Workspace::run_shell(const std::string& script) const {
  const std::string body =
      "set -m; cd " + quoted(folder_.string()) + "; PROGRAM=" + quoted(HBMSCOPE_PROGRAM) + "; " + script;
  const std::string command = "bash -c " + quoted(body) + " >" + quoted((streams_ / "out").string()) + " 2>" +
                              quoted((streams_ / "err").string());
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_all(streams_ / "out"),
          read_all(streams_ / "err")};
}

std::string Workspace::read(const std::string& name) const { return read_all(folder_ / name); }

void Workspace::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::vector<std::string> Workspace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace hbmscope::testing
