// Compares rtl/swizzle_switch with FlitSwitch for random packets with random back-pressure, and tests the
// timing of a packet's flits.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>

#include "base/parameter_name.h"
#include "base/random.h"
#include "swizzle_switch/flit_switch.h"
#include "testbenches/testbench.h"

namespace asterism {
namespace {

constexpr const char* the_switch = "rtl/swizzle_switch/block.json";

std::vector<std::string> shape(unsigned radix, unsigned width) {
  return {"parameters.Radix=" + std::to_string(radix), "parameters.Width=" + std::to_string(width)};
}

// Bits [first, first + count) of a port, at most 64.
std::uint64_t bits(const RtlPort& port, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t word = first / 64, low = first % 64;
  std::uint64_t value = port.get(word) >> low;
  if (low + count > 64) value |= port.get(word + 1) << (64 - low);
  return count == 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}
void set_bits(RtlPort& port, std::uint32_t first, std::uint32_t count, std::uint64_t value) {
  for (std::uint32_t bit = 0; bit < count; ++bit) {  // slow, but simple
    const std::uint32_t word = (first + bit) / 64;
    const std::uint64_t mask = std::uint64_t{1} << (first + bit) % 64;
    port.set((port.get(word) & ~mask) | (value >> bit & 1 ? mask : 0), word);
  }
}

class Pair {
 public:
  Pair(const std::string& block, const std::vector<std::string>& overrides)
      : rtl_(library_of(block, overrides), "switch"), model_(rtl_.port("in.valid").width()) {
    width_ = rtl_.port("in.data").width() / model_.radix();
    index_bits_ = rtl_.port("in.destination").width() / model_.radix();
    rtl_.reset();
  }

  unsigned radix() const { return model_.radix(); }
  unsigned data_bits() const { return std::min(width_, 64u); }

  // Executes one cycle of both with these data at the inputs. Returns the model's outputs, or nullopt if
  // those of the RTL differ.
  std::optional<FlitSwitch::Outputs> cycle(const FlitSwitch::Inputs& in,
                                           const std::vector<std::uint64_t>& data) {
    set(in, data);
    rtl_.settle();
    const FlitSwitch::Outputs expected = model_.cycle(in);
    const bool same = agrees(expected, data);
    rtl_.edge();
    return same ? std::optional(expected) : std::nullopt;
  }

 private:
  void set(const FlitSwitch::Inputs& in, const std::vector<std::uint64_t>& data) {
    rtl_.port("in.valid").set(in.valid);
    rtl_.port("in.last").set(in.last);
    rtl_.port("out.ready").set(in.out_ready);
    RtlPort destination = rtl_.port("in.destination"), flits = rtl_.port("in.data");
    for (unsigned i = 0; i < radix(); ++i) {
      set_bits(destination, i * index_bits_, index_bits_, in.destination[i]);
      set_bits(flits, i * width_, data_bits(), data[i]);
    }
  }
  bool agrees(const FlitSwitch::Outputs& expected, const std::vector<std::uint64_t>& data) const {
    if (rtl_.port("in.ready").get() != expected.in_ready ||
        rtl_.port("out.valid").get() != expected.out_valid ||
        rtl_.port("out.last").get() != expected.out_last)
      return false;
    const RtlPort flits = rtl_.port("out.data");
    for (unsigned o = 0; o < radix(); ++o) {
      const std::uint64_t carried = expected.out_valid >> o & 1 ? data[expected.source[o]] : 0;
      if (bits(flits, o * width_, data_bits()) != carried) return false;
    }
    return true;
  }

  RtlInstance rtl_;
  FlitSwitch model_;
  unsigned width_ = 0, index_bits_ = 0;
};

// Inputs that send random packets, with pauses within and between them.
class Senders {
 public:
  Senders(unsigned radix, unsigned data_bits, std::uint64_t seed)
      : random_(seed), packets_(radix), mask_(data_bits == 64 ? ~0ull : (1ull << data_bits) - 1) {}

  FlitSwitch::Inputs offer(std::vector<std::uint64_t>& data) {
    FlitSwitch::Inputs in;
    const std::uint64_t readiness = random_.below(4);  // with 3, outputs are always ready
    for (unsigned i = 0; i < packets_.size(); ++i) {
      Packet& packet = packets_[i];
      if (packet.left == 0 && random_.below(3) == 0)
        packet = {static_cast<unsigned>(1 + random_.below(5)),
                  static_cast<unsigned>(random_.below(packets_.size())), false};
      // A flit that was offered stays until it has moved.
      packet.offered = packet.offered || (packet.left > 0 && random_.below(4) > 0);
      if (packet.offered) in.offer(i, packet.to, packet.left == 1);
      if (random_.below(4) <= readiness) in.out_ready |= std::uint64_t{1} << i;
      if (!packet.offered || !packet.has_data) packet.data = random_.next() & mask_;
      packet.has_data = packet.offered;
      data[i] = packet.data;
    }
    return in;
  }
  void moved(const FlitSwitch::Inputs& in, FlitSwitch::Ports in_ready) {
    for (unsigned i = 0; i < packets_.size(); ++i) {
      if ((in.valid & in_ready) >> i & 1) {
        --packets_[i].left;
        packets_[i].offered = packets_[i].has_data = false;
        ++flits;
      }
    }
  }
  std::uint64_t flits = 0;

