#include "platform/rtl_exchange/core_file.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "platform/config/nearest_name.h"

namespace asterism {
namespace {

const std::vector<std::string> keys_of_core = {
    "CAPI=2",  "name",       "description", "license", "filesets", "generate", "generators",
    "mapping", "parameters", "provider",    "scripts", "targets",  "virtual",  "vpi"};
const std::vector<std::string> keys_of_fileset = {"depend", "file_type", "files", "logical_name", "tags"};
const std::vector<std::string> keys_of_file = {"copyto",          "define",       "file_type", "include_path",
                                               "is_include_file", "logical_name", "tags"};
const std::vector<std::string> keys_of_parameter = {"datatype", "default", "description", "paramtype",
                                                    "scope"};
const std::vector<std::string> keys_of_target = {
    "default_tool", "description", "filesets",   "filters", "flags",    "flow", "flow_options",
    "generate",     "hooks",       "parameters", "tools",   "toplevel", "vpi"};

constexpr const char* merge_key = "<<";
constexpr int deepest_merge = 50, deepest_condition = 50;

class FlaggedWords {
 public:
  FlaggedWords(const std::string& text, const std::set<std::string>& flags) : text_(text), flags_(flags) {}

  std::string run() {
    words(true);
    if (at_ < text_.size()) refuse();
    return std::move(chosen_);
  }

