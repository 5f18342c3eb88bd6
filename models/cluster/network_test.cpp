#include "cluster/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/activity_lines.h"

namespace asterism {
namespace {

constexpr std::uint64_t payload = 1000 - Frame::overhead_bytes;  // 1000 bytes on the wire: 1 us at 1 GB/s

struct Recorder : NetworkPort {
  explicit Recorder(EventQueue& t) : event_queue(t) {}
  void receive(Frame frame) override {
    arrivals.push_back({event_queue.now(), frame.source, static_cast<int>(frame.payload.at(0))});
  }
  void sent(SendQueue queue) override { ++sends[queue]; }
  void link_changed() override { ++link_changes; }

  struct Arrival {
    Picoseconds at;
    NodeNumber source;
    int mark;
    bool operator==(const Arrival&) const = default;
  };
  EventQueue& event_queue;
  std::vector<Arrival> arrivals;
  std::map<SendQueue, int> sends;
  int link_changes = 0;
};

struct NetworkTest : testing::Test {
  static constexpr NodeNumber nodes = 4;
  explicit NetworkTest(NetworkConfig config = {.bandwidth = 1_GBps, .latency = 10_us})
      : network(event_queue, config, nodes, 7) {
    for (NodeNumber i = 0; i < nodes; ++i) network.attach(i, ports[i]);
  }
  void send(NodeNumber from, NodeNumber to, int mark, SendQueue queue = SendQueue::application) {
    network.send({from, to, std::vector<std::byte>(payload, static_cast<std::byte>(mark))}, queue);
  }
  void run() {
    while (event_queue.step()) {
    }
  }
  std::vector<int> marks(NodeNumber at) const {
    std::vector<int> all;
    for (const auto& arrival : ports[at].arrivals) all.push_back(arrival.mark);
    return all;
  }

