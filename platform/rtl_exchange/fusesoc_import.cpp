// Reads the sources, macros and parameters of a FuseSoC core and of the cores that it depends on.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>

#include "platform/config/nearest_name.h"
#include "platform/rtl_exchange/core_file.h"
#include "platform/rtl_exchange/core_library.h"
#include "platform/rtl_exchange/described_block.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

class FusesocImport {
 public:
  explicit FusesocImport(const ImportRequest& request)
      : request_(request),
        target_name_(request.target.empty() ? "default" : request.target),
        library_(folders_of(request)) {}

  DescribedBlock run() {
    const CoreFile core = CoreFile::load(request_.file);
    const YAML::Node target = target_of(core);
    set_flags(core, target);
    library_.choose(core);
    for (const std::string& mapping : request_.mappings) library_.choose(mapping);
    described_.origin = core.origin_of(target);
    described_.say("name", core.name().simple_name(), core.origin_of(core.value_of_root("name")));
    described_.block["sources"] = nlohmann::ordered_json::array();
    read(core, target);
    if (const YAML::Node top = core.value(target, "toplevel")) read_top(core, top);
    finish();
    return std::move(described_);
  }

 private:
  static std::vector<fs::path> folders_of(const ImportRequest& request) {
    std::vector<fs::path> folders{request.file.parent_path()};
    folders.insert(folders.end(), request.libraries.begin(), request.libraries.end());
    return folders;
  }

  YAML::Node target_of(const CoreFile& core) const {
    const YAML::Node target = core.entry("targets", target_name_);
    if (target.IsDefined()) return target;
    const std::vector<std::string> names = core.names("targets");
    core.refuse(core.value_of_root("targets"), "targets",
                fmt::format("the core has no target {}", target_name_), nearest_name(target_name_, names),
                names.empty() ? "it has no target at all"
                              : fmt::format("--target names one of {}", fmt::join(names, ", ")));
  }

  // The conditions of a core hold for Verilator and for this target.
  void set_flags(const CoreFile& core, const YAML::Node& target) {
    flags_ = {"tool_verilator", "target_" + target_name_};
    const YAML::Node flags = core.value(target, "flags");
    if (!flags.IsDefined() || !flags.IsMap()) return;
    for (const auto& flag : flags) {
      const std::string name = flag.first.Scalar();
      bool is_set = false;
      if (name == "tool") continue;
      if (YAML::convert<bool>::decode(flag.second, is_set)) {
        if (is_set) flags_.insert(name);
      } else if (flag.second.IsScalar() && !flag.second.Scalar().empty()) {
        flags_.insert(fmt::format("{}_{}", name, flag.second.Scalar()));
      }
    }
  }

  // A text without the words whose conditions do not hold.
  std::string chosen(const CoreFile& core, const YAML::Node& node, bool is_top) const {
    std::set<std::string> flags = flags_;
    if (is_top) flags.insert("is_toplevel");
    try {
      return words_with_flags(core.text(node).text, flags);
    } catch (const std::invalid_argument& error) {
      core.refuse(node, "", error.what());
    }
  }

  void read_top(const CoreFile& core, const YAML::Node& top) {
    if (top.IsSequence() && top.size() != 1)
      core.refuse(top, "toplevel", fmt::format("there are {} top modules", top.size()), "",
                  "top=MODULE names one");
    const YAML::Node name = top.IsSequence() ? top[0] : top;
    if (const std::string text = chosen(core, name, true); !text.empty())
      described_.say("top", text, core.origin_of(name));
  }

  void read(const CoreFile& core, const YAML::Node& target, bool is_top = true);
  void read_files(const CoreFile& core, const YAML::Node& fileset, bool is_top);
  void add_file(const CoreFile& core, const YAML::Node& at, const std::string& name, const std::string& type,
                const YAML::Node& attributes);
  void add_path(const char* key, const fs::path& path, const Origin& origin);
  bool is_own_description(const CoreFile& core, const YAML::Node& at, const std::string& name);
  void read_parameters(const CoreFile& core, const YAML::Node& target, bool is_top);
  void add_parameter(const CoreFile& core, const YAML::Node& at, const std::string& name,
                     const YAML::Node& parameter, const std::string& given);
  void finish();

