// `asterism new`: the project that it writes is built and run by the commands that it prints.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct NewProjectTest : CommandTest {
  // Executes the commands that the verb prints.
  Ended build_as_printed(const Arguments& verb) const {
    Ended written = asterism(verb);
    if (written.status != 0) return written;
    std::string commands;
    std::istringstream lines(written.out);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("    ")) commands += line + "\n";
    EXPECT_THAT(commands, HasSubstr("    asterism run scenario.json\n"));
    return program("/bin/sh", {"-c", fmt::format("set -e\nasterism() {{ '{}' \"$@\"; }}\n{}",
                                                 asterism_program.string(), commands)});
  }
};

TEST_F(NewProjectTest, TheProjectBuildsAndRunsWithThePrintedCommands) {
  const Ended ended = build_as_printed({"new", "my work/my-app"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("my-app: the sum is 800020000\n"));
  EXPECT_THAT(ended.out, HasSubstr("my-app: begins at 20000\n")) << "the power has failed";
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met\n"));
  // The drivers of devices are in the package.
  write("my work/my-app/main.c",
        "#include \"checkpoint/cxl_ssd_store.h\"\n#include \"drivers/apb_timer.h\"\n#include "
        "\"drivers/cxl.h\"\n"
        "#include \"drivers/dma_engine.h\"\n#include \"drivers/gpu.h\"\n#include \"drivers/nic.h\"\n"
        "#include \"drivers/nvme.h\"\n#include \"drivers/pcram.h\"\n"
        "int main(void) {\n  CxlMemory memory;\n  CxlSsd ssd;\n"
        "  if (cxl_ssd_probe(&ssd)) checkpoint_use_cxl_ssd(ssd.bytes / 4);\n"
        "  return nvme_probe() + cxl_probe(&memory) + (int)gpu_probe() + pcram_probe() +\n"
        "         nic_select(0) + (int)(apb_timer_probe() + dma_engine_probe());\n}\n");
  const Ended again = program("cmake", {"--build", "my work/my-app/build"});
  EXPECT_EQ(again.status, 0) << again.out << again.err;
}

// Also from another folder.
TEST_F(NewProjectTest, APlugInBuildsAndRunsWithThePrintedCommands) {
  environment["CXXFLAGS"] = "-Wall -Wextra -Werror";
  environment["CFLAGS"] = "-Wall -Wextra -Werror";
  const Ended ended = build_as_printed({"plugin", "new", "my work/string"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("string: the sum is 332833500, expected 332833500\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("warning"))) << "of the compilers, or of the run";
  EXPECT_EQ(ended.err, "");
  const Ended elsewhere = asterism({"run", "my work/string/scenario.json", "--out", "run"});
  EXPECT_EQ(elsewhere.status, 0) << elsewhere.err;
  EXPECT_EQ(asterism({"run", "run/scenario.json", "--out", "again"}).status, 0);
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
  const std::string expected =
      "command line: error: DIR: expected a new name of lower-case letters, digits and _, of which the first "
      "is a letter, which becomes that of the type, got ";
  for (const char* name : {"Timer", "2nd", "my-timer", "_timer", "my timer", "t\u00edmer"}) {
    const Ended ended = asterism({"plugin", "new", fmt::format("work/{}", name)});
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(ended.err, fmt::format("{}\"{}\"\n", expected, name));
  }
  for (const auto& [name, owner] :
       {std::pair{"pl011", "a type of devices"}, std::pair{"class", "a keyword of C++ or C"},
        std::pair{"or", "a keyword of C++ or C"}, std::pair{"test", "a target of CMake"},
        std::pair{"all", "a target of CMake"}, std::pair{"uart0", "a part of the node checkpoint_node"},
        std::pair{"cores", "a part of the node checkpoint_node"},
        std::pair{"core0", "a part of the node checkpoint_node"},
        std::pair{"console", "a part of the node checkpoint_node"}}) {
    const Ended ended = asterism({"plugin", "new", name});
    EXPECT_EQ(ended.status, 65);
    EXPECT_EQ(ended.err, fmt::format("{}\"{}\", which is {}\n", expected, name, owner));
    EXPECT_FALSE(exists(name));
  }
  EXPECT_FALSE(exists("work"));
  EXPECT_THAT(asterism({"new", "test"}).err,
              EndsWith("got \"test\", which is a target of CMake; a NAME after "
                       "it names the program\n"));
  write("there/file", "text");
  EXPECT_EQ(asterism({"plugin", "new", "there"}).status, 65);
}

TEST_F(NewProjectTest, LeavesNothingIfItCannotWriteAll) {
  fs::create_directory(folder / "empty");
  for (const std::string name : {"new/acme", "empty"}) {
    // The first of the files is shorter than the limit.
    const Ended ended =
        program("/bin/sh", {"-c", fmt::format("ulimit -f 1; trap '' XFSZ; exec '{}' plugin new {}",
                                              asterism_program.string(), name)});
    EXPECT_EQ(ended.status, 70);
    EXPECT_THAT(ended.err, EndsWith(".cpp cannot be written: File too large\n"));
  }
  EXPECT_FALSE(exists("new"));
  EXPECT_TRUE(fs::is_empty(folder / "empty"));
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
