// Without libFuzzer: checks the files of the folders that are named. A file whose name begins with "refused"
// must be refused, the others accepted.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

namespace fs = std::filesystem;
using hbmscope::fuzz::require;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  require(!files.empty(), "the folder has files");
  return files;
}

void check_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "the file can be read");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const bool taken = hbmscope::fuzz::check_input(text);
  const bool refused = path.filename().string().starts_with("refused");
  require(taken != refused, refused ? "the input is refused" : "the input is accepted");
}

}  // namespace

int main(int argc, char** argv) {
  require(argc > 1, "a folder is named");
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& file : files_of(argv[i])) {
      std::printf("%s\n", file.c_str());  // the last one named is the one that failed
      std::fflush(stdout);
      check_file(file);
    }
  }
}
