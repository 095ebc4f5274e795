#include "reports/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "tests/reports/support.h"
#include "tests/reports/temporary_folder.h"

namespace hbmscope {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class OutputFileTest : public TemporaryFolder {};

std::string open_error(const std::string& path) {
  return error_of([&] { OutputFile("--csv", path); });
}

TEST_F(OutputFileTest, TakesItsPlaceOnCommit) {
  put(path("a.csv"), "old");
  OutputFile file("--csv", path("a.csv"));
  file.write("new ");
  file.write("text\n");
  file.flush();
  EXPECT_EQ(text_of(path("a.csv")), "old");
  file.commit();
  EXPECT_EQ(text_of(path("a.csv")), "new text\n");
  EXPECT_THAT(names(), ElementsAre("a.csv"));
}

TEST_F(OutputFileTest, LeavesNothingWithoutCommit) {
  {
    OutputFile file("--csv", path("a.csv"));
    file.write(std::string(200000, 'x'));
    EXPECT_EQ(names().size(), 1U);
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(OutputFileTest, MovesWithItsTemporaryFile) {
  OutputFile first("--csv", path("a.csv"));
  first.write("text");
  {
    OutputFile second(std::move(first));
    second.commit();
  }
  EXPECT_EQ(text_of(path("a.csv")), "text");
}

TEST_F(OutputFileTest, KeepsPermissionsAndLinks) {
  put(path("a.csv"), "old");
  chmod(path("a.csv").c_str(), 0640);
  std::filesystem::create_symlink("a.csv", path("link.csv"));
  OutputFile file("--csv", path("link.csv"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.csv")));
  EXPECT_EQ(text_of(path("a.csv")), "new");
  EXPECT_EQ(std::filesystem::status(path("a.csv")).permissions(), std::filesystem::perms{0640});
}

TEST_F(OutputFileTest, NewFilesFollowTheMask) {
  const mode_t mask = umask(027);
  OutputFile("--csv", path("a.csv")).commit();
  umask(mask);
  EXPECT_EQ(std::filesystem::status(path("a.csv")).permissions(), std::filesystem::perms{0640});
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWrittenBeforeAnyWork) {
  EXPECT_EQ(open_error(path("no/a.csv")),
            "--csv: '" + path("no/a.csv") +
                "' is not accepted; cannot be written: No such file or directory; expected a file in an "
                "existing directory that may be written, or - for standard output");
  EXPECT_THAT(open_error(path("")), testing::HasSubstr("Is a directory"));
  EXPECT_THAT(open_error(path("new/")), testing::HasSubstr("No such file or directory"));
  put(path("a"), "");
  EXPECT_THAT(open_error(path("a/b.csv")), testing::HasSubstr("Not a directory"));
  EXPECT_THAT(open_error(""), StartsWith("--csv: expected a file name"));
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(OutputFileTest, RefusesWhatPermissionsForbid) {
  if (geteuid() == 0) {
    // Nothing is forbidden to root, save on file systems that take no files.
    EXPECT_THAT(open_error("/proc/hbmscope.csv"), StartsWith("--csv: '/proc/hbmscope.csv' is not accepted"));
    return;
  }
  put(path("a.csv"), "");
  chmod(path("a.csv").c_str(), 0444);
  EXPECT_THAT(open_error(path("a.csv")), testing::HasSubstr("Permission denied"));
}

TEST_F(OutputFileTest, WritesDevicesDirectly) {
  OutputFile file("--csv", "/dev/null");
  file.write("text");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THAT(error_of([] {
                OutputFile full("--csv", "/dev/full");
                full.write("text");
                full.commit();
              }),
              StartsWith("--csv: '/dev/full' is not accepted; cannot be written: No space left on device"));
}

// Standard output as a pipe while `action` runs; gives what was written, with the reader gone if so wished.
template <class Action>
std::string through_pipe(bool reader_gone, Action action) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const int saved = dup(STDOUT_FILENO);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[1]);
  if (reader_gone) close(ends[0]);
  action();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  if (reader_gone) return "";
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(read(ends[0], text.data(), text.size())));
  close(ends[0]);
  return text;
}

TEST_F(OutputFileTest, FollowsALinkToAFileThatIsNotThereYet) {
  std::filesystem::create_symlink("new.csv", path("link.csv"));
  OutputFile file("--csv", path("link.csv"));
  file.write("text");
  file.commit();
  EXPECT_EQ(text_of(path("new.csv")), "text");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.csv")));
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_THAT(open_error(path("circle")), testing::HasSubstr("Too many levels of symbolic links"));
}

TEST_F(OutputFileTest, UnfinishedFilesCanBeRemovedAtOnce) {
  OutputFile done("--csv", path("done.csv"));
  done.commit();
  const OutputFile first("--csv", path("a.csv"));
  const OutputFile second("--json", path("a.json"));
  EXPECT_EQ(names().size(), 3U);
  remove_unfinished_files();
  EXPECT_THAT(names(), ElementsAre("done.csv"));
}

TEST_F(OutputFileTest, DashIsStandardOutput) {
  const std::string text = through_pipe(false, [] {
    OutputFile file("--csv", "-");
    file.write("a,b\n");
    file.commit();
  });
  EXPECT_EQ(text, "a,b\n");
}

TEST_F(OutputFileTest, ABrokenPipeIsToldApart) {
  bool told = false;
  through_pipe(true, [&] {
    OutputFile file("--csv", "-");
    file.write("a,b\n");
    try {
      file.commit();
    } catch (const BrokenPipe&) {
      told = true;
    }
  });
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace hbmscope
