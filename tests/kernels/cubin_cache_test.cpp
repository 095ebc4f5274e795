#include "kernels/cubin_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "sim/error.h"
#include "tests/kernels/temporary_directory.h"

namespace hbmscope {
namespace {

namespace fs = std::filesystem;

const CubinKey kKey{"0123456789abcdef", "01234567", "sm_90", "NVRTC 13.0"};
// Zero bytes and line ends, as a cubin has them.
const CachedCubin kEntry{"NVRTC 13.0",
                         std::string("\x7f"
                                     "ELF\0\n\0cubin",
                                     12),
                         "registers\nspills\n"};

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) files.push_back(entry.path());
  return files;
}

TEST(CubinCache, GivesBackWhatWasStored) {
  const TemporaryDirectory directory;
  const CubinCache cache(directory.path() / "made" / "on demand");
  EXPECT_FALSE(cache.load(kKey));
  cache.store(kKey, kEntry);
  const auto entry = cache.load(kKey);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->cubin, kEntry.cubin);
  EXPECT_EQ(entry->log, kEntry.log);
  EXPECT_EQ(entry->compiler, kEntry.compiler);
  EXPECT_EQ(files_in(cache.directory()),
            std::vector<fs::path>{cache.path_of(kKey)});  // no temporary file stays
}

TEST(CubinCache, TellsEveryPartOfTheKeyApart) {
  const TemporaryDirectory directory;
  const CubinCache cache(directory.path());
  cache.store(kKey, kEntry);
  for (auto part :
       {&CubinKey::kernel_hash, &CubinKey::options_hash, &CubinKey::architecture, &CubinKey::compiler}) {
    CubinKey other = kKey;
    other.*part += "x";
    EXPECT_FALSE(cache.load(other));
  }
}

TEST(CubinCache, TreatsADamagedFileAsAbsent) {
  const TemporaryDirectory directory;
  const CubinCache cache(directory.path());
  cache.store(kKey, kEntry);
  std::string bytes;
  {
    std::ifstream file(cache.path_of(kKey), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto loads_after = [&](const std::string& content) {
    std::ofstream(cache.path_of(kKey), std::ios::binary) << content;
    return cache.load(kKey).has_value() || cache.load_from_any_compiler(kKey).has_value();
  };
  EXPECT_TRUE(loads_after(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(loads_after(bytes.substr(0, size))) << "cut to " << size;
  }
  for (std::size_t position = bytes.find('\n') + 1; position < bytes.size(); ++position) {
    std::string flipped = bytes;
    flipped[position] = static_cast<char>(flipped[position] ^ 1);
    EXPECT_FALSE(loads_after(flipped)) << "bit flipped at " << position;
  }
  EXPECT_FALSE(loads_after(bytes + "x"));
}

TEST(CubinCache, WithoutACompilerTakesTheNewestOnes) {
  const TemporaryDirectory directory;
  const CubinCache cache(directory.path());
  for (const std::string compiler : {"NVRTC 12.10", "NVRTC 12.9", "NVRTC 12.6"}) {
    CubinKey key = kKey;
    key.compiler = compiler;
    cache.store(key, {compiler, "cubin of " + compiler, "log"});
  }
  CubinKey any = kKey;
  any.compiler.clear();
  EXPECT_EQ(cache.load_from_any_compiler(any)->cubin, "cubin of NVRTC 12.10");
  any.architecture = "sm_80";
  EXPECT_FALSE(cache.load_from_any_compiler(any));
  EXPECT_FALSE(CubinCache(directory.path() / "absent").load_from_any_compiler(kKey));
}

TEST(CubinCache, NamesADirectoryThatCannotBeWritten) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "file") << "in the way";
  const CubinCache cache(directory.path() / "file" / "cache");
  try {
    cache.store(kKey, kEntry);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.value(), cache.directory().string());
    EXPECT_NE(error.accepted().find("HBMSCOPE_CACHE_DIR"), std::string::npos);
  }
}

TEST(CubinCache, SurvivesWritersAtTheSameTime) {
  const TemporaryDirectory directory;
  const CubinCache cache(directory.path());
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        cache.store(kKey, kEntry);
        const auto entry = cache.load(kKey);
        ASSERT_TRUE(entry);
        ASSERT_EQ(entry->cubin, kEntry.cubin);
      }
    });
  }
  writers.clear();
  EXPECT_EQ(files_in(directory.path()).size(), 1U);
}

TEST(CubinCache, DirectoryComesFromTheEnvironment) {
  setenv("HOME", "/home/somebody", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HBMSCOPE_CACHE_DIR");
  EXPECT_EQ(default_cache_directory(), "/home/somebody/.cache/hbmscope");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(default_cache_directory(), "/xdg/hbmscope");
  setenv("HBMSCOPE_CACHE_DIR", "/chosen", 1);
  EXPECT_EQ(default_cache_directory(), "/chosen");
  unsetenv("HBMSCOPE_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_THROW(default_cache_directory(), UserError);
}

}  // namespace
}  // namespace hbmscope