 private:
  [[noreturn]] void refuse() const {
    throw std::invalid_argument(
        fmt::format("expected words and conditions \"flag? (words)\", got \"{}\"", text_));
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void words(bool chosen, int depth = 0) {
    if (depth > deepest_condition) refuse();
    for (skip_blanks(); at_ < text_.size() && text_[at_] != ')'; skip_blanks()) {
      const bool negated = take('!');
      std::string word;
      skip_blanks();
      while (at_ < text_.size() && std::string_view(" \t\n?()!").find(text_[at_]) == std::string_view::npos)
        word += text_[at_++];
      if (word.empty()) refuse();
      if (!take('?')) {
        if (negated) refuse();
        if (chosen) chosen_ += (chosen_.empty() ? "" : " ") + word;
        continue;
      }
      if (!take('(')) refuse();
      words(chosen && flags_.contains(word) != negated, depth + 1);
      if (!take(')')) refuse();
    }
  }

  const std::string& text_;
  const std::set<std::string>& flags_;
  std::size_t at_ = 0;
  std::string chosen_;
};

}  // namespace

std::string words_with_flags(const std::string& text, const std::set<std::string>& flags) {
  return text.find('?') == std::string::npos ? text : FlaggedWords(text, flags).run();
}

CoreFile CoreFile::load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream read;
  read << in.rdbuf();
  if (!in) throw InputMissing(Diagnostic::of_file(file.string(), "it cannot be read"));
  const std::string text = std::move(read).str();
  if (!text.starts_with("CAPI=2:"))
    throw ConfigError(Diagnostic{.origin = {file.string(), 1, 1},
                                 .path = "",
                                 .problem = "expected \"CAPI=2:\" in the first line of a .core file"});
  CoreFile core;
  core.file_ = file;
  try {
    core.root_ = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    const bool is_deep = dynamic_cast<const YAML::DeepRecursion*>(&error) != nullptr;
    throw ConfigError(Diagnostic{.origin = {file.string(), error.mark.line + 1, error.mark.column + 1},
                                 .path = "",
                                 .problem = is_deep ? "the nesting is too deep" : error.msg});
  }
  core.check_keys();
  const YAML::Node name = core.value(core.root_, "name");
  if (!name) core.refuse(core.root_, "name", "a core has a name, vendor:library:name:version");
  const std::optional<CoreName> parsed = CoreName::parse(core.text(name).text);
  if (!parsed)
    core.refuse(name, "name", "expected vendor:library:name:version, got \"" + core.text(name).text + "\"");
  core.name_ = *parsed;
  return core;
}

Origin CoreFile::origin_of(const YAML::Node& node) const {
  const YAML::Mark mark = node.IsDefined() ? node.Mark() : YAML::Mark::null_mark();
  return {file_.string(), std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

void CoreFile::refuse(const YAML::Node& at, const std::string& path, const std::string& problem,
                      const std::string& nearest, const std::string& detail) const {
  throw ConfigError(Diagnostic{
      .origin = origin_of(at), .path = path, .problem = problem, .detail = detail, .nearest = nearest});
}

void CoreFile::check_keys(const YAML::Node& entry, const std::string& path,
                          const std::vector<std::string>& known) const {
  if (entry.IsNull()) return;  // `targets: lint:` without any key
  if (!entry.IsMap()) refuse(entry, path, "expected keys with values");
  check_merges(entry);
  for (const auto& pair : entry) {
    const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
    std::string plain = key;
    if (plain.ends_with("_append")) plain.resize(plain.size() - 7);
    if (key != merge_key && std::ranges::count(known, plain) == 0)
      refuse(pair.first, path.empty() ? key : fmt::format("{}.{}", path, key), "CAPI2 has no such key",
             nearest_name(key, known));
  }
}

void CoreFile::check_keys() const {
  check_keys(root_, "", keys_of_core);
  for (const auto& [section, known] : {std::pair{"filesets", &keys_of_fileset},
                                       {"parameters", &keys_of_parameter},
                                       {"targets", &keys_of_target}}) {
    const YAML::Node entries = root_[section];
    if (!entries || entries.IsNull()) continue;
    if (!entries.IsMap()) refuse(entries, section, "expected keys with values");
    for (const auto& pair : entries)
      check_keys(pair.second, fmt::format("{}.{}", section, pair.first.Scalar()), *known);
  }
  const YAML::Node filesets = root_["filesets"];
  if (!filesets || filesets.IsNull()) return;
  for (const auto& fileset : filesets)
    for (const char* key : {"files", "files_append"})
      if (fileset.second.IsMap() && fileset.second[key])
        for (const YAML::Node& file : fileset.second[key])
          if (file.IsMap())
            for (const auto& named : file)
              check_keys(named.second, "files." + named.first.Scalar(), keys_of_file);
}

YAML::Node CoreFile::entry(const std::string& section, const std::string& name) const {
  const YAML::Node entries = root_[section];
  return entries ? value(entries, name) : YAML::Node(YAML::NodeType::Undefined);
}

std::vector<std::string> CoreFile::names(const std::string& section) const {
  std::vector<std::string> names;
  if (const YAML::Node entries = root_[section]; entries && entries.IsMap())
    for (const auto& pair : entries) names.push_back(pair.first.Scalar());
  return names;
}

YAML::Node CoreFile::merged(const YAML::Node& entry) const {
  const YAML::Node below = entry[merge_key];
  return below && below.IsMap() ? below : YAML::Node(YAML::NodeType::Undefined);
}

// An anchor may be used in what it names, and an entry would then be merged into itself without an end.
void CoreFile::check_merges(const YAML::Node& entry) const {
  if (const YAML::Node below = entry[merge_key]; below && !below.IsMap())
    refuse(below, merge_key, "expected one entry that is merged into this one");
  YAML::Node at(YAML::NodeType::Undefined);
  at.reset(merged(entry));
  for (int depth = 0; at.IsDefined(); ++depth) {
    if (depth > deepest_merge) refuse(entry, merge_key, "the entry is merged into itself");
    at.reset(merged(at));
  }
}

std::vector<std::string> CoreFile::stands_for() const {
  std::vector<std::string> cores;
  for (const YAML::Node& item : items(root_, "virtual"))
    if (const std::optional<CoreName> name = CoreName::parse(text(item).text)) cores.push_back(name->core);
  return cores;
}

std::map<std::string, std::string> CoreFile::mapping() const {
  std::map<std::string, std::string> mapping;
  if (const YAML::Node pairs = value(root_, "mapping"); pairs.IsDefined() && pairs.IsMap())
    for (const auto& pair : pairs) mapping.emplace(text(pair.first).text, text(pair.second).text);
  return mapping;
}

YAML::Node CoreFile::value(const YAML::Node& entry, const std::string& key) const {
  if (!entry.IsDefined() || !entry.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
  if (YAML::Node own = entry[key]) return own;
  if (const YAML::Node below = merged(entry); below.IsDefined()) return value(below, key);
  return YAML::Node(YAML::NodeType::Undefined);
}

void CoreFile::add_items(const YAML::Node& list, const std::string& key,
                         std::vector<YAML::Node>& items) const {
  if (!list.IsDefined() || list.IsNull()) return;
  if (!list.IsSequence()) refuse(list, key, "expected a list");
  for (const YAML::Node& item : list) items.push_back(item);
}

void CoreFile::add_appended(const YAML::Node& entry, const std::string& key,
                            std::vector<YAML::Node>& items) const {
  if (const YAML::Node below = merged(entry); below.IsDefined()) add_appended(below, key, items);
  if (const YAML::Node own = entry[key + "_append"]) add_items(own, key, items);
}

std::vector<YAML::Node> CoreFile::items(const YAML::Node& entry, const std::string& key) const {
  std::vector<YAML::Node> items;
  if (!entry.IsDefined() || !entry.IsMap()) return items;
  add_items(value(entry, key), key, items);
  add_appended(entry, key, items);
  return items;
}

CoreText CoreFile::text(const YAML::Node& node) const {
  if (!node.IsDefined() || !node.IsScalar()) refuse(node, "", "expected a text");
  return {node.Scalar(), origin_of(node)};
}

bool CoreFile::is_true(const YAML::Node& node) {
  bool value = false;
  return node.IsDefined() && YAML::convert<bool>::decode(node, value) && value;
}

}  // namespace asterism