 private:
  struct Packet {
    unsigned left = 0, to = 0;
    bool offered = false, has_data = false;
    std::uint64_t data = 0;
  };
  Random random_;
  std::vector<Packet> packets_;
  std::uint64_t mask_;
};

struct Result {
  std::optional<unsigned> differs;  // cycle
  std::uint64_t flits = 0;
};
Result random_traffic(Pair& pair, unsigned cycles) {
  Senders senders(pair.radix(), pair.data_bits(), 1);
  std::vector<std::uint64_t> data(pair.radix());
  for (unsigned cycle = 0; cycle < cycles; ++cycle) {
    const FlitSwitch::Inputs in = senders.offer(data);
    const auto out = pair.cycle(in, data);
    if (!out) return {cycle, senders.flits};
    senders.moved(in, out->in_ready);
  }
  return {std::nullopt, senders.flits};
}

struct Shape {
  unsigned radix, width;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.radix << "x" << shape.width; }
class RandomTest : public testing::TestWithParam<Shape> {};

TEST_P(RandomTest, AgreesWithTheModel) {
  const auto [radix, width] = GetParam();
  Pair pair(the_switch, shape(radix, width));
  const Result result = random_traffic(pair, 50'000);
  EXPECT_EQ(result.differs, std::nullopt);
  EXPECT_GT(result.flits, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(SwizzleSwitch, RandomTest, testing::Values(Shape{2, 8}, Shape{5, 16}, Shape{8, 128}),
                         ParameterName());

struct SwizzleSwitchTest : testing::Test {
  Pair pair{the_switch, shape(5, 16)};
  FlitSwitch::Inputs in;
  std::vector<std::uint64_t> data{0xa0, 0xa1, 0xa2, 0xa3, 0xa4};

  SwizzleSwitchTest() { in.out_ready = 0b11111; }
  FlitSwitch::Outputs cycle() {
    const auto out = pair.cycle(in, data);
    EXPECT_TRUE(out) << "the model and the RTL differ";
    return out.value_or(FlitSwitch::Outputs{});
  }
};

TEST_F(SwizzleSwitchTest, APacketOfThreeFlitsTakesItsOutputForFourCycles) {
  in.offer(2, 4, false);
  EXPECT_EQ(cycle().out_valid, 0u);  // arbitration
  EXPECT_EQ(cycle().out_valid, 0b10000u);
  EXPECT_EQ(cycle().out_valid, 0b10000u);
  in.offer(2, 4, true);
  EXPECT_EQ(cycle().out_last, 0b10000u);
  in = {};
  EXPECT_EQ(cycle().out_valid, 0u);
}

TEST_F(SwizzleSwitchTest, AnOutputIsHeldUntilTheTailWhateverElseRequests) {
  in.offer(3, 0, false);
  cycle();
  in.offer(1, 0, true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cycle().source[0], 3);
  in.offer(3, 0, true);
  EXPECT_EQ(cycle().source[0], 3);
  in.valid = 0b00010;
  cycle();
  EXPECT_EQ(cycle().source[0], 1);
}

TEST_F(SwizzleSwitchTest, AHolderThatFallsSilentKeepsItsOutput) {
  in.offer(0, 1, false);
  cycle();
  cycle();
  in.valid = 0;
  in.offer(4, 1, true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(cycle().out_valid, 0u);
}

TEST_F(SwizzleSwitchTest, WithoutReadyNothingMovesAndNoOtherInputIsBlocked) {
  in.offer(0, 0, true);
  in.offer(1, 1, true);
  in.out_ready = 0b00010;
  cycle();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(cycle().in_ready & 1, 0u);
  in.out_ready = 0b00001;
  EXPECT_EQ(cycle().in_ready & 1, 1u);
}

TEST_F(SwizzleSwitchTest, InputsThatAlwaysRequestAreGrantedInOrder) {
  for (unsigned i = 0; i < 5; ++i) in.offer(i, 2, true);
  std::vector<unsigned> served;
  for (int i = 0; i < 20; ++i)
    if (const auto out = cycle(); out.out_valid) served.push_back(out.source[2]);
  EXPECT_EQ(served, (std::vector<unsigned>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
}

TEST(SwizzleSwitchPropertiesTest, HoldUnderRandomTraffic) {
  auto overrides = shape(4, 8);
  overrides.emplace_back("assertions=true");
  Pair pair(the_switch, overrides);
  EXPECT_EQ(random_traffic(pair, 20'000).differs, std::nullopt);
}

constexpr const char* of_all = "swizzle_switch.sv";
constexpr const char* of_one = "swizzle_output.sv";
const Mutant mutants[] = {
    {"releases_before_tail",
     {{of_all, ".release_i(out_last_o[o] & out_ready_i[o])", ".release_i(out_valid_o[o] & out_ready_i[o])"}}},
    {"updates_while_held",
     {{of_one, "assign grant = arbitrates ? request_i & ~gen_line[1].pulled : '0;",
       "assign grant = request_i & ~gen_line[1].pulled;"},
      {of_one, "end else if (arbitrates) begin\n        if (grant[i])",
       "end else if (request_i != '0) begin\n        if (grant[i])"}}},
    {"grants_without_update",
     {{of_one, "outranks_q[i] <= '0;", "outranks_q[i] <= outranks_q[i];"},
      {of_one, "outranks_q[i] <= outranks_q[i] | (grant & Others);", "outranks_q[i] <= outranks_q[i];"}}},
    {"wrong_destination",
     {{of_all, "requests[in_destination_i[i*IndexBits +: IndexBits]][i]",
       "requests[in_destination_i[i*IndexBits +: IndexBits] & ~IndexBits'(1)][i]"}}},
    {"ready_ignores_output",
     {{of_all, "assign in_ready_o = gen_holders[1].served;", "assign in_ready_o = holding;"}}},
};

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFoundWithinTenThousandCycles) {
  Pair pair(mutant_of("swizzle_switch", GetParam()), shape(4, 8));
  EXPECT_NE(random_traffic(pair, 10'000).differs, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(SwizzleSwitch, RtlMutantTest, testing::ValuesIn(mutants), ParameterName());

}  // namespace
}  // namespace asterism