  EventQueue event_queue;
  Network network;
  Recorder ports[nodes]{Recorder(event_queue), Recorder(event_queue), Recorder(event_queue),
                        Recorder(event_queue)};
};

TEST_F(NetworkTest, AFlowLeadsFromALinkToTheNext) {
  ActivityLines activity;
  network.record_in(activity);
  send(0, 1, 1, SendQueue::checkpoint);
  send(2, 2, 1);  // is on no link
  run();
  EXPECT_EQ(activity.lines,
            (std::vector<std::string>{"node0.link_out checkpoint 0-1000 to=1 bytes=1000 flow 1",
                                      "node1.link_in frame 10000-11000 from=0 bytes=1000 flow 1"}));
}

TEST_F(NetworkTest, ASingleFrameTakesLatencyAndTransmissionTime) {
  send(0, 1, 1);
  run();
  ASSERT_EQ(ports[1].arrivals.size(), 1u);
  EXPECT_EQ(ports[1].arrivals[0], (Recorder::Arrival{11_us, 0, 1}));
  EXPECT_EQ(ports[0].sends[SendQueue::application], 1);
  EXPECT_EQ(network.bytes_sent(0, SendQueue::application), 1000u);
}

TEST_F(NetworkTest, ALinkCarriesOneFrameAtATime) {
  send(0, 1, 1);
  send(0, 2, 2);
  send(0, 1, 3);
  run();
  EXPECT_EQ(ports[1].arrivals[0].at, 11_us);
  EXPECT_EQ(ports[2].arrivals[0].at, 12_us);
  EXPECT_EQ(ports[1].arrivals[1].at, 13_us);
}

TEST_F(NetworkTest, ManySendersShareTheReceiversLink) {
  for (const NodeNumber from : {0u, 1u, 2u}) send(from, 3, static_cast<int>(from));
  run();
  ASSERT_EQ(ports[3].arrivals.size(), 3u);
  EXPECT_EQ(ports[3].arrivals[0].at, 11_us);
  EXPECT_EQ(ports[3].arrivals[1].at, 12_us);
  EXPECT_EQ(ports[3].arrivals[2].at, 13_us);
}

TEST_F(NetworkTest, TheSlowerLinkSetsTheRate) {
  network.set_bandwidth(1, 500_MBps);
  for (int i = 0; i < 3; ++i) send(0, 1, i);
  for (int i = 0; i < 3; ++i) send(1, 2, i);
  run();
  for (const NodeNumber to : {1u, 2u}) {
    ASSERT_EQ(ports[to].arrivals.size(), 3u);
    EXPECT_EQ(ports[to].arrivals[0].at, 12_us);
    EXPECT_EQ(ports[to].arrivals[2].at, 16_us);
  }
}

TEST_F(NetworkTest, ANodeReachesItselfWithoutTheWire) {
  send(0, 0, 1);
  run();
  EXPECT_EQ(ports[0].arrivals.at(0).at, 10_us);
}

TEST_F(NetworkTest, AFrameToAllOccupiesTheSendersLinkOnce) {
  send(2, 3, 1);
  send(0, all_nodes, 2);
  send(0, 1, 3);
  run();
  EXPECT_TRUE(ports[0].arrivals.empty());
  EXPECT_EQ(ports[1].arrivals, (std::vector<Recorder::Arrival>{{11_us, 0, 2}, {12_us, 0, 3}}));
  EXPECT_EQ(ports[2].arrivals, (std::vector<Recorder::Arrival>{{11_us, 0, 2}}));
  EXPECT_EQ(ports[3].arrivals, (std::vector<Recorder::Arrival>{{11_us, 2, 1}, {12_us, 0, 2}}));
  EXPECT_EQ(network.frames_sent(0, SendQueue::application), 2u);
}

TEST_F(NetworkTest, AFrameToAllReachesTheLinksThatAreUp) {
  network.set_link(1, false);
  send(0, all_nodes, 1);
  run();
  EXPECT_TRUE(ports[1].arrivals.empty());
  EXPECT_EQ(marks(2), std::vector{1});
  EXPECT_EQ(ports[1].link_changes, 1);
  network.set_link(1, true);
  EXPECT_EQ(ports[1].link_changes, 2);
}

TEST_F(NetworkTest, RefusesInvalidFrames) {
  EXPECT_THROW(network.send({0, nodes, {}}, SendQueue::application), std::invalid_argument);
  EXPECT_THROW(network.send({0, 1, std::vector<std::byte>(Frame::max_payload + 1)}, SendQueue::application),
               std::invalid_argument);
  EXPECT_THROW(network.set_tickets(0, 0, 0), std::invalid_argument);
}

TEST_F(NetworkTest, CheckpointsAreSentWhenTheApplicationQueueIsEmpty) {
  for (int i = 0; i < 3; ++i) send(0, 1, 10 + i, SendQueue::checkpoint);
  send(0, 1, 1);
  event_queue.at(1500_ns, [&] { send(0, 1, 2); });
  run();
  EXPECT_EQ(marks(1), (std::vector{10, 1, 2, 11, 12}));  // 10 was on the wire already
}

struct SharedQueueTest : NetworkTest {
  SharedQueueTest() : NetworkTest({.bandwidth = 1_GBps, .latency = 10_us, .policy = SendPolicy::shared}) {}
};

TEST_F(SharedQueueTest, TheApplicationWaitsBehindACheckpoint) {
  for (int i = 0; i < 3; ++i) send(0, 1, 10 + i, SendQueue::checkpoint);
  send(0, 1, 1);
  send(0, 1, 13, SendQueue::checkpoint);
  run();
  EXPECT_EQ(marks(1), (std::vector{10, 11, 12, 1, 13}));
}

struct LotteryTest : NetworkTest {
  LotteryTest()
      : NetworkTest({.bandwidth = 1_GBps,
                     .latency = 10_us,
                     .policy = SendPolicy::lottery,
                     .application_tickets = 3,
                     .checkpoint_tickets = 1}) {}

