// The walls between the rooms of models/, read from the build (walls.txt, CMakeLists.txt) and from the
// includes of the sources.
//
// A library may include, directly or through other headers, what belongs to a library that it links, and of
// outside packages those that it links. A header belongs to the library that has its .cpp; one without a .cpp
// belongs to its room.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace asterism {

class Walls {
 public:
  struct Library {
    std::string room;  // name of its folder
    std::vector<std::filesystem::path> sources;
    std::set<std::string> links;         // what it links itself
    std::set<std::string> public_links;  // of those, what its users link too
  };

  Walls(const std::filesystem::path& manifest, const std::filesystem::path& models);

  const std::map<std::string, Library>& libraries() const { return libraries_; }
  // All that a library links, itself and through others.
  std::set<std::string> reach(const std::string& library) const;

  // A line each: "memory/dram.cpp -> tlm/alarm.h: asterism_memory_engine does not link tlm".
  std::vector<std::string> forbidden_includes() const;
  // Files of models/, tests too, that include one of the folders that know the rooms.
  std::vector<std::string> includes_from_above() const;

 private:
  struct Includes {
    std::vector<std::string> own, outside;  // "base/units.h", <systemc>
  };
  Includes includes_of(const std::filesystem::path& file) const;
  void visit(const std::string& library, const std::filesystem::path& file,
             const std::set<std::string>& reach, std::set<std::filesystem::path>& seen,
             std::vector<std::string>& found) const;
  bool may_include(const std::set<std::string>& reach, const std::string& room,
                   const std::filesystem::path& header) const;

  std::filesystem::path models_;
  std::map<std::string, Library> libraries_;
  std::map<std::filesystem::path, std::string> owner_;  // of a header that has a .cpp
};

}  // namespace asterism
