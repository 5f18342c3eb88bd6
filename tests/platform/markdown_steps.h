// The steps that a page of documentation shows, so that a test can do them: files to write, commands of its
// console blocks, and what they print.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asterism {

// A file is a block of any kind but console behind a line that is its name alone, in bold: **name**. A
// command is a line of a console block that begins with "$ ", and those behind it while they end in a
// backslash.
struct Step {
  int line = 0;                       // of the page
  std::string file, text;             // a file to write
  std::string command;                // or what to type
  std::vector<std::string> expected;  // lines that it prints
};

std::vector<Step> steps_of(const std::filesystem::path& page);

// Whether the lines are those of the pattern, in which "..." alone is any lines, within a line any text.
bool prints(const std::vector<std::string>& pattern, const std::vector<std::string>& lines);

// Without empty lines in front.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace asterism
