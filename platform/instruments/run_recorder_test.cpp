#include "platform/instruments/run_recorder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Activity = RunRecorder::Activity;

struct RunRecorderTest : testing::Test {
  const TemporaryFolder folder;
  RunRecorder recorder{folder / "record.bin", "run"};

  // "node.core0 running 0-5 outcome=durable" for each entry, in nanoseconds.
  std::vector<std::string> entries(Picoseconds end) {
    recorder.finish(end);
    std::ifstream in(folder / "record.bin", std::ios::binary);
    const RunRecord record = RunRecord::read(in);
    std::vector<std::string> lines;
    for (const RunRecord::Entry& entry : record.entries) {
      std::string line = fmt::format("{} {} {}", record.path_of(entry.track), record.texts[entry.name],
                                     entry.begin.count() / 1000);
      if (entry.kind == RunRecord::Entry::Kind::interval)
        line += fmt::format("-{}", entry.end.count() / 1000);
      for (std::uint32_t i = 0; i < entry.details; ++i) {
        const RunRecord::Detail& detail = record.details[entry.first_detail + i];
        line += fmt::format(" {}={}", record.texts[detail.name],
                            detail.is_text ? record.texts[detail.value] : std::to_string(detail.value));
      }
      lines.push_back(line);
    }
    for (const RunRecord::Value& value : record.values)
      lines.push_back(
          fmt::format("{} {} {}", record.path_of(value.track), value.at.count() / 1000, value.value));
    return lines;
  }
};

TEST_F(RunRecorderTest, AnActivityOfACoreLastsUntilTheNextOne) {
  const std::size_t core = recorder.add_core("core0", Activity::off);
  recorder.set(core, Activity::running, 10_ns);
  recorder.set(core, Activity::running, 15_ns);
  recorder.set(core, Activity::waiting, 20_ns);
  recorder.set(core, Activity::off, 30_ns);
  recorder.set(core, Activity::running, 40_ns);
  EXPECT_THAT(entries(50_ns), ElementsAre("node.core0 running 10-20", "node.core0 waiting 20-30",
                                          "node.core0 running 40-50"));
}

TEST_F(RunRecorderTest, CheckpointsThatOverlapEndEachByItsVersion) {
  const std::string ssd = "node.dimm_ssd";
  for (const std::uint64_t version : {1, 2})
    recorder.record(Picoseconds(version * 1000), ssd, "checkpoint_begin", {{"version", version}});
  recorder.record(5_ns, ssd, "checkpoint_commit", {{"version", std::uint64_t{1}}});
  recorder.record(6_ns, ssd, "checkpoint_failed", {{"version", std::uint64_t{2}}});
  EXPECT_THAT(entries(9_ns), ElementsAre("node.dimm_ssd checkpoint 1-5 version=1 outcome=durable",
                                         "node.dimm_ssd checkpoint 2-6 version=2 outcome=given up"));
}

TEST_F(RunRecorderTest, AFailureOfPowerInterruptsTheCheckpointsOfItsNodeOnly) {
  recorder.record(1_ns, "node1.dimm_ssd", "checkpoint_begin", {{"version", std::uint64_t{1}}});
  recorder.record(1_ns, "node2.dimm_ssd", "checkpoint_begin", {{"version", std::uint64_t{1}}});
  recorder.record(3_ns, "node1.power", "power_lost", {});
  recorder.record(8_ns, "node1.power", "power_restored", {});
  EXPECT_THAT(entries(9_ns),
              ElementsAre("node1.dimm_ssd checkpoint 1-3 version=1 outcome=interrupted",
                          "node1.power no power 3-8 outcome=restored",
                          "node2.dimm_ssd checkpoint 1-9 version=1 outcome=in progress at the end"));
}

TEST_F(RunRecorderTest, EventsThatEndNothingAreInstants) {
  recorder.record(4_ns, "cluster", "checkpoint_commit", {{"version", std::uint64_t{1}}});
  recorder.record(5_ns, "node.memory", "corrected_error", {{"mode", std::string("strong")}});
  EXPECT_THAT(entries(9_ns), ElementsAre("cluster checkpoint_commit 4 version=1",
                                         "node.memory corrected_error 5 mode=strong"));
}

