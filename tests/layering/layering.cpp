#include "tests/layering/layering.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace asterism {
namespace {

namespace fs = std::filesystem;

// The library that a source must link to include this external header; "" for the standard library, Boost and
// the system.
std::string package_of(const std::string& header) {
  static const std::pair<const char*, const char*> packages[] = {
      {"systemc", "asterism_systemc"},
      {"tlm", "asterism_systemc"},
      {"sysc/", "asterism_systemc"},
      {"unicorn/", "PkgConfig::UNICORN"},
      {"nlohmann/", "nlohmann_json::nlohmann_json"},
      {"spdlog/", "spdlog::spdlog"},
      {"fmt/", "fmt::fmt"},
      {"gtest/", "GTest::gtest"},
      {"gmock/", "GTest::gmock"}};
  for (const auto& [start, package] : packages)
    if (header.starts_with(start)) return package;
  return "";
}

}  // namespace

Layering::Layering(const fs::path& manifest, const fs::path& models) : models_(models) {
  std::ifstream in(manifest);
  if (!in) throw std::runtime_error("there is no " + manifest.string());
  Library* library = nullptr;
  std::string name, folder;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, value;
    words >> kind >> value;
    if (kind == "library") {
      words >> folder;
      name = value;
      library = &libraries_[name];
      library->folder = fs::path(folder).filename();
    } else if (kind == "source") {
      const fs::path source = (fs::path(folder) / value).lexically_normal();
      library->sources.push_back(source);
      owner_[fs::path(source).replace_extension(".h")] = name;
    } else {
      (kind == "link" ? library->links : library->public_links).insert(value);
    }
  }
}

std::set<std::string> Layering::reach(const std::string& name) const {
  std::set<std::string> all;
  std::vector<std::string> left(libraries_.at(name).links.begin(), libraries_.at(name).links.end());
  while (!left.empty()) {
    const std::string next = left.back();
    left.pop_back();
    if (!all.insert(next).second) continue;
    if (const auto library = libraries_.find(next); library != libraries_.end())
      left.insert(left.end(), library->second.public_links.begin(), library->second.public_links.end());
  }
  return all;
}

Layering::Includes Layering::includes_of(const fs::path& file) const {
  static const std::regex line_form(R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  Includes all;
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, line_form))
      (match[1] == "\"" ? all.own : all.outside).push_back(match[2]);
  return all;
}

bool Layering::may_include(const std::set<std::string>& reach, const std::string& folder,
                           const fs::path& header) const {
  if (const auto owner = owner_.find(header); owner != owner_.end()) return reach.contains(owner->second);
  const std::string of = fs::relative(header, models_).begin()->string();
  if (of == folder) return true;
  for (const auto& [name, library] : libraries_)
    if (library.folder == of && reach.contains(name)) return true;
  return false;
}

void Layering::visit(const std::string& name, const fs::path& file, const std::set<std::string>& reach,
                     std::set<fs::path>& seen, std::vector<std::string>& found) const {
  if (!seen.insert(file).second) return;
  const Includes includes = includes_of(file);
  const auto complain = [&](const std::string& header, const std::string& missing) {
    found.push_back(fs::relative(file, models_).string() + " -> " + header + ": " + name + " does not link " +
                    missing);
  };
  for (const std::string& header : includes.outside)
    if (const std::string package = package_of(header); !package.empty() && !reach.contains(package))
      complain(header, package);
  for (const std::string& header : includes.own) {
    const fs::path path = models_ / header;
    if (!may_include(reach, libraries_.at(name).folder, path)) {
      const auto owner = owner_.find(path);
      complain(header, owner == owner_.end() ? fs::path(header).begin()->string() : owner->second);
    } else {
      visit(name, path, reach, seen, found);
    }
  }
}

std::vector<std::string> Layering::forbidden_includes() const {
  std::vector<std::string> found;
  for (const auto& [name, library] : libraries_) {
    std::set<std::string> all = reach(name);
    all.insert(name);
    std::set<fs::path> seen;
    for (const fs::path& source : library.sources) visit(name, source, all, seen, found);
  }
  return found;
}

std::vector<std::string> Layering::includes_from_above() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(models_)) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    for (const std::string& header : includes_of(entry.path()).own)
      if (!fs::is_directory(models_ / fs::path(header).begin()->string()))
        found.push_back(fs::relative(entry.path(), models_).string() + " -> " + header);
  }
  return found;
}

}  // namespace asterism
