#include "core/core_caches.h"

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "core/core_module.h"
#include "core/core_test_bus.h"
#include "core/iss_factory.h"
#include "core/mmu_program.h"
#include "tlm/systemc_test.h"

namespace asterism {
namespace {

using State = CoreModule::State;
using Access = CoreTestBus::Access;
constexpr std::uint64_t code = CoreTestBus::memory_base, data = 0x10'0000;  // an offset
constexpr std::uint32_t data_to_x2 = 0xd2a80202;                            // mov x2, #0x40100000

// An L1 and an L2 of one line.
CachesConfig of_one_line() {
  return {.model = CacheModel::tags,
          .l1d = {.size = 64_B, .ways = 1},
          .l2 = SharedCacheConfig{.size = 64_B, .ways = 1}};
}

struct CoreCachesTest : SystemCTest {
  NoCalls calls;
  CoreTestBus bus{"bus"};
  CoreModule core;
  CoreCaches caches;
  MemoryWrites writes;
  TestTracker tracker{writes};

  explicit CoreCachesTest(const a64::Options& options = {}, const CachesConfig& config = of_one_line())
      : core("core", 0, CoreConfig{}, 1_us, calls, make_iss_of_cores(options)), caches("caches", config, 1) {
    core.bus.bind(caches.port(0).core);
    caches.port(0).memory.bind(bus.socket);
    core.irq.bind(bus.irq);
    core.virtual_timer.bind(bus.virtual_timer);
    core.physical_timer.bind(bus.physical_timer);
    core.performance_monitors.bind(bus.performance_monitors);
    caches.connect(writes);
    caches.serve(core);
  }
  // x0 is the device.
  void run_program(const std::vector<std::uint32_t>& program, Picoseconds time = 10_us) {
    bus.place(code, program);
    core.start(Address(code), CoreTestBus::device);
    wait_for(time);
  }
};

SYSTEMC_TEST_F(CoreCachesTest, AHitTakesNoTimeAndAMissTakesThatOfItsFill) {
  run_program({
      data_to_x2,
      0xf9400043,  // ldr x3, [x2]
      0xf9400443,  // ldr x3, [x2, #8]
      0xf9000443,  // str x3, [x2, #8]
      0xb9000003,  // str w3, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(core.state(), State::waiting);
  // The load is executed at 1 ns, and misses in the L2 after 4 ns.
  EXPECT_EQ(bus.monitored, (std::vector<Access>{{'r', data, 64, 5_ns}}));
  ASSERT_EQ(bus.accesses.size(), 1u);  // a device is not cached
  EXPECT_EQ(bus.accesses[0].at, 4_ns + 4_ns + 20_ns);
  EXPECT_EQ(caches.dirty(), std::vector<Address>{Address(code + data)});
}

SYSTEMC_TEST_F(CoreCachesTest, AnEvictedDirtyLineIsWrittenBackAndReported) {
  run_program({
      data_to_x2,
      0xf9000043,  // str x3, [x2]
      0xf9404043,  // ldr x3, [x2, #128]
      0xf9408043,  // ldr x3, [x2, #256]
      0xd503207f,  // wfi
  });
  ASSERT_EQ(bus.monitored.size(), 4u);
  EXPECT_EQ(bus.monitored[3].kind, 'w');
  EXPECT_EQ(bus.monitored[3].offset, data);
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{Address(code + data), 1}}));
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

SYSTEMC_TEST_F(CoreCachesTest, AWriteBackIsHeldUntilItIsAllowedAndItsLineIsDirtyUntilThen) {
  tracker.closed = true;
  run_program({
      data_to_x2,
      0xf9000043,  // str x3, [x2]
      0xf9404043,  // ldr x3, [x2, #128]
      0xf9408043,  // ldr x3, [x2, #256]
      0xb9000003,  // str w3, [x0]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.monitored.size(), 3u);
  EXPECT_EQ(bus.accesses.size(), 1u);  // the core has gone on
  EXPECT_EQ(caches.dirty(), std::vector<Address>{Address(code + data)});
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(bus.monitored.size(), 4u);
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

// The caches keep the last two lines.
std::vector<std::uint32_t> stores_to_lines(std::uint32_t lines) {
  return {
      data_to_x2,
      0xd2800001 | lines << 5,  // mov x1, #lines
      0xf8040443,               // str x3, [x2], #64
      0xf1000421,               // subs x1, x1, #1
      0x54ffffc1,               // b.ne -8
      0xb9000003,               // str w3, [x0]
      0xd503207f,               // wfi
  };
}

SYSTEMC_TEST_F(CoreCachesTest, MemoryHolds64WriteBacks) {
  tracker.closed = true;
  run_program(stores_to_lines(64 + 2));
  EXPECT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(caches.dirty().size(), 66u);
  tracker.open();
  wait_for(2_us);
  EXPECT_EQ(caches.dirty().size(), 2u);
  EXPECT_EQ(tracker.reported.size(), 64u);
}

SYSTEMC_TEST_F(CoreCachesTest, TheCoreOfAFurtherOneWaits) {
  tracker.closed = true;
  run_program(stores_to_lines(64 + 3));
  EXPECT_TRUE(bus.accesses.empty());
  EXPECT_EQ(caches.dirty().size(), 67u);
  tracker.open();
  wait_for(2_us);
  EXPECT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(tracker.reported.size(), 65u);
}

SYSTEMC_TEST_F(CoreCachesTest, AResetDropsWhatMemoryHolds) {
  tracker.closed = true;
  run_program(stores_to_lines(10));
  caches.reset(Reset::power_loss);
  writes.reset();
  tracker.open();
  wait_for(1_us);
  EXPECT_TRUE(tracker.reported.empty());
  EXPECT_TRUE(caches.dirty().empty());
}

SYSTEMC_TEST_F(CoreCachesTest, AWriteBackThatWaitsIsReportedAndDoneOnceThoughAFlushMeetsIt) {
  tracker.closed = true;
  run_program({
      data_to_x2,
      0xf9000043,  // str x3, [x2]
      0xf9404043,  // ldr x3, [x2, #128]
      0xf9408043,  // ldr x3, [x2, #256]
      0xd503207f,  // wfi
  });
  EXPECT_EQ(bus.monitored.size(), 3u);
  bus.monitored.clear();
  tracker.open();
  writes.flush(tracker);  // as a DIMM-SSD does before the core wakes
  EXPECT_FALSE(caches.is_flushing());
  wait_for(1_us);
  EXPECT_EQ(bus.monitored, (std::vector<Access>{{'w', data, 64, 10_us}}));
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{Address(code + data), 1}}));
  EXPECT_EQ(tracker.flushes, 2u);  // it tries again when the core has reported the line
  EXPECT_TRUE(writes.flush(tracker).is_complete);
}

SYSTEMC_TEST_F(CoreCachesTest, AFlushWritesBackOneLineAfterTheOther) {
  run_program({
      data_to_x2,
      0xf9000043,  // str x3, [x2]
      0xf9004043,  // str x3, [x2, #128]
      0xd503207f,  // wfi
  });
  const std::vector<Address> dirty = caches.dirty();
  EXPECT_EQ(dirty, (std::vector<Address>{Address(code + data), Address(code + data + 128)}));
  bus.monitored.clear();
  caches.flush(dirty);
  EXPECT_TRUE(caches.is_flushing());
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
  expect_earliest(now() + 40_ns, [&] { return tracker.flushes == 1; });
  EXPECT_FALSE(caches.is_flushing());
  EXPECT_EQ(bus.monitored, (std::vector<Access>{{'w', data, 64, 10_us}, {'w', data + 128, 64, 10'020_ns}}));
}

SYSTEMC_TEST_F(CoreCachesTest, PowerLossEmptiesTheCachesAndEndsAFlush) {
  run_program({
      data_to_x2,
      0xf9000043,  // str x3, [x2]
      0xf9004043,  // str x3, [x2, #128]
      0xd503207f,  // wfi
  });
  caches.flush({Address(code + data), Address(code + data + 128)});
  caches.reset(Reset::power_loss);
  bus.monitored.clear();
  wait_for(1_us);
  EXPECT_LE(bus.monitored.size(), 1u);
  EXPECT_FALSE(caches.is_flushing());
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

// The same for an engine with data caches, whose program turns on the MMU and caches.
struct KnownCachesTest : CoreCachesTest {
  KnownCachesTest() : CoreCachesTest({.data_caches = {{{1, 1}, {1, 1}}}}) {}
  // x0 is the device, x2 the data.
  void run_program(std::vector<std::uint32_t> program, bool with_mmu = true) {
    program.insert(program.begin(), data_to_x2);
    if (with_mmu) program.insert(program.begin(), mmu_on.begin(), mmu_on.end());
    program.push_back(0xd503207f);  // wfi
    bus.place(code + 0x8000, {0x401, 0, 0x4000'0705, 0});
    CoreCachesTest::run_program(program);
  }
  static constexpr std::uint32_t load = 0xf9400043, store = 0xf9000043;  // ldr, str x3, [x2]
  static constexpr std::uint32_t clean = 0xd50b7a22, clean_and_invalidate = 0xd50b7e22,
                                 invalidate = 0xd5087622;  // dc cvac, civac, ivac, x2
  static constexpr std::uint32_t wait = 0xd5033f9f;        // dsb sy
  static constexpr std::uint32_t to_device = 0xb9000003;   // str w3, [x0]
  const Address line{code + data};
};

SYSTEMC_TEST_F(KnownCachesTest, WithTheMmuOffEachAccessGoesToMemory) {
  run_program({load, load, store, to_device}, false);
  EXPECT_EQ(core.state(), State::waiting);
  EXPECT_EQ(bus.monitored,
            (std::vector<Access>{{'r', data, 8, 2_ns}, {'r', data, 8, 23_ns}, {'w', data, 8, 44_ns}}));
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 64_ns);
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{line, 1}}));  // the store
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

SYSTEMC_TEST_F(KnownCachesTest, AnUncachedStoreWaitsUntilItIsAllowedAndItsLineIsDirtyUntilThen) {
  tracker.closed = true;
  run_program({store, to_device}, false);
  EXPECT_TRUE(bus.monitored.empty());
  EXPECT_EQ(caches.dirty(), std::vector<Address>{line});
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(bus.monitored.size(), 1u);
  EXPECT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

SYSTEMC_TEST_F(KnownCachesTest, ABarrierWaitsUntilCleanedLinesAreInMemory) {
  run_program({store, clean, to_device, wait, to_device, load});
  // The line is filled, then cleaned through the L2, and stays in the cache.
  ASSERT_EQ(bus.monitored.size(), 2u);
  EXPECT_EQ(bus.monitored[1].kind, 'w');
  ASSERT_EQ(bus.accesses.size(), 2u);
  const Picoseconds cleaned = bus.monitored[1].at - 4_ns;
  EXPECT_EQ(bus.accesses[0].at, cleaned + 1_ns);  // the core does not wait
  EXPECT_EQ(bus.accesses[1].at, cleaned + 4_ns + 20_ns + 1_ns);
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{line, 1}}));
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

SYSTEMC_TEST_F(KnownCachesTest, AnInvalidatedLineIsLoadedFromMemory) {
  run_program({load, clean_and_invalidate, wait, load});
  ASSERT_EQ(bus.monitored.size(), 2u);
  EXPECT_EQ(bus.monitored[1].kind, 'r');
  EXPECT_GE(bus.monitored[1].at, bus.monitored[0].at + 20_ns + 4_ns + 4_ns);
}

SYSTEMC_TEST_F(KnownCachesTest, AnInvalidatedDirtyLineIsReported) {
  run_program({store, invalidate, wait, load});
  ASSERT_EQ(bus.monitored.size(), 3u);
  EXPECT_EQ(bus.monitored[1].kind, 'w');
  EXPECT_EQ(tracker.reported, (std::vector<PageLines>{{line, 1}}));
  EXPECT_EQ(bus.peek(code + data), core.iss().read(CoreRegister::x3));
}

SYSTEMC_TEST_F(KnownCachesTest, CleaningWaitsUntilItIsAllowed) {
  tracker.closed = true;
  run_program({store, clean, to_device});
  EXPECT_TRUE(bus.accesses.empty());
  EXPECT_EQ(caches.dirty(), std::vector<Address>{line});
  tracker.open();
  wait_for(1_us);
  EXPECT_EQ(bus.monitored.size(), 2u);
  EXPECT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(caches.dirty(), std::vector<Address>{});
}

SYSTEMC_TEST_F(KnownCachesTest, AfterAResetTheNextBarrierDoesNotWait) {
  run_program({store, clean});
  caches.reset(Reset::warm);
  core.reset(Reset::warm);
  wait_for(1_us);
  bus.accesses.clear();
  run_program({wait, to_device}, false);
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 11_us + 3_ns - 1_ns);
}

// ---- fetches ----

// Lines of code are 0x40 apart. x0 is the device, x1 counts a loop.
struct FetchTest : CoreCachesTest {
  static CachesConfig config(Bytes l1i, std::uint32_t ways, CacheModel model = CacheModel::tags) {
    return {.model = model, .l1i = L1Config{.size = l1i, .ways = ways}, .l2 = SharedCacheConfig{}};
  }
  explicit FetchTest(const CachesConfig& config) : CoreCachesTest({}, config) {}
  std::uint64_t count(std::string_view cache, std::string_view name) const {
    Statistics statistics;
    caches.report(statistics);
    for (const auto& [group, value] : statistics.entries())
      if (group == cache)
        for (const auto& [each, number] : std::get<std::unique_ptr<Statistics>>(value)->entries())
          if (each == name) return std::get<std::uint64_t>(number);
    return ~std::uint64_t{0};
  }
  std::uint64_t misses() const { return count("core0_l1i", "missed_fetches"); }
  static constexpr std::uint32_t nop = 0xd503201f, wfi = 0xd503207f, to_device = 0xb9000003;
  // Executes a branch in line 0 and two instructions in line 2, three times.
  static std::vector<std::uint32_t> two_lines() {
    std::vector<std::uint32_t> program(36, nop);
    program[0] = 0xd2800061;   // mov x1, #3
    program[1] = 0x1400001f;   // b line 2
    program[32] = 0xf1000421;  // subs x1, x1, #1
    program[33] = 0x54fffc01;  // b.ne to the branch
    program[34] = wfi;
    return program;
  }
};

struct FetchOfOneLineTest : FetchTest {
  FetchOfOneLineTest() : FetchTest(config(64_B, 1)) {}
};
SYSTEMC_TEST_F(FetchOfOneLineTest, ALineIsFilledBeforeItsFirstInstruction) {
  std::vector<std::uint32_t> program(20, nop);
  program[16] = to_device;
  program[17] = wfi;
  run_program(program);
  // A fill takes 4 ns to the L2, and 20 ns in memory; there are 16 instructions of 1 ns in a line.
  EXPECT_EQ(bus.monitored, (std::vector<Access>{{'r', 0, 64, 4_ns}, {'r', 64, 64, 24_ns + 16_ns + 4_ns}}));
  ASSERT_EQ(bus.accesses.size(), 1u);
  EXPECT_EQ(bus.accesses[0].at, 64_ns);
  EXPECT_EQ(misses(), 2u);
  EXPECT_EQ(count("core0_l1i", "hits"), core.instructions() - 2);
}
SYSTEMC_TEST_F(FetchOfOneLineTest, LinesThatReplaceEachOtherMissEachTime) {
  run_program(two_lines());
  EXPECT_EQ(core.instructions(), 1 + 3 * 3 + 1u);
  EXPECT_EQ(misses(), 6u);
  EXPECT_EQ(bus.monitored.size(), 2u);  // the L2 has both
}

struct FetchOfTwoWaysTest : FetchTest {
  FetchOfTwoWaysTest() : FetchTest(config(128_B, 2)) {}
};
SYSTEMC_TEST_F(FetchOfTwoWaysTest, ALineThatIsNotTheLastOneUsedOfItsSetHits) {
  run_program(two_lines());
  EXPECT_EQ(misses(), 2u);
}
SYSTEMC_TEST_F(FetchOfTwoWaysTest, AnInvalidatedLineIsFilledAgain) {
  run_program({nop, 0xd508751f /* ic iallu */, nop, wfi});
  EXPECT_EQ(misses(), 2u);
  EXPECT_EQ(count("core0_l1i", "invalidations"), 1u);
}
SYSTEMC_TEST_F(FetchOfTwoWaysTest, OnlyTheLineThatIsNamedIsInvalidated) {
  run_program({data_to_x2, 0xd50b7522 /* ic ivau, x2 */, 0x10ffffc2 /* adr x2, the first one */, 0xd50b7522,
               nop, wfi});
  EXPECT_EQ(misses(), 2u);
}
SYSTEMC_TEST_F(FetchOfTwoWaysTest, AfterPowerLossLinesAreFilledAgain) {
  run_program({wfi});
  EXPECT_EQ(bus.monitored.size(), 1u);
  caches.reset(Reset::power_loss);
  core.reset(Reset::power_loss);
  run_program({wfi});
  EXPECT_EQ(bus.monitored.size(), 2u);
}

struct InclusiveFetchTest : FetchTest {
  InclusiveFetchTest()
      : FetchTest({.model = CacheModel::tags,
                   .l1d = {.size = 64_B, .ways = 1},
                   .l1i = L1Config{.size = 64_B, .ways = 1},
                   .l2 = SharedCacheConfig{.size = 128_B, .ways = 2, .inclusion = Inclusion::inclusive}}) {}
};
SYSTEMC_TEST_F(InclusiveFetchTest, ALineOfCodeThatTheL2EvictsIsFetchedAgain) {
  run_program({data_to_x2,
               0xf9400043,  // ldr x3, [x2]: beside the code
               0xf9404043,  // ldr x3, [x2, #128]: in its place
               nop, wfi});
  EXPECT_EQ(misses(), 2u);
  EXPECT_EQ(count("core0_l1i", "invalidations"), 1u);
}

// Against tags that see every fetch.
struct CheckedFetchTest : FetchTest {
  CheckedFetchTest() : FetchTest(config(128_B, 2, CacheModel::checked)) {}
};
SYSTEMC_TEST_F(CheckedFetchTest, TheFetchesThatAreNotMadeChangeNothing) {
  run_program(two_lines());
  EXPECT_EQ(misses(), 2u);
  EXPECT_EQ(core.state(), State::waiting);
}

SYSTEMC_TEST_F(CoreCachesTest, InvalidationsOfDirectMemoryReachTheCore) {
  run_program({data_to_x2, 0xf9400043, 0x14000000}, 1_us);  // ldr x3, [x2]; b .
  EXPECT_EQ(bus.memory_accesses, 1u);
  bus.withdraw(code);  // the page that the core executes; nothing is granted any more
  wait_for(2_us);
  EXPECT_NE(core.iss().read(CoreRegister::pc), code + 8);
}

}  // namespace
}  // namespace asterism
