#include "fabric/network/power.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace asterism {
namespace {

// Two routers of radix 8, each with a node, are connected by two channels of 2 mm. A gated router of radix 36
// has a channel of 10 mm to the first.
Topology two_routers_and_a_spare() {
  Topology t;
  t.name = "test";
  t.routers = {{.name = "L0", .at = {}, .radix = 8, .period = 238_ps},
               {.name = "L1", .at = {}, .radix = 8, .period = 238_ps},
               {.name = "GR0", .at = {}, .radix = 36, .period = 425_ps, .global = true}};
  t.channels = {{.from = 0, .to = 1, .length = 2000_um, .latency = 1_cycles},
                {.from = 1, .to = 0, .length = 2000_um, .latency = 1_cycles},
                {.from = 2, .to = 0, .length = 10'000_um, .latency = 1_cycles}};
  t.nodes = {{.router = 0, .length = 500_um, .latency = 1_cycles},
             {.router = 1, .length = 500_um, .latency = 1_cycles}};
  return t;
}

// 400 flits from node 0 to node 1 in 1 us.
FlitNetwork::Load one_stream() {
  return {.channel_flits = {400, 0, 0},
          .injected_flits = {400, 0},
          .ejected_flits = {0, 400},
          .router_flits = {400, 400, 0},
          .powered_time = {1_us, 1_us, 0_us}};
}

const SwitchTechnology technology;

TEST(FabricPowerTest, AddsUpByComponent) {
  const FabricPower power = fabric_power(two_routers_and_a_spare(), technology, one_stream(), 1_us);
  EXPECT_DOUBLE_EQ(power.static_watts, 0.28 * (2 * 0.088031 + 4 * 0.000527));
  EXPECT_DOUBLE_EQ(power.buffer_watts, 800 * 13.3 / 1e6);
  EXPECT_DOUBLE_EQ(power.switch_watts, 800 * 20.8 / 64 / 1e6);  // (8 / 64)^2
  EXPECT_DOUBLE_EQ(power.link_watts, 400 * 3 * 0.276 * 0.07 * 128 / 1e6);
  EXPECT_DOUBLE_EQ(power.watts(),
                   power.static_watts + power.buffer_watts + power.switch_watts + power.link_watts);
}

TEST(FabricPowerTest, DividesTheEnergyByTheBitsDelivered) {
  const FabricPower power = fabric_power(two_routers_and_a_spare(), technology, one_stream(), 1_us);
  EXPECT_DOUBLE_EQ(power.picojoules_per_bit.value(), power.watts() * 1e6 / (400 * 128));
}

TEST(FabricPowerTest, CountsAGatedRouterForTheTimeItWasPowered) {
  FlitNetwork::Load load = one_stream();
  const double gated = fabric_power(two_routers_and_a_spare(), technology, load, 1_us).static_watts;
  load.powered_time[2] = 250_ns;
  const double quarter = fabric_power(two_routers_and_a_spare(), technology, load, 1_us).static_watts;
  EXPECT_NEAR(quarter - gated, 0.25 * 0.28 * (0.510107 + 10 * 0.000527), 1e-12);
}

TEST(FabricPowerTest, LeavesStaticPowerOnlyWhenNothingMoves) {
  FlitNetwork::Load load = one_stream();
  load.injected_flits = load.ejected_flits = {0, 0};
  load.channel_flits = load.router_flits = {0, 0, 0};
  const FabricPower power = fabric_power(two_routers_and_a_spare(), technology, load, 1_us);
  EXPECT_DOUBLE_EQ(power.watts(), 0.28 * (2 * 0.088031 + 4 * 0.000527));
  EXPECT_EQ(power.picojoules_per_bit, std::nullopt);
}

TEST(FabricPowerTest, TakesTheChannelWidthFromTheTopology) {
  Topology narrow = two_routers_and_a_spare();
  narrow.channel_bits = 64;
  const FabricPower power = fabric_power(narrow, technology, one_stream(), 1_us);
  EXPECT_DOUBLE_EQ(power.static_watts,
                   0.28 * (2 * 0.057576 + 4 * 0.0002635));  // radix 8 at 64 bits is like radix 4 at 128
  EXPECT_DOUBLE_EQ(power.buffer_watts, 800 * 6.65 / 1e6);
  EXPECT_DOUBLE_EQ(power.link_watts, 400 * 3 * 0.276 * 0.07 * 64 / 1e6);
}

TEST(FabricPowerTest, CountsTheAreaOfWhatIsGatedToo) {
  EXPECT_EQ(fabric_area(two_routers_and_a_spare(), technology),
            SquareMicrometres(2 * 88'031 + 510'107 + 14 * 527));
}

TEST(FabricPowerTest, RefusesNoTimeAndALoadOfAnotherTopology) {
  EXPECT_THROW(fabric_power(two_routers_and_a_spare(), technology, one_stream(), 0_ps),
               std::invalid_argument);
  FlitNetwork::Load load = one_stream();
  load.channel_flits.pop_back();
  EXPECT_THROW(fabric_power(two_routers_and_a_spare(), technology, load, 1_us), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
