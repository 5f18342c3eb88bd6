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
  // Throws InputMissing when the file cannot be read, ConfigError when it is no JSON.
  static ConfigDocument load(const std::filesystem::path& file);
  static ConfigDocument parse(std::string_view text, const std::string& file_name);

  // "node.memory.ecc=strong", "faults=[]", "faults.0.at=3ms": the value is JSON where it is that, else a
  // text. In a list words need no quotes, "cost=[9s,50s]", and lists beside each other are a list of lists,
  // "counts=[0,200],[200,200]". What cannot be assigned is kept in problems(), so that it is reported together with what the reader
  // finds.
  void apply_override(std::string_view assignment);

  // Where the value at a dotted path was written; of the nearest value around it when it was not given. After
  // reading, the keys of files taken by "use" are found too.
  Origin origin_of(std::string_view path) const;

  // Whether the file or an override gives a value at a dotted path.
  bool has(std::string_view path) const { return deepest_on(path).second; }

  ConfigValue& root() { return root_; }
  const ConfigValue& root() const { return root_; }
  const Diagnostics& problems() const { return problems_; }

 private:
  // The value at a path and true, or the deepest one on the way there and false.
  std::pair<const ConfigValue*, bool> deepest_on(std::string_view path) const;

  ConfigValue root_;
  Diagnostics problems_;
};

}  // namespace asterism
