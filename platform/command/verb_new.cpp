#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "platform/command/option_checks.h"
#include "platform/command/verbs.h"
#include "platform/config/diagnostics.h"
#include "platform/host/installed_files.h"

namespace asterism {
namespace {

// The text of a file of sw/template for a project.
std::string filled_in(const std::filesystem::path& file, const std::string& name,
                      const std::filesystem::path& sources) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream read;
  read << in.rdbuf();
  std::string text = std::move(read).str();
  for (const auto& [mark, value] :
       {std::pair<std::string_view, std::string>("@NAME@", name), {"@SW@", sources.string()}})
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  return text;
}

struct NewArguments {
  std::string folder;  // a new or an empty one
  std::string name;    // "" takes that of the folder
};

int verb_new(const std::string& folder, const std::string& name) {
  const auto refuse = [](const char* argument, const std::string& problem) {
    throw ConfigError(Diagnostic{.origin = Origin::command_line(), .path = argument, .problem = problem});
  };
  std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string program = name.empty() ? path.filename().string() : name;
  static const std::regex word("[A-Za-z][A-Za-z0-9_-]*");
  if (!std::regex_match(program, word))
    refuse(name.empty() ? "DIR" : "NAME",
           fmt::format(
               "expected a name of letters, digits, - and _, of which the first is a letter, got \"{}\"{}",
               program, name.empty() ? "; a NAME after it names the program" : ""));
  std::error_code error;
  if (std::filesystem::exists(path, error) &&
      (!std::filesystem::is_directory(path, error) || !std::filesystem::is_empty(path, error)))
    refuse("DIR", fmt::format("{} exists and is not an empty folder", folder));
  const std::filesystem::path sources = InstalledFiles::firmware_sources();
  std::filesystem::create_directories(path, error);
  for (const char* file : {"CMakeLists.txt", "main.c", "scenario.json", "README.md"}) {
    std::ofstream out(path / file, std::ios::binary);
    out << filled_in(sources / "template" / file, program, sources);
    out.close();
    if (!out) refuse("DIR", fmt::format("{} cannot be written", (path / file).string()));
  }
  fmt::print(
      "Written: {0}. Build it and run it:\n\n    cd {0}\n    cmake -S . -B build -G Ninja\n"
      "    cmake --build build\n    asterism run scenario.json\n",
      folder);
  return 0;
}

}  // namespace

Verb add_new(CLI::App& app) {
  const auto arguments = std::make_shared<NewArguments>();
  CLI::App* verb = app.add_subcommand("new", "Write a firmware project to start from");
  verb->add_option("DIR", arguments->folder, "The folder: a new or an empty one")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("NAME", arguments->name, "The name of the program (default: that of the folder)")
      ->check(mistake_in_value);
  return {verb, [arguments](Ranks*) { return verb_new(arguments->folder, arguments->name); }};
}

}  // namespace asterism
