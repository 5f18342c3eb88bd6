#include "cosim/rtl_bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/thrown.h"
#include "cosim/hang_watch.h"

namespace asterism {
namespace {

using testing::_;

constexpr std::uint64_t scratch = 0x00, count = 0x04, timer = 0x08, clear = 0x0C, pop = 0x10,
                        wait_states = 0x14, refuse = 0x18, hang = 0x1C, loop = 0x20, control = 0x24,
                        source = 0x28, target = 0x2C, words = 0x30, fail = 0x34;

struct Bus : RtlBus {
  explicit Bus(const std::string& name = "good", const RtlOptions& options = {},
               std::uint64_t max_cycles = 10'000)
      : RtlBus(RtlLibrary::open(std::string(COSIM_TEST_BUS_BLOCKS) + "/" + name + ".so"), "node.block",
               {.time = {.clock = 100_MHz}, .max_cycles = max_cycles}, options) {}

  Answer write(Picoseconds at, std::uint64_t address, std::uint32_t data, unsigned strobes = 15) {
    return access({.write = true, .address = address, .data = data, .strobes = strobes}, at);
  }
  Answer read(Picoseconds at, std::uint64_t address) { return access({.address = address}, at); }
};

TEST(RtlBus, AnAccessTakesOneToTwoPeriodsFromTheNextEdge) {
  Bus bus;
  EXPECT_EQ(bus.write(1'000_ns, scratch, 0x12345678).end, 1'020_ns);
  EXPECT_EQ(bus.read(2'001_ns, scratch).end, 2'020_ns);
  EXPECT_EQ(bus.read(3'009_ns, scratch).end, 3'020_ns);
  EXPECT_EQ(bus.read(4'000_ns, scratch).data, 0x12345678u);
}

TEST(RtlBus, AnAccessWaitsForTheOneBefore) {
  Bus bus;
  EXPECT_EQ(bus.write(1'000_ns, scratch, 1).end, 1'020_ns);
  EXPECT_EQ(bus.write(1'000_ns, scratch, 2).end, 1'040_ns);
  EXPECT_EQ(bus.read(1'001_ns, scratch).data, 2u);
}

TEST(RtlBus, WaitStatesAreCyclesMore) {
  Bus bus;
  bus.write(100_ns, wait_states, 7);
  EXPECT_EQ(bus.read(1'000_ns, scratch).end, 1'090_ns);
}

TEST(RtlBus, BytesAreWrittenInTheirLanes) {
  Bus bus;
  bus.write(100_ns, scratch, 0x11223344);
  bus.write(200_ns, scratch, 0xAABBCCDD, 0b0110);
  EXPECT_EQ(bus.read(300_ns, scratch).data, 0x11BBCC44u);
}

TEST(RtlBus, ABlockWithoutStrobesTakesWholeWordsOnly) {
  Bus bus("no_strobe");
  EXPECT_FALSE(bus.write(100_ns, scratch, 0x11223344).error);
  EXPECT_TRUE(bus.write(200_ns, scratch, 0xAABBCCDD, 0b0110).error);
  EXPECT_EQ(bus.read(300_ns, scratch).data, 0x11223344u);
}

TEST(RtlBus, AnErrorIsReported) {
  Bus bus;
  EXPECT_TRUE(bus.read(100_ns, refuse).error);
  EXPECT_FALSE(bus.read(200_ns, scratch).error);
}

TEST(RtlBus, ARunningCountIsSeenWithItsValueOfTheMoment) {
  Bus bus;
  bus.write(0_ps, control, 1);  // ends at the second edge after the reset; the third is counted first
  for (const Picoseconds at : {1'000_ns, 2'009'999_ps, 3'010_ns, 5'015_ns}) {
    const std::uint64_t periods = at / 10_ns;
    EXPECT_EQ(bus.read(at, count).data, periods - 2) << at.count();
  }
}

TEST(RtlBus, AnAccessThatIsNeverReadyHangs) {
  Bus bus("good", {}, 500);
  EXPECT_EQ(thrown<RtlError>([&] { bus.read(1_us, hang); }),
            "node.block: the read of 0x01c hangs: pready_o was low for 500 cycles");
}

TEST(RtlBus, AModelThatEndsItselfSaysSo) {
  Bus bus;
  EXPECT_EQ(thrown<RtlError>([&] { bus.write(1_us, fail, 1); }),
            "node.block: test_bus_block.sv:34: FAIL was written");
}

TEST(RtlBusDeathTest, AnEvaluationThatNeverReturnsIsEndedFromOutside) {
  const auto read_it = [] {
    const HangWatch watch(std::chrono::milliseconds(100), [](const std::string& instance) {
      std::fprintf(stderr, "%s hangs", instance.c_str());
      _exit(68);
    });
    Bus bus;
    bus.read(1_us, loop);
  };
  EXPECT_EXIT(read_it(), testing::ExitedWithCode(68), "^node.block hangs$");
}

TEST(RtlBus, InterruptsAreReportedWithTheTimeOfTheirEdge) {
  for (const char* name : {"good", "no_event", "no_idle"}) {
    Bus bus(name);
    std::vector<std::pair<Picoseconds, std::uint32_t>> reported;
    bus.on_interrupts = [&](Picoseconds at, std::uint32_t levels) { reported.emplace_back(at, levels); };
    const Picoseconds written = bus.write(100_ns, timer, 500).end;
    bus.catch_up(7_us);
    const Picoseconds cleared = bus.write(8_us, clear, 1).end;
    EXPECT_THAT(reported, testing::ElementsAre(testing::Pair(written + 5_us, 1u), testing::Pair(cleared, 0u)))
        << name;
  }
}

TEST(RtlBus, APeekChangesNothing) {
  Bus bus;
  bus.write(100_ns, timer, 100);
  bus.read(200_ns, pop);
  const auto cycles = bus.timeline().cycles();
  bool reported = false;
  bus.on_interrupts = [&](Picoseconds, std::uint32_t) { reported = true; };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bus.peek({.address = pop}, 5_us)->data, 1u);
  EXPECT_EQ(bus.peek({.address = hang}, 5_us), std::nullopt);
  EXPECT_EQ(bus.timeline().cycles(), cycles);
  EXPECT_FALSE(reported);
  bus.catch_up(5_us);
  EXPECT_TRUE(reported);
  EXPECT_EQ(bus.read(6_us, pop).data, 1u);
}

TEST(RtlBus, AReadWithoutAnEffectCanBeTakenBack) {
  Bus bus;
  bus.write(0_ps, control, 1);
  for (int i = 0; i < 100; ++i)  // many more reads than the clock has edges for
    EXPECT_EQ(bus.access_or_peek({.address = count}, 1'000_ns + Picoseconds(i)).data, 98u);
  EXPECT_EQ(bus.timeline().time(), 1'000_ns);
  EXPECT_EQ(bus.access_or_peek({.address = pop}, 1'000_ns).data, 0u);
  EXPECT_EQ(bus.timeline().time(), 1'020_ns);
  EXPECT_EQ(bus.access_or_peek({.address = pop}, 1'100_ns).data, 1u);
}

TEST(RtlBus, TheBatteryKeepsWhatOnlyAColdResetTakes) {
  for (const Reset kind : {Reset::warm, Reset::power_loss}) {
    Bus bus;
    bus.write(0_ps, control, 1);
    bus.write(100_ns, scratch, 77);
    bus.reset(kind, 1'000_ns);
    EXPECT_EQ(bus.read(2'000_ns, scratch).data, 0u);
    EXPECT_EQ(bus.read(3'000_ns, count).data, 298u) << "the counter continues";
    bus.reset(Reset::cold, 4'000_ns);
    EXPECT_EQ(bus.read(5'000_ns, count).data, 0u);
  }
}

TEST(RtlBus, WithoutABatteryEveryResetTakesAll) {
  Bus bus("no_battery");
  bus.write(0_ps, control, 1);
  bus.reset(Reset::warm, 1'000_ns);
  bus.write(1'000_ns, control, 1);
  EXPECT_EQ(bus.read(2'000_ns, count).data, 98u);
}

// A memory that answers after a latency.
struct Memory {
  std::map<std::uint64_t, std::uint32_t> cells;
  std::vector<Picoseconds> accesses;
};

void serve(Bus& bus, Memory& memory, Picoseconds latency, Picoseconds until) {
  std::optional<std::pair<BusAccess, Picoseconds>> wanted;
  bus.on_master = [&](const BusAccess& access, Picoseconds at) { wanted.emplace(access, at); };
  for (Picoseconds now = bus.timeline().time(); now <= until;) {
    bus.catch_up(now);
    if (wanted) {
      const auto [access, at] = *wanted;
      wanted.reset();
      memory.accesses.push_back(at);
      if (access.write) memory.cells[access.address] = access.data;
      now = std::max(now, at) + latency;
      bus.answer_master(access.write ? 0 : memory.cells[access.address], false, now);
    } else if (const auto next = bus.next_event()) {
      now = std::max(now, *next);
    } else {
      return;
    }
  }
}

TEST(RtlBus, AMastersAccessesArriveAndWaitForTheirAnswers) {
  Bus bus;
  Memory memory{{{0x100, 11}, {0x104, 22}}, {}};
  bus.write(0_ps, source, 0x100);
  bus.write(100_ns, target, 0x200);
  const Picoseconds start = bus.write(200_ns, words, 2).end;
  serve(bus, memory, 95_ns, 10_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
  EXPECT_EQ(memory.cells[0x204], 22u);
  // The setup is in the cycle after the write, the request begins at its edge, and the first edge after the
  // answer ends it.
  EXPECT_EQ(memory.accesses[0], start + 10_ns);
  EXPECT_EQ(memory.accesses[1], start + 10_ns + 110_ns);
  EXPECT_EQ(bus.interrupts(), 1u);
}

// At each time from the request to the edge that takes the answer of memory.
TEST(RtlBus, APeekKeepsTheAccessOfTheMaster) {
  for (const Picoseconds answered : {355_ns, 360_ns}) {
    Bus bus;
    std::vector<std::pair<Picoseconds, bool>> requests;  // whether it writes
    bus.on_master = [&](const BusAccess& access, Picoseconds at) { requests.emplace_back(at, access.write); };
    const auto peek = [&](Picoseconds at) { EXPECT_EQ(bus.peek({.address = words}, at)->data, 1u); };
    bus.write(0_ps, source, 0x100);
    bus.write(100_ns, target, 0x200);
    bus.write(200_ns, words, 1);  // ends at 220 ns
    peek(225_ns);
    bus.catch_up(300_ns);
    peek(350_ns);
    bus.answer_master(77, false, answered);
    peek(answered);
    peek(answered + 4_ns);
    EXPECT_THAT(requests, testing::ElementsAre(testing::Pair(230_ns, false)));
    bus.catch_up(answered + 5_ns);
    EXPECT_EQ(bus.next_event(), bus.timeline().next_edge());
    bus.catch_up(1_us);
    EXPECT_THAT(requests, testing::ElementsAre(testing::Pair(230_ns, false), testing::Pair(_, true)));
    EXPECT_EQ(bus.read(1_us, words).data, 1u) << "the answer of the read was taken for that of the write";
  }
}

TEST(RtlBus, AMasterThatKnowsNoNextEventIsFoundWithinAQuantum) {
  Bus bus("no_idle");
  Memory memory{{{0x100, 11}}, {}};
  bus.write(0_ps, source, 0x100);
  bus.write(100_ns, target, 0x200);
  bus.write(200_ns, words, 1);
  serve(bus, memory, 95_ns, 10_us);
  EXPECT_EQ(memory.cells[0x200], 11u);
}

TEST(RtlBus, EachInterruptLineHasABit) {
  Bus bus("two_interrupts_no_master");
  EXPECT_EQ(bus.interrupt_lines(), 2u);
  std::vector<std::pair<Picoseconds, std::uint32_t>> reported;
  bus.on_interrupts = [&](Picoseconds at, std::uint32_t levels) { reported.emplace_back(at, levels); };
  const Picoseconds timed = bus.write(0_ps, timer, 100).end, copied = bus.write(100_ns, words, 5).end;
  bus.catch_up(5_us);
  const Picoseconds first = bus.write(6_us, clear, 2).end, second = bus.write(7_us, clear, 1).end;
  EXPECT_THAT(reported,
              testing::ElementsAre(testing::Pair(copied + 200_ns, 2u), testing::Pair(timed + 1_us, 3u),
                                   testing::Pair(first, 1u), testing::Pair(second, 0u)));
}

// Makes random accesses at random times, with and without skipping of cycles.
TEST(RtlBus, SteppingEveryCycleAnswersTheSame) {
  const auto work = [](Bus& bus) {
    Random random(3);
    std::vector<std::tuple<std::uint32_t, bool, Picoseconds>> answers;
    Picoseconds now;
    bus.on_interrupts = [&](Picoseconds at, std::uint32_t levels) { answers.emplace_back(levels, true, at); };
    constexpr std::array addresses{scratch, count, timer, clear, pop, wait_states, refuse, control};
    for (int i = 0; i < 2000; ++i) {
      now += Picoseconds(random.below(random.below(4) ? 100'000 : 5'000'000));
      const BusAccess access{.write = random.below(2) != 0,
                             .address = addresses[random.below(addresses.size())],
                             .data = static_cast<std::uint32_t>(random.below(20)),
                             .strobes = static_cast<unsigned>(random.below(16))};
      const RtlBus::Answer answer =
          random.below(2) ? bus.access_or_peek(access, now) : bus.access(access, now);
      answers.emplace_back(answer.data, answer.error, answer.end);
    }
    return answers;
  };
  Bus lazy, all("good", {.skip = false}), checked("good", {.check_idle = true});
  const auto answers = work(lazy);
  EXPECT_EQ(work(all), answers);
  EXPECT_EQ(work(checked), answers);
}

TEST(RtlBus, RefusesABlockThatIsNoDevice) {
  EXPECT_EQ(thrown<RtlError>([] { Bus bus("no_device"); }),
            "node.block: test_bus_block is a block of the contract arbiter, a bus_device is expected");
}

}  // namespace
}  // namespace asterism
