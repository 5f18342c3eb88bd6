#include "tests/layering/layering.h"

#include <algorithm>
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

bool is_source(const fs::path& file) { return file.extension() == ".h" || file.extension() == ".cpp"; }

}  // namespace

Includes includes_of(const fs::path& file) {
  static const std::regex line_form(R"(\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  Includes all;
  std::ifstream in(file);
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, line_form))
      (match[1] == "\"" ? all.own : all.outside).push_back(match[2]);
  return all;
}

Layering::Layering(const fs::path& manifest, const fs::path& root) : root_(root) {
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
      library->folder = folder_of(folder);
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

std::string Layering::folder_of(const fs::path& file) const {
  const fs::path relative = fs::relative(file, root_);
  auto name = relative.begin();
  const fs::path top = *name++;
  return name == relative.end() ? top.string() : (top / *name).string();
}

bool Layering::may_include(const std::set<std::string>& reach, const std::string& folder,
                           const fs::path& header) const {
  if (const auto owner = owner_.find(header); owner != owner_.end()) return reach.contains(owner->second);
  const std::string of = folder_of(header);
  if (of == folder) return true;
  for (const auto& [name, library] : libraries_)
    if (library.folder == of && reach.contains(name)) return true;
  return false;
}

void Layering::visit(const std::string& name, const fs::path& file, const std::set<std::string>& reach,
                     std::set<fs::path>& seen, std::vector<std::string>& found) const {
  if (!seen.insert(file).second) return;
  auto read = includes_.find(file);
  if (read == includes_.end()) read = includes_.emplace(file, includes_of(file)).first;
  const Includes& includes = read->second;
  const auto complain = [&](const std::string& header, const std::string& missing) {
    found.push_back(fs::relative(file, root_).string() + " -> " + header + ": " + name + " does not link " +
                    missing);
  };
  for (const std::string& header : includes.outside)
    if (const std::string package = package_of(header); !package.empty() && !reach.contains(package))
      complain(header, package);
  for (const std::string& header : includes.own) {
    const fs::path path = header.starts_with("platform/") ? root_ / header : root_ / "models" / header;
    if (!may_include(reach, libraries_.at(name).folder, path)) {
      const auto owner = owner_.find(path);
      complain(header, owner == owner_.end() ? fs::path(folder_of(path)).filename().string() : owner->second);
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
  const fs::path models = root_ / "models";
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(models)) {
    if (!is_source(entry.path())) continue;
    for (const std::string& header : includes_of(entry.path()).own)
      if (!fs::is_directory(models / fs::path(header).begin()->string()))
        found.push_back(fs::relative(entry.path(), root_).string() + " -> " + header);
  }
  return found;
}

FolderOrder::FolderOrder(const fs::path& platform) : platform_(platform) {
  static const std::regex row_form(R"(\| `([a-z_]+)` \|.*)");
  std::ifstream in(platform / "README.md");
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, row_form)) folders_.push_back(match[1]);
}

std::size_t FolderOrder::position(const std::string& folder) const {
  return static_cast<std::size_t>(std::ranges::find(folders_, folder) - folders_.begin());
}

std::vector<std::string> FolderOrder::differences() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(platform_))
    if (const std::string folder = entry.path().filename();
        entry.is_directory() && position(folder) == folders_.size())
      found.push_back(folder + " is not in the table");
  for (const std::string& folder : folders_)
    if (!fs::is_directory(platform_ / folder)) found.push_back("there is no " + folder);
  return found;
}

std::vector<std::string> FolderOrder::includes_of_later() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(platform_)) {
    if (!is_source(entry.path())) continue;
    const fs::path file = fs::relative(entry.path(), platform_);
    for (const std::string& header : includes_of(entry.path()).own) {
      if (!header.starts_with("platform/")) continue;
      const fs::path included = fs::path(header).lexically_relative("platform");
      if (position(included.begin()->string()) > position(file.begin()->string()))
        found.push_back(file.string() + " -> " + header);
    }
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace asterism
