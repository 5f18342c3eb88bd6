#include "platform/command/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string_view>
#include <system_error>

#include "platform/host/output_failure.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

// CMake has these in each project. A target of the project has another name.
constexpr std::array<std::string_view, 12> targets_of_cmake{
    "all",     "clean",          "depend",     "edit_cache",    "help", "install", "list_install_components",
    "package", "package_source", "preinstall", "rebuild_cache", "test"};

Diagnostic about(const char* argument, const std::string& problem) {
  return {.origin = Origin::command_line(), .path = argument, .problem = problem};
}
[[noreturn]] void refuse_argument(const char* argument, const std::string& problem) {
  throw ConfigError(about(argument, problem));
}

fs::path absolute_folder(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

std::string filled_in(const fs::path& file, const Project& project) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputMissing(Diagnostic::of_file(file.string(), "the template of a project is missing"));
  std::ostringstream read;
  read << in.rdbuf();
  std::string text = std::move(read).str();
  for (const auto& [mark, value] : project.marks)
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  return text;
}

void write_file(const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw OutputFailure(
        about("DIR", fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno))));
}

}  // namespace

std::string project_name(const std::string& folder, const std::string& name, const std::string& pattern,
                         const std::string& expected, const std::string& advice) {
  std::string word = name.empty() ? absolute_folder(folder).filename().string() : name;
  const auto refuse = [&](const std::string& why) {
    refuse_argument(name.empty() ? "DIR" : "NAME", fmt::format("expected {}, got \"{}\"{}{}", expected, word,
                                                               why, name.empty() ? advice : ""));
  };
  if (!std::regex_match(word, std::regex(pattern))) refuse("");
  if (std::ranges::count(targets_of_cmake, word) != 0) refuse(", which is a target of CMake");
  return word;
}

void write_project(const Project& project) {
  const fs::path path = absolute_folder(project.folder);
  std::error_code error;
  if (fs::exists(path, error) && (!fs::is_directory(path, error) || !fs::is_empty(path, error)))
    refuse_argument("DIR", fmt::format("{} exists and is not an empty folder", project.folder));
  std::vector<std::pair<fs::path, std::string>> files;
  for (const auto& [from, to] : project.files)
    files.emplace_back(path / to, filled_in(project.template_folder / from, project));
  // The uppermost folder that is created.
  fs::path created = fs::exists(path, error) ? fs::path() : path;
  while (!created.empty() && !fs::exists(created.parent_path(), error)) created = created.parent_path();
  try {
    fs::create_directories(path, error);
    for (const auto& [file, text] : files) write_file(file, text);
  } catch (...) {
    for (const auto& [file, text] : files) fs::remove(file, error);
    if (!created.empty()) fs::remove_all(created, error);
    throw;
  }
}

std::string as_word_of_shell(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_-./+,:@%", c) != nullptr;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  return "'" + boost::algorithm::replace_all_copy(text, "'", "'\\''") + "'";
}

}  // namespace asterism
