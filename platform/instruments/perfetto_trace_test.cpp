#include "platform/instruments/perfetto_trace.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

using testing::HasSubstr;
using testing::Not;

// Reads a trace as Perfetto does: by protoc, and the schema that the project publishes.
struct PerfettoTraceTest : testing::Test {
  const TemporaryFolder folder;

  RunRecord record(const std::function<void(RunRecordWriter&)>& write) const {
    RunRecordWriter writer(folder / "record.bin", "run");
    write(writer);
    writer.finish();
    std::ifstream in(folder / "record.bin", std::ios::binary);
    return RunRecord::read(in);
  }

  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.at(0));
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  // The packets that the groups of a trace hold.
  static std::string decompressed(std::string_view trace) {
    std::string packets;
    while (!trace.empty()) {
      EXPECT_EQ(varint(trace), 1u << 3 | 2);  // Trace.packet
      varint(trace);
      EXPECT_EQ(varint(trace), 50u << 3 | 2);  // TracePacket.compressed_packets
      const std::uint64_t size = varint(trace);
      EXPECT_LT(size, 512u << 10);
      std::string raw(1 << 20, '\0');
      uLongf length = raw.size();
      EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &length,
                           reinterpret_cast<const Bytef*>(trace.data()), size),
                Z_OK);
      packets += raw.substr(0, length);
      trace.remove_prefix(size);
    }
    return packets;
  }
  // The text that protoc makes of it, in one line.
  std::string text(const RunRecord& record) const {
    std::ofstream(folder / "packets", std::ios::binary) << decompressed(to_perfetto(record));
    const std::string command =
        fmt::format("protoc --decode=perfetto.protos.Trace --proto_path={0} {0}/perfetto_schema.proto < {1}",
                    ASTERISM_INSTRUMENTS_FOLDER, (folder / "packets").string());
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::string all;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
      if (c == '\n' || c == ' ') {
        if (!all.ends_with(' ')) all += ' ';
      } else {
        all += static_cast<char>(c);
      }
    EXPECT_EQ(pclose(pipe), 0);
    return all;
  }
};

TEST_F(PerfettoTraceTest, TracksHaveTheirParentsAndCountersTheirUnit) {
  const std::string all = text(record([](RunRecordWriter& writer) {
    const auto node = writer.add_track("node", TrackKind::activity);
    const auto bytes = writer.add_track("read_bytes", TrackKind::counter, node, "B");
    writer.value(bytes, 3_us, 4096);
  }));
  EXPECT_THAT(all,
              HasSubstr("track_descriptor { uuid: 1 name: \"run\" process { pid: 1 process_name: \"run\" } "
                        "child_ordering: EXPLICIT }"));
  EXPECT_THAT(all,
              HasSubstr("track_descriptor { uuid: 2 name: \"node\" parent_uuid: 1 child_ordering: EXPLICIT "
                        "sibling_order_rank: 0 }"));
  EXPECT_THAT(all, HasSubstr("{ uuid: 3 name: \"read_bytes\" parent_uuid: 2 counter { unit_name: \"B\" }"));
  EXPECT_THAT(all, HasSubstr("packet { timestamp: 3000 trusted_packet_sequence_id: 1 track_event { type: "
                             "TYPE_COUNTER track_uuid: 3 counter_value: 4096 } sequence_flags: 2 }"));
}

TEST_F(PerfettoTraceTest, AnIntervalHasItsDetailsExactTimesAndFlows) {
  const std::string all = text(record([](RunRecordWriter& writer) {
    const auto ssd = writer.add_track("ssd", TrackKind::activity);
    const std::array<EventLog::Detail, 2> details = {{{"name", "cg"}, {"version", std::uint64_t{7}}}};
    const std::array<std::uint64_t, 1> flows = {5};
    writer.interval(ssd, Picoseconds(2'000'250), 5_us, "checkpoint", details, flows);
  }));
  // The texts are numbered in their order: run, ssd, "", checkpoint, name, cg, version, begin_ps.
  EXPECT_THAT(all, HasSubstr("event_names { iid: 4 name: \"checkpoint\" }"));
  EXPECT_THAT(all, HasSubstr("debug_annotation_names { iid: 8 name: \"begin_ps\" }"));
  EXPECT_THAT(all,
              HasSubstr("timestamp: 2000 trusted_packet_sequence_id: 1 track_event { debug_annotations { "
                        "name_iid: 5 string_value: \"cg\" } debug_annotations { name_iid: 7 uint_value: 7 } "
                        "debug_annotations { name_iid: 8 uint_value: 2000250 } type: TYPE_SLICE_BEGIN "
                        "name_iid: 4 track_uuid: 2 "));
  EXPECT_THAT(all, HasSubstr("flow_ids: 5"));
  EXPECT_THAT(all, HasSubstr("timestamp: 5000 trusted_packet_sequence_id: 1 track_event { type: "
                             "TYPE_SLICE_END track_uuid: 2 }"));
}

TEST_F(PerfettoTraceTest, IntervalsThatOverlapAreOnTracksOfTheSameName) {
  const std::string all = text(record([](RunRecordWriter& writer) {
    const auto flash = writer.add_track("flash", TrackKind::activity);
    writer.interval(flash, 1_us, 4_us, "a");
    writer.interval(flash, 2_us, 3_us, "b");
    writer.interval(flash, 4_us, 5_us, "c");
  }));
  EXPECT_THAT(all, HasSubstr("uuid: 2 name: \"flash\""));
  EXPECT_THAT(all, HasSubstr("uuid: 3 name: \"flash\""));
  EXPECT_THAT(all, Not(HasSubstr("uuid: 4 ")));
  // At 4 us `a` ends before `c` begins on the same track.
  const auto end = all.find(
      "timestamp: 4000 trusted_packet_sequence_id: 1 track_event { type: TYPE_SLICE_END "
      "track_uuid: 2 }");
  EXPECT_LT(end, all.find("timestamp: 4000 trusted_packet_sequence_id: 1 track_event { type: "
                          "TYPE_SLICE_BEGIN name_iid: 6 track_uuid: 2 }"));
}

TEST_F(PerfettoTraceTest, IntervalsOfLessThanANanosecondEndBeforeTheNextOneBegins) {
  const std::string all = text(record([](RunRecordWriter& writer) {
    const auto flash = writer.add_track("flash", TrackKind::activity);
    writer.interval(flash, Picoseconds(1300), Picoseconds(9000), "later");
    writer.interval(flash, Picoseconds(1100), Picoseconds(1200), "first");
  }));
  const auto first = all.find("name_iid: 5"), end = all.find("TYPE_SLICE_END"),
             later = all.find("name_iid: 4");
  EXPECT_LT(first, end);
  EXPECT_LT(end, later);
}

}  // namespace
}  // namespace asterism