TEST_F(RunRecorderTest, AFailureOfPowerEndsWhatBlocksDoInItsNodeOnly) {
  const auto die = recorder.track("node1.ssd.die0"), other = recorder.track("node2.ssd.die0");
  recorder.interval(die, 1_ns, 2_ns, "read");
  recorder.interval(die, 2_ns, 9_ns, "program", {{"page", std::uint64_t{4}}});
  recorder.interval(other, 2_ns, 6_ns, "program");
  recorder.interval(other, 4_ns, 20_ns, "erase");
  recorder.record(5_ns, "node1.power", "power_lost", {});
  recorder.interval(die, 8_ns, 10_ns, "read");
  EXPECT_THAT(entries(12_ns),
              UnorderedElementsAre(
                  "node1.ssd.die0 read 1-2", "node1.ssd.die0 program 2-5 page=4 outcome=interrupted",
                  "node2.ssd.die0 program 2-6", "node2.ssd.die0 erase 4-12 outcome=in progress at the end",
                  "node1.ssd.die0 read 8-10", "node1.power no power 5-12 outcome=in progress at the end"));
}

TEST_F(RunRecorderTest, FlowsOfActivityAreRecorded) {
  const auto core = recorder.track("node.core0"), copies = recorder.track("node.ssd.copies");
  const auto flow = recorder.new_flow();
  recorder.instant(core, 1_ns, "store", {}, std::span(&flow, 1));
  recorder.interval(copies, 2_ns, 3_ns, "copy", {}, std::span(&flow, 1));
  EXPECT_NE(recorder.new_flow(), flow);
  recorder.finish(9_ns);
  std::ifstream in(folder / "record.bin", std::ios::binary);
  const RunRecord record = RunRecord::read(in);
  ASSERT_EQ(record.entries.size(), 2u);
  EXPECT_THAT(record.flows, ElementsAre(flow, flow));
  EXPECT_EQ(record.entries[1].flows, 1u);
}

TEST_F(RunRecorderTest, OutputOfTheGuestHasItsTimeByLine) {
  recorder.output(3_ns, "uart0", "hel");
  recorder.output(4_ns, "uart0", "lo\n\nwor");
  recorder.output(6_ns, "uart0", "ld");
  EXPECT_THAT(entries(9_ns),
              ElementsAre("uart0 output 3 text=hello", "uart0 output 4 text=", "uart0 output 4 text=world"));
}

TEST_F(RunRecorderTest, WhoFollowsARunSeesWhatHasEndedInTheFileAndWhatHasBegun) {
  const std::size_t core = recorder.add_core("core0", Activity::running);
  recorder.set(core, Activity::waiting, 20_ns);
  recorder.record(25_ns, "node.dimm_ssd", "checkpoint_begin", {{"version", std::uint64_t{1}}});
  recorder.output(30_ns, "uart0", "whole\nbegun");
  const std::vector<RunRecorder::Begun> begun = recorder.begun();
  ASSERT_EQ(begun.size(), 2u);
  EXPECT_EQ(begun[0].since, 20_ns);
  EXPECT_EQ(begun[1].since, 25_ns);
  EXPECT_THAT(recorder.begun_lines(), ElementsAre(testing::Pair("uart0", "begun")));
  const std::uint64_t size = recorder.flush();
  EXPECT_EQ(size, std::filesystem::file_size(folder / "record.bin"));
  std::ifstream in(folder / "record.bin", std::ios::binary);
  const RunRecord record = RunRecord::read(in, RunRecord::Truncated::allowed);
  ASSERT_EQ(record.entries.size(), 2u);
  EXPECT_EQ(record.texts[record.entries[0].name], "running");
  EXPECT_EQ(record.texts[begun[0].name], "waiting");
  EXPECT_EQ(record.texts[begun[1].name], "checkpoint");
  EXPECT_EQ(record.path_of(begun[1].track), "node.dimm_ssd");
  EXPECT_EQ(recorder.flush(), size);
}

TEST_F(RunRecorderTest, ASampleHasTheNumbersThatHaveChanged) {
  const auto statistics = [](std::uint64_t reads, std::uint64_t writes) {
    Statistics all;
    all.add("ended", "firmware_exit");
    Statistics& memory = all.group("node").group("memory");
    memory.add("reads", reads);
    memory.add("written_bytes", writes);
    return all;
  };
  recorder.sample(0_ns, statistics(0, 0));
  recorder.sample(1_ns, statistics(5, 0));
  recorder.sample(2_ns, statistics(5, 64));
  EXPECT_THAT(entries(9_ns),
              UnorderedElementsAre("samples 0 1", "node.memory.reads 0 0", "node.memory.written_bytes 0 0",
                                   "samples 1 2", "node.memory.reads 1 5", "samples 2 3",
                                   "node.memory.written_bytes 2 64"));
}

}  // namespace
}  // namespace asterism
