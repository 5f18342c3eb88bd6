// One .core file of FuseSoC (CAPI2, a dialect of YAML). Keys that the format does not have are errors where a
// misspelt one would lose files.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "platform/config/diagnostics.h"
#include "platform/rtl_exchange/core_name.h"

namespace asterism {

// A text of the file with its place.
struct CoreText {
  std::string text;
  Origin origin;
};

class CoreFile {
 public:
  // Throws ConfigError if it is not a .core file, InputMissing if it does not exist.
  static CoreFile load(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  const CoreName& name() const { return name_; }
  Origin origin_of(const YAML::Node& node) const;
  [[noreturn]] void refuse(const YAML::Node& at, const std::string& path, const std::string& problem,
                           const std::string& nearest = "", const std::string& detail = "") const;

  // The value of a key of the file itself: "name", "targets".
  YAML::Node value_of_root(const std::string& key) const { return value(root_, key); }
  // The virtual cores that it can stand for, vendor:library:name.
  std::vector<std::string> stands_for() const;
  // The cores that take the place of others in the cores that it depends on.
  std::map<std::string, std::string> mapping() const;

  // The entry of a section ("filesets", "targets", "parameters") by its name; undefined if there is none.
  YAML::Node entry(const std::string& section, const std::string& name) const;
  std::vector<std::string> names(const std::string& section) const;

  // The value of a key of an entry, also one that is merged into it (`<<: *default`); undefined if there is
  // none.
  YAML::Node value(const YAML::Node& entry, const std::string& key) const;
  // The items of a list, with those of KEY_append at its end.
  std::vector<YAML::Node> items(const YAML::Node& entry, const std::string& key) const;
  CoreText text(const YAML::Node& node) const;
  // Whether a value is one of YAML's words for true; false if it is undefined.
  static bool is_true(const YAML::Node& node);

 private:
  void check_keys() const;
  void check_keys(const YAML::Node& entry, const std::string& path,
                  const std::vector<std::string>& known) const;
  // The entry that is merged into one; undefined if there is none.
  YAML::Node merged(const YAML::Node& entry) const;
  void check_merges(const YAML::Node& entry) const;
  void add_items(const YAML::Node& list, const std::string& key, std::vector<YAML::Node>& items) const;
  void add_appended(const YAML::Node& entry, const std::string& key, std::vector<YAML::Node>& items) const;

  std::filesystem::path file_;
  YAML::Node root_;
  CoreName name_;
};

// The words of "tool_verilator? (a.sv) !asic? (b.sv) c.sv" whose conditions hold, separated by blanks. Throws
// std::invalid_argument if the text is not of this form.
std::string words_with_flags(const std::string& text, const std::set<std::string>& flags);

}  // namespace asterism
