#include "fabric/traffic/trace.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/random.h"
#include "base/thrown.h"

namespace asterism {
namespace {

std::vector<TraceRecord> read(const std::string& text, NodeId nodes = 64) {
  std::istringstream in(text);
  TraceReader reader(in, "t.trace", nodes);
  std::vector<TraceRecord> records;
  while (const auto record = reader.next()) records.push_back(*record);
  return records;
}

std::string refusal(const std::string& text, NodeId nodes = 64) {
  return thrown<TraceError>([&] { read(text, nodes); });
}

std::string written(const std::vector<TraceRecord>& records, TraceForm form) {
  std::ostringstream out;
  TraceWriter writer(out, form);
  for (const auto& record : records) writer.write(record);
  return out.str();
}

std::string converted(const std::string& text, TraceForm form) {
  std::istringstream in(text);
  std::ostringstream out;
  convert_trace(in, "t.trace", out, form);
  return out.str();
}

std::vector<TraceRecord> random_records(std::size_t count) {
  Random random(3);
  std::vector<TraceRecord> records;
  Picoseconds time;
  for (std::size_t i = 0; i < count; ++i) {
    time += Picoseconds(random.below(10'000));
    records.push_back({static_cast<NodeId>(random.below(64)), static_cast<NodeId>(random.below(64)), time,
                       Bytes(1 + random.below(4096))});
  }
  return records;
}

TEST(Trace, TextHasAPacketALine) {
  EXPECT_EQ(
      read("# a comment\n"
           "\n"
           "3 17 12.5ns 64B\n"
           "  3\t4 12600 64   # no unit: ps and bytes\r\n"
           "63 0 1us 4KiB"),
      (std::vector<TraceRecord>{{3, 17, 12'500_ps, 64_B}, {3, 4, 12'600_ps, 64_B}, {63, 0, 1_us, 4_KiB}}));
}

TEST(Trace, EmptyFileHasNoPackets) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("# nothing\n").empty());
}

TEST(Trace, RecordOfDeliveriesIsATrace) {
  EXPECT_EQ(read("1 2 10ns 64B 11ns 20ns 5\n1 3 12ns 64B - - -\n"),
            (std::vector<TraceRecord>{{1, 2, 10_ns, 64_B}, {1, 3, 12_ns, 64_B}}));
}

TEST(Trace, MalformedLineIsRefusedWithFileLineAndWhatWasExpected) {
  EXPECT_EQ(refusal("1 2 3 4\n1 2 3\n"),
            "t.trace:2: expected 4 fields (source destination created size) or 7, got 3");
  EXPECT_EQ(refusal("1 2 3 4 5 6 7 8 9"),
            "t.trace:1: expected 4 fields (source destination created size) or 7, got at least 8");
  EXPECT_EQ(refusal("x 2 3 4"), "t.trace:1: expected a source node, got \"x\"");
  EXPECT_EQ(refusal("1 -2 3 4"), "t.trace:1: expected a destination node, got \"-2\"");
  EXPECT_EQ(refusal("1 64 3 4"), "t.trace:1: expected a node below 64, got 64");
  EXPECT_EQ(
      refusal("1 2 3parsec 4"),
      "t.trace:1: expected a time of creation such as 12.5ns, got \"3parsec\": unknown unit \"parsec\" (ps, "
      "ns, us, ms, s)");
  EXPECT_EQ(refusal("1 2 3 0"), "t.trace:1: expected a size of 1 to 4294967295 bytes, got 0");
  EXPECT_EQ(refusal("1 2 3 4 2 5 1"),
            "t.trace:1: expected a time of injection or \"-\", got \"2\": it is before the time on its left");
}

TEST(Trace, TimeThatGoesBackIsRefused) {
  EXPECT_EQ(refusal("1 2 10ns 4\n\n1 2 9999 4\n"),
            "t.trace:3: expected a time of at least 10ns, that of the previous packet, got 9999ps");
}

TEST(Trace, LineWithoutEndIsRefused) {
  EXPECT_EQ(refusal("#" + std::string(5000, 'x')), "t.trace:1: expected a line of at most 1024 characters");
}

TEST(Trace, LongestLineIsRead) { EXPECT_EQ(read("1 2 3 4" + std::string(1017, ' ') + "\n").size(), 1u); }

TEST(Trace, BothFormsGiveBackWhatWasWritten) {
  const auto records = random_records(500);
  EXPECT_EQ(read(written(records, TraceForm::text)), records);
  EXPECT_EQ(read(written(records, TraceForm::binary)), records);
}

TEST(Trace, ConvertedThereAndBackIsTheSameFile) {
  const std::string text = written(random_records(100), TraceForm::text);
  const std::string binary = converted(text, TraceForm::binary);
  EXPECT_EQ(binary.size(), 16u + 100 * 24);
  EXPECT_EQ(converted(binary, TraceForm::text), text);
}

TEST(Trace, BinaryFormIsTheDocumentedBytes) {
  const std::string binary = written({{1, 0x203, Picoseconds(0x0807060504030201), 64_B}}, TraceForm::binary);
  EXPECT_EQ(binary, std::string("asttrace\1\0\0\0\x18\0\0\0"
                                "\1\2\3\4\5\6\7\x8\1\0\0\0\3\2\0\0\x40\0\0\0\0\0\0\0",
                                40));
}

TEST(Trace, BrokenBinaryIsRefused) {
  const std::string good = written({{1, 2, 3_ps, 4_B}}, TraceForm::binary);
  EXPECT_EQ(refusal(good.substr(0, 12)), "t.trace: ends within its header");
  EXPECT_EQ(refusal(good.substr(0, 30)),
            "t.trace: packet 1: expected 24 bytes, got 14 and the end of the file");
  EXPECT_EQ(refusal("asterism"), "t.trace: is neither a text nor a binary trace");
  std::string other = good;
  other[8] = 2;
  EXPECT_EQ(refusal(other), "t.trace: expected version 1 with records of 24 bytes, got 2 with 24");
  other = good;
  other.back() = 1;
  EXPECT_EQ(refusal(other), "t.trace: packet 1: expected 0 in its last four bytes, got 16777216");
}

TEST(Trace, ATruncatedOrChangedTraceIsAtMostRefused) {
  for (const TraceForm form : {TraceForm::text, TraceForm::binary}) {
    const std::string good = written(random_records(3), form);
    for (std::size_t i = 0; i < good.size(); ++i) {
      refusal(good.substr(0, i));
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1 << bit);
        const std::string problem = refusal(bad);
        EXPECT_TRUE(problem == "none" || problem.starts_with("t.trace:")) << problem;
      }
    }
  }
}

