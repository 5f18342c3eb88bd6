#include "swizzle_switch/flit_switch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "base/random.h"

namespace asterism {
namespace {

using Inputs = FlitSwitch::Inputs;
using Ports = FlitSwitch::Ports;

// The input whose flit moves at the output in each of these cycles: a digit, or '-' for none.
std::string moves(FlitSwitch& flits, const Inputs& in, unsigned output, int cycles) {
  std::string text;
  for (int i = 0; i < cycles; ++i) {
    const FlitSwitch::Outputs out = flits.cycle(in);
    const bool moved = out.out_valid & in.out_ready & Ports{1} << output;
    text += moved ? static_cast<char>('0' + out.source[output]) : '-';
  }
  return text;
}

TEST(FlitSwitchTest, ArbitratesForACycleAndMovesAFlitInTheNext) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  in.offer(2, 3, true);
  EXPECT_EQ(flits.cycle(in), FlitSwitch::Outputs{});
  const FlitSwitch::Outputs out = flits.cycle(in);
  EXPECT_EQ(out.in_ready, 0b0100u);
  EXPECT_EQ(out.out_valid, 0b1000u);
  EXPECT_EQ(out.out_last, 0b1000u);
  EXPECT_EQ(out.source[3], 2);
}

TEST(FlitSwitchTest, APacketOfOneFlitTakesTwoCycles) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  in.offer(1, 0, true);
  EXPECT_EQ(moves(flits, in, 0, 6), "-1-1-1");
}

TEST(FlitSwitchTest, GrantsTheLeastRecentlyGranted) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  for (unsigned input = 0; input < 4; ++input) in.offer(input, 1, true);
  EXPECT_EQ(moves(flits, in, 1, 12), "-0-1-2-3-0-1");
}

TEST(FlitSwitchTest, HoldsAnOutputUntilTheLastFlit) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  in.offer(0, 2, false);
  in.offer(1, 2, true);
  EXPECT_EQ(moves(flits, in, 2, 4), "-000");
  in.offer(0, 2, true);
  EXPECT_EQ(moves(flits, in, 2, 4), "0-1-");
}

TEST(FlitSwitchTest, AHeldOutputKeepsItsOrder) {
  FlitSwitch flits(3);
  Inputs in{.out_ready = 0b111};
  in.offer(0, 0, false);
  EXPECT_EQ(moves(flits, in, 0, 5), "-0000");
  in.offer(0, 0, true);
  in.offer(1, 0, true);
  in.offer(2, 0, true);
  EXPECT_EQ(moves(flits, in, 0, 7), "0-1-2-0");
}

TEST(FlitSwitchTest, AnInputThatFallsSilentKeepsItsOutput) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  in.offer(0, 2, false);
  EXPECT_EQ(moves(flits, in, 2, 2), "-0");
  in.valid = 0;
  in.offer(1, 2, true);
  EXPECT_EQ(moves(flits, in, 2, 3), "---");
  in.offer(0, 2, true);
  EXPECT_EQ(moves(flits, in, 2, 3), "0-1");
}

TEST(FlitSwitchTest, TheDestinationOfLaterFlitsDoesNotCount) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  in.offer(0, 2, false);
  EXPECT_EQ(moves(flits, in, 2, 2), "-0");
  in.offer(0, 1, true);
  EXPECT_EQ(moves(flits, in, 2, 1), "0");
}

TEST(FlitSwitchTest, BackPressureStopsOnlyItsOwnOutput) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1110};
  in.offer(0, 0, true);
  in.offer(1, 1, true);
  flits.cycle(in);
  FlitSwitch::Outputs out = flits.cycle(in);
  EXPECT_EQ(out.out_valid, 0b0011u);
  EXPECT_EQ(out.in_ready, 0b0010u);
  in.out_ready = 0b1111;
  EXPECT_EQ(flits.cycle(in).in_ready, 0b0001u);
}

TEST(FlitSwitchTest, ArbitratesWhileTheOutputIsNotReady) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0};
  in.offer(3, 0, true);
  flits.cycle(in);
  in.out_ready = 0b1111;
  EXPECT_EQ(moves(flits, in, 0, 1), "3");
}

TEST(FlitSwitchTest, AllOutputsWorkAtOnce) {
  FlitSwitch flits(4);
  Inputs in{.out_ready = 0b1111};
  for (unsigned input = 0; input < 4; ++input) in.offer(input, 3 - input, true);
  flits.cycle(in);
  const FlitSwitch::Outputs out = flits.cycle(in);
  EXPECT_EQ(out.in_ready, 0b1111u);
  for (unsigned output = 0; output < 4; ++output) EXPECT_EQ(out.source[output], 3 - output);
}

TEST(FlitSwitchTest, ADestinationThatIsNoOutputIsNeverServed) {
  FlitSwitch flits(3);
  Inputs in{.out_ready = 0b111};
  in.offer(1, 3, true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(flits.cycle(in), FlitSwitch::Outputs{});
}

TEST(FlitSwitchTest, AnInputWaitsForAtMostRadixMinusOnePackets) {
  Random random(9);
  FlitSwitch flits(5);
  Inputs in;
  int waited = 0, longest = 0;
  for (int cycle = 0; cycle < 50'000; ++cycle) {
    in = {.out_ready = random.below(32)};
    for (unsigned input = 1; input < 5; ++input)
      if (random.below(3)) in.offer(input, 0, random.below(2));
    in.offer(0, 0, true);
    const FlitSwitch::Outputs out = flits.cycle(in);
    if (!(out.out_last & in.out_ready & 1)) continue;
    waited = out.source[0] == 0 ? 0 : waited + 1;
    longest = std::max(longest, waited);
  }
  EXPECT_EQ(longest, 4);
}

TEST(FlitSwitchTest, ResetLetsGoOfEverything) {
  FlitSwitch flits(2);
  Inputs in{.out_ready = 0b11};
  in.offer(0, 0, false);
  EXPECT_EQ(moves(flits, in, 0, 3), "-00");
  flits.reset();
  EXPECT_EQ(moves(flits, in, 0, 3), "-00");
}

TEST(FlitSwitchTest, RefusesOtherNumbersOfPorts) {
  EXPECT_THROW(FlitSwitch(0), std::invalid_argument);
  EXPECT_THROW(FlitSwitch(1), std::invalid_argument);
  EXPECT_THROW(FlitSwitch(65), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
