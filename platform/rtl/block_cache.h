// The folder of built libraries:
//
//   <cache>/lrg_arbiter-1f3a90c24b77/block.so, manifest.json   a block, with 12 digits of its digest
//   <cache>/runtime-55d09e1a2b3c/*.o                           Verilator's runtime, for all blocks
//   <cache>/.partial-<process>-<n>/                            a build in progress
//
// A build works in a partial folder, which becomes an entry by a rename, so an entry is always complete. If
// two processes build the same entry, that of the first one is kept and both use it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace asterism {

// The contents of manifest.json.
struct Manifest {
  std::string name, contract, digest;
  std::string parameters;              // "Radix=64"
  std::filesystem::path file;          // block.json, absolute
  std::vector<std::string> overrides;  // with which it was built
  std::filesystem::path library;       // the path of the library; it is not in manifest.json
};

class BlockCache {
 public:
  explicit BlockCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // ASTERISM_RTL_CACHE, or asterism/rtl/ in the user's cache (XDG_CACHE_HOME, ~/.cache) if the program is
  // installed, or rtl/ next to the program of a build. Throws InputMissing if the user has no cache.
  static BlockCache standard();

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path entry(const std::string& name, const std::string& digest) const;
  // The library, if it exists.
  std::optional<std::filesystem::path> find(const std::string& name, const std::string& digest) const;
  // Those of all blocks, sorted by name and digest.
  std::vector<Manifest> manifests() const;

 private:
  std::filesystem::path folder_;
};

// A folder of this process, which is removed unless it is kept. The constructor also removes folders that
// dead processes have left.
class PartialFolder {
 public:
  // Throws ConfigError if the cache cannot be written.
  explicit PartialFolder(const BlockCache& cache);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Renames it to the entry, unless another process has already made the entry.
  void keep_as(const std::filesystem::path& entry);

 private:
  std::filesystem::path path_;
};

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest, double seconds);

}  // namespace asterism
