// What a page of documentation shows, in a form that a test can check: its steps (files to write, commands of
// its console blocks, and their output) and its tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

// A file is a block of any kind but console after a line that consists of its name in bold: **name**. A
// command is a line of a console block that begins with "$ ", with the lines after it while they end in a
// backslash.
struct Step {
  int line = 0;                       // of the page
  std::string file, text;             // a file to write
  std::string command;                // or a command to execute
  std::vector<std::string> expected;  // lines that the command prints
};

std::vector<Step> steps_of(const std::filesystem::path& page);

// The rows of the page's table whose header begins with `head`: the cells without the blanks around them.
// Fails the test if there is none.
std::vector<std::vector<std::string>> table_of(const std::filesystem::path& page, const std::string& head);

// Whether the lines match the pattern, in which a line "..." stands for any lines, and "..." within a line
// for any text.
bool prints(const std::vector<std::string>& pattern, const std::vector<std::string>& lines);

// Empty lines at the beginning are left out.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace asterism
