#include "platform/rtl/block_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "platform/config/diagnostics.h"
#include "platform/host/installed_files.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_digits = 12;
constexpr std::string_view partial_name = ".partial-";

void remove_dead(const fs::path& cache) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cache, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(partial_name)) continue;
    const long process = std::strtol(name.c_str() + partial_name.size(), nullptr, 10);
    if (process > 0 && kill(static_cast<pid_t>(process), 0) == -1 && errno == ESRCH)
      fs::remove_all(entry.path(), none);
  }
}

std::optional<Manifest> read_manifest(const fs::path& folder) try {
  std::ifstream in(folder / "manifest.json");
  const auto json = nlohmann::json::parse(in);
  return Manifest{.name = json.at("name"),
                  .contract = json.at("contract"),
                  .digest = json.at("digest"),
                  .parameters = json.at("parameters"),
                  .file = json.at("file").get<std::string>(),
                  .overrides = json.at("overrides"),
                  .library = folder / "block.so"};
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

// Relative paths are to be ignored, as the specification of XDG_CACHE_HOME says.
fs::path cache_of_user() {
  for (const auto& [name, below] : {std::pair("XDG_CACHE_HOME", ""), std::pair("HOME", ".cache")})
    if (const char* folder = std::getenv(name); folder && fs::path(folder).is_absolute())
      return fs::path(folder) / below;
  throw InputMissing(Diagnostic::of_file("asterism/rtl",
                                         "there is no folder for libraries of RTL: HOME is not set; name one "
                                         "by ASTERISM_RTL_CACHE"));
}

}  // namespace

BlockCache BlockCache::standard() {
  if (const char* named = std::getenv("ASTERISM_RTL_CACHE"); named && *named)
    return BlockCache(fs::absolute(named).lexically_normal());
  return BlockCache(InstalledFiles::data() ? cache_of_user() / "asterism" / "rtl"
                                           : fs::read_symlink("/proc/self/exe").parent_path() / "rtl");
}

fs::path BlockCache::entry(const std::string& name, const std::string& digest) const {
  return folder_ / (name + "-" + digest.substr(0, shown_digits));
}

std::optional<fs::path> BlockCache::find(const std::string& name, const std::string& digest) const {
  std::error_code none;
  const fs::path library = entry(name, digest) / "block.so";
  return fs::is_regular_file(library, none) ? std::optional(library) : std::nullopt;
}

std::vector<Manifest> BlockCache::manifests() const {
  std::vector<Manifest> all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_, none))
    if (!entry.path().filename().string().starts_with('.') &&
        fs::exists(entry.path() / "manifest.json", none))
      if (auto manifest = read_manifest(entry.path())) all.push_back(std::move(*manifest));
  std::ranges::sort(all, {}, [](const Manifest& m) { return std::pair(m.name, m.digest); });
  return all;
}

PartialFolder::PartialFolder(const BlockCache& cache) try {
  static int count = 0;
  fs::create_directories(cache.folder());
  remove_dead(cache.folder());
  path_ = cache.folder() / fmt::format("{}{}-{}", partial_name, getpid(), count++);
  fs::remove_all(path_);
  fs::create_directory(path_);
} catch (const fs::filesystem_error& error) {
  throw ConfigError(Diagnostic::of_file(cache.folder().string(),
                                        "libraries cannot be written here: " + error.code().message() +
                                            "; ASTERISM_RTL_CACHE names another folder"));
}

PartialFolder::~PartialFolder() {
  std::error_code none;
  fs::remove_all(path_, none);
}

void PartialFolder::keep_as(const fs::path& entry) {
  std::error_code error;
  fs::rename(path_, entry, error);
  if (error && !fs::is_directory(entry)) throw std::system_error(error, entry.string());
}

void write_manifest(const fs::path& folder, const Manifest& manifest, double seconds) {
  const nlohmann::ordered_json json{{"name", manifest.name},
                                    {"contract", manifest.contract},
                                    {"parameters", manifest.parameters},
                                    {"file", manifest.file.string()},
                                    {"overrides", manifest.overrides},
                                    {"digest", manifest.digest},
                                    {"seconds", std::round(seconds * 10) / 10}};
  std::ofstream out(folder / "manifest.json");
  out << json.dump(2) << "\n";
  if (!out.flush()) throw std::runtime_error((folder / "manifest.json").string() + " cannot be written");
}

}  // namespace asterism
