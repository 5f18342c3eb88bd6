// Compares rtl/apb_timer with a reference under random accesses, tests it as a device of a node, and tests
// mutants.
//
// An edge of a line is compared to the clock edge, so "when" is always the number of a clock edge here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/rtl_device.h"
#include "testbenches/apb_timer/mutants.h"
#include "testbenches/testbench.h"
#include "tlm/systemc_test.h"
#include "tlm/test_initiator.h"

namespace asterism {
namespace {

constexpr Frequency clock_rate = 100_MHz;
constexpr Picoseconds period = 10_ns;

enum TimerRegister : unsigned { control, prescale, compare, count, status, clear, mask, pending };
constexpr std::uint32_t enable = 1, periodic = 2;  // of CONTROL
constexpr std::uint32_t match = 1, overrun = 2;    // of STATUS, CLEAR, MASK and PENDING
constexpr std::uint64_t address_of(unsigned channel, unsigned reg) { return 0x20 * (channel + 1) + 4 * reg; }

std::shared_ptr<const RtlLibrary> timer_library(const std::string& block, unsigned count_bits,
                                                unsigned prescale_bits, bool assertions = false) {
  return library_of(block, {"parameters.CountBits=" + std::to_string(count_bits),
                            "parameters.PrescaleBits=" + std::to_string(prescale_bits),
                            std::string("assertions=") + (assertions ? "true" : "false")});
}

// ---- a reference ----

// The levels of the lines after an edge at which they changed.
using Edge = std::pair<std::uint64_t, std::uint32_t>;

class Reference {
 public:
  Reference(unsigned count_bits, unsigned prescale_bits)
      : count_limit_(std::uint64_t{1} << count_bits), prescale_limit_(1u << prescale_bits) {}

  // Everything up to and including this edge happens, unless there is a write at it.
  void advance(std::uint64_t edge) {
    for (;;) {
      const std::uint64_t next = std::min(channels_[0].next_match(*this), channels_[1].next_match(*this));
      if (next > edge) break;
      for (Channel& channel : channels_) channel.pass(*this, next, 0);
      note(next);
    }
    now_ = edge;
  }
  void write(std::uint64_t edge, std::uint64_t address, std::uint32_t data, unsigned strobes) {
    advance(edge - 1);
    const std::uint64_t written = address / 0x20 - 1;
    const unsigned reg = address / 4 % 8;
    std::uint32_t lanes = 0;
    for (unsigned byte = 0; byte < 4; ++byte)
      if (strobes >> byte & 1) lanes |= 0xFFu << 8 * byte;
    for (unsigned k = 0; k < 2; ++k) {
      const bool mine = k == written, ran = channels_[k].running;
      channels_[k].pass(*this, edge, mine && reg == clear ? data & lanes : 0);
      if (mine) channels_[k].write(*this, edge, reg, data, lanes, ran);
    }
    now_ = edge;
    note(edge);
  }
  // The value after the last edge.
  std::uint32_t read(std::uint64_t address) const {
    if (address == 0) return 0x5449'4d31;
    const std::uint64_t k = address / 0x20 - 1;
    return k < 2 ? channels_[k].read(*this, address / 4 % 8) : 0;
  }
  const std::vector<Edge>& edges() const { return edges_; }

 private:
  struct Channel {
    bool running = false, is_periodic = false;
    std::uint32_t scale = 0, limit = 0, causes = 0, enabled = 0;
    std::uint64_t start = 0;  // the edge after which COUNT was zero
    std::uint32_t held = 0;   // COUNT while it does not run

