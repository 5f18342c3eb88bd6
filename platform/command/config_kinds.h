// The kinds of configuration files: what `check`, `schema` and `list` know of each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/config_document.h"
#include "platform/config/config_library.h"

namespace asterism {

struct InstalledFiles;

struct ConfigKind {
  // Returns a document with all its keys. `file` is what the user typed. Throws ConfigError.
  using Expand = std::string (*)(ConfigDocument document, const std::string& file,
                                 const InstalledFiles& installed);

  std::string_view name;    // "technology": the word of `schema`
  std::string_view folder;  // "technologies": in configs/, and the word of `list`; "" for files elsewhere
  std::string_view title;   // of the JSON Schema
  std::string (*schema)(std::string_view title);
  std::string (*documentation)();
  // A file that is in none of these folders is of this kind if it has one of these keys.
  std::vector<std::string_view> keys = {};
  Expand check = nullptr;       // also makes the checks that need the engines to be built; runs nothing
  Expand check_keys = nullptr;  // checks only the single keys; in a long sweep, those of the first points
  // Makes the same checks as `check` and returns a drawing (node/node_graph.h). nullptr: the kind has none.
  Expand draw = nullptr;
};

// All kinds, in the order in which users see them.
std::span<const ConfigKind> config_kinds();

struct ConfigFile {
  const ConfigKind* kind;
  ConfigDocument document;
};

// Finds the file for what a user typed, a name of any kind or a path, and applies the overrides. Its kind is
// that of the folder in configs/ in which it lies; elsewhere it is recognised by its keys, and a file without
// any of them is a node. Throws ConfigError or InputMissing.
ConfigFile load_config_file(const std::string& file, const std::vector<std::string>& overrides,
                            const ConfigLibrary& library);

}  // namespace asterism
