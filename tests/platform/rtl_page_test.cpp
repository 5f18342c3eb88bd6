// Executes docs/bring-your-own-rtl.md step by step: writes the files that it shows, executes the commands of
// its console blocks in a shell, and compares their output with the page.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/platform/command.h"
#include "tests/platform/markdown_steps.h"

namespace asterism {
namespace {

struct RtlPageTest : CommandTest {
  RtlPageTest() {
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
    ASSERT_TRUE(prints(step.expected, lines_of(ended.out)))
        << "docs/bring-your-own-rtl.md:" << step.line << ": $ " << step.command << "\n"
        << ended.out;
  }
}

}  // namespace
}  // namespace asterism
