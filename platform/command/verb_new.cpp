#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "platform/command/exit_statuses.h"
#include "platform/command/option_checks.h"
#include "platform/command/project.h"
#include "platform/command/verbs.h"
#include "platform/host/installed_files.h"

namespace asterism {
namespace {

struct NewArguments {
  std::string folder;  // a new or an empty one
  std::string name;    // "" takes that of the folder
};

int verb_new(const NewArguments& arguments) {
  const std::string program =
      project_name(arguments.folder, arguments.name, "[A-Za-z][A-Za-z0-9_-]*",
                   "a name of letters, digits, - and _, of which the first is a letter",
                   "; a NAME after it names the program");
  const std::filesystem::path sources = InstalledFiles::firmware_sources();
  Project project{.folder = arguments.folder,
                  .template_folder = sources / "template",
                  .files = {},
                  .marks = {{"@NAME@", program}, {"@SW@", sources.string()}}};
  for (const char* file : {"CMakeLists.txt", "main.c", "scenario.json", "README.md"})
    project.files.emplace_back(file, file);
  write_project(project);
  fmt::print(
      "Written: {0}. Build it and run it:\n\n    cd {1}\n    cmake -S . -B build -G Ninja\n"
      "    cmake --build build\n    asterism run scenario.json\n",
      arguments.folder, as_word_of_shell(arguments.folder));
  return 0;
}

}  // namespace

Verb add_new(CLI::App& app) {
  const auto arguments = std::make_shared<NewArguments>();
  CLI::App* verb = app.add_subcommand("new", "Write a firmware project to start from");
  verb->footer(exit_statuses());
  verb->add_option("DIR", arguments->folder, "The folder: a new or an empty one")
      ->required()
      ->check(mistake_in_value);
  verb->add_option("NAME", arguments->name, "The name of the program (default: that of the folder)")
      ->check(mistake_in_value);
  return {verb, [arguments](Ranks*) { return verb_new(*arguments); }};
}

}  // namespace asterism
