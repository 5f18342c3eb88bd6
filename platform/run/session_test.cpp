// Runs without the command: a test links the node and gives it firmware of a few instructions.
#include "platform/run/session.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "base/thrown.h"
#include "platform/firmware/test_elf.h"
#include "platform/host/installed_files.h"
#include "platform/host/output_failure.h"
#include "tlm/time.h"

namespace asterism {
namespace {

const std::vector<std::uint32_t> exit_with_7 = {0x1000'0081,  // adr x1, #16
                                                0x5280'0300,  // mov w0, #0x18: SYS_EXIT
                                                0xD45E'0000,  // hlt #0xf000
                                                0x1400'0000,  // b .
                                                0x0002'0026, 0,
                                                7,           0};  // the application has ended, with status 7
const std::vector<std::uint32_t> endless_loop = {0x1400'0000};    // b .

const std::vector<std::uint32_t> greeting = {0x1000'00E1,  // adr x1, #28
                                             0x5280'0080,  // mov w0, #4: SYS_WRITE0
                                             0xD45E'0000,  // hlt #0xf000
                                             0x1000'00A1,  // adr x1, #20
                                             0x5280'0300,  // mov w0, #0x18: SYS_EXIT
                                             0xD45E'0000,  // hlt #0xf000
                                             0x1400'0000,  // b .
                                             0x0000'0A61,  // "a\n"
                                             0x0002'0026, 0, 0, 0};

struct SessionTest : testing::Test {
  // Runs the code on the node of configs/scenarios/hello.json.
  RunOutcome run(const std::vector<std::uint32_t>& code, RunSettings settings = {}) const {
    const auto bytes = std::as_bytes(std::span(code));
    const std::vector<std::byte> elf = TestElf({bytes.begin(), bytes.end()}).bytes();
    std::ofstream(folder / "code.elf", std::ios::binary)
        .write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
    ScenarioRequest request;
    request.file = (folder / "code.elf").string();
    request.until = "10us";
    const Scenario scenario = prepare(request, {ConfigLibrary(ASTERISM_SOURCE_CONFIGS), folder.path()});
    RunDirectory directory(folder / "run");
    if (!full.empty()) std::filesystem::create_symlink("/dev/full", directory.path() / full);
    settings.show_console = settings.show_progress = false;
    const RunOutcome outcome = asterism::run(scenario, directory, settings);
    directory.finish();
    return outcome;
  }

  TemporaryFolder folder;
  std::string full;  // the file of the run directory that cannot be written
};

TEST_F(SessionTest, ARunEndsWithTheStatusOfItsFirmware) {
  const RunOutcome outcome = run(exit_with_7);
  EXPECT_EQ(outcome.end, RunOutcome::End::firmware_exit);
  EXPECT_EQ(outcome.firmware_status, 7u);
  EXPECT_EQ(outcome.instructions, 3u);
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "stats.json"));
}

TEST_F(SessionTest, ARunWhoseOutputCannotBeWrittenFails) {
  full = "console.log";
  const std::string failure = thrown<OutputFailure>([&] { run(greeting); });
  EXPECT_NE(failure.find("console.log: error: cannot be written: No space left on device"), std::string::npos)
      << failure;
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST_F(SessionTest, ARunEndsAtItsTimeLimit) {
  const RunOutcome outcome = run(endless_loop);
  EXPECT_EQ(outcome.end, RunOutcome::End::time_limit);
  EXPECT_EQ(outcome.time, 10_us);
}

TEST_F(SessionTest, ASnapshotIsMadeOnceAtItsTimeAndTheRunGoesOn) {
  std::vector<Picoseconds> made;
  RunSettings settings;
  settings.snapshot = {3_us, [&] {
                         made.push_back(now());
                         return false;
                       }};
  const RunOutcome outcome = run(endless_loop, settings);
  EXPECT_EQ(made, std::vector{3_us});
  EXPECT_TRUE(outcome.snapshot_saved);
  EXPECT_EQ(outcome.time, 10_us);
}

}  // namespace
}  // namespace asterism
