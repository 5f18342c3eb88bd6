#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/study/study_kind.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest nvme(R"({"kind": "nvme", "blocks": 8, "duration": "20ms"})");

// A read waits for the controller, a sensing of 45 us, a flash page on a channel at 400 MB/s, and 4 KiB on
// the link at 4 GB/s; memory answers three times after 100 ns: for the command, the data and its completion.
TEST(NvmeStudyTest, OneReadAtATimeTakesTheTimesOfItsParts) {
  const Row row = nvme.run({"depth=1"});
  const double latency = 2 + 45 + 16384 / 400.0 + 4096 / 4000.0 + 3 * 0.1;
  EXPECT_NEAR(row.number("p50_us"), latency, 1e-3);
  EXPECT_NEAR(row.number("p99_us"), latency, 1e-3);
  EXPECT_EQ(row.count("errors"), 0u);
}

TEST(NvmeStudyTest, MoreReadsUnderWayKeepMoreDiesBusy) {
  const double one = nvme.run({"depth=1"}).number("iops"), many = nvme.run({"depth=64"}).number("iops");
  EXPECT_GT(many, 5 * one);
  EXPECT_LT(many, 4 * 400e6 / 16384);  // what the channels transfer
}

// Random writes over a full disk have to move pages; sequential ones find blocks that are all invalid.
TEST(NvmeStudyTest, GarbageCollectionAmplifiesRandomWrites) {
  const auto amplification = [](const std::string& pattern, const std::string& overwrites) {
    return nvme
        .run({"reads=0", "size=16KiB", "channels=2", "packages=1", "blocks=32", "duration=500ms",
              "pattern=" + pattern, "overwrites=" + overwrites})
        .number("write_amplification");
  };
  EXPECT_GT(amplification("random", "100"), 2);
  EXPECT_LT(amplification("sequential", "0"), 1.1);
}

// On a full disk writes wait for collections, which the tail of the distribution shows; it is longest where
// writes are not paced. In an empty disk all planes have room.
TEST(NvmeStudyTest, TheFigureShowsTheTailsOfFullAndEmptyDisks) {
  const Study study =
      nvme.read({"reads=0", "size=16KiB", "channels=2", "packages=1", "blocks=16", "depth=8",
                 "overwrites=100", "duration=500ms", "used=25,100", "translation.pace_writes=true,false"});
  const std::vector<Panel> panels = panels_of(study, run_all(study, 1));
  const Panel& tails = panels.back();
  EXPECT_EQ(tails.y_label, "latency (us)");
  EXPECT_TRUE(tails.is_logarithmic);
  ASSERT_EQ(tails.series.size(), 4u);
  const auto tail = [&](const std::string& name) {
    const auto found = std::ranges::find(tails.series, "writes, " + name, &Panel::Series::name);
    EXPECT_NE(found, tails.series.end()) << name;
    return found->points.back().y;
  };
  const double empty = tail("translation.pace_writes=true used=25"),
               full = tail("translation.pace_writes=true used=100"),
               not_paced = tail("translation.pace_writes=false used=100");
  EXPECT_EQ(tail("translation.pace_writes=false used=25"), empty);
  EXPECT_GT(full, 4 * empty);
  EXPECT_GT(not_paced, 4 * full);
}

// Six depths with reads and writes are twelve curves, more than there are colours.
TEST(NvmeStudyTest, ManyCurvesOfPercentilesArePanels) {
  const Study study = nvme.read({"pattern=random,sequential", "reads=50", "depth=1,2,4", "duration=20ms"});
  std::vector<Panel> panels = panels_of(study, run_all(study, 1));
  std::erase_if(panels, [](const Panel& panel) { return panel.y_label != "latency (us)"; });
  ASSERT_EQ(panels.size(), 2u);
  EXPECT_EQ(panels[0].title, "pattern=random");
  EXPECT_EQ(panels[1].title, "pattern=sequential");
  EXPECT_EQ(panels[1].series.size(), 6u);
  EXPECT_EQ(panels[1].series.at(0).name, "reads, depth=1");
}

TEST(NvmeStudyTest, TheCurveOfPercentilesMeetsTheTable) {
  const Study study = nvme.read({"depth=16", "size=16KiB"});
  const PointRun run = run_all(study, 1);
  const Row row{study.kind, *run.rows.at(0)};
  const auto points = nlohmann::json::parse(run.details.at(0)).at("percentiles").at("reads");
  const auto at = [&](double nines) {
    for (const auto& each : points)
      if (each.at(0) == nines) return each.at(1).get<double>();
    return 0.0;
  };
  EXPECT_EQ(at(1), row.number("p90_us"));
  EXPECT_EQ(at(2), row.number("p99_us"));
  EXPECT_EQ(at(3), row.number("p999_us"));
}

TEST(NvmeStudyTest, ATraceHasToBeThere) {
  EXPECT_NE(nvme.mistake({"trace=missing.trace"}).find("missing.trace: cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace asterism
