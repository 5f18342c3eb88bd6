// Exclusives, acquire and release, atomics.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/a64/a64_test.h"
#include "core/a64/exclusive_monitors.h"
#include "core/debug_port.h"

namespace asterism::a64 {
namespace {

constexpr unsigned data_abort_alignment = 0x21;

struct ExclusiveTest : A64Test {
  void poke(std::uint64_t address, std::uint64_t value) {
    std::memcpy(host.memory.bytes + (address - code_base), &value, sizeof value);
  }
  // The state after one instruction; X0 is the address of data with the value `memory`.
  State after(std::uint32_t word, std::uint64_t memory, std::uint64_t x1 = 0, std::uint64_t x2 = 0,
              std::uint64_t x3 = 0) {
    poke(data_base, memory);
    return run({word}, data_base, x1, x2, x3);
  }
  // The data in memory after one instruction.
  std::uint64_t stored(std::uint32_t word, std::uint64_t memory, std::uint64_t x1 = 0, std::uint64_t x2 = 0,
                       std::uint64_t x3 = 0) {
    after(word, memory, x1, x2, x3);
    return host.peek(data_base);
  }
  void expect_alignment_fault(std::uint32_t word, bool is_store) {
    State before = with(data_base + 1, 1, 2, 3);
    before.pc = code_base;
    host.place(code_base, {word});
    host.place(vectors + 0x200, {0x1400'0000});  // b .
    core->invalidate_code(host.memory_range());
    core->set_state(before);
    host.on_due = [this] { core->request_stop(); };
    core->call_at(core->instructions() + 1);
    core->run();
    const State state = core->state();
    EXPECT_EQ(state.system.esr, esr::make(esr::ec_data_abort, data_abort_alignment | unsigned{is_store} << 6))
        << std::hex << word;
    EXPECT_EQ(state.system.far, data_base + 1);
    EXPECT_EQ(state.system.elr, code_base);
    EXPECT_EQ(state.x, before.x);
  }
};

constexpr std::uint32_t ldxr = 0xc85f7c02;  // ldxr x2, [x0]
constexpr std::uint32_t stxr = 0xc8037c01;  // stxr w3, x1, [x0]

TEST_F(ExclusiveTest, StoreExclusivePassesBehindItsLoad) {
  poke(data_base, 41);
  const State state = run({ldxr, stxr}, data_base, 42, 0, 7);
  EXPECT_EQ(state.x[2], 41u);
  EXPECT_EQ(state.x[3], 0u);
  EXPECT_EQ(host.peek(data_base), 42u);
  EXPECT_FALSE(state.monitor.armed);
}

TEST_F(ExclusiveTest, StoreExclusiveFailsWithoutALoad) {
  EXPECT_EQ(after(stxr, 41, 42).x[3], 1u);
  EXPECT_EQ(host.peek(data_base), 41u);
}

TEST_F(ExclusiveTest, StoreExclusiveFailsTheSecondTime) {
  poke(data_base, 41);
  const State state = run({ldxr, stxr, stxr}, data_base, 42);
  EXPECT_EQ(state.x[3], 1u);
}

TEST_F(ExclusiveTest, StoreExclusiveFailsWhenAnotherMasterHasStored) {
  poke(data_base, 41);
  const State loaded = run({ldxr}, data_base, 42);
  EXPECT_TRUE(loaded.monitor.armed);
  poke(data_base, 40);
  const State state = run({stxr}, loaded);
  EXPECT_EQ(state.x[3], 1u);
  EXPECT_EQ(host.peek(data_base), 40u);
  EXPECT_FALSE(state.monitor.armed);
}

TEST_F(ExclusiveTest, StoreExclusiveFailsOnAnotherAddressOrSize) {
  State loaded = run({ldxr}, data_base, 42);
  EXPECT_EQ(run({0x88037c01}, loaded).x[3], 1u);  // stxr w3, w1, [x0]
  loaded.x[0] += 8;
  EXPECT_EQ(run({stxr}, loaded).x[3], 1u);
}

TEST_F(ExclusiveTest, ClrexDropsTheMonitor) {
  EXPECT_EQ(run({ldxr, 0xd5033f5f, stxr}, data_base, 42).x[3], 1u);  // ldxr; clrex; stxr
}

TEST_F(ExclusiveTest, TheMonitorIsPartOfTheState) {
  const State loaded = run({ldxr}, data_base, 42);
  core->reset();
  EXPECT_EQ(run({stxr}, loaded).x[3], 0u);
}

TEST_F(ExclusiveTest, SizesOfExclusives) {
  constexpr std::uint64_t memory = 0x8899'aabb'ccdd'eeff, x1 = 0x1122'3344'5566'7788;
  poke(data_base, memory);
  const State bytes = run({0x085ffc02, 0x0803fc01}, data_base, x1);  // ldaxrb w2, [x0]; stlxrb w3, w1, [x0]
  EXPECT_EQ(bytes.x[2], 0xffu);
  EXPECT_EQ(host.peek(data_base), 0x8899'aabb'ccdd'ee88u);
  const State halves = run({0x485f7c02, 0x48037c01}, data_base, x1);  // ldxrh w2, [x0]; stxrh w3, w1, [x0]
  EXPECT_EQ(halves.x[2], 0xee88u);
  EXPECT_EQ(host.peek(data_base), 0x8899'aabb'ccdd'7788u);
  const State words = run({0x885f7c02, 0x88037c01}, data_base, x1);  // ldxr w2, [x0]; stxr w3, w1, [x0]
  EXPECT_EQ(words.x[2], 0xccdd'7788u);
  EXPECT_EQ(host.peek(data_base), 0x8899'aabb'5566'7788u);
}

TEST_F(ExclusiveTest, PairsOfRegisters) {
  State before = with(data_base, 0x11);
  before.x[5] = 0x55;
  poke(data_base, 1), poke(data_base + 8, 2);
  const State wide = run({0xc87f1002, 0xc8231401}, before);  // ldxp x2, x4, [x0]; stxp w3, x1, x5, [x0]
  EXPECT_EQ(wide.x[2], 1u);
  EXPECT_EQ(wide.x[4], 2u);
  EXPECT_EQ(wide.x[3], 0u);
  EXPECT_EQ(host.peek(data_base), 0x11u);
  EXPECT_EQ(host.peek(data_base + 8), 0x55u);
  const State narrow = run({0x887f1002, 0x88239401}, before);  // ldxp w2, w4, [x0]; stlxp w3, w1, w5, [x0]
  EXPECT_EQ(narrow.x[2], 0x11u);
  EXPECT_EQ(narrow.x[4], 0u);
  EXPECT_EQ(host.peek(data_base), 0x55'0000'0011u);
}

TEST_F(ExclusiveTest, ExclusivesOnMemoryBehindTheBusCompareThere) {
  core->unmap_direct({Address(data_base), 4_KiB});
  host.direct = false;
  poke(data_base, 41);
  const State loaded = run({ldxr}, data_base, 42);
  EXPECT_EQ(loaded.x[2], 41u);
  EXPECT_EQ(run({stxr}, loaded).x[3], 0u);
  EXPECT_EQ(host.peek(data_base), 42u);
  poke(data_base, 7);
  EXPECT_EQ(run({stxr}, loaded).x[3], 1u);
  EXPECT_EQ(host.peek(data_base), 7u);
}

TEST_F(ExclusiveTest, AcquireAndRelease) {
  EXPECT_EQ(after(0xc8dffc02, 0x8877'6655'4433'2211).x[2], 0x8877'6655'4433'2211u);  // ldar x2, [x0]
  EXPECT_EQ(after(0x08dffc02, 0x8877'6655'4433'2211).x[2], 0x11u);                   // ldarb w2, [x0]
  EXPECT_EQ(after(0x88dffc02, 0x8877'6655'4433'2211).x[2], 0x4433'2211u);            // ldar w2, [x0]
  EXPECT_EQ(stored(0xc89ffc01, 0, 0x1234), 0x1234u);                                 // stlr x1, [x0]
  EXPECT_EQ(stored(0x489ffc01, 0, ~0ull), 0xffffu);                                  // stlrh w1, [x0]
  EXPECT_EQ(stored(0x889ffc01, 0, ~0ull), 0xffff'ffffu);                             // stlr w1, [x0]
}

TEST_F(ExclusiveTest, UnalignedOnesFault) {
  for (const std::uint32_t word : {
           ldxr,         // ldxr x2, [x0]
           0x485f7c02u,  // ldxrh w2, [x0]
           0xc87f1002u,  // ldxp x2, x4, [x0]
           0xc8dffc02u,  // ldar x2, [x0]
           0xf8210002u,  // ldadd x1, x2, [x0]
           0x78212002u,  // ldeorh w1, w2, [x0]
           0xc8a27c01u,  // cas x2, x1, [x0]
           0x48227c04u,  // casp x2, x3, x4, x5, [x0]
       })
    expect_alignment_fault(word, false);
  for (const std::uint32_t word : {stxr, 0x489ffc01u}) expect_alignment_fault(word, true);  // stxr; stlrh
}

TEST_F(ExclusiveTest, PairsAreAlignedToTheWholeOfThem) {
  State before = with(data_base + 8);
  before.pc = code_base;
  host.place(code_base, {0xc87f1002});  // ldxp x2, x4, [x0]
  core->invalidate_code(host.memory_range());
  core->set_state(before);
  host.on_due = [this] { core->request_stop(); };
  core->call_at(core->instructions() + 1);
  core->run();
  EXPECT_EQ(core->read(CoreRegister::far), data_base + 8);
}

// ---- LSE ----

TEST_F(ExclusiveTest, AtomicsCombineAndReturnWhatWasThere) {
  EXPECT_EQ(after(0xf8210002, 40, 2).x[2], 40u);  // ldadd x1, x2, [x0]
  EXPECT_EQ(host.peek(data_base), 42u);
  EXPECT_EQ(stored(0x38e10002, 0x1'00ff, 1), 0x1'0000u);              // ldaddalb w1, w2, [x0]
  EXPECT_EQ(stored(0xf8211002, 0xff, 0x0f), 0xf0u);                   // ldclr x1, x2, [x0]
  EXPECT_EQ(stored(0x78212002, 0x1'00ff, 0x0f0f), 0x1'0ff0u);         // ldeorh w1, w2, [x0]
  EXPECT_EQ(stored(0xb8213002, 0xf0, 0xffff'ffff'0000'000f), 0xffu);  // ldset w1, w2, [x0]
  EXPECT_EQ(stored(0x38214002, 0x80, 1), 1u);                         // ldsmaxb w1, w2, [x0]
  EXPECT_EQ(stored(0xf8215002, 5, ~0ull), ~0ull);                     // ldsmin x1, x2, [x0]
  EXPECT_EQ(stored(0x38216002, 0x80, 1), 0x80u);                      // ldumaxb w1, w2, [x0]
  EXPECT_EQ(stored(0xb8217002, 5, 0xffff'ffff), 5u);                  // ldumin w1, w2, [x0]
  EXPECT_EQ(after(0xf8218002, 1, 2).x[2], 1u);                        // swp x1, x2, [x0]
  EXPECT_EQ(host.peek(data_base), 2u);
  EXPECT_EQ(stored(0xf821001f, 1, 2), 3u);  // stadd x1, [x0]
}

TEST_F(ExclusiveTest, CompareAndSwap) {
  EXPECT_EQ(after(0xc8a27c01, 41, 42, 41).x[2], 41u);  // cas x2, x1, [x0]
  EXPECT_EQ(host.peek(data_base), 42u);
  EXPECT_EQ(after(0xc8a27c01, 41, 42, 40).x[2], 41u);  // cas x2, x1, [x0]
  EXPECT_EQ(host.peek(data_base), 41u);
  EXPECT_EQ(stored(0x08e2fc01, 0x1234, 0xff, 0xab34), 0x12ffu);  // casalb w2, w1, [x0]
  EXPECT_EQ(stored(0xc8bf7c01, 0, 42), 42u);                     // cas xzr, x1, [x0]
}

TEST_F(ExclusiveTest, CompareAndSwapOfPairs) {
  State before = with(data_base, 0, 1, 2);
  before.x[4] = 4, before.x[5] = 5, before.x[30] = 1;
  poke(data_base, 1), poke(data_base + 8, 2);
  const State equal = run({0x48227c04}, before);  // casp x2, x3, x4, x5, [x0]
  EXPECT_EQ(host.peek(data_base), 4u);
  EXPECT_EQ(host.peek(data_base + 8), 5u);
  EXPECT_EQ(equal.x[2], 1u);
  EXPECT_EQ(equal.x[3], 2u);
  const State differs = run({0x48227c04}, before);  // casp x2, x3, x4, x5, [x0]
  EXPECT_EQ(differs.x[2], 4u);
  EXPECT_EQ(differs.x[3], 5u);
  poke(data_base, 0x2'0000'0001);
  run({0x08227c04}, before);  // casp w2, w3, w4, w5, [x0]
  EXPECT_EQ(host.peek(data_base), 0x5'0000'0004u);
  poke(data_base, 1), poke(data_base + 8, 0);
  EXPECT_EQ(run({0x487efc04}, before).x[30], 1u);  // caspal x30, xzr, x4, x5, [x0]
  EXPECT_EQ(host.peek(data_base + 8), 5u);
}

TEST_F(ExclusiveTest, CompareAndSwapOfOddPairsIsUndefined) {
  expect_undefined(0x48237c04);  // casp x3, x4, x4, x5, [x0]
  expect_undefined(0x48227c05);  // casp x2, x3, x5, x6, [x0]
}

TEST_F(ExclusiveTest, AtomicsOnADeviceAreALoadAndAStore) {
  host.on_load = [](std::uint64_t) { return 40u; };
  EXPECT_EQ(run({0xf8210002}, device + 8, 2).x[2], 40u);  // ldadd x1, x2, [x0]
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', device + 8, 8, 40}, {'w', device + 8, 8, 42}}));
}

TEST_F(ExclusiveTest, CompareAndSwapThatFindsAnotherValueStoresNothing) {
  host.on_load = [](std::uint64_t) { return 40u; };
  run({0xc8a27c01}, device + 8, 2, 41);  // cas x2, x1, [x0]
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{{'r', device + 8, 8, 40}}));
}

// ---- cores that share memory ----

struct SharedMemoryTest : testing::Test {
  IssTestHost host;
  std::shared_ptr<ExclusiveMonitors> monitors = std::make_shared<ExclusiveMonitors>();
  std::vector<std::unique_ptr<NativeIss>> cores;
  SharedMemoryTest() {
    for (unsigned index = 0; index < 3; ++index) {
      cores.push_back(make_native_iss(host, index, {}, monitors));
      cores.back()->map_direct(host.memory_range(), host.memory.bytes);
    }
    set(41);
  }
  void set(std::uint64_t value) {
    std::memcpy(host.memory.bytes + (data_base - code_base), &value, sizeof value);
  }
  // Executes one instruction with X0 = address and X1 = x1, without a change of the monitor, and returns the
  // state after it.
  State run(unsigned core, std::uint32_t word, std::uint64_t address = data_base, std::uint64_t x1 = 41) {
    NativeIss& iss = *cores[core];
    host.place(code_base, {word});
    iss.invalidate_code(host.memory_range());
    State before = iss.state();
    before.pc = code_base;
    before.x[0] = address, before.x[1] = x1;
    iss.set_state(before);
    host.on_due = [&] { iss.request_stop(); };
    iss.call_at(iss.instructions() + 1);
    EXPECT_EQ(iss.run(), Iss::Stop::requested);
    return iss.state();
  }
  bool passes(unsigned core) { return run(core, stxr).x[3] == 0; }
};

constexpr std::uint32_t str = 0xf9000001;  // str x1, [x0]

TEST_F(SharedMemoryTest, AStoreOfTheSameValueByAnotherCoreIsSeen) {
  run(0, ldxr);
  EXPECT_TRUE(passes(0));
  run(0, ldxr);
  run(1, str);
  EXPECT_FALSE(passes(0));
  run(1, str);
  run(0, ldxr);  // after the store
  EXPECT_TRUE(passes(0));
}

TEST_F(SharedMemoryTest, EveryStoreThatIsSlowOrFastIsSeen) {
  for (const std::uint32_t word : {str, 0xf8218001u /* swp x1, x1, [x0] */, 0xc89ffc01u /* stlr x1, [x0] */,
                                   0xa9000401u /* stp x1, x1, [x0] */}) {
    run(0, ldxr);
    run(2, word);
    EXPECT_FALSE(passes(0)) << std::hex << word;
  }
}

TEST_F(SharedMemoryTest, ALoadExclusiveOfAThirdCoreDoesNotHideAStore) {
  run(0, ldxr);
  run(1, str);
  run(2, ldxr);
  EXPECT_FALSE(passes(0));
  EXPECT_TRUE(passes(2));
}

TEST_F(SharedMemoryTest, ALoadExclusiveElsewhereOnThePageDoesNotHideAStore) {
  run(0, ldxr);
  run(1, str);
  run(2, ldxr, data_base + 192);
  EXPECT_FALSE(passes(0));
}

// The second store hits in the TLB, unless the load exclusive has removed the page from it.
TEST_F(SharedMemoryTest, AStoreThatFollowsALoadExclusiveToAPageThatWasStoredToBeforeIsSeen) {
  NativeIss& other = *cores[1];
  run(1, str, data_base + 192);
  host.place(code_base + 4, {str});
  const auto step = [&] {
    host.on_due = [&] { other.request_stop(); };
    other.call_at(other.instructions() + 1);
    EXPECT_EQ(other.run(), Iss::Stop::requested);
  };
  run(0, ldxr, data_base + 192);
  step();
  EXPECT_EQ(run(0, stxr, data_base + 192).x[3], 1u);
}

TEST_F(SharedMemoryTest, OnlyOneOfTwoStoresExclusivePasses) {
  run(0, ldxr);
  run(1, ldxr);
  EXPECT_TRUE(passes(1));
  EXPECT_FALSE(passes(0));
}

TEST_F(SharedMemoryTest, AStoreToAnotherLineIsNotSeen) {
  run(1, str, data_base + 64);
  run(0, ldxr);
  run(1, str, data_base + 64);
  run(0, str);  // the core's own store does not count either
  EXPECT_TRUE(passes(0));
}

TEST_F(SharedMemoryTest, CollectingWritesHidesNoStore) {
  run(0, ldxr);
  run(1, str);
  EXPECT_EQ(cores[1]->collect_writes(host.memory_range()), (std::vector<PageLines>{{Address(data_base), 1}}));
  EXPECT_FALSE(passes(0));
  // The monitor's mark does not make the line dirty.
  EXPECT_TRUE(cores[1]->collect_writes(host.memory_range()).empty());
}

// ---- messages to other cores ----

struct MessageTest : ExclusiveTest {
  // Every message has to wait once.
  unsigned waited = 0;
  bool has_waited = false;
  MessageTest() {
    core->set_alone(false);
    host.on_has_to_wait = [this](std::optional<SystemRegister>) { return !std::exchange(has_waited, false); };
    host.on_wait_for_others = [this] { ++waited, has_waited = true; };
  }
};

TEST_F(MessageTest, OnlyInstructionsThatMayBeMessagesWaitForOthers) {
  struct Case {
    std::uint32_t word;
    bool is_message;
  };
  constexpr Case cases[] = {
      {0xc89ffc02, true},   // stlr x2, [x0]
      {0xd5033bbf, true},   // dmb ish
      {0xd5033abf, true},   // dmb ishst
      {0xd5033f9f, true},   // dsb sy
      {0xd50339bf, false},  // dmb ishld
      {0xf9000002, false},  // str x2, [x0]
      {0xc85f7c03, false},  // ldxr x3, [x0]
      {0xc8037c02, true},   // stxr w3, x2, [x0]
      {0xc8239002, true},   // stlxp w3, x2, x4, [x0]
      {0xf8220003, true},   // ldadd x2, x3, [x0]
      {0xf8228003, true},   // swp x2, x3, [x0]
      {0xc8a37c02, true},   // cas x3, x2, [x0]
      {0x48247c02, true},   // casp x4, x5, x2, x3, [x0]
      {0xc8dffc03, false},  // ldar x3, [x0]
      {0xf9400003, false},  // ldr x3, [x0]
  };
  std::uint64_t seen = 0;
  host.on_wait_for_others = [&] { ++waited, has_waited = true, seen = host.peek(data_base); };
  for (const bool is_alone : {false, true}) {
    core->set_alone(is_alone);
    for (const Case& each : cases) {
      waited = 0;
      seen = 41;
      after(each.word, 41, 0, 42);
      EXPECT_EQ(waited, each.is_message && !is_alone ? 1u : 0u) << std::hex << each.word;
      EXPECT_EQ(seen, 41u) << std::hex << each.word;  // before its store
    }
  }
}

TEST_F(MessageTest, AReadOfAHostRegisterMayHaveToWait) {
  host.registers[system_register::cntvct_el0.code()] = 1;
  std::vector<std::optional<SystemRegister>> asked;
  host.on_has_to_wait = [&](std::optional<SystemRegister> read) {
    asked.push_back(read);
    return waited == 0;
  };
  host.on_wait_for_others = [&] { ++waited, ++host.registers[system_register::cntvct_el0.code()]; };
  EXPECT_EQ(run({0xd53be042}).x[2], 2u);  // mrs x2, cntvct_el0
  EXPECT_EQ(asked, (std::vector<std::optional<SystemRegister>>(2, system_register::cntvct_el0)));
}

TEST_F(MessageTest, ACoreStoppedDuringItsWaitIsBeforeTheInstruction) {
  poke(data_base, 41);
  host.place(code_base, {0xc89ffc02});  // stlr x2, [x0]
  core->invalidate_code(host.memory_range());
  core->set_state(with(data_base, 0, 42));
  core->write(CoreRegister::pc, code_base);
  host.on_wait_for_others = [&] {
    ++waited;
    core->request_stop();
    EXPECT_EQ(core->read(CoreRegister::pc), code_base);
    EXPECT_TRUE(core->debug_port().is_between_instructions());
  };
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(host.peek(data_base), 41u);
  EXPECT_EQ(core->instructions(), 0u);
  has_waited = true;
  host.on_due = [this] { core->request_stop(); };
  core->call_at(1);
  EXPECT_EQ(core->run(), Iss::Stop::requested);
  EXPECT_EQ(host.peek(data_base), 42u);
  EXPECT_EQ(waited, 1u);
}

// Otherwise another core that stores whenever this one waits would make it fail for ever.
TEST_F(MessageTest, AStoreExclusiveThatFailsWaitsBeforeItsLoadTheNextTime) {
  host.on_wait_for_others = [&] {
    poke(data_base, 100 + ++waited);
    has_waited = true;
  };
  const State failed = run({ldxr, stxr}, data_base, 42);
  EXPECT_EQ(failed.x[3], 1u);
  EXPECT_EQ(waited, 1u);
  const State passed = run({ldxr, stxr}, failed);
  EXPECT_EQ(passed.x[3], 0u);
  EXPECT_EQ(passed.x[2], 102u);
  EXPECT_EQ(waited, 2u);
  EXPECT_EQ(run({ldxr, stxr}, passed).x[3], 1u);  // it fails as it did the first time
}

TEST_F(MessageTest, ALoadExclusiveThatRepeatsAnotherWaitsInPlaceOfItsStore) {
  State state = run({ldxr}, data_base, 42);
  EXPECT_EQ(waited, 0u);
  EXPECT_EQ(host.spun, 0u);
  state = run({ldxr}, state);
  EXPECT_EQ(waited, 1u);
  EXPECT_EQ(host.spun, 1u);
  state = run({stxr}, state);
  EXPECT_EQ(state.x[3], 0u);
  EXPECT_EQ(waited, 1u);
  run({ldxr, stxr}, state);
  EXPECT_EQ(waited, 2u);  // it waits at the store, as it did the first time
  EXPECT_EQ(host.spun, 1u);
}

TEST_F(MessageTest, ALoadExclusiveOfAnotherAddressDoesNotSpin) {
  State state = run({ldxr}, data_base, 42);
  state.x[0] += 64;
  run({ldxr}, state);
  EXPECT_EQ(host.spun, 0u);
}

TEST_F(MessageTest, ACoreThatIsAloneDoesNotSpin) {
  core->set_alone(true);
  run({ldxr}, run({ldxr}, data_base, 42));
  EXPECT_EQ(waited, 0u);
  EXPECT_EQ(host.spun, 0u);
}

TEST_F(SharedMemoryTest, ACoreThatHasLeftIsNotAsked) {
  run(0, ldxr);
  cores[1].reset();
  EXPECT_TRUE(passes(0));
}

TEST_F(ExclusiveTest, AtomicsMayBeLeftOut) {
  core = make_native_iss(host, 0, {.features = CoreFeatures{usual_features}.without(CoreFeature::lse)});
  host.core = core.get();
  core->map_direct(host.memory_range(), host.memory.bytes);
  core->write(CoreRegister::vbar, vectors);
  for (const std::uint32_t word : {0xf8210002u, 0xf8218002u, 0xc8a27c01u, 0x48227c04u, 0x88df7c02u})
    expect_undefined(word);
}

}  // namespace
}  // namespace asterism::a64
