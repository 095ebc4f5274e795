#include "kernels/cuda/dynamic_library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "sim/error.h"
#include "tests/kernels/temporary_directory.h"

namespace hbmscope {
namespace {

namespace fs = std::filesystem;

TEST(DynamicLibrary, SaysWhatItLookedForWhereAndHowToGetIt) {
  const TemporaryDirectory directory;
  try {
    const DynamicLibrary library(
        {"the library of dreams", {"libdream.so.2", "libdream.so"}, {directory.path()}, "sleep"});
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    for (const std::string& part : {std::string("the library of dreams"), std::string("libdream.so.2"),
                                    directory.path().string(), std::string("sleep")}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(DynamicLibrary, GivesTheLoadersReasonForAFileThatIsNoLibrary) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "libdream.so") << std::string(4096, 'x');
  try {
    const DynamicLibrary library({"the library of dreams", {"libdream.so"}, {directory.path()}, "sleep"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("invalid ELF header"), std::string::npos) << error.what();
  }
}

TEST(DynamicLibrary, OpensTheFirstThatIsThereAndFindsFunctions) {
  const DynamicLibrary library({"the mathematics library", {"libdream.so", "libm.so.6"}, {}, "install libc"});
  EXPECT_EQ(library.path(), "libm.so.6");
  double (*cosine)(double) = nullptr;
  library.resolve("cos", cosine);
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_EQ(library.find_symbol("no_such_function"), nullptr);
  try {
    library.resolve("no_such_function", cosine);
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no_such_function"), std::string::npos) << text;
    EXPECT_NE(text.find("install libc"), std::string::npos) << text;
  }
}

TEST(DynamicLibrary, MovesItsHandle) {
  DynamicLibrary first({"the mathematics library", {"libm.so.6"}, {}, ""});
  const DynamicLibrary second = std::move(first);
  EXPECT_NE(second.find_symbol("cos"), nullptr);
}

TEST(VersionedSonames, AreNewestFirst) {
  EXPECT_EQ(versioned_sonames("libnvrtc", 13, 12),
            (std::vector<std::string>{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}));
}

TEST(CudaLibraryDirectories, StartWithTheEnvironmentAndHoldOnlyWhatExists) {
  const TemporaryDirectory directory;
  fs::create_directories(directory.path() / "extras/CUPTI/lib64");
  fs::create_directories(directory.path() / "lib64");
  const char* const before = std::getenv("CUDA_HOME");
  const std::string restored = before == nullptr ? "" : before;
  setenv("CUDA_HOME", directory.path().c_str(), 1);
  const std::vector<fs::path> directories = cuda_library_directories();
  setenv("CUDA_HOME", restored.c_str(), 1);
  ASSERT_GE(directories.size(), 2U);
  EXPECT_EQ(directories[0], directory.path() / "lib64");
  EXPECT_EQ(directories[1], directory.path() / "extras/CUPTI/lib64");
  EXPECT_TRUE(std::ranges::all_of(directories,
                                  [](const fs::path& path) { return path == "" || path.is_absolute(); }));
}

}  // namespace
}  // namespace hbmscope
