#include "platform/rtl_exchange/core_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The value of a line "name: text" without quotes and comment; "" for other lines. A library may have
// thousands of files, so only those that are used are parsed.
std::string value_of_line(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return "";
  line.remove_prefix(key.size());
  line = line.substr(0, line.find(" #"));
  std::string value;
  for (const char c : line)
    if (c != '"' && c != '\'' && c != ' ' && c != '\t' && c != '\r') value += c;
  return value;
}

}  // namespace

void CoreLibrary::add(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!text.starts_with("CAPI=2:")) return;
  Entry entry{.name = {}, .file = file, .stands_for = {}};
  bool is_virtual = false;
  for (std::size_t at = 0; at < text.size();
       at = text.find('\n', at), at += at == std::string::npos ? 0 : 1) {
    const std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
    if (const std::string name = value_of_line(line, "name:"); !name.empty())
      entry.name = CoreName::parse(name).value_or(CoreName{});
    is_virtual |= line.starts_with("virtual:");
  }
  if (entry.name.core.empty()) return;
  if (is_virtual) {
    try {
      entry.stands_for = loaded(file).stands_for();
    } catch (const ConfigError&) {
      // It is reported if a block needs the file.
    }
  }
  entries_.push_back(std::move(entry));
}

void CoreLibrary::index() {
  if (std::exchange(is_indexed_, true)) return;
  for (const fs::path& folder : folders_) {
    std::error_code none;
    std::vector<fs::path> files;
    for (auto at = fs::recursive_directory_iterator(folder.empty() ? "." : folder, none);
         at != fs::recursive_directory_iterator(); at.increment(none)) {
      if (at->is_directory(none) &&
          (at->path().filename() == ".git" || fs::exists(at->path() / "FUSESOC_IGNORE", none)))
        at.disable_recursion_pending();
      else if (at->path().extension() == ".core" && at->is_regular_file(none))
        files.push_back(at->path().lexically_normal());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files)
      if (std::ranges::find(entries_, file, &Entry::file) == entries_.end()) add(file);
  }
}

const CoreFile& CoreLibrary::loaded(const fs::path& file) {
  if (const auto found = loaded_.find(file); found != loaded_.end()) return found->second;
  return loaded_.emplace(file, CoreFile::load(file)).first->second;
}

const CoreFile* CoreLibrary::newest(const CoreRequirement& wanted) {
  index();
  const Entry* newest = nullptr;
  for (const Entry& each : entries_)
    if (wanted.is_met_by(each.name) && (!newest || is_older(newest->name.version, each.name.version)))
      newest = &each;
  return newest ? &loaded(newest->file) : nullptr;
}

void CoreLibrary::choose(const CoreFile& mapping) {
  for (const auto& [from, to] : mapping.mapping()) {
    const auto replaced = CoreRequirement::parse(from), by = CoreRequirement::parse(to);
    if (replaced && by) chosen_.emplace(replaced->name.core, *by);
  }
}

void CoreLibrary::choose(const std::string& core) {
  const std::optional<CoreRequirement> wanted = CoreRequirement::parse(core);
  const CoreFile* found = wanted ? newest(*wanted) : nullptr;
  std::vector<std::string> names;
  for (const Entry& each : entries_) names.push_back(each.name.core);
  if (!found)
    throw ConfigError(Diagnostic{.origin = Origin::command_line(),
                                 .path = "--mapping",
                                 .problem = "there is no core " + core,
                                 .nearest = nearest_name(core, names)});
  for (const std::string& replaced : found->stands_for()) chosen_.emplace(replaced, *wanted);
  choose(*found);
  if (found->stands_for().empty() && found->mapping().empty())
    refuse_option("--mapping", fmt::format("{} has neither `virtual` nor `mapping`", core));
}

const CoreFile& CoreLibrary::find(const CoreFile& asking, const YAML::Node& where, const std::string& text) {
  const std::optional<CoreRequirement> wanted = CoreRequirement::parse(text);
  if (!wanted)
    asking.refuse(where, "depend", fmt::format("expected vendor:library:name:version, got \"{}\"", text));
  const auto replaced = chosen_.find(wanted->name.core);
  if (const CoreFile* found = newest(replaced == chosen_.end() ? *wanted : replaced->second)) return *found;
  std::vector<const Entry*> substitutes;
  for (const Entry& each : entries_)
    if (std::ranges::count(each.stands_for, wanted->name.core) != 0) substitutes.push_back(&each);
  if (substitutes.size() == 1) return loaded(substitutes.front()->file);

  std::string folders, others, versions;
  for (const fs::path& folder : folders_)
    folders += (folders.empty() ? "" : ", ") + (folder.empty() ? "." : folder.string());
  std::vector<std::string> names;
  for (const Entry& each : entries_) {
    names.push_back(each.name.core);
    if (each.name.core == wanted->name.core) versions += (versions.empty() ? "" : ", ") + each.file.string();
  }
  for (const Entry* each : substitutes) others += (others.empty() ? "" : ", ") + each->name.core;
  if (!others.empty())
    asking.refuse(where, "depend", fmt::format("several cores can stand for the virtual core {}", text), "",
                  others + "; --mapping names one of them, or a core that maps virtual ones");
  if (!versions.empty())
    asking.refuse(where, "depend", fmt::format("no core meets {}", text), "",
                  "other versions are in " + versions);
  asking.refuse(where, "depend", fmt::format("there is no core {} below {}", text, folders),
                nearest_name(wanted->name.core, names), "--library names more folders");
}

}  // namespace asterism