TEST(TraceWriter, RefusesWhatNoReaderTakes) {
  std::ostringstream out;
  TraceWriter writer(out, TraceForm::text);
  writer.write({1, 2, 10_ps, 1_B});
  EXPECT_THROW(writer.write({1, 2, 9_ps, 1_B}), std::invalid_argument);
  EXPECT_THROW(writer.write({1, 2, 10_ps, 0_B}), std::invalid_argument);
  EXPECT_THROW(writer.write({1, 2, 10_ps, 4_GiB}), std::invalid_argument);
}

Topology two_nodes() {
  Topology topology;
  topology.channel_bits = 128;
  topology.nodes.resize(2);
  return topology;
}

TEST(TraceSource, SizesBecomeFlitsRoundedUp) {
  TraceSource source(std::make_unique<std::istringstream>("0 1 5 64B\n1 0 6 65B\n1 0 7 1B\n"), "t",
                     two_nodes());
  const auto first = source.next();
  EXPECT_EQ(first->packet.flits, 4u);
  EXPECT_EQ(first->created, 5_ps);
  EXPECT_EQ(source.next()->packet.flits, 5u);
  EXPECT_EQ(source.next()->packet.flits, 1u);
  EXPECT_FALSE(source.next());
  EXPECT_FALSE(source.next());
}

TEST(TraceSource, FileThatIsNotThereIsRefused) {
  EXPECT_THROW(TraceSource("no/such.trace", two_nodes()), TraceError);
  EXPECT_THROW(TraceSource("/", two_nodes()), TraceError);
}

TEST(DeliveryRecord, KeepsTheOrderOfCreation) {
  std::ostringstream out;
  DeliveryRecord record(out, 128);
  const Packet a{.source = 1, .destination = 2, .flits = 4}, b{.source = 2, .destination = 3, .flits = 1};
  record.created(a, 10_ns);
  record.created(b, 11_ns);
  record.created(a, 12_ns);
  record.delivered(1, {b, 11_ns, 12_ns, 20_ns, 3});
  EXPECT_EQ(out.str(), "# source destination created size injected delivered routers\n");
  record.delivered(0, {a, 10_ns, 11_ns, 25_ns, 2});
  record.finish();
  EXPECT_EQ(out.str(),
            "# source destination created size injected delivered routers\n"
            "1 2 10ns 64B 11ns 25ns 2\n"
            "2 3 11ns 16B 12ns 20ns 3\n"
            "1 2 12ns 64B - - -\n");
  EXPECT_EQ(read(out.str()).size(), 3u);
}

}  // namespace
}  // namespace asterism
