#include "platform/rtl/toolchain.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "platform/config/diagnostics.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Searches a program in PATH as a shell does; "" if it is not found.
fs::path find_program(const std::string& name) {
  const auto runs = [](const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? fs::path(name) : fs::path();
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path file = fs::path(folder.empty() ? "." : folder) / name; runs(file)) return file;
  return {};
}

// #define VERILATOR_VERSION "5.006 2023-01-22"
std::string version_in(const fs::path& include) {
  std::ifstream header(include / "verilated_config.h");
  for (std::string line; std::getline(header, line);) {
    const std::size_t name = line.find("VERILATOR_VERSION ");
    const std::size_t first = line.find('"'), last = line.rfind('"');
    if (name != std::string::npos && first != last) return line.substr(first + 1, last - first - 1);
  }
  return "";
}

fs::path include_of(const fs::path& verilator) {
  std::error_code none;
  if (const std::string root = environment("VERILATOR_ROOT"); !root.empty())
    return fs::path(root) / "include";
  const fs::path folder = fs::canonical(verilator, none).parent_path();
  for (const char* beside : {"../share/verilator/include", "../include"})
    if (fs::exists(folder / beside / "verilated.h", none)) return (folder / beside).lexically_normal();
  return {};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> compiler_words() {
  if (auto named = words_of(environment("CXX")); !named.empty()) return named;
  for (const char* name : {"c++", "g++", "clang++"})
    if (!find_program(name).empty()) return {name};
  return {"c++"};
}

// The path, size and time of each program in the command, and its other words.
std::string stamp(const std::vector<std::string>& words) {
  std::ostringstream text;
  for (const std::string& word : words) {
    std::error_code none;
    const fs::path file = fs::canonical(find_program(word), none);
    text << word;
    if (!file.empty())
      text << ' ' << file.string() << ' ' << fs::file_size(file, none) << ' '
           << fs::last_write_time(file, none).time_since_epoch().count();
    text << '\n';
  }
  return text.str();
}

}  // namespace

Toolchain Toolchain::find(const fs::path& block) {
  const auto missing = [&](const std::string& what) {
    throw InputMissing(Diagnostic::of_file(block.string(), "cannot be built: " + what));
  };
  Toolchain tools;
  tools.verilator = find_program("verilator");
  if (tools.verilator.empty()) missing("verilator is not installed (scripts/setup installs it)");
  tools.verilator_include = include_of(tools.verilator);
  tools.verilator_version = version_in(tools.verilator_include);
  if (tools.verilator_version.empty())
    missing("the runtime of " + tools.verilator.string() + " is missing; set VERILATOR_ROOT to its folder");
  tools.compiler = compiler_words();
  if (find_program(tools.compiler.front()).empty())
    missing("the C++ compiler " + tools.compiler.front() + " does not exist; name another one by CXX");
  tools.compiler_stamp = stamp(tools.compiler);
  if (tools.compiler.front() != "ccache" && !find_program("ccache").empty())
    tools.compiler.insert(tools.compiler.begin(), "ccache");
  return tools;
}

}  // namespace asterism
