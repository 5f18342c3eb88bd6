// `asterism new`: the project that it writes is built and run by the commands that it prints.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct NewProjectTest : CommandTest {};

TEST_F(NewProjectTest, TheProjectBuildsAndRunsWithThePrintedCommands) {
  const Ended written = asterism({"new", "work/my-app"});
  ASSERT_EQ(written.status, 0) << written.err;
  std::string commands;
  std::istringstream lines(written.out);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("    ")) commands += line + "\n";
  EXPECT_THAT(commands, HasSubstr("    asterism run scenario.json\n"));
  const Ended ended = program("/bin/sh", {"-c", fmt::format("set -e\nasterism() {{ '{}' \"$@\"; }}\n{}",
                                                            asterism_program.string(), commands)});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("my-app: the sum is 800020000\n"));
  EXPECT_THAT(ended.out, HasSubstr("my-app: begins at 20000\n")) << "the power has failed";
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met\n"));
}

TEST_F(NewProjectTest, RefusesAFolderThatHoldsSomething) {
  write("there/file", "text");
  const Ended there = asterism({"new", "there"});
  EXPECT_EQ(there.status, 65);
  EXPECT_EQ(there.err, "command line: error: DIR: there exists and is not an empty folder\n");
  EXPECT_FALSE(exists("there/main.c"));
  const Ended name = asterism({"new", "2nd"});
  EXPECT_EQ(name.status, 65);
  EXPECT_EQ(name.err,
            "command line: error: DIR: expected a name of letters, digits, - and _, of which the first is a "
            "letter, "
            "got \"2nd\"; a NAME after it names the program\n");
  EXPECT_EQ(asterism({"new", "2nd", "second"}).status, 0);
  EXPECT_TRUE(exists("2nd/main.c"));
}

TEST_F(NewProjectTest, AFolderOfAPluginHasTheNameOfANewType) {
  EXPECT_EQ(asterism({"plugin", "new", "work/Timer"}).err,
            "command line: error: DIR: expected a name of lower-case letters, digits and _, of which the "
            "first is a "
            "letter, which becomes that of the type, got \"Timer\"\n");
  const Ended known = asterism({"plugin", "new", "pl011"});
  EXPECT_EQ(known.status, 65);
  EXPECT_EQ(known.err, "command line: error: DIR: there is a type of devices pl011 already\n");
  EXPECT_FALSE(exists("pl011"));
  write("there/file", "text");
  EXPECT_EQ(asterism({"plugin", "new", "there"}).status, 65);
}

TEST_F(NewProjectTest, ThePackageSaysWhatItNeeds) {
  ASSERT_EQ(asterism({"new", "app"}).status, 0);
  const Ended host = program("cmake", {"-S", "app", "-B", "host", "-G", "Ninja", "-DCMAKE_TOOLCHAIN_FILE="});
  EXPECT_NE(host.status, 0);
  EXPECT_THAT(host.err, HasSubstr("--toolchain"));
  const Ended header =
      program("cmake", {"-S", "app", "-B", "other", "-G", "Ninja", "-DASTERISM_FIRMWARE_HEADERS=/none"});
  EXPECT_NE(header.status, 0);
  EXPECT_THAT(header.err, HasSubstr("does not hold"));
}

}  // namespace
}  // namespace asterism