  // The first 4000 frames, while both queues are always full.
  double share_of_the_application() {
    for (int i = 0; i < 4000; ++i) {
      send(0, 1, 1);
      send(0, 1, 2, SendQueue::checkpoint);
    }
    event_queue.advance(4010_us);
    const std::vector<int> all = marks(1);
    return static_cast<double>(std::ranges::count(all, 1)) / static_cast<double>(all.size());
  }
};

// Four standard deviations of 4000 draws.
TEST_F(LotteryTest, TicketsSetTheOdds) { EXPECT_NEAR(share_of_the_application(), 0.75, 0.028); }

TEST_F(LotteryTest, TicketsCanBeChanged) {
  network.set_tickets(0, 1, 9);
  EXPECT_NEAR(share_of_the_application(), 0.1, 0.019);
}

TEST_F(LotteryTest, AnEmptyQueueDoesNotDelayTheOther) {
  for (int i = 0; i < 5; ++i) send(0, 1, i, SendQueue::checkpoint);
  run();
  EXPECT_EQ(ports[1].arrivals.back().at, 15_us);
}

TEST_F(NetworkTest, ALinkThatIsDownLosesQueuedFramesAndFramesOnTheWire) {
  for (int i = 0; i < 3; ++i) send(0, 1, i);
  send(2, 0, 7);
  event_queue.at(1500_ns, [&] { network.set_link(0, false); });
  event_queue.at(2_us, [&] { send(0, 1, 8), send(2, 0, 9); });
  event_queue.at(30_us, [&] { network.set_link(0, true), send(0, 1, 5); });
  run();
  EXPECT_EQ(marks(1), (std::vector{5}));
  EXPECT_TRUE(ports[0].arrivals.empty());
}

TEST_F(NetworkTest, FramesOnTheWireStayLostIfTheLinkIsUpAgainBeforeTheyArrive) {
  send(0, 1, 1);
  event_queue.at(2_us, [&] { network.set_link(1, false), network.set_link(1, true), send(0, 1, 2); });
  run();
  EXPECT_EQ(marks(1), (std::vector{2}));
}

TEST_F(NetworkTest, AResetDropsQueuedFrames) {
  for (int i = 0; i < 3; ++i) send(0, 1, i);
  network.clear(0);
  run();
  EXPECT_EQ(marks(1), (std::vector{0}));
  EXPECT_EQ(network.waiting(0, SendQueue::application), 0u);
}

// A frame of 1000 bytes takes 1 us of the link and 4 us of a host thread.
struct HostThreadTest : NetworkTest {
  HostThreadTest() : NetworkTest({.bandwidth = 1_GBps, .latency = 10_us, .host_thread = 250_MBps}) {}
};

TEST_F(HostThreadTest, HasAFrameWhenItIsSentAndWhenItIsReceived) {
  send(0, 1, 1);
  run();
  ASSERT_EQ(ports[1].arrivals.size(), 1u);
  EXPECT_EQ(ports[1].arrivals[0].at, 4_us + 10_us + 4_us);
}

TEST_F(HostThreadTest, HasOneFrameAtATime) {
  for (int i = 0; i < 3; ++i) {
    send(0, 1, i);
    send(1, 0, i);
  }
  run();
  // All are sent by 12 us, and the first arrives at 14 us: each of them is received in 4 us after that.
  for (int node = 0; node < 2; ++node)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ports[node].arrivals[i].at, 14_us + 4_us * (i + 1));
}

// Node 0 receives three frames of copies that arrive from 14 us on. What its program queues at 15 us is sent
// when they have been received, at 26 us, although the policy is opportunistic.
TEST_F(HostThreadTest, ReceivesAllThatHasArrivedBeforeItSends) {
  for (NodeNumber from = 1; from < 4; ++from) send(from, 0, 0, SendQueue::checkpoint);
  event_queue.at(15_us, [&] { send(0, 1, 9); });
  run();
  EXPECT_EQ(ports[0].arrivals[2].at, 14_us + 12_us);
  EXPECT_EQ(ports[1].arrivals[0].at, 26_us + 4_us + 10_us + 4_us);
}

TEST_F(HostThreadTest, SendsAllOfTheApplicationBeforeItReceives) {
  send(1, 0, 0);  // arrives at 14 us
  event_queue.at(13_us, [&] {
    for (int i = 0; i < 3; ++i) send(0, 2, i);
  });
  run();
  EXPECT_EQ(ports[0].arrivals[0].at, 13_us + 12_us + 4_us);
}

TEST_F(HostThreadTest, DoesNotHaveFramesToItselfNorThoseOfANodeWithoutIt) {
  network.remove_host_thread(3);
  send(0, 0, 1);
  send(3, 2, 2);
  run();
  EXPECT_EQ(ports[0].arrivals[0].at, 10_us);
  EXPECT_EQ(ports[2].arrivals[0].at, 11_us + 4_us);
}

TEST_F(HostThreadTest, LosesWhatItHasNotReceivedWithTheLink) {
  for (int i = 0; i < 3; ++i) send(0, 1, i);  // received at 18, 22 and 26 us
  event_queue.at(19_us, [&] { network.set_link(1, false); });
  run();
  EXPECT_EQ(marks(1), std::vector{0});
}

}  // namespace
}  // namespace asterism
