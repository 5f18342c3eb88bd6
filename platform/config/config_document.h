// A config file with the overrides of the command line applied, not yet read into a struct.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "platform/config/config_value.h"
#include "platform/config/diagnostics.h"

namespace asterism {

class ConfigDocument {
 public:
  // Throws InputMissing if the file cannot be read, ConfigError if it is not JSON.
  static ConfigDocument load(const std::filesystem::path& file);
  static ConfigDocument parse(std::string_view text, const std::string& file_name);

  // Applies "node.memory.ecc=strong", "faults=[]" or "faults.0.at=3ms". A value that is valid JSON is read as
  // JSON, any other value as a text. In a list words need no quotes ("cost=[9s,50s]"), and adjacent lists are
  // a list of lists ("counts=[0,200],[200,200]"). Errors are kept in problems(), so that they are reported
  // together with those of the reader.
  void apply_override(std::string_view assignment);

  // Where the value at a dotted path was written. If it was not given, the origin of the nearest enclosing
  // value. After reading, keys of files named by "use" are found, too.
  Origin origin_of(std::string_view path) const;

  // The priority of that value (ConfigValue::layer).
  int layer_of(std::string_view path) const;

  // Whether the file or an override gives a value at a dotted path.
  bool has(std::string_view path) const { return deepest_on(path).second; }

  ConfigValue& root() { return root_; }
  const ConfigValue& root() const { return root_; }
  const Diagnostics& problems() const { return problems_; }

 private:
  // The value at a path and true, or the deepest existing value on the way to it and false.
  std::pair<const ConfigValue*, bool> deepest_on(std::string_view path) const;

  ConfigValue root_;
  Diagnostics problems_;
};

}  // namespace asterism
