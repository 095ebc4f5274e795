#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace hbmscope {

// What a cached kernel was made from. `kernel_hash` covers our sources and macros, `options_hash` the
// compiler's other options; the compiler is not part of what is wanted where there is none.
struct CubinKey {
  std::string kernel_hash;
  std::string options_hash;
  std::string architecture;  // "sm_90"
  std::string compiler;      // "NVRTC 13.0"
};

struct CachedCubin {
  std::string compiler;
  std::string cubin;
  std::string log;
};

// Compiled kernels on disk, one file each: <kernel hash>-<options hash>-<architecture>-<compiler>.cubin. A
// file has a header with sizes and a checksum; what does not match it is treated as not there.
class CubinCache {
 public:
  explicit CubinCache(std::filesystem::path directory);

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path path_of(const CubinKey& key) const;

  std::optional<CachedCubin> load(const CubinKey& key) const;

  // The entry of the newest compiler for the key's hashes and architecture, whatever key.compiler says.
  std::optional<CachedCubin> load_from_any_compiler(const CubinKey& key) const;

  // Writes a temporary file and renames it, so that a reader or a second writer never sees half of it. Throws
  // UserError naming the directory when it cannot be written.
  void store(const CubinKey& key, const CachedCubin& entry) const;

 private:
  std::filesystem::path directory_;
};

// $HBMSCOPE_CACHE_DIR, else $XDG_CACHE_HOME/hbmscope, else ~/.cache/hbmscope. Throws UserError when none is
// set.
std::filesystem::path default_cache_directory();

}  // namespace hbmscope
