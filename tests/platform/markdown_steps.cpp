#include "tests/platform/markdown_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace asterism {
namespace {

// Whether a line matches the pattern, in which "..." stands for any text.
bool matches(std::string_view pattern, std::string_view line) {
  const auto dots = pattern.find("...");
  if (dots == std::string_view::npos) return pattern == line;
  if (!line.starts_with(pattern.substr(0, dots))) return false;
  for (std::size_t rest = dots; rest <= line.size(); ++rest)
    if (matches(pattern.substr(dots + 3), line.substr(rest))) return true;
  return false;
}

bool matches(const std::vector<std::string>& patterns, std::size_t p, const std::vector<std::string>& lines,
             std::size_t l) {
  if (p == patterns.size()) return l == lines.size();
  if (patterns[p] == "...")
    return matches(patterns, p + 1, lines, l) || (l < lines.size() && matches(patterns, p, lines, l + 1));
  return l < lines.size() && matches(patterns[p], lines[l]) && matches(patterns, p + 1, lines, l + 1);
}

}  // namespace

std::vector<Step> steps_of(const std::filesystem::path& page) {
  std::ifstream in(page);
  std::vector<Step> steps;
  std::string title, kind;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      kind = kind.empty() ? line.substr(3) + " " : "";
      if (kind.empty()) title.clear();
      if (!kind.empty() && kind != "console " && !title.empty()) steps.push_back({number, title, "", "", {}});
    } else if (kind == "console ") {
      if (!steps.empty() && steps.back().command.ends_with('\\'))
        steps.back().command += "\n" + line;
      else if (line.starts_with("$ "))
        steps.push_back({number, "", "", line.substr(2), {}});
      else
        steps.back().expected.push_back(line);
    } else if (!kind.empty()) {
      if (!title.empty()) steps.back().text += line + "\n";
    } else if (line.starts_with("**") && line.ends_with("**")) {
      title = line.substr(2, line.size() - 4);
    }
  }
  return steps;
}

std::vector<std::vector<std::string>> table_of(const std::filesystem::path& page, const std::string& head) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(page);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    inside = line.starts_with(head) || (inside && line.starts_with("|"));
    if (!inside || line.starts_with(head) || line.starts_with("|--")) continue;
    std::istringstream cells(line.substr(1));
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '|');) {
      const std::size_t first = std::min(cell.find_first_not_of(' '), cell.size());
      rows.back().push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
    }
  }
  EXPECT_FALSE(rows.empty()) << page << ": " << head;
  return rows;
}

bool prints(const std::vector<std::string>& pattern, const std::vector<std::string>& lines) {
  return matches(pattern, 0, lines, 0);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  return lines;
}

}  // namespace asterism