  const ImportRequest& request_;
  std::string target_name_;
  CoreLibrary library_;
  DescribedBlock described_;
  std::set<std::string> flags_, read_;
  std::map<std::string, YAML::Node> parameters_;  // of all cores that were read
};

void FusesocImport::read(const CoreFile& core, const YAML::Node& target, bool is_top) {
  if (!read_.insert(core.name().core).second) return;
  if (const auto generated = core.items(target, "generate"); !generated.empty())
    core.refuse(generated.front(), "generate",
                "files of this core are made by a program, a generator of FuseSoC", "",
                "run FuseSoC with --setup, and import the core from its folder of exported files");
  std::vector<YAML::Node> filesets;
  for (const YAML::Node& named : core.items(target, "filesets")) {
    const std::string name = chosen(core, named, is_top);
    if (name.empty()) continue;
    filesets.push_back(core.entry("filesets", name));
    if (!filesets.back().IsDefined())
      core.refuse(named, "filesets", "the core has no fileset " + name,
                  nearest_name(name, core.names("filesets")));
  }
  for (const YAML::Node& fileset : filesets)
    for (const YAML::Node& needed : core.items(fileset, "depend"))
      if (const std::string name = chosen(core, needed, is_top); !name.empty()) {
        const CoreFile& other = library_.find(core, needed, name);
        read(other, other.entry("targets", "default"), false);
      }
  for (const YAML::Node& fileset : filesets) read_files(core, fileset, is_top);
  read_parameters(core, target, is_top);
}

void FusesocImport::read_files(const CoreFile& core, const YAML::Node& fileset, bool is_top) {
  const YAML::Node type_of_all = core.value(fileset, "file_type");
  for (const YAML::Node& item : core.items(fileset, "files")) {
    const bool is_map = item.IsMap() && item.size() == 1;
    if (!is_map && !item.IsScalar())
      core.refuse(item, "files", "expected the name of a file, or one with keys");
    const YAML::Node named = is_map ? item.begin()->first : item;
    const YAML::Node attributes = is_map ? item.begin()->second : YAML::Node(YAML::NodeType::Undefined);
    const std::string name = chosen(core, named, is_top);
    if (name.empty()) continue;
    const YAML::Node own_type = core.value(attributes, "file_type");
    const YAML::Node& type_of_this = own_type.IsDefined() ? own_type : type_of_all;
    const std::string type = type_of_this.IsDefined() ? chosen(core, type_of_this, is_top) : "";
    if (!is_top || type != "user" || !is_own_description(core, named, name))
      add_file(core, named, name, type, attributes);
  }
}

// `rtl export` lists block.json as a file of the type that tools ignore.
bool FusesocImport::is_own_description(const CoreFile& core, const YAML::Node& at, const std::string& name) {
  const fs::path file = core.file().parent_path() / name;
  if (file.extension() != ".json") return false;
  std::error_code none;
  const bool is_there = fs::is_regular_file(file, none);
  if (!is_there && file.filename() == "block.json")
    throw InputMissing(
        Diagnostic{.origin = core.origin_of(at), .path = "files", .problem = "there is no " + file.string()});
  return is_there && describe_by_block_json(file, request_.out, described_);
}

void FusesocImport::add_file(const CoreFile& core, const YAML::Node& at, const std::string& name,
                             const std::string& type, const YAML::Node& attributes) {
  if (type.starts_with("vhdlSource"))
    core.refuse(at, "files", fmt::format("{} is VHDL, which Verilator does not read", name));
  if (!type.starts_with("systemVerilogSource") && !type.starts_with("verilogSource") && type != "vlt") {
    described_.ignored.push_back(fmt::format("{} ({})", name, type.empty() ? "without file_type" : type));
    return;
  }
  const fs::path file = core.file().parent_path() / name;
  if (CoreFile::is_true(core.value(attributes, "is_include_file"))) {
    const YAML::Node folder = core.value(attributes, "include_path");
    const fs::path path =
        folder.IsDefined() ? core.file().parent_path() / core.text(folder).text : file.parent_path();
    add_path("include", path, core.origin_of(at));
    return;
  }
  add_path("sources", file, core.origin_of(at));
  const YAML::Node defines = core.value(attributes, "define");
  if (!defines.IsDefined() || !defines.IsMap()) return;
  for (const auto& define : defines) {
    described_.block["defines"][define.first.Scalar()] = core.text(define.second).text;
    described_.said["defines." + define.first.Scalar()] = core.origin_of(define.first);
  }
}

