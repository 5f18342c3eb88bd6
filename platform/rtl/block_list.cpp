// Lists blocks and finds their files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "platform/config/config_library.h"
#include "platform/config/nearest_name.h"
#include "platform/host/installed_files.h"
#include "platform/rtl/block_build.h"
#include "platform/rtl/block_cache.h"
#include "platform/rtl/loaded_block.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The folders from which the installation is searched upwards, as for configs/.
std::vector<fs::path> search_starts() {
  std::vector<fs::path> starts{fs::current_path(), fs::read_symlink("/proc/self/exe").parent_path()};
  if (const auto data = InstalledFiles::data()) starts.push_back(*data);
  if (const char* configs = std::getenv("ASTERISM_CONFIGS"))
    for (const fs::path& folder : folders_of(configs)) starts.push_back(fs::absolute(folder));
  return starts;
}

// Where a relative path is searched that is the value of a key ("" for an argument).
std::string places(const std::string& key) {
  return fmt::format(
      "searched {}upwards from the current folder, the program and the folders of ASTERISM_CONFIGS",
      key.empty() ? "" : "beside the file that names it, and ");
}

// The files <block>/block.json in a folder. The cache, which may have the same name, contains none.
std::vector<fs::path> blocks_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (fs::is_regular_file(entry.path() / "block.json", none)) files.push_back(entry.path() / "block.json");
  std::ranges::sort(files);
  return files;
}

// The blocks of the nearest rtl/ that has any, searched upwards from the current folder and from the program.
std::vector<fs::path> installed_blocks() {
  std::vector<fs::path> all;
  for (const fs::path& start : search_starts())
    for (fs::path at = start;; at = at.parent_path()) {
      const std::vector<fs::path> files = blocks_in(at / "rtl");
      for (const fs::path& file : files)
        if (std::ranges::count(all, fs::canonical(file)) == 0) all.push_back(fs::canonical(file));
      if (!files.empty() || at == at.root_path()) break;
    }
  return all;
}

// The library built from a file with these overrides, and whether it is up to date.
class Lister {
 public:
  explicit Lister(const BlockCache& cache) : cache_(cache), manifests_(cache.manifests()) {}

  std::vector<KnownBlock> run() {
    for (const fs::path& file : installed_blocks()) add(file, {});
    for (const Manifest& manifest : manifests_) {
      std::error_code none;
      if (fs::is_regular_file(manifest.file, none)) add(manifest.file, manifest.overrides);
    }
    std::ranges::stable_sort(blocks_, {}, &KnownBlock::name);
    return std::move(blocks_);
  }

 private:
  void add(const fs::path& file, const std::vector<std::string>& overrides) {
    if (!asked_.insert({file.string(), overrides}).second) return;
    KnownBlock block;
    block.file = file;
    const auto of_old = std::ranges::find_if(
        manifests_, [&](const Manifest& m) { return m.file == file && m.overrides == overrides; });
    try {
      const LoadedBlock now = load_block({.file = file, .overrides = overrides});
      const std::string digest = digest_of(now, Toolchain::find(file));
      if (!listed_.insert({file.string(), digest}).second) return;
      block.name = now.config.name;
      block.contract = contract_text(now.config);
      block.parameters = variant_text(now.config);
      if (const auto library = cache_.find(block.name, digest)) {
        block.state = KnownBlock::State::built;
        block.library = *library;
      } else {
        block.state = of_old == manifests_.end() ? KnownBlock::State::not_built : KnownBlock::State::stale;
      }
    } catch (const ConfigError&) {
      // `rtl build` reports its errors.
      const bool was_built = of_old != manifests_.end();
      block.name = was_built ? of_old->name : file.parent_path().filename().string();
      block.contract = was_built ? of_old->contract : "-";
      block.parameters = was_built ? of_old->parameters : "";
      block.state = was_built ? KnownBlock::State::stale : KnownBlock::State::not_built;
    }
    blocks_.push_back(std::move(block));
  }

  const BlockCache& cache_;
  std::vector<Manifest> manifests_;
  std::vector<KnownBlock> blocks_;
  std::set<std::pair<std::string, std::vector<std::string>>> asked_;
  std::set<std::pair<std::string, std::string>> listed_;  // file and digest
};

}  // namespace

fs::path locate_block(const std::string& file, const Origin& origin, const std::string& path) {
  std::error_code none;
  const auto found = [&](const fs::path& at) { return fs::is_regular_file(at, none); };
  if (found(file)) return file;
  if (fs::path(file).is_relative())
    for (const fs::path& start : search_starts())
      for (fs::path at = start;; at = at.parent_path()) {
        if (found(at / file)) return (at / file).lexically_normal();
        if (at == at.root_path()) break;
      }
  const bool folder = found(fs::path(file) / "block.json");
  std::vector<std::string> names;
  for (const fs::path& block : installed_blocks())
    names.push_back(
        (block.parent_path().parent_path().filename() / block.parent_path().filename() / "block.json")
            .string());
  throw InputMissing(Diagnostic{
      .origin = origin,
      .path = path,
      .problem =
          fmt::format("there is no file \"{}\"{}", file, folder ? ", but a folder with a block.json" : ""),
      .detail = folder || fs::path(file).is_absolute() ? "" : places(path),
      .nearest =
          folder ? (fs::path(file) / "block.json").lexically_normal().string() : nearest_name(file, names)});
}

std::vector<KnownBlock> known_blocks() { return Lister(BlockCache::standard()).run(); }

}  // namespace asterism
