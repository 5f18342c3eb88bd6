#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/random.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/test_topology.h"
#include "fabric/topology/topologies.h"

namespace asterism {
namespace {

struct RecordingHook : ArbitrationHook {
  struct Decision {
    Picoseconds at;
    unsigned output;
    RequestSet requests;
    unsigned choice;
  };
  std::vector<Decision> decisions;
  std::vector<Reset> resets;
  std::function<unsigned(const Decision&)> answer = [](const Decision& d) { return d.choice; };

  unsigned decide(Picoseconds now, unsigned output, const RequestSet& requests, unsigned choice) override {
    decisions.push_back({now, output, requests, choice});
    return answer(decisions.back());
  }
  void reset(Reset kind) override { resets.push_back(kind); }
};

struct Arrivals : FlitNetwork::Sink {
  std::vector<std::pair<std::uint64_t, Picoseconds>> all;  // tag, time
  void delivered(const Delivery& delivery) override {
    all.emplace_back(delivery.packet.tag, delivery.delivered);
  }
};

std::shared_ptr<const Topology> one_switch(unsigned ports) {
  return build_topology(
      {.topology = TopologyKind::swizzle_switch, .fidelity = Fidelity::flit, .ports = ports},
      SwitchTechnology{});
}

// Returns the arrivals of the same random packets for every call.
std::vector<std::pair<std::uint64_t, Picoseconds>> arrivals(ArbiterPolicy policy, ArbitrationHook* hook) {
  FlitNetwork network(one_switch(8), {.arbitration = policy});
  if (hook) network.attach_hook(0, hook);
  Random random(1);
  for (std::uint64_t tag = 0; tag < 500; ++tag) {
    const auto source = static_cast<NodeId>(random.below(8)),
               destination = static_cast<NodeId>(random.below(3));
    network.inject({source, destination, static_cast<std::uint32_t>(1 + random.below(5)), tag}, 0_ps);
  }
  Arrivals sink;
  while (const auto next = network.next_event()) network.advance_to(*next, sink);
  return sink.all;
}

TEST(ArbitrationHookTest, AHookThatAgreesWithTheModelChangesNothing) {
  RecordingHook hook;
  const auto without = arrivals(ArbiterPolicy::least_recently_granted, nullptr);
  EXPECT_EQ(arrivals(ArbiterPolicy::least_recently_granted, &hook), without);
  EXPECT_GT(hook.decisions.size(), 1000u);
}

TEST(ArbitrationHookTest, TheAnswerOfTheHookWins) {
  RecordingHook lowest;
  lowest.answer = [](const auto& d) { return static_cast<unsigned>(std::countr_zero(d.requests[0])); };
  EXPECT_EQ(arrivals(ArbiterPolicy::least_recently_granted, &lowest),
            arrivals(ArbiterPolicy::fixed, nullptr));
}

TEST(ArbitrationHookTest, ADecisionHasEveryRequestOfItsOutputInItsCycle) {
  RecordingHook hook;
  arrivals(ArbiterPolicy::least_recently_granted, &hook);
  unsigned most = 0;
  for (std::size_t i = 0; i < hook.decisions.size(); ++i) {
    const auto& d = hook.decisions[i];
    EXPECT_TRUE(d.requests[0] >> d.choice & 1);
    EXPECT_LT(d.output, 3u);
    most = std::max(most, static_cast<unsigned>(std::popcount(d.requests[0])));
    for (std::size_t j = i; j-- > 0 && hook.decisions[j].at == d.at;)
      EXPECT_EQ(d.requests[0] & hook.decisions[j].requests[0], 0u) << "an input requests two outputs at once";
  }
  EXPECT_EQ(most, 8u);
}

TEST(ArbitrationHookTest, AResetIsReportedWithItsKind) {
  RecordingHook hook;
  FlitNetwork network(one_switch(4), {});
  network.attach_hook(0, &hook);
  EXPECT_TRUE(hook.resets.empty());
  network.reset(Reset::power_loss);
  EXPECT_EQ(hook.resets, std::vector{Reset::power_loss});
}

TEST(ArbitrationHookTest, OnlyTheSwitchWithTheHookCallsIt) {
  RecordingHook hook;
  FlitNetwork network(line({1_ns, 1_ns, 1_ns}).topology, {});
  network.attach_hook(1, &hook);
  Arrivals sink;
  network.inject({.source = 0, .destination = 2, .flits = 3}, 0_ps);
  while (const auto next = network.next_event()) network.advance_to(*next, sink);
  EXPECT_EQ(hook.decisions.size(), 3u);
}

TEST(ArbitrationHookTest, ASwitchOfMoreInputsThanABlockMayHaveIsRefused) {
  TestTopology wide({1_ns});
  for (NodeId n = 0; n < max_hook_radix; ++n) wide.topology->nodes.push_back({0, 500_um, 1_cycles});
  FlitNetwork network(wide.topology, {});
  RecordingHook hook;
  EXPECT_THROW(network.attach_hook(0, &hook), std::invalid_argument);
}

}  // namespace
}  // namespace asterism
