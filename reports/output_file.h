#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace hbmscope {

// Nobody reads standard output (or a pipe) any more, as under `| head`: the program ends quietly.
struct BrokenPipe : std::runtime_error {
  BrokenPipe() : std::runtime_error("nobody reads the output any more") {}
};

// Removes the temporary files of all outputs that are not committed. May be called by a signal handler.
void remove_unfinished_files() noexcept;

// Where a write to `path` ends: an absolute path with links followed, also to a file that is not there yet;
// `path` itself where that has no name, as a pipe.
std::string write_target(const std::string& path);

// One output of a command. What is written goes to a temporary file beside the wanted one, which takes its
// place on commit(): until then, and without it, the wanted file stays as it was. "-" is standard output.
// Devices, pipes and the like are written directly, because nothing may take their place.
class OutputFile {
 public:
  // Opens at once, so that a path that cannot be written is known before any work. Throws UserError naming
  // `option` ("--csv") and the path. Makes writes to a closed pipe an error rather than a signal (SIGPIPE).
  OutputFile(std::string option, std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  // Text is held back until there is a block of it. All three throw UserError (disk full) or BrokenPipe.
  void write(std::string_view text);
  void flush();
  void commit();

  const std::string& path() const { return path_; }

 private:
  void open_temporary(const std::string& existing);
  void open_directly();
  void write_out(std::string_view text);
  void discard() noexcept;
  [[noreturn]] void fail(int error) const;

  std::string option_;
  std::string path_;       // as given, for messages
  std::string target_;     // links resolved
  std::string temporary_;  // empty when written directly; also in the list of unfinished files
  std::string pending_;
  int descriptor_ = -1;
};

}  // namespace hbmscope
