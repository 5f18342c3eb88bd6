// Projects of a user that a verb writes to start from, from the templates in sw/.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace asterism {

struct Project {
  std::string folder;  // as the user named it: a new or an empty one
  std::filesystem::path template_folder;
  std::vector<std::pair<std::string, std::string>> files;  // names in the template and in the project
  std::vector<std::pair<std::string, std::string>> marks;  // what replaces "@NAME@"
};

// `name`, or the name of the folder if that is "". Throws ConfigError if it does not match the pattern, which
// `expected` describes, or is the name of a target that CMake has; `advice` ends the message about a folder.
std::string project_name(const std::string& folder, const std::string& name, const std::string& pattern,
                         const std::string& expected, const std::string& advice = "");

// Throws ConfigError if the folder holds anything or cannot be written, InputMissing if there is no template.
// Then nothing is left of what it has written.
void write_project(const Project& project);

// As one word of a command of a shell, quoted if it has to be.
std::string as_word_of_shell(const std::string& text);

}  // namespace asterism