    std::uint64_t next_match(const Reference& timer) const {
      return running ? start + ((limit == 0 ? timer.count_limit_ : limit) << scale) : ~std::uint64_t{0};
    }
    // The edge, at which causes are cleared.
    void pass(const Reference& timer, std::uint64_t edge, std::uint32_t cleared) {
      causes &= ~cleared;
      if (next_match(timer) != edge) return;
      causes |= match | ((causes & match) != 0 ? overrun : 0);
      start = edge;
      held = limit;
      running = is_periodic;
    }
    void write(const Reference& timer, std::uint64_t edge, unsigned reg, std::uint32_t data,
               std::uint32_t lanes, bool ran) {
      const auto set = [&](std::uint32_t& value, std::uint64_t of) {
        value = static_cast<std::uint32_t>(((value & ~lanes) | (data & lanes)) % of);
      };
      if (reg == prescale && !ran) set(scale, timer.prescale_limit_);
      if (reg == compare && !ran) set(limit, timer.count_limit_);
      if (reg == mask) set(enabled, 4);
      if (reg != control || (lanes & 1) == 0) return;
      if (running) held = static_cast<std::uint32_t>((edge - start) >> scale);
      running = (data & enable) != 0;
      is_periodic = (data & periodic) != 0;
      if (!running) return;
      start = edge;
      held = 0;
    }
    std::uint32_t read(const Reference& timer, unsigned reg) const {
      switch (reg) {
        case control:
          return (running ? enable : 0) | (is_periodic ? periodic : 0);
        case prescale:
          return scale;
        case compare:
          return limit;
        case count:
          return running ? static_cast<std::uint32_t>((timer.now_ - start) >> scale) : held;
        case status:
          return causes;
        case mask:
          return enabled;
        case pending:
          return causes & enabled;
        default:
          return 0;
      }
    }
  };
  void note(std::uint64_t edge) {
    std::uint32_t levels = 0;
    for (unsigned k = 0; k < 2; ++k)
      if ((channels_[k].causes & channels_[k].enabled) != 0) levels |= 1u << k;
    if (levels != (edges_.empty() ? 0 : edges_.back().second)) edges_.emplace_back(edge, levels);
  }

