#include "cxl/cxl_link.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>
#include <vector>

namespace asterism {
namespace {

// 64 GB/s: a slot of a flit of 68 bytes takes 17 B / 64 GB/s, 265.625 ps.
CxlPart x16() { return {.port_latency = 50_ns, .controller_latency = 10_ns, .queue = 4}; }

std::uint64_t count_of(const CxlLink& link, std::string_view name) {
  Statistics statistics;
  link.report(statistics);
  for (const auto& [each, value] : statistics.entries())
    if (each == name) return std::get<std::uint64_t>(value);
  ADD_FAILURE() << "there is no " << name;
  return 0;
}

TEST(CxlLinkTest, AReadAloneTakesItsFlitsAndTheLatenciesOfBothDirections) {
  CxlLink link(x16());
  const CxlLink::Sent sent = link.request(0_ps, 0_ps, false);
  EXPECT_EQ(sent.entered, 51'063_ps) << "one flit, of which the request has a slot, and the ports";
  EXPECT_EQ(sent.at_memory, sent.entered + 10_ns);
  const Picoseconds ended = sent.at_memory + 40_ns;
  EXPECT_EQ(link.response(sent, ended, false), ended + 60_ns + 2126_ps)
      << "two flits: a header and four slots of data";
  EXPECT_NEAR(static_cast<double>(link.unloaded().count()), 123'189, 3);
}

TEST(CxlLinkTest, DataOfReadsFillTheFlits) {
  // A third of a slot for the header and four slots of data: 64 B in 73.67 B.
  EXPECT_NEAR(static_cast<double>(CxlLink(x16()).read_bandwidth().count()), 64e9 * 64 / (17 * (4 + 1 / 3.0)),
              1e3);
  EXPECT_NEAR(static_cast<double>(CxlLink(x16()).write_bandwidth().count()), 64e9 * 64 / (17 * 5), 1e3);
  CxlPart large = x16();
  large.flit = CxlFlit::bytes_256;
  EXPECT_NEAR(static_cast<double>(CxlLink(large).read_bandwidth().count()),
              64e9 * 64 * 15 / (256 * (4 + 1 / 3.0)), 1e3);
}

TEST(CxlLinkTest, ReadsUseTheWayBackAndWritesTheWayOut) {
  CxlPart part = x16();
  part.queue = 1000;
  for (const bool is_write : {false, true}) {
    CxlLink link(part);
    Picoseconds last;
    for (unsigned i = 0; i < 1000; ++i) {
      const CxlLink::Sent sent = link.request(0_ps, 0_ps, is_write);
      last = std::max(last, link.response(sent, sent.at_memory, is_write));
    }
    const Bandwidth limit = is_write ? link.write_bandwidth() : link.read_bandwidth();
    const Picoseconds least = transfer_time(64_B * 1000, limit);
    EXPECT_GT(last, least);
    EXPECT_LT(last, least + 130_ns);
  }
}

TEST(CxlLinkTest, AFullQueueMakesARequestWait) {
  CxlLink link(x16());
  Picoseconds first;
  for (unsigned i = 0; i < 4; ++i) {
    const CxlLink::Sent sent = link.request(0_ps, 0_ps, false);
    const Picoseconds ended = sent.at_memory + 80_ns;
    link.response(sent, ended, false);
    if (i == 0) first = ended + 10_ns;
  }
  const CxlLink::Sent fifth = link.request(0_ps, 0_ps, false);
  EXPECT_EQ(fifth.entered, first) << "its place is free when the first response leaves";
  link.response(fifth, fifth.at_memory + 80_ns, false);
  EXPECT_EQ(count_of(link, "waits_for_credit"), 1u);
  EXPECT_EQ(count_of(link, "waited_for_credit_ps"), (first - fifth.arrived).count());
}

CxlPart with_one_place() {
  CxlPart part = x16();
  part.queue = 1;
  return part;
}

TEST(CxlLinkTest, AHeldRequestEntersWhenTheOneBeforeItHasLeft) {
  CxlLink link(with_one_place());
  CxlLink::Sent hit = link.request(0_ps, 0_ps, false), miss = link.request(0_ps, 0_ps, false);
  const Picoseconds ended = hit.at_memory + 80_ns;
  link.response(hit, ended, false);
  link.hold(miss);
  EXPECT_EQ(miss.entered, ended + 10_ns);
  EXPECT_EQ(miss.at_memory, ended + 20_ns);
}

// A master that is ahead holds the place from a later time on.
TEST(CxlLinkTest, ARequestMayLoseItsPlaceByAnAnswer) {
  CxlLink link(with_one_place());
  CxlLink::Sent ahead = link.request(0_ps, 200_ns, false);
  link.hold(ahead);
  CxlLink::Sent first = link.request(0_ps, 0_ps, false), second = link.request(0_ps, 0_ps, false);
  EXPECT_TRUE(CxlLink::has_place(first) && CxlLink::has_place(second));
  link.response(first, ahead.entered, false);
  EXPECT_THROW(link.response(second, second.at_memory, false), std::logic_error);
  EXPECT_THROW(link.hold(second), std::logic_error);
  link.try_again(second, 0_ps);
  EXPECT_FALSE(CxlLink::has_place(second));
}

TEST(CxlLinkTest, AWaitForThePlaceOfAHeldRequestIsCounted) {
  CxlLink link(with_one_place());
  CxlLink::Sent miss = link.request(0_ps, 0_ps, false);
  link.hold(miss);
  CxlLink::Sent hit = link.request(1_us, 1_us, false);
  EXPECT_FALSE(CxlLink::has_place(hit));
  const Picoseconds ended = 80_us;
  link.response(miss, ended, false);
  link.try_again(hit, ended);
  EXPECT_EQ(hit.entered, ended + 10_ns);
  link.response(hit, hit.at_memory, false);
  EXPECT_EQ(count_of(link, "waits_for_credit"), 1u);
  EXPECT_EQ(count_of(link, "waited_for_credit_ps"), (hit.entered - hit.arrived).count());
  EXPECT_GT(hit.entered - hit.arrived, 78_us);
}

// One that had a place and was not there to take it has not waited for one.
TEST(CxlLinkTest, OnlyAWaitForAPlaceIsCounted) {
  CxlLink link(with_one_place());
  CxlLink::Sent late = link.request(0_ps, 0_ps, false);
  link.try_again(late, 5_us);
  EXPECT_EQ(late.entered, 5_us);
  link.response(late, late.at_memory, false);
  EXPECT_EQ(count_of(link, "waits_for_credit"), 0u);
  EXPECT_EQ(count_of(link, "waited_for_credit_ps"), 0u);
}

// The lines of one payload are all sent before the memory answers.
TEST(CxlLinkTest, RequestsThatAreAnsweredTogetherHoldPlacesAgainstEachOther) {
  CxlLink link(x16());
  std::vector<CxlLink::Sent> sent;
  sent.reserve(8);
  for (unsigned i = 0; i < 8; ++i) sent.push_back(link.request(0_ps, 0_ps, false));
  const Picoseconds ended = sent.back().at_memory + 80_ns;
  std::vector<Picoseconds> answered;
  answered.reserve(sent.size());
  for (const CxlLink::Sent& each : sent) answered.push_back(link.response(each, ended, false));
  EXPECT_LT(answered[3], ended + 60_ns + 10_ns);
  EXPECT_GT(answered[4], ended + 10_ns + 10_ns + 80_ns + 60_ns) << "both controllers, and the memory again";
}

TEST(CxlLinkTest, NothingMovesWhileTheLinkIsBlocked) {
  CxlLink link(x16());
  link.block(0_ps, 1_us);
  EXPECT_EQ(link.request(0_ps, 0_ps, false).entered, 1_us + 51'063_ps);
  link.reset(Reset::warm);
  EXPECT_EQ(link.request(0_ps, 0_ps, false).entered, 51'063_ps);
}

}  // namespace
}  // namespace asterism
