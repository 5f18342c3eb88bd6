// The layering of models/ and platform/, read from the build (libraries.txt, written by CMakeLists.txt) and
// from the includes of the sources.
//
// A library may include, directly or through other headers, the headers of the libraries that it links, and
// those of outside packages that it links. A header belongs to the library that has its .cpp; a header
// without a .cpp belongs to its folder.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace asterism {

// The headers that a file includes.
struct Includes {
  std::vector<std::string> own, outside;  // "base/units.h", <systemc>
};
Includes includes_of(const std::filesystem::path& file);

class Layering {
 public:
  struct Library {
    std::string folder;  // "models/memory"
    std::vector<std::filesystem::path> sources;
    std::set<std::string> links;         // what it links itself
    std::set<std::string> public_links;  // the subset that its users link too
  };

  // `root` contains models/ and platform/.
  Layering(const std::filesystem::path& manifest, const std::filesystem::path& root);

  const std::map<std::string, Library>& libraries() const { return libraries_; }
  // Everything that a library links, directly and through others.
  std::set<std::string> reach(const std::string& library) const;

  // One line for each: "models/memory/dram.cpp -> tlm/alarm.h: asterism_memory_engine does not link tlm".
  std::vector<std::string> forbidden_includes() const;
  // Files of models/, including tests, that include a header of the project outside of models/.
  std::vector<std::string> includes_from_above() const;

 private:
  std::string folder_of(const std::filesystem::path& file) const;
  void visit(const std::string& library, const std::filesystem::path& file,
             const std::set<std::string>& reach, std::set<std::filesystem::path>& seen,
             std::vector<std::string>& found) const;
  bool may_include(const std::set<std::string>& reach, const std::string& folder,
                   const std::filesystem::path& header) const;

  std::filesystem::path root_;
  std::map<std::string, Library> libraries_;
  std::map<std::filesystem::path, std::string> owner_;          // the library of a header that has a .cpp
  mutable std::map<std::filesystem::path, Includes> includes_;  // of the files that have been read
};

// The folders of platform/, each of which uses only itself and earlier ones. The order is that of the table
// in platform/README.md, whose rows begin with the folder: "| `host` | ... |".
class FolderOrder {
 public:
  explicit FolderOrder(const std::filesystem::path& platform);

  const std::vector<std::string>& folders() const { return folders_; }
  // The position of a folder; that of a folder without a row is behind all others.
  std::size_t position(const std::string& folder) const;

  // Folders without a row, and rows without a folder.
  std::vector<std::string> differences() const;
  // Includes of a later folder, also by tests: "host/open_files.cpp -> platform/run/run.h".
  std::vector<std::string> includes_of_later() const;

 private:
  std::filesystem::path platform_;
  std::vector<std::string> folders_;
};

}  // namespace asterism