  std::uint64_t count_limit_;
  std::uint32_t prescale_limit_;
  std::uint64_t now_ = 0;
  std::array<Channel, 2> channels_;
  std::vector<Edge> edges_;
};

// ---- random accesses ----

struct Timer : RtlBus {
  std::vector<Edge> edges;
  explicit Timer(std::shared_ptr<const RtlLibrary> library, const RtlOptions& options = {})
      : RtlBus(std::move(library), "timer", {.time = {.clock = clock_rate}}, options) {
    on_interrupts = [this](Picoseconds at, std::uint32_t levels) { edges.emplace_back(at / period, levels); };
  }
  Answer write(Picoseconds at, unsigned channel, TimerRegister reg, std::uint32_t data) {
    return access({.write = true, .address = address_of(channel, reg), .data = data}, at);
  }
  std::uint32_t read(Picoseconds at, unsigned channel, TimerRegister reg) {
    return access({.address = address_of(channel, reg)}, at).data;
  }
};

// Values for which something happens soon.
std::uint32_t any_value(unsigned reg, Random& random) {
  switch (reg) {
    case control:
      return static_cast<std::uint32_t>(random.below(8) == 0 ? random.next() : enable | random.below(4));
    case prescale:
      return static_cast<std::uint32_t>(random.below(4) == 0 ? random.next() : random.below(3));
    case compare:
      return static_cast<std::uint32_t>(random.below(20));
    default:
      return static_cast<std::uint32_t>(random.next());
  }
}

// The first difference between the timer and the reference; "" if there is none.
std::string difference(Timer& timer, Reference& reference, std::uint64_t seed, unsigned steps) {
  Random random(seed);
  Picoseconds now;
  for (unsigned step = 0; step < steps; ++step) {
    now += Picoseconds(random.below(random.below(8) == 0 ? 2'000'000 : 60'000));
    const unsigned channel = static_cast<unsigned>(random.below(2)),
                   reg = static_cast<unsigned>(random.below(8));
    BusAccess access{.write = random.below(2) != 0, .address = address_of(channel, reg)};
    if (random.below(50) == 0) access.address = 4 * random.below(64);
    if (access.write) {
      access.data = any_value(reg, random);
      if (random.below(4) == 0) access.strobes = static_cast<unsigned>(random.below(16));
    }
    const RtlBus::Answer answer = timer.access(access, now);
    const std::uint64_t edge = answer.end / period;
    if (answer.error) return "an error";
    if (access.write) {
      reference.write(edge, access.address, access.data, access.strobes);
      continue;
    }
    reference.advance(edge - 1);  // a read returns what was before the edge that ends it
    if (const std::uint32_t expected = reference.read(access.address); answer.data != expected)
      return "step " + std::to_string(step) + ": " + std::to_string(access.address) + " reads " +
             std::to_string(answer.data) + ", expected " + std::to_string(expected);
  }
  timer.catch_up(now + 10_us);
  reference.advance((now + 10_us) / period);
  for (std::size_t i = 0; i < std::max(timer.edges.size(), reference.edges().size()); ++i)
    if (i >= timer.edges.size() || i >= reference.edges().size() || timer.edges[i] != reference.edges()[i])
      return "edge " + std::to_string(i) + " of the lines";
  return "";
}

constexpr const char* block = "rtl/apb_timer/block.json";

TEST(ApbTimerTest, RandomAccessesAreThoseOfTheReference) {
  for (const auto& [count_bits, prescale_bits] : {std::pair(4, 2), std::pair(32, 4)})
    for (const RtlOptions& options :
         {RtlOptions{}, RtlOptions{.skip = false}, RtlOptions{.check_idle = true}}) {
      Timer timer(timer_library(block, count_bits, prescale_bits, true), options);
      Reference reference(count_bits, prescale_bits);
      EXPECT_EQ(difference(timer, reference, 1, 10'000), "") << count_bits << ' ' << options.skip;
      EXPECT_GT(timer.edges.size(), 150u);
    }
}

class ApbTimerRtlMutantTest : public testing::TestWithParam<Mutant> {};
TEST_P(ApbTimerRtlMutantTest, IsFound) {
  Timer timer(timer_library(mutant_of("apb_timer", GetParam()), 4, 2), {.check_idle = true});
  Reference reference(4, 2);
  try {
    EXPECT_NE(difference(timer, reference, 1, 10'000), "");
  } catch (const RtlError& error) {
    EXPECT_NE(std::string(error.what()).find(" lies at "), std::string::npos) << error.what();
  }
}
INSTANTIATE_TEST_SUITE_P(ApbTimer, ApbTimerRtlMutantTest, testing::ValuesIn(apb_timer_mutants),
                         ParameterName());

// ---- single behaviours ----

struct WholeTimer : Timer {
  explicit WholeTimer(const RtlOptions& options = {}) : Timer(timer_library(block, 32, 4, true), options) {}
};

TEST(ApbTimerTest, AMatchIsCompareTimesThePrescalerAfterItsStart) {
  for (const unsigned scale : {0u, 1u, 5u, 15u}) {
    WholeTimer timer;
    timer.write(100_ns, 0, prescale, scale);
    timer.write(200_ns, 0, compare, 3);
    timer.write(300_ns, 0, mask, match);
    const Picoseconds started = timer.write(400_ns, 0, control, enable).end;
    EXPECT_EQ(timer.next_event(), timer.timeline().next_edge()) << "the write has changed inputs";
    timer.catch_up(started + period);
    const Picoseconds due = started + period * (std::uint64_t{3} << scale);
    EXPECT_EQ(timer.next_event(), due);
    timer.catch_up(due - 1_ps);
    EXPECT_EQ(timer.interrupts(), 0u);
    timer.catch_up(due);
    EXPECT_EQ(timer.interrupts(), 1u);
    EXPECT_EQ(timer.read(due + 1_us, 0, count), 3u);
    EXPECT_EQ(timer.read(due + 2_us, 0, control), 0u);
  }
}

TEST(ApbTimerTest, NothingIsAwaitedThatRaisesNoLine) {
  WholeTimer timer;
  timer.write(0_ps, 0, compare, 100);
  const Picoseconds started = timer.write(100_ns, 0, control, enable | periodic).end;
  timer.catch_up(started + period);
  EXPECT_EQ(timer.next_event(), std::nullopt) << "MASK lets nothing through";
  timer.write(10_us, 0, mask, match);
  timer.catch_up(11_us);
  EXPECT_EQ(timer.interrupts(), 1u) << "there was a match before";
  EXPECT_EQ(timer.next_event(), std::nullopt) << "the line is high already";
  timer.write(12'300_ns, 0, clear, match);
  timer.catch_up(12'400_ns);
  EXPECT_EQ(timer.next_event(), started + 13_us);
}

TEST(ApbTimerTest, AStoppedTimerIsNotStepped) {
  WholeTimer timer;
  timer.write(0_ps, 1, compare, 7);
  timer.write(100_ns, 1, control, enable);
  timer.catch_up(1_us);
  EXPECT_EQ(timer.next_event(), std::nullopt);
  timer.catch_up(100'000_s);  // ten trillion cycles
  EXPECT_EQ(timer.read(100'001_s, 1, count), 7u);
}

TEST(ApbTimerTest, AResetStopsAndClears) {
  WholeTimer timer;
  for (unsigned channel = 0; channel < 2; ++channel) {
    timer.write(0_ps, channel, compare, 2);
    timer.write(0_ps, channel, mask, match);
    timer.write(0_ps, channel, control, enable | periodic);
  }
  timer.catch_up(5_us);
  EXPECT_EQ(timer.interrupts(), 3u);
  timer.reset(Reset::warm, 5_us);
  EXPECT_EQ(timer.interrupts(), 0u);
  for (unsigned channel = 0; channel < 2; ++channel)
    for (const TimerRegister reg : {control, prescale, compare, count, status, mask, pending})
      EXPECT_EQ(timer.read(6_us, channel, reg), 0u) << reg;
}

// ---- as a device ----

struct ApbTimerDeviceTest : SystemCTest {
  RtlDevice timer{"timer", timer_library(block, 32, 4, true), {.bus = {.time = {.clock = clock_rate}}}, {}};
  TestInitiator cpu{"cpu"};
  sc_core::sc_signal<bool, sc_core::SC_UNCHECKED_WRITERS> line0{"line0"}, line1{"line1"};
  std::vector<Picoseconds> rises[2];

  ApbTimerDeviceTest() {
    cpu.socket.bind(timer.target);
    timer.interrupts[0].bind(line0);
    timer.interrupts[1].bind(line1);
    for (unsigned channel = 0; channel < 2; ++channel) {
      sc_core::sc_spawn_options on_rise;
      on_rise.spawn_method();
      on_rise.dont_initialize();
      on_rise.set_sensitivity(&(channel == 0 ? line0 : line1).posedge_event());
      sc_core::sc_spawn([this, channel] { rises[channel].push_back(now()); },
                        sc_core::sc_gen_unique_name("on_rise"), &on_rise);
    }
  }
  void write(unsigned channel, TimerRegister reg, std::uint32_t data) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    cpu.write32(address_of(channel, reg), data);
    wait_for(to_picoseconds(cpu.delay));
  }
  std::uint32_t read(unsigned channel, TimerRegister reg) {
    cpu.delay = sc_core::SC_ZERO_TIME;
    return cpu.read32(address_of(channel, reg));
  }
  // Returns the time of the edge after which COUNT is zero.
  Picoseconds start(unsigned channel, std::uint32_t mode, std::uint32_t limit) {
    write(channel, compare, limit);
    write(channel, mask, match);
    write(channel, control, mode);
    return now();
  }
};

SYSTEMC_TEST_F(ApbTimerDeviceTest, EachChannelHasItsOwnTimesAndLine) {
  const Picoseconds first = start(0, enable | periodic, 150), second = start(1, enable, 1000);
  for (unsigned i = 1; i <= 20; ++i) {
    wait_until(first + 1500_ns * i + 100_ns);
    write(0, clear, match);
  }
  write(0, control, 0);
  wait_for(100_us);
  ASSERT_EQ(rises[0].size(), 20u);
  for (unsigned i = 1; i <= 20; ++i) EXPECT_EQ(rises[0][i - 1], first + 1500_ns * i);
  EXPECT_EQ(rises[1], (std::vector{second + 10_us}));
  EXPECT_EQ(read(0, status), 0u);
  EXPECT_EQ(read(1, pending), match);
}

SYSTEMC_TEST_F(ApbTimerDeviceTest, AMatchThatIsNotClearedIsAnOverrun) {
  const Picoseconds started = start(0, enable | periodic, 100);
  wait_until(started + 3500_ns);
  EXPECT_EQ(read(0, status), match | overrun);
  write(0, clear, match);
  settle();
  EXPECT_FALSE(line0.read());
  EXPECT_EQ(read(0, status), overrun);
  wait_until(started + 4500_ns);
  EXPECT_EQ(rises[0], (std::vector{started + 1_us, started + 4_us}));
}

SYSTEMC_TEST_F(ApbTimerDeviceTest, ARunningTimerHasOneEventAtItsMatch) {
  const Picoseconds started = start(1, enable, 1'000'000);
  wait_for(1_us);
  EXPECT_EQ(now() + to_picoseconds(sc_core::sc_time_to_pending_activity()), started + 10_ms);
  EXPECT_EQ(read(1, count), 101u);  // after the first edge after the present time
  wait_until(started + 10_ms);
  settle();
  EXPECT_TRUE(line1.read());
  EXPECT_EQ(sc_core::sc_time_to_pending_activity(), sc_core::sc_max_time() - sc_core::sc_time_stamp());
}

}  // namespace
}  // namespace asterism
