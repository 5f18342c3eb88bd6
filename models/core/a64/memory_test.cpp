// What the memory of a core does besides moving bytes: it records lines that were stored to, detects stores
// to code, accesses devices, handles monitored and unmapped memory, and keeps a TLB.
#include "core/a64/memory.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/a64/cpu.h"
#include "core/a64/mmu_test.h"
#include "core/a64/stores_of_every_kind.h"

namespace asterism::a64 {
namespace {

struct MemoryTest : MmuTest {
  static constexpr AddressRange everything{Address(0), Bytes(~std::uint64_t{0})};
  Lines collect(AddressRange range = everything) { return by_page(core->collect_writes(range)); }
  // The lines that a program marks when it runs from `before`.
  Lines marks(const std::vector<std::uint32_t>& words, const State& before) {
    collect();
    run(words, before);
    return collect();
  }
};

// ---- lines that were stored to ----

TEST_F(MemoryTest, AStoreOfEveryKindMarksExactlyItsLines) {
  const std::uint64_t p = data_base, q = data_base + page_size;
  map(p, p, at_el0);  // for STTR
  for (const auto& [word, address, expected] : stores_of_every_kind(p)) {
    std::memset(&this->word(p), 0, 2 * page_size);
    State before = with_mmu(address, 0, 2, 32);
    before.x[9] = p + std::uint64_t{62} * 64, before.x[10] = q + std::uint64_t{62} * 64;
    EXPECT_EQ(marks({word}, before), expected) << std::hex << word << " to " << address;
    // Stores take the fast path once the pages have been stored to.
    std::memset(&this->word(p), 0, 2 * page_size);
    Lines also = expected;
    also[p] |= line(62), also[q] |= line(62);
    EXPECT_EQ(marks(
                  {
                      0x3900013f,  // strb wzr, [x9]
                      0x3900015f,  // strb wzr, [x10]
                      word,
                  },
                  before),
              also)
        << std::hex << word << " to " << address;
  }
}

TEST_F(MemoryTest, AStoreExclusiveMarksWhenItStores) {
  const Lines expected = {{data_base, line(2)}};
  EXPECT_EQ(marks(
                {
                    0xc85f7c02,  // ldxr x2, [x0]
                    0xc8037c02,  // stxr w3, x2, [x0]
                },
                with_mmu(data_base + 128)),
            expected);
  EXPECT_EQ(marks({0xc8037c02}, with_mmu(data_base + 128)), Lines{});  // stxr w3, x2, [x0]
}

TEST_F(MemoryTest, CollectingClearsLinesInTheRangeOnly) {
  const State before = with_mmu(data_base, data_base + page_size);
  run(
      {
          0x3900001f,  // strb wzr, [x0]
          0x3901003f,  // strb wzr, [x1, #64]
      },
      before);
  EXPECT_EQ(collect({Address(data_base + page_size), Bytes(page_size)}),
            (Lines{{data_base + page_size, line(1)}}));
  EXPECT_EQ(collect({Address(data_base + page_size), Bytes(page_size)}), Lines{});
  EXPECT_EQ(collect(), (Lines{{data_base, line(0)}}));
  EXPECT_EQ(collect(), Lines{});
}

TEST_F(MemoryTest, PagesAreReportedInAscendingOrder) {
  const State before = with_mmu(data_base, data_base + page_size, data_base + 4 * page_size);
  collect();
  run(
      {
          0x3900005f,  // strb wzr, [x2]
          0x3900001f,  // strb wzr, [x0]
          0x3900003f,  // strb wzr, [x1]
      },
      before);
  EXPECT_EQ(core->collect_writes(everything),
            (std::vector<PageLines>{{Address(data_base), line(0)},
                                    {Address(data_base + page_size), line(0)},
                                    {Address(data_base + 4 * page_size), line(0)}}));
}

TEST_F(MemoryTest, PagesCollectedOneByOneAreReportedOnceAndTrackedAgain) {
  const std::vector<std::uint32_t> words = {
      0x3900001f,  // next: strb wzr, [x0]
      0x91400400,  // add x0, x0, #0x1000
      0xf1000421,  // subs x1, x1, #1
      0x54ffffa1,  // b.ne next
  };
  collect();
  for (int round = 0; round < 2; ++round) {
    run(words, with_mmu(data_base, 8), 32);
    const std::uint64_t third = data_base + 2 * page_size;
    EXPECT_EQ(collect({Address(third), Bytes(page_size)}), (Lines{{third, line(0)}}));
    EXPECT_EQ(collect({Address(third), Bytes(page_size)}), Lines{});
    run({0x3901001f}, with_mmu(third));  // strb wzr, [x0, #64]
    EXPECT_EQ(collect({Address(third), Bytes(page_size)}), (Lines{{third, line(1)}}));
    EXPECT_EQ(collect().size(), 7u);
    EXPECT_EQ(collect(), Lines{});
  }
}

TEST_F(MemoryTest, AnIntervalMayBeginInTheMiddleOfABlock) {
  std::vector<Lines> intervals;
  host.place(code_base, {0x3900001f,  // strb wzr, [x0]
                         0x3901001f,  // strb wzr, [x0, #64]
                         0x3902001f,  // strb wzr, [x0, #128]
                         0x1400'0000});
  State before = with_mmu(data_base);
  before.pc = code_base;
  core->set_state(before);
  collect();
  host.on_due = [&] {
    intervals.push_back(collect());
    core->call_at(core->instructions() + 1);
    if (intervals.size() == 4) core->request_stop();
  };
  core->call_at(core->instructions() + 1);
  core->run();
  EXPECT_EQ(intervals,
            (std::vector<Lines>{{{data_base, line(0)}}, {{data_base, line(1)}}, {{data_base, line(2)}}, {}}));
}

// ---- stores to code ----

constexpr std::uint32_t set_x2_to_1 = 0xd2800022, set_x2_to_2 = 0xd2800042;  // movz x2, #...

TEST_F(MemoryTest, ChangedCodeIsExecuted) {
  const std::uint32_t stores[] = {
      0xb9000001,  // str w1, [x0]
      0x29000401,  // stp w1, w1, [x0]
      0xf81fc003,  // stur x3, [x0, #-4]
      0xbd000000,  // str s0, [x0]
      0xb8218004,  // swp w1, w4, [x0]
      0x889ffc01,  // stlr w1, [x0]
      0x39000001,  // strb w1, [x0]
  };
  for (const std::uint32_t store : stores) {
    State before = with_mmu(code_base + 4, set_x2_to_2, 0, std::uint64_t{set_x2_to_2} << 32 | store);
    before.v[0].d[0] = set_x2_to_2;
    EXPECT_EQ(run({store, set_x2_to_1, 0xd503201f}, before).x[2], 2u) << std::hex << store;
  }
}

TEST_F(MemoryTest, CodeIsKnownByItsPhysicalPage) {
  map(data_base, code_base);
  const State before = with_mmu(data_base + 8, set_x2_to_2, 0, data_base);
  EXPECT_EQ(run({0xb902007f,  // str wzr, [x3, #512]
                 0xb9000001,  // str w1, [x0]
                 set_x2_to_1},
                before)
                .x[2],
            2u);
}

TEST_F(MemoryTest, APageIsCodeFromTheFirstBlockOn) {
  // The page is in the TLB for stores before anything of it is decoded.
  host.place(data_base + 64, {set_x2_to_1, 0xd65f03c0});  // ret
  const State before = with_mmu(data_base, set_x2_to_2, 0, data_base + 64);
  const State after = run({0xb900001f,              // str wzr, [x0]
                           0xd63f0060, 0xb9000061,  // str w1, [x3]
                           0xd63f0060},
                          before, 8);  // blr x3
  EXPECT_EQ(after.x[2], 2u);
  EXPECT_EQ(after.pc, code_base + 16);
}

TEST_F(MemoryTest, StoresToCodeAreSeenAtEveryQuantum) {
  for (const std::uint64_t quantum : {1, 2, 3}) {
    State before = with_mmu(code_base + 8, set_x2_to_2);
    before.pc = code_base;
    host.place(code_base, {0xd503201f, 0xb9000001});  // str w1, [x0]
    host.place(code_base + 8, {set_x2_to_1, 0x1400'0000});
    core->invalidate_code(host.memory_range());
    core->set_state(before);
    const std::uint64_t end = core->instructions() + 6;
    host.on_due = [&] {
      if (core->instructions() >= end) core->request_stop();
      core->call_at(core->instructions() + quantum);
    };
    core->call_at(core->instructions() + quantum);
    core->run();
    EXPECT_EQ(core->read(CoreRegister::x2), 2u) << quantum;
  }
}

// In lockstep, the first execution of the page is rolled back together with a store to it.
TEST_F(MemoryTest, CodeBehindAStoreToItsPageIsExecutedAgainAndAgain) {
  const auto branch = [](std::uint64_t from, std::uint64_t to) {
    return 0x1400'0000 | (static_cast<std::uint32_t>((to - from) / 4) & 0x03ff'ffff);
  };
  constexpr unsigned pages = 8;
  constexpr std::uint32_t store = 0xb900001f;  // str wzr, [x0]
  const auto caller = [](unsigned i) { return code_base + std::uint64_t{64} * i; };
  const auto called = [](unsigned i) { return data_base + page_size * i + 256; };
  for (unsigned i = 0; i < pages; ++i) {
    const std::uint64_t at = caller(i);
    host.place(at,
               {store, branch(at + 4, at + 8), store, branch(at + 12, at + 16), branch(at + 16, called(i))});
    host.place(called(i), {0x91000421, branch(called(i) + 4, at + 8)});  // add x1, x1, #1
  }
  for (unsigned i = 0; i < pages; ++i) {
    State before = with_mmu(data_base + page_size * i);
    before.pc = caller(i);
    core->set_state(before);
    host.on_due = [&] { core->request_stop(); };
    core->call_at(core->instructions() + 2 + 5 * 100);
    core->run();
    EXPECT_EQ(core->read(CoreRegister::x1), 100u);
    EXPECT_EQ(core->read(CoreRegister::pc), caller(i) + 8);
  }
}

// The times of instructions depend on the code of the lines beside theirs (instruction_timing.h), even if no
// block that has instructions there is known.
TEST_F(MemoryTest, AStoreToCodeChangesTheTimesOfTheLineBeforeAtEveryQuantum) {
  constexpr std::uint32_t nop = 0xd503201f, add_x2 = 0x91000442, divide_x2 = 0x9ac30842;
  std::vector<std::uint32_t> words(max_block, nop);
  words[0] = 0xb9000001;                                               // str w1, [x0]
  std::fill(words.end() - instructions_of_line, words.end(), add_x2);  // a chain to the word behind the block
  words.push_back(nop);
  const auto time = [&](std::uint32_t behind, std::uint32_t stored, std::uint64_t quantum) {
    core = make_native_iss(host, 0,
                           {.timing = std::make_shared<const CoreTiming>(CoreTiming{
                                .width = 2, .integer = {1, 2}, .divide = {20, 0.05}, .store = {1, 1}})});
    host.core = core.get();
    core->map_direct(host.memory_range(), host.memory.bytes);
    words.back() = behind;
    host.place(code_base, words);
    State before = with_mmu(code_base + std::uint64_t{4} * max_block, stored, 0, 1);
    before.pc = code_base;
    core->set_state(before);
    const auto next = [&] { return std::min<std::uint64_t>(core->instructions() + quantum, max_block); };
    host.on_due = [&] {
      if (core->instructions() == max_block) core->request_stop();
      core->call_at(next());
    };
    core->call_at(next());
    core->run();
    EXPECT_EQ(core->instructions(), max_block);
    EXPECT_EQ(core->read(CoreRegister::x2), instructions_of_line);
    return core->executed_time();
  };
  const std::uint64_t short_time = time(nop, nop, 100), long_time = time(divide_x2, divide_x2, 100);
  EXPECT_GT(long_time, short_time);
  for (const std::uint64_t quantum : {1, 3, 20, 100}) {
    EXPECT_EQ(time(divide_x2, nop, quantum), short_time) << quantum;
    EXPECT_EQ(time(nop, divide_x2, quantum), long_time) << quantum;
  }
}

// ---- devices ----

TEST_F(MemoryTest, DevicesAreAccessedInAlignedPiecesOfAtMost8Bytes) {
  using Sizes = std::vector<std::pair<std::uint64_t, unsigned>>;  // offset, size
  const struct {
    std::uint32_t word;
    std::uint64_t offset;
    Sizes expected;
  } cases[] = {
      {0xf9400002, 8, {{8, 8}}},                               // ldr x2, [x0]
      {0xf9000002, 16, {{16, 8}}},                             // str x2, [x0]
      {0x39400002, 3, {{3, 1}}},                               // ldrb w2, [x0]
      {0xa9400c02, 16, {{16, 8}, {24, 8}}},                    // ldp x2, x3, [x0]
      {0x29000c02, 16, {{16, 4}, {20, 4}}},                    // stp w2, w3, [x0]
      {0x3dc00002, 32, {{32, 8}, {40, 8}}},                    // ldr q2, [x0]
      {0xad000c02, 32, {{32, 8}, {40, 8}, {48, 8}, {56, 8}}},  // stp q2, q3, [x0]
      {0xf9400002, 1, {{1, 1}, {2, 2}, {4, 4}, {8, 1}}},       // ldr x2, [x0]
      {0xb9000002, 2, {{2, 2}, {4, 2}}},                       // str w2, [x0]
      {0xa9400c02, 4, {{4, 4}, {8, 8}, {16, 4}}},              // ldp x2, x3, [x0]
  };
  for (const auto& [word, offset, expected] : cases) {
    host.accesses.clear();
    State before = with(device + offset);
    before.system.cpacr = 3 << 20;
    run({word}, before);
    Sizes sizes;
    for (const BusAccess& each : host.accesses) sizes.emplace_back(each.address - device, each.size);
    EXPECT_EQ(sizes, expected) << std::hex << word;
  }
}

TEST_F(MemoryTest, BytesOfADeviceComeAndGoInTheirOrder) {
  host.on_load = [](std::uint64_t address) { return 0x0101'0101'0101'0101u * (address & 0xf); };
  EXPECT_EQ(run({0xf8401002}, device).x[2], 0x08'04040404'0202'01u);  // ldur x2, [x0, #1]
  run({0xf8006001}, device, 0x8877'6655'4433'2211);                   // stur x1, [x0, #6]
  const std::vector<BusAccess> stores(host.accesses.end() - 3, host.accesses.end());
  EXPECT_EQ(stores, (std::vector<BusAccess>{{'w', device + 6, 2, 0x2211},
                                            {'w', device + 8, 4, 0x6655'4433},
                                            {'w', device + 12, 2, 0x8877}}));
}

TEST_F(MemoryTest, ARefusedAccessIsAnSErrorAndLoadsOnes) {
  const std::uint64_t nowhere = 0x7000'0000;
  State before = with(nowhere, nowhere);
  before.daif = 0x3c0;
  const State after = run(
      {
          0x79400002,  // ldrh w2, [x0]
          0xf8408c23,  // ldr x3, [x1, #8]!
          0xf9000003,  // str x3, [x0]
          0xd50344ff,  // msr daifclr, #4: it was masked and stayed pending
          0xd503201f,  // nop
      },
      before);
  EXPECT_EQ(after.x[2], 0xffffu);
  EXPECT_EQ(after.x[3], ~0ull);
  EXPECT_EQ(after.x[1], nowhere + 8);
  EXPECT_EQ(after.system.esr, esr::make(esr::ec_serror, 0x11));
  EXPECT_EQ(after.system.elr, code_base + 16);
  EXPECT_EQ(after.pc, vectors + 0x380);
}

TEST_F(MemoryTest, AnSErrorIsTakenAfterItsInstruction) {
  State before = with(0x7000'0000);
  before.daif = 0;
  const State after = run({0xf8408402, 0xd503201f}, before, 2);  // ldr x2, [x0], #8
  EXPECT_EQ(after.system.elr, code_base + 4);
  EXPECT_EQ(after.x[0], 0x7000'0008u);
}

TEST_F(MemoryTest, AnAccessMayBeginInMemoryAndEndInADevice) {
  map(data_base + page_size, device);
  host.on_load = [](std::uint64_t) { return 0xdddd'dddd; };
  word(data_base + page_size - 8) = 0x8877'6655'4433'2211;
  const State after = run(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf9000001,  // str x1, [x0]
      },
      with_mmu(data_base + page_size - 4, 0x1122'3344'5566'7788));
  EXPECT_EQ(after.x[2], 0xdddd'dddd'8877'6655u);
  EXPECT_EQ(word(data_base + page_size - 8), 0x5566'7788'4433'2211u);
  EXPECT_EQ(host.accesses,
            (std::vector<BusAccess>{{'r', device, 4, 0xdddd'dddd}, {'w', device, 4, 0x1122'3344}}));
}

TEST_F(MemoryTest, MemoryUnmappedDuringAnAccessIsNotAccessed) {
  map(data_base, device);
  host.record_memory = true;
  host.on_load = [&](std::uint64_t) {
    host.direct = false;
    core->unmap_direct(host.memory_range());
    return 0;
  };
  host.place(code_base, {0xf9400002});  // ldr x2, [x0]
  State before = with_mmu(data_base + page_size - 4);
  before.pc = code_base;
  word(data_base + page_size) = 0x5a5a'5a5a;
  core->set_state(before);
  core->call_at(core->instructions() + 1);
  host.on_due = [&] { core->request_stop(); };
  core->run();
  EXPECT_EQ(core->read(CoreRegister::x2), 0x5a5a'5a5a'0000'0000u);
  EXPECT_EQ(host.accesses.back(), (BusAccess{'r', data_base + page_size, 4, 0x5a5a'5a5a}));
}

// ---- read-only memory ----

TEST_F(MemoryTest, ReadOnlyMemoryIsLoadedDirectlyAndStoredToByTheHost) {
  const AddressRange where{Address(data_base), Bytes(page_size)};
  word(data_base) = 5;
  core->map_read_only(where, host.memory.bytes + (data_base - code_base));
  host.record_memory = true;
  const State after = run(
      {
          0xf9400002,  // ldr x2, [x0]
          0xf9000001,  // str x1, [x0]
          0xf9400003,  // ldr x3, [x0]
          0xf8210004,  // ldadd x1, x4, [x0]
          0xc85f7c05,  // ldxr x5, [x0]
          0xc8067c02,  // stxr w6, x2, [x0]
      },
      with_mmu(data_base, 7));
  EXPECT_EQ(host.accesses, (std::vector<BusAccess>{
                               {'w', data_base, 8, 7}, {'w', data_base, 8, 14}, {'w', data_base, 8, 5}}));
  EXPECT_EQ(after.x[2], 5u);
  EXPECT_EQ(after.x[3], 7u);
  EXPECT_EQ(after.x[4], 7u);
  EXPECT_EQ(after.x[5], 14u);
  EXPECT_EQ(after.x[6], 0u);
  EXPECT_EQ(word(data_base), 5u);
}

TEST_F(MemoryTest, AStoreOfEveryKindLeavesTheSameInReadOnlyMemoryAndMarksNothing) {
  const std::uint64_t p = data_base;
  const AddressRange pages{Address(p), Bytes(2 * page_size)};
  map(p, p, at_el0);  // for STTR
  std::uint8_t* const bytes = host.memory.bytes + (p - code_base);
  for (const auto& [word, address, expected] : stores_of_every_kind(p)) {
    const State before = with_mmu(address, 0, 2, 32);
    std::memset(bytes, 0x11, pages.size.count());
    core->map_direct(pages, bytes);
    run({word}, before);
    const std::vector<std::uint8_t> stored(bytes, bytes + pages.size.count());
    std::memset(bytes, 0x11, pages.size.count());
    core->map_read_only(pages, bytes);
    EXPECT_EQ(marks({word}, before), Lines{}) << std::hex << word << " to " << address;
    EXPECT_TRUE(std::ranges::equal(stored, std::span(bytes, pages.size.count())))
        << std::hex << word << " to " << address;
  }
}

TEST_F(MemoryTest, CodeRunsFromReadOnlyMemoryUntilItIsUnmapped) {
  const AddressRange where{Address(data_base), Bytes(page_size)};
  host.place(data_base, {
                            0xd2800021,  // mov x1, #1
                            0xf9000001,  // str x1, [x0]
                            0xd2800041,  // mov x1, #2
                            0x14000000,  // b .
                        });
  core->map_read_only(where, host.memory.bytes + (data_base - code_base));
  host.on_store = [&](std::uint64_t, std::uint64_t) {
    host.direct = false;
    core->unmap_direct(where);
  };
  map(data_base + page_size, device);
  State before = with_mmu(data_base + page_size);
  before.pc = data_base;
  core->set_state(before);
  core->call_at(core->instructions() + 8);
  host.on_due = [&] { core->request_stop(); };
  core->run();
  EXPECT_EQ(core->read(CoreRegister::elr), core->read(CoreRegister::far));
  EXPECT_EQ(esr::exception_class(core->read(CoreRegister::esr)), esr::ec_instruction_abort + 0u);
}

// ---- monitored memory ----

TEST_F(MemoryTest, MonitoredAccessesAreReportedInOrderAfterTheirInstruction) {
  host.monitors = true;
  core->unmap_direct(host.memory_range());
  std::vector<std::uint64_t> counts;
  host.on_monitored = [&] { counts.push_back(core->instructions()); };
  const std::uint64_t start = core->instructions();
  run(
      {
          0x39400401,  // ldrb w1, [x0, #1]
          0xa9010800,  // stp x0, x2, [x0, #16]
          0x3dc00801,  // ldr q1, [x0, #32]
          0xb8402001,  // ldur w1, [x0, #2]
      },
      with_mmu(data_base));
  EXPECT_EQ(host.monitored_accesses, (std::vector<MonitoredAccess>{{Address(data_base + 1), 1, false},
                                                                   {Address(data_base + 16), 8, true},
                                                                   {Address(data_base + 24), 8, true},
                                                                   {Address(data_base + 32), 8, false},
                                                                   {Address(data_base + 40), 8, false},
                                                                   {Address(data_base + 2), 2, false},
                                                                   {Address(data_base + 4), 2, false}}));
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{start + 1, start + 2, start + 3, start + 4}));
}

TEST_F(MemoryTest, NothingIsReportedBetweenTheLoadAndTheStoreOfAnAtomic) {
  host.monitors = true;
  core->unmap_direct(host.memory_range());
  std::vector<std::uint64_t> seen;
  host.on_monitored = [&] { seen.push_back(host.peek(data_base)); };
  run({0xf8210002}, data_base, 5);  // ldadd x1, x2, [x0]
  EXPECT_EQ(seen, std::vector<std::uint64_t>{5});
  EXPECT_EQ(host.monitored_accesses,
            (std::vector<MonitoredAccess>{{Address(data_base), 8, false}, {Address(data_base), 8, true}}));
}

TEST_F(MemoryTest, MonitoredAccessesAreReportedBeforeALaterDeviceAccess) {
  host.monitors = true;
  core->unmap_direct(host.memory_range());
  map(data_base + page_size, device);
  run({0xf9000001}, with_mmu(data_base + page_size - 4));  // str x1, [x0]
  EXPECT_EQ(host.accesses.size(), 2u);
  EXPECT_EQ(host.accesses[0].kind, 'W');
  EXPECT_EQ(host.accesses[1].kind, 'w');
}

TEST_F(MemoryTest, MonitoredStoresMarkTheirLines) {
  host.monitors = true;
  core->unmap_direct(host.memory_range());
  EXPECT_EQ(marks(
                {
                    0xf9000001,  // str x1, [x0]
                    0xf9002001,  // str x1, [x0, #64]
                },
                with(data_base + 64)),
            (Lines{{data_base, line(1) | line(2)}}));
}

// ---- the TLB ----

struct TlbTest : MemoryTest {
  // Loads to X2, changes a descriptor, loads to X3, invalidates, and loads to X4. If it `calls`, it does not
  // load, but calls a function of two instructions, whose result is in X9.
  State change(std::uint64_t address, std::uint64_t& descriptor, std::uint64_t value,
               const std::vector<std::uint32_t>& invalidate, bool calls = false) {
    map(tables, tables);
    const auto at = reinterpret_cast<std::uint8_t*>(&descriptor) - host.memory.bytes + code_base;
    map(at & ~(page_size - 1), at & ~(page_size - 1));
    State before = with_mmu(address, 0, 0, 0);
    before.x[5] = at, before.x[6] = value, before.x[7] = address >> 12;
    std::vector<std::uint32_t> words;
    const auto get = [&](std::uint32_t target) {
      if (calls)
        words.insert(words.end(), {0xd63f0000, 0xaa0903e0 | target});  // blr x0; mov target, x9
      else
        words.push_back(0xf9400000 | target);  // ldr target, [x0]
    };
    get(2);
    words.push_back(0xf90000a6);  // str x6, [x5]
    get(3);
    words.insert(words.end(), invalidate.begin(), invalidate.end());
    get(4);
    return run(words, before, words.size() + (calls ? 3 * 2 : 0));
  }
  void place_function(std::uint64_t at, std::uint32_t result) {
    host.place(at, {0xd2800009 | result << 5, 0xd65f03c0});  // mov x9, result; ret
  }
};

TEST_F(TlbTest, HoldsATranslationUntilItIsInvalidated) {
  word(data_base) = 1, word(data_base + page_size) = 2;
  const std::uint32_t invalidations[] = {
      0xd508871f,  // tlbi vmalle1
      0xd5088727,  // tlbi vae1, x7
      0xd5088767,  // tlbi vaae1, x7
      0xd50883a7,  // tlbi vale1is, x7
      0xd508875f,  // tlbi aside1, xzr
  };
  for (const std::uint32_t invalidate : invalidations) {
    map(data_base, data_base);
    const State after =
        change(data_base, descriptor(data_base), (data_base + page_size) | page | af, {invalidate});
    EXPECT_EQ(after.x[2], 1u) << std::hex << invalidate;
    EXPECT_EQ(after.x[3], 1u) << std::hex << invalidate;
    EXPECT_EQ(after.x[4], 2u) << std::hex << invalidate;
  }
}

TEST_F(TlbTest, InvalidatingAnAddressDropsAllThatItsBlockHasMapped) {
  const std::uint64_t virtual_block = 0x8000'0000;
  descriptor(virtual_block, 2) = code_base | block | af;  // 2 MiB
  word(data_base) = 1;
  word(data_base + 0x20'0000) = 2;
  const std::uint64_t offset = data_base - code_base;
  // The invalidation names another page of the block.
  const State after =
      change(virtual_block + offset, descriptor(virtual_block, 2), (code_base + 0x20'0000) | block | af,
             {
                 0xd10134e7,  // sub x7, x7, #77
                 0xd5088727,  // tlbi vae1, x7
             });
  EXPECT_EQ(after.x[2], 1u);
  EXPECT_EQ(after.x[3], 1u);
  EXPECT_EQ(after.x[4], 2u);
}

// Neither links from block to block nor cached jumps may lead to the old code.
TEST_F(TlbTest, InvalidatedCodeIsNotExecutedAnyMore) {
  place_function(data_base, 1);
  place_function(data_base + page_size, 2);
  map(data_base, data_base);
  const State after = change(data_base, descriptor(data_base), (data_base + page_size) | page | af,
                             {0xd5088727},  // tlbi vae1, x7
                             true);
  EXPECT_EQ(after.x[2], 1u);
  EXPECT_EQ(after.x[3], 1u);
  EXPECT_EQ(after.x[4], 2u);
}

TEST_F(TlbTest, InvalidatedCodeOfABlockIsNotExecutedAnyMore) {
  const std::uint64_t virtual_block = 0x8000'0000, function = virtual_block + (data_base - code_base);
  descriptor(virtual_block, 2) = code_base | block | af;  // 2 MiB
  place_function(data_base, 1);
  place_function(data_base + 0x20'0000, 2);
  // The invalidation names another page of the block.
  const State after = change(function, descriptor(virtual_block, 2), (code_base + 0x20'0000) | block | af,
                             {
                                 0xd10134e7,  // sub x7, x7, #77
                                 0xd5088727,  // tlbi vae1, x7
                             },
                             true);
  EXPECT_EQ(after.x[2], 1u);
  EXPECT_EQ(after.x[3], 1u);
  EXPECT_EQ(after.x[4], 2u);
}

// Programs that execute in several address spaces, each with a function of its own at the same address.
struct AddressSpaceTest : TlbTest {
  static constexpr unsigned spaces = 12;
  static constexpr std::uint64_t roots = tables + 0x8'0000, function = 0x8000'3000;
  std::vector<std::uint32_t> words;
  std::uint64_t calls = 0;
  State before;

  AddressSpaceTest() {
    for (unsigned i = 0; i < spaces; ++i) {
      for (std::uint64_t entry = 0; entry < page_size; entry += 8)
        word(root(i) + entry) = word(tables + entry);
      word(root(i) + (function >> 30) * 8) = table(i, 2) | 3;
      word(table(i, 2)) = table(i, 3) | 3;
      map_function(i, i);
      place_function(code(i), i + 1);
    }
    map(table(0, 3), table(0, 3));
    before = with_mmu(function);
    before.x[5] = table(0, 3) + std::uint64_t{3} * 8;
    before.x[6] = code(1) | page | af;
    before.x[7] = function >> 12;
    before.x[10] = roots;
  }
  static std::uint64_t root(unsigned space) { return roots + page_size * space; }
  static std::uint64_t table(unsigned space, unsigned level) { return root(spaces * (level - 1) + space); }
  static std::uint64_t code(unsigned space) { return root(spaces * 3 + space); }
  void map_function(unsigned space, unsigned to) {
    word(table(space, 3) + std::uint64_t{3} * 8) = code(to) | page | af;
  }
  // Adds the result of the function to X1, a hexadecimal digit for each call.
  void call_in(unsigned space) {
    words.insert(words.end(), {
                                  0x9140'014b | space << 10,  // add x11, x10, space * 4096
                                  0xd518'200b,                // msr ttbr0_el1, x11
                                  0xd503'3fdf,                // isb
                                  0xd63f'0000,                // blr x0
                                  0x8b01'1121,                // add x1, x9, x1, lsl #4
                              });
    ++calls;
  }
  std::uint64_t results() { return run(words, before, words.size() + 2 * calls).x[1]; }
};

TEST_F(AddressSpaceTest, EachHasItsOwnCode) {
  for (const unsigned space : {0, 1, 0, 2, 1, 1, 0, 2}) call_in(space);
  EXPECT_EQ(results(), 0x1213'2213u);
}

// More than the TLB has room for.
TEST_F(AddressSpaceTest, ManyReplaceEachOther) {
  for (unsigned i = 0; i < 16; ++i) call_in(i * 5 % spaces);
  EXPECT_EQ(results(), 0x16b4'927c'5a38'16b4u);
}

TEST_F(AddressSpaceTest, AnInvalidationReachesThoseThatAreNotInUse) {
  for (const std::uint32_t invalidate : {0xd508'8727, 0xd508'871f, 0xd508'8747}) {  // vae1, vmalle1, aside1
    words.clear(), calls = 0;
    map_function(0, 0);
    call_in(0);
    call_in(1);
    words.push_back(0xf900'00a6);  // str x6, [x5]: space 0 has the function of space 1
    call_in(0);                    // as before
    call_in(1);
    words.push_back(invalidate);
    call_in(0);
    EXPECT_EQ(results(), 0x1'2122u) << std::hex << invalidate;
  }
}

TEST_F(TlbTest, InvalidatingWithoutTranslationChangesNothing) {
  word(data_base) = 4711;
  const std::vector<std::uint32_t> words = {
      0xf9400002,  // ldr x2, [x0]
      0xd5088721,  // tlbi vae1, x1
      0xf9400003,  // ldr x3, [x0]
  };
  for (const std::uint64_t number : {data_base >> 12, std::uint64_t{0}, ~std::uint64_t{0}}) {
    const State after = run(words, data_base, number);
    EXPECT_EQ(after.x[2], 4711u);
    EXPECT_EQ(after.x[3], 4711u);
  }
}

TEST_F(TlbTest, InvalidatingAnotherPageLeavesAPageAlone) {
  word(data_base) = 1, word(data_base + page_size) = 2;
  const State after = change(data_base, descriptor(data_base), (data_base + page_size) | page | af,
                             {
                                 0x910004e7,  // add x7, x7, #1
                                 0xd5088727,  // tlbi vae1, x7
                             });
  EXPECT_EQ(after.x[4], 1u);
}

TEST_F(TlbTest, ManyPagesShareAnEntry) {
  const std::uint64_t first = 0x1'0000'0000 + 5 * page_size, step = 507 * page_size;
  ASSERT_EQ(Memory::slot_of(first), Memory::slot_of(first + step));
  for (std::uint64_t at = 0; at < 2; ++at) {
    map(first + at * step, data_base + at * page_size);
    word(data_base + at * page_size) = at + 10;
  }
  const State after = run({0xf9400002,  // ldr x2, [x0]
                           0xf8616803,  // ldr x3, [x0, x1]
                           0xd503201f,  // nop
                           0xf8616804,  // ldr x4, [x0, x1]

                           0xf9400005},  // ldr x5, [x0]
                          with_mmu(first, step));
  EXPECT_EQ(after.x[2], 10u);
  EXPECT_EQ(after.x[3], 11u);
  EXPECT_EQ(after.x[4], 11u);
  EXPECT_EQ(after.x[5], 10u);
}

TEST_F(TlbTest, EntriesThatPermitNothingPermitNoAddress) {
  const std::uint64_t in_slot_0 = 0x8000'0000;
  map(in_slot_0, data_base, read_only);
  const std::uint64_t top = std::uint64_t{1} << 55;
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{0x800}, top, top | 0x800, top | 0xff8})
    for (const std::uint32_t word : {0x39400023u,    // ldrb w3, [x1]
                                     0x39000023u,    // strb w3, [x1]
                                     0xf9000023}) {  // str x3, [x1]
      SCOPED_TRACE(address);
      const State after = fault(
          {
              0x39400002,  // ldrb w2, [x0]
              0xd503201f,  // nop, so that a translator finds the block worth while
              0xd503201f,  // nop
              word,
          },
          with_mmu(in_slot_0, address), 3);
      EXPECT_EQ(after.system.esr >> 26, 0x25u);
      EXPECT_EQ(after.system.far, address);
    }
}

// An access that was served before, at the next address.
TEST_F(TlbTest, EachAccessIsCheckedForItsEndAndItsAlignment) {
  const struct {
    std::uint32_t word, add;
    std::uint64_t first, fault;
  } cases[] = {
      {0xa9400c02, 0x91002000, unmapped - 16, unmapped},   // ldp x2, x3, [x0]; add x0, x0, #8
      {0xa9000c02, 0x91002000, unmapped - 16, unmapped},   // stp x2, x3, [x0]
      {0xad400c02, 0x91004000, unmapped - 32, unmapped},   // ldp q2, q3, [x0]; add x0, x0, #16
      {0xf9400002, 0x91001000, data_base, data_base + 4},  // ldr x2, [x0]; add x0, x0, #4
      {0xf9000002, 0x91001000, data_base, data_base + 4},  // str x2, [x0]
  };
  for (const auto& [word, add, first, fault] : cases) {
    SCOPED_TRACE(word);
    State before = with_mmu(first);
    before.system.sctlr |= sctlr_a;
    const State after = this->fault({word, add, 0x17fffffe}, before, 3);  // b to the first
    EXPECT_EQ(after.system.esr >> 26, 0x25u);
    EXPECT_EQ(after.system.far, fault);
    EXPECT_EQ(after.system.elr, code_base);
  }
}

// ---- AT ----

TEST_F(MemoryTest, AtReportsThePhysicalAddressOrTheFault) {
  const std::uint64_t fixed = 1 << 11, mair = 0xff;  // attribute 0: normal memory
  const auto failed = [&](std::uint64_t status) { return fixed | status << 1 | 1; };
  map(data_base, data_base + page_size, read_only | 3 << 8);
  map(data_base + page_size, data_base, at_el0);
  const struct {
    std::uint32_t word;
    std::uint64_t address, par;
  } cases[] = {
      {0xd5087800, data_base + 0x123, (data_base + page_size) | fixed | 3 << 7 | mair << 56},  // at s1e1r, x0
      {0xd5087820, data_base, failed(0x0f)},                                                   // at s1e1w, x0
      {0xd5087840, data_base, failed(0x0f)},                                                   // at s1e0r, x0
      {0xd5087860, data_base + page_size, data_base | fixed | mair << 56},                     // at s1e0w, x0
      {0xd5087800, unmapped, failed(0x07)},                                                    // at s1e1r, x0
      {0xd5087840, 1ull << 40, failed(0x04)},                                                  // at s1e0r, x0
  };
  for (const auto& [word, address, par] : cases) {
    State before = with_mmu(address);
    before.system.mair = mair;
    EXPECT_EQ(run({word}, before).system.par, par) << std::hex << word;
  }
}

// ---- size ----

// 552 cores and everything else must fit into 1 GiB.
TEST(MemorySize, OfACoreWithoutItsBlocksIsBelow64KiB) {
  EXPECT_LT(sizeof(Cpu) + Memory::tlb_bytes, 64u << 10);
}

}  // namespace
}  // namespace asterism::a64
