#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest gpu(R"({"kind": "gpu", "workload": "lulesh", "scale": 0.25})");

TEST(GpuStudyTest, TheWayWithoutGainsIsTheOneThatOthersAreComparedWith) {
  const Row row = gpu.run({"config=F"});
  EXPECT_NEAR(row.number("relative"), 1, 0.01);
  EXPECT_EQ(row.number("volume_percent"), 100);
  EXPECT_EQ(row.number("footprint_mib"), 96);
}

TEST(GpuStudyTest, IncrementsTakeWhatTheProfileSaysIsDirty) {
  EXPECT_DOUBLE_EQ(gpu.run({"config=I"}).number("volume_percent"), 50);
  EXPECT_DOUBLE_EQ(gpu.run({"config=I-FG"}).number("volume_percent"), 50 * 14.0 / 16);
}

TEST(GpuStudyTest, TheDeviceSideTakesTheWaitingAway) {
  const Row driver = gpu.run({"config=NB+I+H"}), device = gpu.run({"config=NB+I-FG+H+D"});
  EXPECT_LT(20 * device.number("relative"), driver.number("relative"));
  EXPECT_GT(device.number("system_percent"), driver.number("system_percent"));
  EXPECT_GT(device.number("system_own_percent"), device.number("system_percent"));
}

// An iteration takes as many times longer, so that fewer zones are written while the snapshot is taken.
TEST(GpuStudyTest, SlowerKernelsLoseLess) {
  const Row fast = gpu.run({"config=NB+I+H"}), slow = gpu.run({"config=NB+I+H", "rate_factor=0.0625"});
  EXPECT_NEAR(slow.number("iteration_ms") / fast.number("iteration_ms"), 16, 0.1);
  EXPECT_LT(slow.number("relative"), fast.number("relative"));
}

TEST(GpuStudyTest, ZoneTableAndCachesAreThoseOfThePaper) {
  const Row row = gpu.run({"config=I"});
  EXPECT_EQ(row.number("table_kib"), 128);  // two bits for each of 524,288 zones
  EXPECT_EQ(row.number("cache_kib"), 64);
  EXPECT_GT(row.number("next_hit_percent"), 99);
  EXPECT_TRUE(row.is_empty("previous_hit_percent"));  // there was no write while a snapshot was open
}

// Fixed costs, of less than 0.1 ms, are those of one snapshot.
TEST(GpuStudyTest, RanksHaveTheirOwnMemoryAndZoneTables) {
  const Row one = gpu.run({"config=I"}), two = gpu.run({"config=I", "ranks=2"});
  EXPECT_EQ(two.number("footprint_mib"), 192);
  EXPECT_EQ(two.number("table_kib"), 256);
  EXPECT_EQ(two.count("zones"), 2 * one.count("zones"));
  EXPECT_DOUBLE_EQ(two.number("volume_percent"), 50);
  EXPECT_NEAR(two.number("full_ms"), 2 * one.number("full_ms"), 0.1);
  EXPECT_NEAR(two.number("iteration_ms"), 2 * one.number("iteration_ms"), 0.01);
}

TEST(GpuStudyTest, TakesATraceOfKernels) {
  const TraceFile trace("0 0 0 0 512 w\n0 1 0 0x200000 512 w\n1 0 0 0 512 r\n");
  const Row row = run_first(gpu.read({trace.key(), "config=I"}, R"({"kind": "gpu"})"));
  EXPECT_EQ(row.count("zones"), 2u);
}

TEST(GpuStudyTest, ReportsItsCounters) {
  const Study s = gpu.read({"config=I"});
  run_first(s);
  EXPECT_NE(s.points.at(0).point->detail().find("\"zone_monitors\""), std::string::npos);
}

TEST(GpuStudyTest, AnImpossibleValueIsReportedAtItsKey) {
  EXPECT_EQ(gpu.mistake({"config=I+D"}),
            "command line: error: config: expected a way of lee2019 such as NB+I-FG+H+D, got \"I+D\": has NB "
            "and H where it has D");
  EXPECT_EQ(gpu.mistake({"gpu.zone=96KiB"}),
            "command line: error: gpu.zone: expected a value that is a power of two, got \"96KiB\"");
  EXPECT_EQ(gpu.mistake({"gpu.memory=32MiB", "gpu.zone=2MiB"}),
            "command line: error: gpu.zone: expected a value that is at most the memory of a channel, got "
            "\"2MiB\"");
  EXPECT_NE(gpu.mistake({"gpus_per_cpu=33", "link.lanes=32"})
                .find("gpus_per_cpu: expected a value that is at most link.lanes"),
            std::string::npos);
  EXPECT_NE(gpu.mistake({"gpu.buffer=32KiB"})
                .find("gpu.buffer: expected a value that has space for two zones of each channel"),
            std::string::npos);
  EXPECT_NE(gpu.mistake({"gpu.memory=16MiB", "scale=1"}).find("gpu.memory: the program uses 96MiB, expected"),
            std::string::npos);
  EXPECT_NE(gpu.mistake({"gpu.memory=128MiB", "scale=1", "ranks=2"})
                .find("gpu.memory: the program uses 192MiB, expected"),
            std::string::npos);
  EXPECT_EQ(gpu.mistake({"ranks=65"}),
            "command line: error: ranks: expected an integer from 1 to 64, got 65");
  EXPECT_NE(gpu.mistake({"config=I-FG", "fine_zone=128KiB"}).find("fine_zone: expected a power of two from"),
            std::string::npos);
  EXPECT_EQ(gpu.mistake({"config=NB+I-FG+H", "gpu.channels=1", "gpu.memory=128GiB"}),
            "command line: error: gpu.memory: expected a value that has at most 2^24 zones in a channel, got "
            "128GiB, with zones of 4KiB (fine_zone)");
  EXPECT_NE(
      gpu.mistake({"gpu.memory=1TiB", "scale=1e-6"})
          .find("gpu.l2: expected a value that is at least l2_ways times a 2^24th of the memory, got 64KiB, "
                "with zones of 4KiB (fine_zone), at a scale of 1e-06"),
      std::string::npos);
  EXPECT_THROW(gpu.read({"trace=/nowhere"}, R"({"kind": "gpu"})"), InputMissing);
  const TraceFile trace("0 0 0 0 512 w\n0 0 0 8 32 w\n");
  EXPECT_NE(gpu.mistake({trace.key()}, R"({"kind": "gpu"})").find(":2: expected whole sectors of 32 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
