#include "platform/command/project.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>
#include <system_error>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_argument(const char* argument, const std::string& problem) {
  throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = argument, .problem = problem});
}

fs::path absolute_folder(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

std::string filled_in(const fs::path& file, const Project& project) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream read;
  read << in.rdbuf();
  std::string text = std::move(read).str();
  for (const auto& [mark, value] : project.marks)
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

std::string project_name(const std::string& folder, const std::string& name, const std::string& pattern,
                         const std::string& expected, const std::string& advice) {
  std::string word = name.empty() ? absolute_folder(folder).filename().string() : name;
  if (!std::regex_match(word, std::regex(pattern)))
    refuse_argument(name.empty() ? "DIR" : "NAME",
                    fmt::format("expected {}, got \"{}\"{}", expected, word, name.empty() ? advice : ""));
  return word;
}

void write_project(const Project& project) {
  const fs::path path = absolute_folder(project.folder);
  std::error_code error;
  if (fs::exists(path, error) && (!fs::is_directory(path, error) || !fs::is_empty(path, error)))
    refuse_argument("DIR", fmt::format("{} exists and is not an empty folder", project.folder));
  fs::create_directories(path, error);
  for (const auto& [from, to] : project.files) {
    std::ofstream out(path / to, std::ios::binary);
    out << filled_in(project.template_folder / from, project);
    out.close();
    if (!out) refuse_argument("DIR", fmt::format("{} cannot be written", (path / to).string()));
  }
}

}  // namespace asterism