// A file may be in several filesets, and a folder have several files that are included.
void FusesocImport::add_path(const char* key, const fs::path& path, const Origin& origin) {
  auto& list = described_.block[key];
  const nlohmann::ordered_json from_block = path_from(request_.out, path);
  if (std::ranges::find(list, from_block) != list.end()) return;
  described_.said[fmt::format("{}.{}", key, list.size())] = origin;
  list.push_back(from_block);
}

void FusesocImport::read_parameters(const CoreFile& core, const YAML::Node& target, bool is_top) {
  for (const YAML::Node& item : core.items(target, "parameters")) {
    const std::string text = chosen(core, item, is_top);
    const std::string name = text.substr(0, text.find('='));
    if (name.empty()) continue;
    if (const YAML::Node own = core.entry("parameters", name); own.IsDefined())
      parameters_.insert_or_assign(name, own);
    const auto found = parameters_.find(name);  // else one of a core that it depends on
    if (found == parameters_.end())
      core.refuse(item, "parameters", "the core has no parameter " + name,
                  nearest_name(name, core.names("parameters")));
    add_parameter(core, item, name, found->second,
                  text.size() > name.size() ? text.substr(name.size() + 1) : "");
  }
}

void FusesocImport::add_parameter(const CoreFile& core, const YAML::Node& at, const std::string& name,
                                  const YAML::Node& parameter, const std::string& given) {
  const auto key = [&](const char* wanted) {
    const YAML::Node value = core.value(parameter, wanted);
    if (!value.IsDefined())
      core.refuse(parameter, fmt::format("parameters.{}", name), fmt::format("it has no {}", wanted));
    return core.text(value).text;
  };
  const std::string kind = key("paramtype"), type = key("datatype");
  if (kind != "vlogparam" && kind != "vlogdefine") return;
  std::string value = given;
  if (const YAML::Node own = core.value(parameter, "default"); value.empty() && own.IsDefined())
    value = core.text(own).text;
  if (value.empty()) return;  // the module's own default
  if (type == "bool") value = value == "true" || value == "True" || value == "1" ? "1" : "0";
  const std::string path = fmt::format("{}.{}", kind == "vlogdefine" ? "defines" : "parameters", name);
  described_.said[path] = core.origin_of(at);
  if (kind == "vlogdefine") {
    described_.block["defines"][name] = value;
    return;
  }
  if (type != "int" && type != "bool")
    core.refuse(at, path, fmt::format("a block has parameters that are integers, not of the type {}", type),
                "", "remove its value from the target, so that the module's default is used");
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(value.c_str(), &end, 0);
  if (errno != 0 || *end != '\0')
    core.refuse(at, path, fmt::format("expected an integer, got \"{}\"", value));
  described_.block["parameters"][name] = number;
}

void FusesocImport::finish() {
  for (const char* key : {"sources", "top"}) described_.said.emplace(key, described_.origin);
  // A target with assertions has the files of `properties` among its own.
  if (!described_.block.contains("properties")) return;
  const auto sources = described_.block["sources"];
  auto left = nlohmann::ordered_json::array();
  for (const auto& file : described_.block["properties"])
    if (std::ranges::find(sources, file) == sources.end()) left.push_back(file);
  described_.block["properties"] = std::move(left);
}

}  // namespace

DescribedBlock read_fusesoc_core(const ImportRequest& request) { return FusesocImport(request).run(); }

}  // namespace asterism
