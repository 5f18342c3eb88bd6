#include "fabric/topology/channel_dependency.h"

#include <gtest/gtest.h>

#include "fabric/topology/channel_runs.h"

namespace asterism {
namespace {

// Routers R0, R1, ... in a one-way ring with a node each; channel i leads from Ri to the next.
Topology one_way_ring(unsigned routers, std::shared_ptr<const Routing> routing) {
  Topology topology;
  for (RouterId r = 0; r < routers; ++r) {
    topology.routers.push_back({"R" + std::to_string(r), {}, 2, 500_ps, false});
    topology.channels.push_back({r, (r + 1) % routers, 1000_um, 1_cycles});
    topology.nodes.push_back({r, 500_um, 1_cycles});
  }
  topology.routing = std::move(routing);
  return topology;
}

class RoundRouting final : public Routing {
 public:
  explicit RoundRouting(unsigned classes) : classes_(classes) {}
  unsigned vc_classes() const override { return classes_; }
  Step step(RouterId here, RouterId, unsigned vc_class) const override {
    const unsigned next = here == 3 ? classes_ - 1 : vc_class;
    return {.channels = all_(here, 1), .fallback = {}, .vc_class = next};
  }

 private:
  unsigned classes_;
  ChannelRuns all_{4};
};

TEST(ChannelDependencyTest, NamesTheChannelsOfADeadlock) {
  const std::string problem =
      routing_problem(one_way_ring(4, std::make_shared<RoundRouting>(1))).value_or("");
  EXPECT_EQ(problem,
            "packets could block each other for ever: R0->R1 -> R1->R2 -> R2->R3 -> R3->R0 -> R0->R1");
}

TEST(ChannelDependencyTest, ADatelineBreaksIt) {
  EXPECT_EQ(routing_problem(one_way_ring(4, std::make_shared<RoundRouting>(2))), std::nullopt);
}

// Sends packets for R2 back and forth between R0 and R1.
class PassingRouting final : public Routing {
 public:
  Step step(RouterId here, RouterId destination, unsigned) const override {
    if (destination == 2) return {.channels = back_(here == 0 ? 0 : 1, 1), .fallback = {}, .vc_class = 0};
    return {.channels = back_(here == 0 ? 0 : here == 1 ? 1 : 2, 1), .fallback = {}, .vc_class = 0};
  }

 private:
  ChannelRuns back_{4};
};

TEST(ChannelDependencyTest, NamesTheCircleOfARouteThatNeverArrives) {
  Topology topology;
  for (RouterId r = 0; r < 3; ++r) {
    topology.routers.push_back({"R" + std::to_string(r), {}, 3, 500_ps, false});
    topology.nodes.push_back({r, 500_um, 1_cycles});
  }
  for (const auto& [from, to] : {std::pair{0u, 1u}, {1u, 0u}, {2u, 1u}})
    topology.channels.push_back({from, to, 1000_um, 1_cycles});
  topology.routing = std::make_shared<PassingRouting>();
  EXPECT_EQ(routing_problem(topology), "the route to R2 runs in a circle: R0 -> R1 -> R0");
}

// From R0 on packets may also take the path around the ring to R3.
class FallbackRouting final : public Routing {
 public:
  Step step(RouterId here, RouterId destination, unsigned) const override {
    const auto clockwise = all_(2 * here, 1), back = all_(2 * here + 1, 1);
    if ((here + 1) % 4 == destination) return {.channels = clockwise, .fallback = {}, .vc_class = 0};
    if ((destination + 1) % 4 == here) return {.channels = back, .fallback = {}, .vc_class = 0};
    // To the opposite router, packets go forwards from even routers and backwards from odd ones; the fallback
    // is the other direction.
    return here % 2 == 0 ? Step{.channels = clockwise, .fallback = back, .vc_class = 0}
                         : Step{.channels = back, .fallback = clockwise, .vc_class = 0};
  }

 private:
  ChannelRuns all_{8};
};

TEST(ChannelDependencyTest, FallbacksCount) {
  Topology topology;
  for (RouterId r = 0; r < 4; ++r) {
    topology.routers.push_back({"R" + std::to_string(r), {}, 3, 500_ps, false});
    topology.channels.push_back({r, (r + 1) % 4, 1000_um, 1_cycles});
    topology.channels.push_back({r, (r + 3) % 4, 1000_um, 1_cycles});
    topology.nodes.push_back({r, 500_um, 1_cycles});
  }
  topology.routing = std::make_shared<FallbackRouting>();
  EXPECT_NE(routing_problem(topology), std::nullopt);
}

class NoRouting final : public Routing {
 public:
  Step step(RouterId, RouterId, unsigned) const override { return {}; }
};

TEST(ChannelDependencyTest, NamesAPairWithoutAWay) {
  EXPECT_EQ(routing_problem(one_way_ring(4, std::make_shared<NoRouting>())), "there is no way from R1 to R0");
}

}  // namespace
}  // namespace asterism
