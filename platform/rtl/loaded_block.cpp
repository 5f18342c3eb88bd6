#include "platform/rtl/loaded_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "platform/config/config.h"
#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// All files in a folder of `include` are read for the digest: "/" is a mistake.
constexpr std::size_t most_included = 10'000;

constexpr std::string_view included_extensions[] = {".svh", ".vh", ".sv",  ".v",   ".svi", ".vi",
                                                    ".inc", ".h",  ".def", ".pkg", ".tab", ".txt"};

// Finds all files that block.json names.
class FileFinder {
 public:
  explicit FileFinder(LoadedBlock& block) : block_(block), folder_(short_path(block.file).parent_path()) {}

  void run() {
    const BlockConfig& config = block_.config;
    add_files("sources", config.sources, true);
    add_files("properties", config.properties, config.assertions);
    for (std::size_t i = 0; i < config.include.size(); ++i)
      add_folder(fmt::format("include.{}", i), config.include[i]);
    std::ranges::sort(block_.files.included);
    if (!missing_.empty()) throw InputMissing(missing_);
  }

 private:
  void add_files(const std::string& key, const std::vector<std::string>& names, bool compiled) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const fs::path file = (folder_ / names[i]).lexically_normal();
      std::error_code none;
      if (!fs::is_regular_file(file, none)) refuse(fmt::format("{}.{}", key, i), file);
      if (compiled) block_.files.sources.push_back(file);
    }
  }

  void add_folder(const std::string& path, const std::string& name) {
    const fs::path folder = (folder_ / name).lexically_normal();
    std::error_code none;
    if (!fs::is_directory(folder, none)) return refuse(path, folder);
    block_.files.include.push_back(folder);
    std::size_t count = 0;
    for (auto at =
             fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, none);
         at != fs::recursive_directory_iterator(); at.increment(none)) {
      if (++count > most_included)
        throw ConfigError(Diagnostic{
            .origin = block_.document.origin_of(path),
            .path = path,
            .problem = fmt::format("{} has more than {} files, which would all belong to the block",
                                   folder.string(), most_included)});
      if (at->path().filename().string().starts_with('.'))
        at.disable_recursion_pending();
      else if (may_be_included(at->path()) && at->is_regular_file(none))
        block_.files.included.push_back(at->path());
    }
  }

  void refuse(const std::string& path, const fs::path& file) {
    std::vector<std::string> others;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(file.has_parent_path() ? file.parent_path() : ".", none))
      others.push_back(entry.path().filename().string());
    std::ranges::sort(others);
    missing_.add({.origin = block_.document.origin_of(path),
                  .path = path,
                  .problem = "there is no " + file.string(),
                  .nearest = nearest_name(file.filename().string(), others)});
  }

  LoadedBlock& block_;
  fs::path folder_;
  Diagnostics missing_;
};

}  // namespace

bool may_be_included(const fs::path& file) {
  const std::string extension = file.extension();
  return std::ranges::count(included_extensions, extension) != 0;
}

fs::path short_path(const fs::path& path) {
  const fs::path here = fs::current_path(), below = path.lexically_relative(here);
  return path.is_absolute() && !below.empty() && *below.begin() != ".." ? below : path;
}

LoadedBlock read_description(const BlockRequest& request) {
  LoadedBlock block{.file = request.file,
                    .overrides = request.overrides,
                    .document = ConfigDocument::load(request.file),
                    .config = {},
                    .files = {}};
  for (const std::string& override : request.overrides) block.document.apply_override(override);
  Diagnostics problems;
  block.config = read_config<BlockConfig>(block.document, nullptr, problems);
  problems.throw_if_any();
  if (request.radix && block.config.radix) {
    block.config.parameters[*block.config.radix] = *request.radix;
    block.overrides.push_back(fmt::format("parameters.{}={}", *block.config.radix, *request.radix));
  }
  return block;
}

void find_files(LoadedBlock& block) { FileFinder(block).run(); }

LoadedBlock load_block(const BlockRequest& request) {
  LoadedBlock block = read_description(request);
  find_files(block);
  return block;
}

std::string digest_of(const LoadedBlock& block, const Toolchain& tools) {
  return block_digest(block.config, block.files, tools);
}

std::string variant_text(const BlockConfig& config) {
  std::string text;
  for (const auto& [name, value] : config.parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  if (config.assertions) text += text.empty() ? "assertions" : ", assertions";
  return text;
}

std::string contract_text(const BlockConfig& config) { return std::string(to_text(config.contract)); }

}  // namespace asterism
