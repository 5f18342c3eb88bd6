#include "platform/instruments/run_record.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/thrown.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RunRecordTest : testing::Test {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "record.bin";

  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  static RunRecord read(const std::string& bytes) {
    std::istringstream in(bytes);
    return RunRecord::read(in);
  }
  static std::string refusal(const std::string& bytes) {
    return thrown<RunRecordError>([&] { read(bytes); });
  }
  std::string small() const {
    RunRecordWriter writer(file, "run");
    const auto node = writer.add_track("node", TrackKind::activity);
    const auto core = writer.add_track("core0", TrackKind::activity, node);
    const auto reads = writer.add_track("reads", TrackKind::counter, node, "B");
    const std::array<EventLog::Detail, 2> details = {{{"name", "cg"}, {"version", std::uint64_t{7}}}};
    const std::array<std::uint64_t, 2> flows = {3, 1ull << 60};
    writer.interval(core, 2_ns, 5_ns, "running", details, flows);
    writer.instant(node, 1_ns, "power_lost");
    writer.value(reads, 4_ns, 100);
    writer.value(reads, 5_ns, 60);
    writer.finish();
    return bytes();
  }
};

TEST_F(RunRecordTest, TextsThatAreNotKeptAreWrittenAgain) {
  RunRecordWriter writer(file, "run");
  const auto console = writer.add_track("console", TrackKind::activity);
  const auto line = [&](std::string text) {
    const std::array<EventLog::Detail, 1> details = {{{"text", std::move(text)}}};
    writer.instant(console, 0_ps, "output", details);
  };
  line("first");
  for (int i = 0; i < 10'000; ++i) line(fmt::format("line {}", i));
  for (const char* again : {"first", "line 9999"}) line(again);
  writer.finish();
  const RunRecord record = read(bytes());
  const auto text = [&](std::size_t entry) -> const std::string& {
    return record.texts[record.details[record.entries[entry].first_detail].value];
  };
  EXPECT_EQ(text(10'000), "line 9999");
  EXPECT_EQ(text(10'001), "first");
  EXPECT_EQ(text(10'002), "line 9999");
  EXPECT_EQ(std::ranges::count(record.texts, "first"), 1);
  EXPECT_EQ(std::ranges::count(record.texts, "line 9999"), 2);
}

TEST_F(RunRecordTest, GivesBackWhatWasWritten) {
  const RunRecord record = read(small());
  ASSERT_EQ(record.tracks.size(), 3u);
  EXPECT_EQ(record.path_of(1), "node.core0");
  EXPECT_EQ(record.path_of(2), "node.reads");
  EXPECT_EQ(record.texts[record.tracks[2].unit], "B");
  ASSERT_EQ(record.entries.size(), 2u);
  const RunRecord::Entry& running = record.entries[0];
  EXPECT_EQ(record.texts[running.name], "running");
  EXPECT_EQ(running.begin, 2_ns);
  EXPECT_EQ(running.end, 5_ns);
  ASSERT_EQ(running.details, 2u);
  EXPECT_EQ(record.texts[record.details[0].value], "cg");
  EXPECT_EQ(record.details[1].value, 7u);
  EXPECT_THAT(record.flows, ElementsAre(3u, 1ull << 60));
  EXPECT_EQ(record.entries[1].kind, RunRecord::Entry::Kind::instant);
  EXPECT_EQ(record.entries[1].begin, 1_ns);
  ASSERT_EQ(record.values.size(), 2u);
  EXPECT_EQ(record.values[0].value, 100u);
  EXPECT_EQ(record.values[1].value, 60u);
  EXPECT_EQ(record.end(), 5_ns);
}

TEST_F(RunRecordTest, BlocksHaveTheTextsOfTheirEntries) {
  Random random(1);
  std::vector<std::uint64_t> values;
  {
    RunRecordWriter writer(file, "run");
    const auto track = writer.add_track("queue", TrackKind::counter);
    const auto activity = writer.add_track("channel", TrackKind::activity);
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      values.push_back(random.below(~std::uint64_t{0}));
      writer.value(track, Picoseconds(random.below(1ull << 62)), values.back());
      if (i % 1000 == 0) writer.instant(activity, Picoseconds(i), "text " + std::to_string(i));
    }
    writer.finish();
  }
  const RunRecord record = read(bytes());
  ASSERT_EQ(record.values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(record.values[i].value, values[i]) << i;
  EXPECT_EQ(record.texts[record.entries[150].name], "text 150000");
}

TEST_F(RunRecordTest, ATruncatedFileIsRefusedAtEveryLength) {
  const std::string whole = small();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(refusal(whole.substr(0, length)), HasSubstr("is truncated: ends at byte")) << length;
}

TEST_F(RunRecordTest, WhatATruncatedFileHasIsReadIfThatIsWanted) {
  {
    RunRecordWriter writer(file, "run");
    const auto track = writer.add_track("queue", TrackKind::counter);
    for (std::uint64_t i = 0; i < 100'000; ++i) writer.value(track, Picoseconds(i * 1000), i);
    EXPECT_GT(bytes().size(), 1000u) << "a run that is killed here";
    writer.finish();
  }
  const std::string whole = bytes();
  std::istringstream half(whole.substr(0, whole.size() / 2));
  const RunRecord record = RunRecord::read(half, RunRecord::Truncated::allowed);
  EXPECT_FALSE(record.is_complete);
  EXPECT_GT(record.values.size(), 1000u);
  EXPECT_LT(record.values.size(), 100'000u);
  EXPECT_EQ(refusal(whole + "x"), fmt::format("is damaged: expected its end at byte {}", whole.size()));
}

TEST_F(RunRecordTest, ADamagedFileIsRefusedOrHasOnlyValidReferences) {
  const std::string whole = small();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char flip : {1, 16, -128}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        const RunRecord record = read(damaged);
        for (const RunRecord::Entry& entry : record.entries) record.path_of(entry.track);
      } catch (const RunRecordError& error) {
        EXPECT_THAT(error.what(),
                    testing::AnyOf(HasSubstr("damaged"), HasSubstr("truncated"), HasSubstr("expected")));
      }
    }
}

TEST_F(RunRecordTest, AnotherVersionIsRefused) {
  std::string other = small();
  other[8] = 9;
  EXPECT_EQ(refusal(other), "has version 9 at byte 8, expected 1");
  EXPECT_EQ(refusal("ASTERTLM...."), "is no record of a run: expected \"ASTERREC\" at byte 0");
}

}  // namespace
}  // namespace asterism
