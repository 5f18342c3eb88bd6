#include <gtest/gtest.h>

#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest manycore(R"({"kind": "manycore", "topology": "superstar", "instructions": 200})");

TEST(ManycoreStudyTest, RunsAWorkloadToItsEnd) {
  const Row row = manycore.run({"workload=mix4"});
  EXPECT_EQ(row.text("state"), "ok");
  EXPECT_NEAR(static_cast<double>(row.count("l1_misses")), 15'899 * 0.2, 200);
  EXPECT_GT(row.number("time_us"), 0.1);  // 200 instructions, two a cycle
}

TEST(ManycoreStudyTest, TheContendedFabricTakesAsLongAsTheFlits) {
  const Row flit = manycore.run({"workload=mix2"}),
            contended = manycore.run({"workload=mix2", "fidelity=contended"});
  EXPECT_NEAR(contended.number("mean_time_us"), flit.number("mean_time_us"),
              0.02 * flit.number("mean_time_us"));
  EXPECT_NEAR(contended.number("power_w"), flit.number("power_w"), 0.02 * flit.number("power_w"));
}

TEST(ManycoreStudyTest, TheLooseFabricIsFasterBecauseNothingWaits) {
  const Row flit = manycore.run({"workload=mix4"}), loose = manycore.run({"workload=mix4", "fidelity=loose"});
  EXPECT_LT(loose.number("miss_latency_ns"), flit.number("miss_latency_ns"));
}

TEST(ManycoreStudyTest, RefusesCurvesOfAnotherTopology) {
  EXPECT_THROW(manycore.read({"fidelity=contended", "curves=mesh"}), ConfigError);
}

TEST(ManycoreStudyTest, AGatedGlobalRouterSavesItsStaticPowerAndItsChannels) {
  const double all = manycore.run({}).number("static_w"),
               seven = manycore.run({"gated_global_routers=1"}).number("static_w");
  EXPECT_NEAR(all - seven, 0.28 * (0.510107 + 72 * 12.9 * 0.000527),
              0.01);  // its channels are longer than the mean
}

TEST(ManycoreStudyTest, SaysWhyARunDidNotFinish) {
  const Row row = manycore.run({"instructions=100000", "limit=1us"});
  EXPECT_EQ(row.text("state"), "unfinished");
  EXPECT_TRUE(row.is_empty("time_us"));
}

TEST(ManycoreStudyTest, RefusesAWorkloadThatDoesNotFit) {
  EXPECT_THROW(manycore.read({"nodes=64"}), ConfigError);
}

}  // namespace
}  // namespace asterism
