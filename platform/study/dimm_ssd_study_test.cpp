#include <gtest/gtest.h>

#include <algorithm>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest dimm_ssd(R"({"kind": "dimm_ssd"})");

double slowdown(const std::string& workload, const std::string& method) {
  return dimm_ssd.run({"workload=" + workload, "method=" + method}).number("slowdown");
}

TEST(DimmSsdStudyTest, WithoutCheckpointsItDescribesTheWorkload) {
  const Row row = dimm_ssd.run({"workload=bwaves", "method=none"});
  EXPECT_EQ(row.count("requests"), 720'651u);
  EXPECT_EQ(row.number("modified_pages"), 2'428);
  EXPECT_DOUBLE_EQ(row.number("time_s"), 5 * 0.252);
}

TEST(DimmSsdStudyTest, StopAndCopyIsAsLongAsItsFlashPages) {
  // 607 pages at 82.5 us in 0.252 s, and the metadata
  EXPECT_NEAR(slowdown("bwaves", "stop_and_copy"), 1 + 607 * 82.5e-6 / 0.252, 0.01);
  EXPECT_LT(slowdown("bwaves", "consolidate"), 1.13);
  EXPECT_LT(slowdown("bwaves", "early_late"), 1.001);
}

TEST(DimmSsdStudyTest, ReportsHowManyPagesAFlashPageHolds) {
  const Study s = dimm_ssd.read({"workload=omnetpp", "method=consolidate"});
  const Row row = run_first(s);
  EXPECT_EQ(row.count("checkpoints"), 5u);
  EXPECT_GT(row.number("pages_per_flash_page"), 7);
  EXPECT_NE(s.points.at(0).point->detail().find("\"flash_pages_by_memory_pages\":{"), std::string::npos);
}

// Section 5.3.2.3 of abeyratne2017: 20 bytes for a line of 64, and 256 lines in a flash page of 16 KiB.
TEST(DimmSsdStudyTest, ReportsTheSizesOfTableAndMetadata) {
  const Row sparse = dimm_ssd.run({"workload=sparse", "method=consolidate", "intervals=1"});
  EXPECT_EQ(sparse.number("metadata_bytes"), 20 * 65'536);
  EXPECT_DOUBLE_EQ(sparse.number("metadata_percent"), 31.25);
  EXPECT_EQ(sparse.count("largest"), 256u);
  EXPECT_EQ(sparse.number("matt_bytes_per_page"), 11);
  // 4 bits of phase leave 79 bits.
  EXPECT_EQ(
      dimm_ssd.run({"workload=sparse", "method=none", "matt.phase_bits=4"}).number("matt_bytes_per_page"),
      10);
}

// In its second interval Lulesh's 16,857 pages of the first are copied, 320 ns each, mostly four in
// succession. A read comes every 75 ns, so that it loses up to that time.
TEST(DimmSsdStudyTest, CopiesInTheReadQueueDelayTheProgram) {
  const double all = 16'857 * 320e-9;
  const Row row = dimm_ssd.run({"workload=Lulesh", "method=late", "intervals=2", "shared_read_queue=true"});
  EXPECT_LT(row.number("bus_s"), all);
  EXPECT_GT(row.number("bus_s"), (1 - 75.0 / 320) * all);
}

// A checkpoint of stop-and-copy takes 50 ms after 252 ms. Before the second one that is 9% of the time,
// before the third, after two, 12%: it goes to DRAM, where 2,428 pages take 1.6 ms at 6,286 MB/s.
TEST(DimmSsdStudyTest, TheControllerSendsCheckpointsToDram) {
  const Row row = dimm_ssd.run({"workload=bwaves", "method=stop_and_copy", "place=clc"});
  EXPECT_EQ(row.text("schedule").substr(0, 3), "SSr");
  const auto to_dram = static_cast<double>(std::ranges::count(row.text("schedule"), 'r'));
  EXPECT_NEAR(row.number("elsewhere_s"), to_dram * 2'428 * 4096 / 6286e6, 1e-9);
  EXPECT_DOUBLE_EQ(row.number("ssd_percent"), 100 * (5 - to_dram) / 5);
  EXPECT_EQ(dimm_ssd.run({"workload=bwaves", "method=stop_and_copy", "place=clc", "controller.bound=1"})
                .text("schedule"),
            "SSSSS");
  EXPECT_GT(row.number("lifetime_years"), 5);
  EXPECT_TRUE(dimm_ssd.run({"workload=bwaves", "method=stop_and_copy"}).is_empty("lifetime_years"))
      << "without a controller there is no rating";
}

TEST(DimmSsdStudyTest, TakesATrace) {
  const TraceFile trace("0 0 0\n1ms 7 1\n12ms 0 0\n");
  const Row row = dimm_ssd.run({trace.key(), "interval=10ms", "method=stop_and_copy"});
  EXPECT_EQ(row.count("requests"), 3u);
  EXPECT_EQ(row.count("flash_pages"), 2u);
  EXPECT_DOUBLE_EQ(row.number("alone_s"), 0.02);
}

TEST(DimmSsdStudyTest, ADeviceThatIsTooSmallSaysSo) {
  const Study s = dimm_ssd.read(
      {"workload=omnetpp", "method=late", "capacity=384MiB", "log.versions=2", "packages=1", "intervals=40"});
  const PointRun run = run_all(s, 1);
  const Row row{s.kind, *run.rows.at(0)};
  EXPECT_EQ(row.text("state"), "no_space");
  const std::string reason = row.text("reason");
  EXPECT_TRUE(reason.starts_with("checkpoint ")) << reason;
  EXPECT_EQ(occurrences(reason, ": of 22482 flash pages "), 1) << reason;
  EXPECT_EQ(occurrences(to_table(s, run), "\n" + reason.substr(0, 40)), 1);
}

TEST(DimmSsdStudyTest, ARunWithEnoughSpaceReportsNoReason) {
  EXPECT_EQ(dimm_ssd.run({"workload=bwaves", "method=late", "intervals=1"}).text("reason"), "");
}

TEST(DimmSsdStudyTest, MistakesAreReportedAtTheirKeys) {
  EXPECT_EQ(
      dimm_ssd.mistake({"workload=lmb"}),
      "command line: error: workload: expected the name of a file in configs/write_profiles, or a path, got "
      "\"lmb\"; did you mean \"lbm\"?");
  EXPECT_EQ(dimm_ssd.mistake({"part=micron_2006_slc_2k"}),
            "command line: error: part: expected a part whose page is a multiple of 4KiB, got "
            "micron_2006_slc_2k with a page of 2KiB");
  const std::string small = dimm_ssd.mistake({"capacity=1MiB"});
  const std::string least =
      small.substr(small.find("at least ") + 9, small.find(", got") - small.find("at least ") - 9);
  EXPECT_EQ(small.find("command line: error: capacity: expected at least "), 0u) << small;
  EXPECT_NE(small.find(", got 1MiB: 1 blocks in a plane of the flash are too few"), std::string::npos)
      << small;
  EXPECT_EQ(dimm_ssd.mistake({"capacity=" + least}), "none");
  EXPECT_EQ(dimm_ssd.mistake({"workload=bwaves", "intervals=1000", "method=none"}), "none");
  EXPECT_NE(dimm_ssd.mistake({"trace=/nowhere"}).find("trace: /nowhere: cannot be opened"),
            std::string::npos);
  EXPECT_THROW(dimm_ssd.read({"trace=/nowhere"}), InputMissing);
  EXPECT_EQ(
      dimm_ssd.mistake({"workload=bwaves", "interval=10ms"}),
      "command line: error: interval: expected a value that goes with trace; a workload has its own, got "
      "\"10ms\"");
  EXPECT_EQ(
      dimm_ssd.mistake({"reads=5", "method=none"}),
      "command line: error: reads: expected a value that goes with trace; a workload has its own, got 5");
  const TraceFile trace("0 0 0\n1 0 64\n");
  EXPECT_NE(dimm_ssd.mistake({trace.key()}).find(":2: expected a line below 64, got \"64\""),
            std::string::npos);
}

TEST(DimmSsdStudyTest, TheBarsOfAWorkloadStandSideBySide) {
  const Study s = dimm_ssd.read({"workload=bwaves,lbm", "method=none,early_late", "intervals=1"});
  const std::string svg = to_svg(s, run_all(s, 1));
  const int panels = 2;
  for (const char* name : {">bwaves<", ">lbm<", ">method=none<", ">method=early_late<"})
    EXPECT_EQ(occurrences(svg, name), panels) << name;
}

TEST(DimmSsdStudyTest, AMethodsKeyIsLeftOutOfOthers) {
  const Study s = dimm_ssd.read({"workload=bwaves", "method=late,copy_on_write", "shadow_frames=10,20"});
  EXPECT_EQ(s.points.size(), 3u);
}

}  // namespace
}  // namespace asterism
