// `cores.start: "spin_table"`: cores that firmware releases from a loop instead of starting them by PSCI.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

const std::string spin_table = "node.cores.start=spin_table";

struct SpinTableTest : CommandTest {};

TEST_F(SpinTableTest, EachCoreIsReleasedByItsOwnAddress) {
  const Ended ended = firmware("spin_table", {spin_table});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(contents("run/console.log"),
            "spin_table: 4 cores\n"
            "spin_table: all release addresses are 0: yes\n"
            "spin_table: PSCI says that they are on: yes\n"
            "spin_table: core 3, spin_table: as the protocol has it, and no other: yes\n"
            "spin_table: core 2, spin_table: as the protocol has it, and no other: yes\n"
            "spin_table: core 1, spin_table: as the protocol has it, and no other: yes\n"
            "spin_table: off, and started by PSCI: yes\n");
}

TEST_F(SpinTableTest, WithPsciThereIsNone) {
  EXPECT_EQ(firmware("spin_table").status, 3);
  EXPECT_EQ(contents("run/console.log"), "spin_table: the device tree has none for two cores\n");
}

TEST_F(SpinTableTest, TheFirmwareLibraryStartsAllCoresOfTwoToEight) {
  for (const unsigned cores : {2, 4, 8}) {
    const std::string count = "node.cores.count=" + std::to_string(cores);
    EXPECT_EQ(firmware("smp_atomics", {spin_table, count, "args=rounds=100"}).status, 0);
    const std::string sum = std::to_string(100 * cores);
    EXPECT_THAT(contents("run/console.log"), HasSubstr("LDXR/STXR: " + sum + " of " + sum)) << cores;
  }
}

// The device tree is parsed once, not once for each core.
TEST_F(SpinTableTest, ReleasingManyCoresTakesLittleMoreThanStartingThemByPsci) {
  const auto instructions = [&](const std::string& start, unsigned cores) -> double {
    const Ended ended =
        asterism({"run", "kilocore_boot", start, "node.cores.count=" + std::to_string(cores),
                  "args=steps=1 interval=1 checkpoint=off", "faults=[]", "expect={}", "--out", "run"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(contents("run/console.log"), HasSubstr(std::to_string(cores) + " cores are up\n"));
    return json("run/stats.json")["node"]["core0"]["instructions"];
  };
  for (const unsigned cores : {69, 138})
    EXPECT_LE(instructions(spin_table, cores), 1.25 * instructions("node.cores.start=psci", cores)) << cores;
}

// After a power failure and a restart, the loop and its addresses exist again.
TEST_F(SpinTableTest, TheMainJobComesToTheSameBits) {
  EXPECT_EQ(asterism({"run", "power_loss", "--out", "psci"}).status, 0);
  const Ended ended = asterism({"run", "power_loss", spin_table, "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(contents("run/files/result.txt"), contents("psci/files/result.txt"));
}

TEST_F(SpinTableTest, AuxiliaryCoresAreReleasedToo) {
  const Ended ended =
      asterism({"run", "functional_partitioning", spin_table, "faults=[]",
                "args=columns=32 rows=32 sweeps=12 interval=3 mesh=9", "expect={}", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.err;
}

TEST_F(SpinTableTest, AWordThatIsNoWayToStartIsRefused) {
  const Ended ended = asterism({"check", "hello", "node.cores.start=parking"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err,
              HasSubstr("node.cores.start: expected one of \"psci\", \"spin_table\", got \"parking\""));
}

// The first segment of an ELF file is moved to the address of the loop.
TEST_F(SpinTableTest, FirmwareThatLoadsOverTheLoopIsRefused) {
  std::ifstream in(elf("hello"), std::ios::binary);
  std::string image{std::istreambuf_iterator<char>(in), {}};
  const auto field = [&](std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, image.data() + at, sizeof value);
    return value;
  };
  const auto set = [&](std::size_t at, std::uint64_t value) {
    std::memcpy(image.data() + at, &value, sizeof value);
  };
  const std::size_t segment = field(32);  // e_phoff
  const std::uint64_t moved = 0x400f'f800;
  for (const std::size_t address : {16, 24}) set(segment + address, moved);  // p_vaddr, p_paddr
  set(24, moved);                                                            // e_entry
  write("over.elf", image);
  const Ended ended = asterism({"run", "hello", spin_table, "--firmware", "./over.elf", "--until", "1ms"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("firmware: ./over.elf loads 0x400ff800 to 0x"));
  EXPECT_THAT(
      ended.err,
      HasSubstr("node.cores.start=spin_table the waiting cores execute code in the page at 0x400ff000"));
  EXPECT_FALSE(left_a_run());
}

}  // namespace
}  // namespace asterism
