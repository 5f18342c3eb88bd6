// Executes docs/bring-your-own-rtl.md, docs/live.md and docs/plugins.md step by step: writes the files that a
// page shows, executes the commands of its console blocks in a shell, and compares their output with it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/platform/command.h"
#include "tests/platform/markdown_steps.h"

namespace asterism {
namespace {

struct PageTest : CommandTest {
  PageTest() {
    environment["ASTERISM_RTL_CACHE"] = (folder / "libraries").string();  // without any libraries
    for (const char* name : {"rtl", "scripts"})
      std::filesystem::create_directory_symlink(source_configs().parent_path() / name, folder / name);
  }
  // Executes a command of the page in a shell; both output streams are combined.
  Ended type(const std::string& command, int status) const {
    const std::string script = fmt::format("asterism() {{ '{}' \"$@\"; }}\n(exit {})\n{} 2>&1",
                                           asterism_program.string(), status, command);
    return program("/bin/sh", {"-c", script});
  }
  void execute(const std::string& page, std::ptrdiff_t more_commands_than) const;
};

void PageTest::execute(const std::string& page, std::ptrdiff_t more_commands_than) const {
  const auto steps = steps_of(source_configs().parent_path() / page);
  EXPECT_GT(std::ranges::count_if(steps, [](const Step& s) { return !s.command.empty(); }),
            more_commands_than);
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
    ASSERT_TRUE(prints(step.expected, lines_of(ended.out)))
        << page << ":" << step.line << ": $ " << step.command << "\n"
        << ended.out;
  }
}

TEST_F(PageTest, BringYourOwnRtl) { execute("docs/bring-your-own-rtl.md", 20); }

TEST_F(PageTest, Live) {
  if (!std::filesystem::exists("/usr/bin/nc")) GTEST_SKIP() << "needs netcat-openbsd";
  execute("docs/live.md", 7);
}

TEST_F(PageTest, Plugins) {
  environment["PREFIX"] = asterism_program.parent_path().string();
  environment["CXXFLAGS"] = "-O0";
  execute("docs/plugins.md", 8);
}

}  // namespace
}  // namespace asterism
