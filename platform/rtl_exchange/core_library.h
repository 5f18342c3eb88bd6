// The .core files in folders, by the cores that they describe or take the place of. A folder with a file
// FUSESOC_IGNORE is left out, as FuseSoC does.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "platform/rtl_exchange/core_file.h"
#include "platform/rtl_exchange/core_name.h"

namespace asterism {

class CoreLibrary {
 public:
  explicit CoreLibrary(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  // Lets a core stand for the virtual cores that it names, or cores for others as its `mapping` says. Throws
  // ConfigError if there is no such core, or if it says nothing of this kind.
  void choose(const std::string& core);
  void choose(const CoreFile& mapping);

  // The file with the newest version that an entry of `depend`, at `where` in `asking`, may mean. Throws
  // ConfigError if there is none, or if several cores are in the place of a virtual one.
  const CoreFile& find(const CoreFile& asking, const YAML::Node& where, const std::string& text);

 private:
  void index();
  const CoreFile* newest(const CoreRequirement& wanted);
  void add(const std::filesystem::path& file);
  const CoreFile& loaded(const std::filesystem::path& file);

  struct Entry {
    CoreName name;
    std::filesystem::path file;
    std::vector<std::string> stands_for;  // virtual cores
  };
  std::vector<std::filesystem::path> folders_;
  std::map<std::string, CoreRequirement> chosen_;  // by the name of the core that is replaced
  bool is_indexed_ = false;
  std::vector<Entry> entries_;
  std::map<std::filesystem::path, CoreFile> loaded_;
};

}  // namespace asterism
