#include "kernels/cubin_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kernels/fnv.h"
#include "sim/error.h"

namespace hbmscope {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "hbmscope-kernel-1";
constexpr std::string_view kExtension = ".cubin";

std::string checksum(const CachedCubin& entry) {
  Fnv1a hash;
  hash.add(entry.compiler);
  hash.add(entry.log);
  hash.add(entry.cubin);
  return fmt::format("{:016x}", hash.value());
}

// One line of text, then the three parts one after the other.
std::string serialize(const CachedCubin& entry) {
  return fmt::format("{} {} {} {} {}\n", kMagic, checksum(entry), entry.compiler.size(), entry.log.size(),
                     entry.cubin.size()) +
         entry.compiler + entry.log + entry.cubin;
}

std::optional<CachedCubin> deserialize(const std::string& bytes) {
  const std::size_t header_end = bytes.find('\n');
  if (header_end == std::string::npos) return std::nullopt;
  std::istringstream header(bytes.substr(0, header_end));
  std::string magic;
  std::string sum;
  std::size_t compiler_size = 0;
  std::size_t log_size = 0;
  std::size_t cubin_size = 0;
  if (!(header >> magic >> sum >> compiler_size >> log_size >> cubin_size) || magic != kMagic)
    return std::nullopt;

  std::string_view rest = std::string_view(bytes).substr(header_end + 1);
  const auto take = [&rest](std::size_t size) {
    std::string part(rest.substr(0, size));
    rest.remove_prefix(part.size());
    return part;
  };
  CachedCubin entry;
  entry.compiler = take(compiler_size);
  entry.log = take(log_size);
  entry.cubin = take(cubin_size);
  if (!rest.empty() || checksum(entry) != sum) return std::nullopt;
  return entry;
}

std::optional<CachedCubin> read_entry(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return deserialize(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string prefix_of(const CubinKey& key) {
  return fmt::format("{}-{}-{}-", key.kernel_hash, key.options_hash, key.architecture);
}

// "NVRTC 13.0" -> (13, 0), so that 12.10 is newer than 12.9.
std::pair<int, int> compiler_version(const std::string& compiler) {
  std::pair<int, int> version{0, 0};
  std::istringstream text(compiler);
  std::string name;
  char dot = '\0';
  text >> name >> version.first >> dot >> version.second;
  return version;
}

[[noreturn]] void throw_unwritable(const fs::path& directory, std::string_view reason) {
  throw UserError(
      "kernel cache", directory.string(),
      fmt::format("a directory that can be written ({}); name one in HBMSCOPE_CACHE_DIR", reason));
}

}  // namespace

CubinCache::CubinCache(fs::path directory) : directory_(std::move(directory)) {}

fs::path CubinCache::path_of(const CubinKey& key) const {
  std::string compiler = key.compiler;
  std::ranges::replace(compiler, ' ', '_');
  return directory_ / (prefix_of(key) + compiler + std::string(kExtension));
}

std::optional<CachedCubin> CubinCache::load(const CubinKey& key) const {
  std::optional<CachedCubin> entry = read_entry(path_of(key));
  if (entry && entry->compiler != key.compiler) return std::nullopt;
  return entry;
}

std::optional<CachedCubin> CubinCache::load_from_any_compiler(const CubinKey& key) const {
  std::optional<CachedCubin> newest;
  std::error_code no_directory;  // then nothing is cached
  for (const fs::directory_entry& file : fs::directory_iterator(directory_, no_directory)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(prefix_of(key)) || !name.ends_with(kExtension)) continue;
    std::optional<CachedCubin> entry = read_entry(file.path());
    if (!entry) continue;
    if (!newest || compiler_version(entry->compiler) > compiler_version(newest->compiler))
      newest = std::move(entry);
  }
  return newest;
}

void CubinCache::store(const CubinKey& key, const CachedCubin& entry) const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) throw_unwritable(directory_, error.message());

  static std::atomic<unsigned> counter{0};  // two threads may compile the same kernel
  const fs::path path = path_of(key);
  const fs::path temporary = fmt::format("{}.{}.{}.tmp", path.string(), getpid(), counter++);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << serialize(entry);
    file.close();
    if (!file) {
      fs::remove(temporary, error);
      throw_unwritable(directory_, "writing failed");
    }
  }
  fs::rename(temporary, path, error);
  if (error) {
    const std::string reason = error.message();
    fs::remove(temporary, error);
    throw_unwritable(directory_, reason);
  }
}

fs::path default_cache_directory() {
  const auto variable = [](const char* name) -> std::optional<fs::path> {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return fs::path(value);
  };
  if (const auto chosen = variable("HBMSCOPE_CACHE_DIR")) return *chosen;
  if (const auto xdg = variable("XDG_CACHE_HOME")) return *xdg / "hbmscope";
  if (const auto home = variable("HOME")) return *home / ".cache" / "hbmscope";
  throw UserError("kernel cache", "",
                  "neither HBMSCOPE_CACHE_DIR, XDG_CACHE_HOME nor HOME is set; set one of them");
}

}  // namespace hbmscope
