#include "cosim/rtl_bus_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::uint64_t scratch = 0x00, count = 0x04, timer = 0x08, clear = 0x0C, fail = 0x34, control = 0x24;

std::shared_ptr<const RtlLibrary> variant(const std::string& name) {
  return RtlLibrary::open(std::string(COSIM_TEST_BUS_BLOCKS) + "/" + name + ".so");
}

// A model of the block in test_bus_block.cpp, in lockstep with it at 100 MHz, with windows of 200 ns.
struct Model {
  RtlBusPeer peer;
  Lockstep lockstep;
  std::uint32_t scratch_value = 0;

  explicit Model(const std::string& name, const RtlOptions& options = {})
      : peer(variant(name), "node.block", {.time = {.clock = 100_MHz}}, options),
        lockstep("node.block", peer, {.latency = 200_ns, .interrupt = 200_ns}) {}

  void read(Picoseconds at, std::uint64_t address, std::uint32_t value, std::uint32_t bytes = 4) {
    lockstep.compare({.at = at, .kind = Transaction::Kind::read, .bytes = bytes, .address = address},
                     {.data = {value}});
  }
  void write(Picoseconds at, std::uint64_t address, std::uint32_t value, std::uint32_t bytes = 4,
             std::uint32_t strobes = 0) {
    lockstep.compare({.at = at,
                      .kind = Transaction::Kind::write,
                      .bytes = bytes,
                      .address = address,
                      .data = {value},
                      .strobes = strobes},
                     {});
  }
  std::string what() const { return lockstep.mismatch() ? lockstep.mismatch()->what : ""; }
};

// Uses everything that a model and its RTL counterpart do in the same way.
void exercise(Model& model) {
  model.write(1'000_ns, scratch, 0x000000F0);
  model.read(1'100_ns, scratch, 0x000000F0);
  model.write(1'200_ns, timer, 1000);
  model.lockstep.interrupts(11'210_ns, 1);
  model.write(12'000_ns, clear, 1);
  model.lockstep.interrupts(12'000_ns, 0);
  model.lockstep.catch_up(20_us);
}

TEST(RtlBusPeer, APeerThatDoesTheSameIsEqual) {
  Model model("no_master");
  exercise(model);
  EXPECT_EQ(model.what(), "");
  EXPECT_EQ(model.lockstep.transactions(), 4u);
}

TEST(RtlBusPeer, FindsEachKindOfDifference) {
  const std::pair<const char*, const char*> mutants[] = {
      {"wrong_data", "data"}, {"wrong_status", "status"}, {"slow", "latency"}, {"late", "interrupt 0"}};
  for (const auto& [name, what] : mutants) {
    Model model(name);
    exercise(model);
    EXPECT_EQ(model.what(), what) << name;
  }
}

TEST(RtlBusPeer, ADifferenceIsReportedInFull) {
  Model model("wrong_data");
  exercise(model);
  EXPECT_EQ(model.lockstep.mismatch()->text(),
            "lockstep mismatch in node.block at 1.100000 us: data\n"
            "  read      0x000\n"
            "  model     0x000000f0\n"
            "  RTL       0x00000070 after 20ns\n"
            "  before it, newest last:\n"
            "    1.000000 us  write 0x000 <- 0x000000f0\n");
}

TEST(RtlBusPeer, AnInterruptThatOneSideLacksIsFoundWhenItIsOverdue) {
  Model model("no_master");
  model.write(1'000_ns, timer, 10);
  model.lockstep.catch_up(1'300_ns);
  EXPECT_EQ(model.what(), "");
  model.lockstep.catch_up(1'321_ns);
  EXPECT_EQ(model.what(), "interrupt 0");
  EXPECT_EQ(model.lockstep.mismatch()->rtl, "rises at 1.120000 us");
}

TEST(RtlBusPeer, BytesAndHolesAreComparedAsTheyAre) {
  Model model("no_master");
  model.write(1'000_ns, scratch, 0x44332211);
  model.write(1'100_ns, scratch + 1, 0xAA, 1);
  model.write(1'200_ns, scratch, 0x77000066, 4, 0b1001);
  model.read(1'300_ns, scratch, 0x7733AA66);
  model.read(1'400_ns, scratch + 2, 0x7733, 2);
  EXPECT_EQ(model.what(), "");
  model.read(1'500_ns, scratch + 2, 0x7734, 2);
  EXPECT_EQ(model.what(), "data");
}

TEST(RtlBusPeer, ARegisterMayBePolledFasterThanTheClock) {
  Model model("no_master");
  model.write(0_ps, control, 1);
  for (Picoseconds at = 1'000_ns; at < 3'000_ns; at += 1_ns)
    model.read(at, count, static_cast<std::uint32_t>(at / 10_ns) - 2);
  EXPECT_EQ(model.what(), "");
}

TEST(RtlBusPeer, WritesThatAreTooDenseForTheClockAreADifferenceInLatency) {
  Model model("no_master");
  for (std::uint32_t i = 0; i < 10; ++i) model.write(1'000_ns + Picoseconds(i), scratch, i);
  EXPECT_EQ(model.what(), "");
  model.write(1'001_ns, scratch, 11);
  EXPECT_EQ(model.what(), "latency");
}

TEST(RtlBusPeer, RtlThatEndsItselfIsADifference) {
  Model model("no_master");
  model.write(1'000_ns, fail, 1);
  EXPECT_EQ(model.what(), "RTL failed");
  EXPECT_EQ(model.lockstep.mismatch()->rtl, "test_bus_block.sv:34: FAIL was written");
}

TEST(RtlBusPeer, AResetLowersTheLinesOfBothSides) {
  Model model("no_master");
  model.write(1'000_ns, timer, 10);
  model.lockstep.interrupts(1'120_ns, 1);
  model.lockstep.reset(Reset::warm, 2'000_ns);
  model.lockstep.catch_up(3_us);
  EXPECT_EQ(model.what(), "");
}

TEST(RtlBusPeer, RefusesAMaster) {
  EXPECT_THAT(thrown<RtlError>([] { Model("good"); }), HasSubstr("node.block: has a master port"));
}

TEST(RtlBusPeer, TheWindowEndsWithTheReadThatDiffers) {
  const TemporaryFolder folder;
  Model model("no_master", {.traces = folder.path()});
  const auto file = *model.peer.bus().timeline().window_file();
  model.lockstep.trace_to(file.string(), 1_us);
  model.write(1'000_ns, scratch, 0x000000F0);
  model.read(1'100_ns, scratch, 0x000000F1);
  ASSERT_EQ(model.lockstep.mismatch()->trace_error, "");
  std::ifstream trace(file);
  std::string text((std::istreambuf_iterator<char>(trace)), {});
  EXPECT_THAT(text, HasSubstr("1120000 1 select 1 enable 1 write 0 address 000 read f0\n"));
}

}  // namespace
}  // namespace asterism
