// Does what docs/bring-your-own-rtl.md says, step by step: writes the files that it shows, types the commands of its
// console blocks into a shell, and compares what they print with what the page shows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

struct Step {
  int line = 0;
  std::string file, text;  // a file to write
  std::string command;     // or what to type
  std::vector<std::string>
      expected;  // lines that it prints; "..." alone is any lines, within a line any text
};

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
      if (line.starts_with("$ "))
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

// Whether a line is the pattern, in which "..." is any text.
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

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  return lines;
}

struct RtlPageTest : CommandTest {
  RtlPageTest() {
    environment["ASTERISM_RTL_CACHE"] = (folder / "libraries").string();  // nothing is built yet
    std::filesystem::create_directory_symlink(source_configs().parent_path() / "rtl", folder / "rtl");
  }
  // Of the shell that has the page's commands typed into it; both streams together.
  Ended type(const std::string& command, int status) const {
    const std::string script = fmt::format("asterism() {{ '{}' \"$@\"; }}\n(exit {})\n{} 2>&1",
                                           asterism_program.string(), status, command);
    return program("/bin/sh", {"-c", script});
  }
};

TEST_F(RtlPageTest, EveryStepOfThePageDoesWhatItShows) {
  const auto steps = steps_of(source_configs().parent_path() / "docs/bring-your-own-rtl.md");
  EXPECT_GT(std::ranges::count_if(steps, [](const Step& s) { return !s.command.empty(); }), 20);
  int status = 0;
  for (const Step& step : steps) {
    if (!step.file.empty()) {
      std::filesystem::create_directories((folder / step.file).parent_path());
      write(step.file, step.text);
      continue;
    }
    const Ended ended = type(step.command, status);
    status = ended.status;
    ASSERT_TRUE(status == 0 || !step.expected.empty()) << "line " << step.line << ": " << ended.out;
    ASSERT_TRUE(matches(step.expected, 0, lines_of(ended.out), 0))
        << "docs/bring-your-own-rtl.md:" << step.line << ": $ " << step.command << "\n"
        << ended.out;
  }
}

}  // namespace
}  // namespace asterism
