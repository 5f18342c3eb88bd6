#include "cxl/cxl_link.h"

#include <gtest/gtest.h>

#include <vector>

namespace asterism {
namespace {

// 64 GB/s: a slot of a flit of 68 bytes takes 17 B / 64 GB/s, 265.625 ps.
CxlPart x16() { return {.port_latency = 50_ns, .controller_latency = 10_ns, .queue = 4}; }

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
  EXPECT_EQ(link.request(0_ps, 0_ps, false).entered, first)
      << "its place is free when the first response leaves";
  Statistics statistics;
  link.report(statistics);
  EXPECT_EQ(std::get<std::uint64_t>(statistics.entries()[4].second), 1u);
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
