#include "core/guest_checks.h"

#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "tlm/log_of_node.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

constexpr std::uint64_t code = CoreTestBus::memory_base, data = code + 0x10'0000;

GuestFinding at(GuestCheck check, std::uint64_t pc, std::uint64_t address = data) {
  return {.check = check, .pc = Address(pc), .address = Address(address), .size = 4, .is_store = true};
}
GuestFinding in_stack(std::uint64_t low, std::uint64_t pc) {
  GuestFinding finding = at(GuestCheck::stack, pc);
  finding.within = {Address(low), Bytes(4096)};
  return finding;
}

TEST(GuestChecks, LogsAMistakeOnceAndCountsIt) {
  using enum GuestChecks::Log;
  GuestChecks checks{{}};
  EXPECT_EQ(checks.add(at(GuestCheck::read_only, 0x1000)), yes);
  EXPECT_EQ(checks.add(at(GuestCheck::read_only, 0x1000, data + 4)), no);
  EXPECT_EQ(checks.add(at(GuestCheck::read_only, 0x1004)), yes);
  EXPECT_EQ(checks.add(at(GuestCheck::alignment, 0x1000)), yes);
  EXPECT_EQ(checks.add(at(GuestCheck::register_width, 0x1000)), yes);
  EXPECT_EQ(checks.add(at(GuestCheck::register_width, 0x1010)), no);
  EXPECT_EQ(checks.add(in_stack(0x4000, 0x1000)), yes);
  EXPECT_EQ(checks.add(in_stack(0x4000, 0x1010)), no);
  EXPECT_EQ(checks.add(in_stack(0x5000, 0x1000)), yes);
  EXPECT_EQ(checks.total(), 9u);
  EXPECT_EQ(checks.summary(),
            "3 pages of read-only segments stored to, 3 stack overflows, "
            "1 unaligned access to Device memory, 2 accesses to registers by another width");
}

TEST(GuestChecks, LogsOnlyTheFirstPlacesOfACheck) {
  GuestChecks checks{{}};
  for (std::size_t place = 0; place < GuestChecks::max_places + 5; ++place) {
    const auto expected = place + 1 < GuestChecks::max_places    ? GuestChecks::Log::yes
                          : place + 1 == GuestChecks::max_places ? GuestChecks::Log::last
                                                                 : GuestChecks::Log::no;
    EXPECT_EQ(checks.add(at(GuestCheck::read_only, 4 * place)), expected);
  }
  EXPECT_EQ(checks.total(), GuestChecks::max_places + 5);
}

struct CoreChecksTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  GuestChecks checks;
  CoreModule core;
  std::string logged;

  explicit CoreChecksTest(ChecksConfig config = {})
      : checks(config),
        core("core", 0, CoreConfig{}, 1_us, calls,
             make_iss_of_cores({.rules = {.read_only = {{Address(data), Bytes(4096)}},
                                          .alignment = GuestRules::Alignment::reported}})) {
    bus.bind(core);
    core.report_to(checks);
    collect_log("core", logged);
  }
  void execute(const std::vector<std::uint32_t>& program) {
    bus.place(code, program);
    core.start(Address(code), data);
    for (Picoseconds t; t < 1_ms && core.state() == CoreModule::State::running; t += 1_us)
      sc_core::wait(to_sc_time(1_us));
  }
};

SYSTEMC_TEST_F(CoreChecksTest, AWarningNamesThePlaceOnce) {
  execute({
      0xb9000001,  // str w1, [x0]
      0x9100101f,  // add sp, x0, #4
      0xb9400be1,  // ldr w1, [sp, #8]
      0xf94003e1,  // ldr x1, [sp]
      0xf94003e1,  // ldr x1, [sp]
      0xd503207f,  // wfi
  });
  EXPECT_NE(logged.find("store of 4 bytes at 0x40100000, in a segment that the ELF file makes read-only "
                        "(0x40100000 to 0x40100fff) [0x40000000]"),
            std::string::npos)
      << logged;
  EXPECT_NE(logged.find("unaligned load of 8 bytes at 0x40100004 in Device memory: real hardware "
                        "takes an alignment fault [0x4000000c]"),
            std::string::npos)
      << logged;
  EXPECT_EQ(checks.total(), 3u);
}

struct StoppingTest : CoreChecksTest {
  StoppingTest() : CoreChecksTest({.read_only = CheckAction::stop}) {
    checks.on_stop = [this](const std::string& text) {
      stopped = text;
      at = now();
      core.power_off();
    };
  }
  std::string stopped;
  Picoseconds at;
};

SYSTEMC_TEST_F(StoppingTest, AFindingThatStopsTheRunComesBeforeItsEffectAndAtItsTime) {
  execute({
      0xd2800ce1,  // mov x1, #103
      0xf1000421,  // loop: subs x1, x1, #1
      0x54ffffe1,  // b.ne loop
      0xd2800021,  // mov x1, #1
      0xb9000001,  // str w1, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(stopped.substr(0, 19), "core: store of 4 by") << stopped;
  EXPECT_EQ(at, 208_ns);
  EXPECT_EQ(bus.peek(data), 0u);
}

}  // namespace
}  // namespace asterism
