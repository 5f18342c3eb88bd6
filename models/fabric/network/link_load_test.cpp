#include "fabric/network/link_load.h"

#include <gtest/gtest.h>

namespace asterism {
namespace {

constexpr double packet = 1000;  // ps on the link
constexpr LinkCurve random_queue{.contention = 1, .knee = 1};

struct LinkLoadTest : testing::Test {
  LoadBins bins{0_ps};  // of 1 us
  LinkLoad link;

  // Sends a packet in each step of a time, which has ended then.
  void load(Picoseconds from, Picoseconds until, Picoseconds step, const LinkCurve& curve = random_queue) {
    for (Picoseconds at = from; at < until; at += step) {
      bins.commit(at);
      link.evaluate_until(bins, curve);
      send(at);
    }
    commit(until, curve);
  }
  double send(Picoseconds at) {
    const LoadBins::Moment moment = bins.moment(at);
    const double wait = std::max(link.wait(), link.backlog(moment));
    link.add(bins, moment, {.work = packet, .wait = wait});
    return wait;
  }
  void commit(Picoseconds until, const LinkCurve& curve = random_queue) {
    bins.commit(until);
    link.evaluate_until(bins, curve);
  }
};

TEST_F(LinkLoadTest, ABinCountsOnceItHasEnded) {
  load(0_us, Picoseconds(999'999), 2_ns);
  EXPECT_EQ(link.mean(), 0);
  EXPECT_EQ(link.wait(), 0);
  commit(1_us);
  EXPECT_EQ(link.mean(), 0.5 * 0.25);
  EXPECT_GT(link.wait(), 0);
}

// The mean wait of a queue with a constant time of service: load * time / 2 / (1 - load).
TEST_F(LinkLoadTest, TheWaitAtASteadyLoadIsThatOfAQueueWithRandomArrivals) {
  load(0_us, 100_us, 2_ns);
  EXPECT_NEAR(link.mean(), 0.5, 1e-6);
  EXPECT_NEAR(link.wait(), 0.5 * packet / 2 / (1 - 0.5), 0.5);
}

TEST_F(LinkLoadTest, ALowerKneeAndMoreContentionMakeTheWaitLonger) {
  load(0_us, 100_us, 2_ns, {.contention = 1.5, .knee = 0.8});
  EXPECT_NEAR(link.wait(), 1.5 * 0.5 * packet / 2 / (1 - 0.5 / 0.8), 1);
}

TEST_F(LinkLoadTest, TheKneeIsThatOfALinkWhosePacketsAreBlockedByOthers) {
  const LinkCurve curve{.contention = 1, .knee = 0.6};
  for (Picoseconds at; at < 100_us; at += 2_ns) {
    commit(at, curve);
    link.add(bins, bins.moment(at), {.work = packet, .wait = link.wait(), .blocking = 0.25});
  }
  commit(100_us, curve);
  EXPECT_NEAR(link.wait(), 0.5 * packet / 2 / (1 - 0.5 / 0.9), 1);
}

TEST_F(LinkLoadTest, LoadFadesWhenTheLinkIsIdle) {
  load(0_us, 100_us, 2_ns);
  commit(101_us);
  EXPECT_NEAR(link.mean(), 0.5 * 0.75, 1e-6);
  commit(160_us);
  EXPECT_LT(link.wait(), 1e-4);
}

// Two masters of which the second is simulated after the first one, as far ahead.
TEST_F(LinkLoadTest, TheOrderOfTheCallsWithinAQuantumDoesNotMatter) {
  LinkLoad in_order;
  for (Picoseconds at; at < 8_us; at += 4_ns) {
    link.add(bins, bins.moment(at), {.work = packet, .wait = 10});
    for (const Picoseconds then : {at, at + 1_ns})
      in_order.add(bins, bins.moment(then), {.work = packet, .wait = 10});
  }
  for (Picoseconds at = 1_ns; at < 8_us; at += 4_ns)
    link.add(bins, bins.moment(at), {.work = packet, .wait = 10});
  commit(8_us);
  in_order.evaluate_until(bins, random_queue);
  EXPECT_EQ(link.mean(), in_order.mean());
  EXPECT_EQ(link.wait(), in_order.wait());
}

TEST_F(LinkLoadTest, WorkThatTheLinkCannotDoIsABacklog) {
  for (int i = 0; i < 1500; ++i) send(Picoseconds(i * 500));  // 1.5 us of work within 0.75 us
  EXPECT_NEAR(link.backlog(bins.moment(750_ns)), 750 * packet, packet);
  EXPECT_NEAR(link.backlog(bins.moment(1_us)), 500 * packet, packet);
  EXPECT_NEAR(link.backlog(bins.moment(1200_ns)), 300 * packet, packet);
  EXPECT_EQ(link.backlog(bins.moment(1600_ns)), 0);
  commit(1_us);
  EXPECT_NEAR(link.backlog(bins.moment(1200_ns)), 300 * packet, packet);
  commit(2_us);
  EXPECT_EQ(link.backlog(bins.moment(2_us)), 0);
}

TEST_F(LinkLoadTest, ABacklogIsKnownToAMasterThatIsSimulatedLater) {
  for (int i = 0; i < 3000; ++i) send(Picoseconds(i * 500));
  EXPECT_NEAR(link.backlog(bins.moment(500_ns)), 500 * packet, 2 * packet);
  EXPECT_NEAR(link.backlog(bins.moment(1500_ns)), 1500 * packet, 2 * packet);
}

// By the times that packets are given, however often they are sent.
TEST_F(LinkLoadTest, NoMorePassesThanTheLinkCanCarry) {
  double last = 0;
  std::uint64_t sent = 0;
  for (Picoseconds at; at < 100_us; at += Picoseconds(300), ++sent) {
    bins.commit(at);
    link.evaluate_until(bins, random_queue);
    last = std::max(last, static_cast<double>(at.count()) + send(at));
  }
  EXPECT_GT(last, static_cast<double>(sent) * packet * 0.99);
}

TEST_F(LinkLoadTest, PacketsFarAheadCountInTheLastBin) {
  load(0_us, 1_us, 2_ns);
  send(1000_us);
  send(1000_us);
  EXPECT_EQ(link.backlog(bins.moment(1000_us)), 0);
  commit(10'000_us);
  EXPECT_LT(link.wait(), 1e-9);
}

TEST(PartialLoadTest, OthersAreWhatComesFromElsewhere) {
  LoadBins bins(0_ps);
  LinkLoad link, input;
  PartialLoad part;
  for (Picoseconds at; at < 50_us; at += 10_ns) {
    bins.commit(at);
    link.evaluate_until(bins, random_queue);
    input.evaluate_until(bins, random_queue);
    part.evaluate_until(bins, input, link);
    for (int i = 0; i < 4; ++i) link.add(bins, bins.moment(at), {.work = packet});
    for (int i = 0; i < 2; ++i) input.add(bins, bins.moment(at), {.work = packet});
    part.add(bins.moment(at), packet);
  }
  EXPECT_NEAR(part.others(), 0.75, 1e-4);
  EXPECT_NEAR(part.blocking(), 1.0 / 16, 1e-4);
}

// 8 masters with one packet each, which is followed by the next one 1 ns after its end: the load would be 4
// without waits. They run ahead of each other by up to a quantum. The link can carry 200,000 packets.
double ended_in_200_us(Picoseconds quantum) {
  LoadBins bins(quantum);
  LinkLoad link;
  std::vector<double> next(8);
  double packets = 0;
  for (Picoseconds from; from < 200_us; from += quantum) {
    bins.commit(from);
    link.evaluate_until(bins, random_queue);
    for (double& at : next)
      while (at < static_cast<double>((from + quantum).count())) {
        const LoadBins::Moment moment = bins.moment(Picoseconds(static_cast<std::uint64_t>(at)));
        const double wait = std::max(link.wait(), link.backlog(moment));
        link.add(bins, moment, {.work = packet, .wait = wait});
        at += wait + packet + 1000;
        packets += 1;
      }
  }
  return packets;
}

TEST(LinkLoadOfAClosedLoopTest, MastersThatWaitTakeMostOfTheLinkWithAnyQuantum) {
  const double shortest = ended_in_200_us(100_ns);
  EXPECT_GT(shortest, 180'000);
  EXPECT_LT(shortest, 200'000);
  EXPECT_NEAR(ended_in_200_us(1_us) / shortest, 1, 0.02);
  EXPECT_NEAR(ended_in_200_us(10_us) / shortest, 1, 0.02);
}

}  // namespace
}  // namespace asterism
