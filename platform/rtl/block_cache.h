// Where built libraries lie:
//
//   <cache>/lrg_arbiter-1f3a90c24b77/block.so, manifest.json   a block, with 12 digits of its digest
//   <cache>/runtime-55d09e1a2b3c/*.o                           Verilator's runtime, for all blocks
//   <cache>/.partial-<process>-<n>/                            a build under way
//
// A build works in a partial folder, which becomes an entry by a rename: nothing else is ever half there. The first of
// two processes that make the same entry wins, and the other takes that one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace asterism {

// What manifest.json says of an entry.
struct Manifest {
  std::string name, contract, digest;
  std::string parameters;              // "Radix=64"
  std::filesystem::path file;          // block.json, absolute
  std::vector<std::string> overrides;  // that it was built with
  std::filesystem::path library;       // not in the file: where it is
};

class BlockCache {
 public:
  explicit BlockCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // ASTERISM_RTL_CACHE, else rtl/ beside the program.
  static BlockCache standard();

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path entry(const std::string& name, const std::string& digest) const;
  // The library, when it is there.
  std::optional<std::filesystem::path> find(const std::string& name, const std::string& digest) const;
  // Of all blocks, by name and digest.
  std::vector<Manifest> manifests() const;

 private:
  std::filesystem::path folder_;
};

// A folder of this process, removed unless it was kept. Its constructor also removes what dead processes have left.
class PartialFolder {
 public:
  // Throws ConfigError when the cache cannot be written.
  explicit PartialFolder(const BlockCache& cache);
  ~PartialFolder();
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Gives it the entry's name, or leaves what another process has put there.
  void keep_as(const std::filesystem::path& entry);

 private:
  std::filesystem::path path_;
};

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest, double seconds);

}  // namespace asterism
