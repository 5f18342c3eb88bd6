// Tests a Verilated device that is a master and reports when it is idle. Its results on the bus must be the
// same with and without skipping of cycles, and a wrong report of idleness must be detected.
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "cosim/rtl_bus.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

constexpr std::uint64_t source = 0x0, target = 0x4, words = 0x8, status = 0xC;

// The device at 100 MHz, with a memory that answers 35 ns after a request.
struct Copier : RtlBus {
  std::map<std::uint64_t, std::uint32_t> memory;
  std::vector<Picoseconds> asked, interrupted;
  std::optional<std::pair<BusAccess, Picoseconds>> wanted;

  explicit Copier(unsigned lying = 0, const RtlOptions& options = {})
      : RtlBus(library_of("testbenches/copier/block.json", {"parameters.LyingIdle=" + std::to_string(lying)}),
               "copier", {.time = {.clock = 100_MHz, .quantum = 1_us}}, options) {
    on_interrupts = [this](Picoseconds at, std::uint32_t levels) {
      if (levels != 0) interrupted.push_back(at);
    };
    state();
    on_master = [this](const BusAccess& access, Picoseconds at) {
      asked.push_back(at);
      wanted.emplace(access, at);
    };
  }
  void write(Picoseconds at, std::uint64_t address, std::uint32_t data) {
    access({.write = true, .address = address, .data = data}, at);
  }
  std::uint32_t read(Picoseconds at, std::uint64_t address) { return access({.address = address}, at).data; }

  // Handles the answers of the memory and the events of the device in the order of time, as a scheduler does.
  void let_time_pass(Picoseconds until) {
    for (Picoseconds now = timeline().time(); now < until;) {
      const auto next = wanted ? std::optional(std::max(now, wanted->second) + 35_ns) : next_event();
      if (!next || *next > until) break;
      now = *next;
      if (wanted) {
        const BusAccess access = std::exchange(wanted, std::nullopt)->first;
        if (access.write) memory[access.address] = access.data;
        answer_master(access.write ? 0 : memory[access.address], false, now);
      } else {
        catch_up(now);
      }
    }
    catch_up(until);
  }
  // The state relative to that at creation, as Verilator also saves a few bytes that it never sets.
  RtlInstance::Snapshot state() {
    RtlTimeline::Moment moment;
    timeline().keep(moment);
    if (first_.empty()) first_ = moment.state;
    for (std::size_t i = 0; i < first_.size(); ++i) moment.state[i] ^= first_[i];
    return moment.state;
  }

 private:
  RtlInstance::Snapshot first_;
};

TEST(CopierTest, CopiesThroughItsOwnPort) {
  Copier copier;
  copier.memory = {{0x100, 11}, {0x104, 22}, {0x108, 33}};
  copier.write(0_ps, source, 0x100);
  copier.write(100_ns, target, 0x200);
  copier.write(200_ns, words, 3);
  copier.let_time_pass(10_us);
  EXPECT_EQ(copier.memory[0x200], 11u);
  EXPECT_EQ(copier.memory[0x204], 22u);
  EXPECT_EQ(copier.memory[0x208], 33u);
  // The write of WORDS ends at 220 ns. Setup is at 230 ns; enable is at 240 ns and makes the request. The
  // memory answers at 275 ns, the edge at 280 ns takes the answer, and so on.
  ASSERT_EQ(copier.asked.size(), 6u);
  for (std::size_t i = 0; i < copier.asked.size(); ++i) EXPECT_EQ(copier.asked[i], 240_ns + 50_ns * i);
  EXPECT_EQ(copier.interrupted, (std::vector{530_ns}));
  EXPECT_EQ(copier.read(20_us, status), 1u);
  EXPECT_EQ(copier.next_event(), copier.timeline().next_edge()) << "the read has changed an input";
  copier.catch_up(21_us);
  EXPECT_EQ(copier.next_event(), std::nullopt);
}

// Makes copies of random lengths at random times.
std::vector<RtlInstance::Snapshot> work(Copier& copier) {
  Random random(5);
  std::vector<RtlInstance::Snapshot> states;
  for (std::uint32_t i = 0; i < 64; ++i) copier.memory[4 * i] = i * 0x01010101;
  Picoseconds now;
  for (int i = 0; i < 100; ++i) {
    now = std::max(now, copier.timeline().time()) + Picoseconds(random.below(50'000'000));
    copier.let_time_pass(now);
    copier.write(now, random.below(2) ? source : target, static_cast<std::uint32_t>(4 * random.below(32)));
    if (!copier.wanted && copier.read(now, words) == 0)
      copier.write(now, words, static_cast<std::uint32_t>(random.below(8)));
    if (random.below(3) == 0) copier.write(now, status, 1);
    states.push_back(copier.state());
  }
  copier.let_time_pass(now + 1_ms);
  states.push_back(copier.state());
  return states;
}

TEST(CopierTest, SteppingEveryCycleGivesTheSameBytes) {
  Copier lazy, all(0, {.skip = false}), checked(0, {.check_idle = true});
  const auto states = work(lazy);
  EXPECT_GT(lazy.asked.size(), 100u);
  for (Copier* other : {&all, &checked}) {
    EXPECT_EQ(work(*other), states);
    EXPECT_EQ(other->memory, lazy.memory);
    EXPECT_EQ(other->asked, lazy.asked);
    EXPECT_EQ(other->interrupted, lazy.interrupted);
  }
}

TEST(CopierTest, AnIdleThatLiesIsFound) {
  Copier lying(1, {.check_idle = true});
  try {
    lying.catch_up(1_us);
    FAIL() << "the wrong idle_o was not detected";
  } catch (const RtlError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("copier: idle_o lies at 0.020000 us: state changed in a cycle in which it "
                        "claimed to be idle ("),
              0u)
        << error.what();
  }
}

TEST(CopierTest, WithoutTheCheckALyingIdleLosesCycles) {
  Copier skips(1), all(1, {.skip = false});
  EXPECT_NE(skips.read(1_us, status), all.read(1_us, status));
}

TEST(CopierTest, TenTrillionIdleCyclesCostNothing) {
  Copier copier;
  copier.catch_up(1_us);
  const RtlInstance::Snapshot state = copier.state();
  copier.catch_up(100'000_s);
  EXPECT_EQ(copier.state(), state);
  EXPECT_EQ(copier.timeline().cycles(), 9'999'999'999'999u);
}

}  // namespace
}  // namespace asterism
