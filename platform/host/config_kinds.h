// The kinds of configuration files: what `check`, `schema` and `list` know of each. A kind registers itself:
// in base/file_kind.h if its files describe one part, otherwise here, in the file that has its checks:
//
//   const RegisteredConfigKind graph_files{described_kind<GraphConfig>(
//       "graph", "graphs", "Asterism graph", {"links"}, {.check = expand_graph})};
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/config/config.h"
#include "platform/config/config_document.h"
#include "platform/host/installed_files.h"

namespace asterism {

// Returns a document with all its keys. `file` is what the user typed. Throws ConfigError.
using ExpandConfig = std::function<std::string(ConfigDocument document, const std::string& file,
                                               const InstalledFiles& installed)>;

struct ConfigChecks {
  ExpandConfig check;            // also makes the checks that need the engines to be built; runs nothing
  ExpandConfig check_keys = {};  // checks only the single keys; in a long sweep, those of the first points
  // Makes the same checks as `check` and returns a drawing (node/node_graph.h). Empty: the kind has none.
  ExpandConfig draw = {};
};

struct ConfigKind {
  std::string_view name;  // this and the next three as in FileKind
  std::string_view folder = {};
  std::string_view title;
  std::vector<std::string_view> keys = {};
  // The files have keys of other kinds beside these, so that one of these is enough.
  bool has_foreign_keys = false;
  std::function<std::string()> schema;
  std::function<std::string()> documentation;
  ConfigChecks checks = {};
};

// A kind whose keys are those of a described struct.
template <DescribedStruct T>
ConfigKind described_kind(std::string_view name, std::string_view folder, std::string_view title,
                          const std::vector<std::string_view>& keys, ConfigChecks checks) {
  if (!checks.check_keys)
    checks.check_keys = [](ConfigDocument document, const std::string&, const InstalledFiles& installed) {
      return expanded(read_config<T>(document, installed.configs));
    };
  return {.name = name,
          .folder = folder,
          .title = title,
          .keys = keys,
          .schema = [title] { return schema<T>(title); },
          .documentation = documentation<T>,
          .checks = std::move(checks)};
}

class RegisteredConfigKind {
 public:
  explicit RegisteredConfigKind(ConfigKind kind);
};

// All kinds that are linked into the program, by name.
std::span<const ConfigKind> config_kinds();

struct ConfigFile {
  const ConfigKind* kind;
  ConfigDocument document;
  std::vector<const ConfigKind*> other_kinds = {};  // that have a file of this name, too
};

// Finds the file for what a user typed, a name of any kind, the folder of a kind with a name
// ("scenarios/cxl") or a path, and applies the overrides. Its kind is
// that of the folder in configs/ in which it lies; elsewhere it is recognised by its keys, and a file without
// any of them is a node. Throws ConfigError or InputMissing.
ConfigFile load_config_file(const std::string& file, const std::vector<std::string>& overrides,
                            const ConfigLibrary& library);

}  // namespace asterism
