#include "platform/study/manycore_study.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/study/study.h"

namespace asterism {
namespace {

using Row = std::vector<Cell>;

Study study(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(
      R"({"kind": "manycore", "topology": "superstar", "instructions": 200})", "s.json");
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), "s", ConfigLibrary(ASTERISM_SOURCE_CONFIGS), {&manycore_study, 1});
}

Row run(const std::vector<std::string>& overrides) {
  const Study s = study(overrides);
  return s.points.at(0).point->run({});
}

Cell cell(const Row& row, std::string_view column) {
  for (std::size_t i = 0; i < manycore_study.columns.size(); ++i)
    if (manycore_study.columns[i].name == column) return row.at(i);
  throw std::out_of_range(std::string(column));
}
double number(const Row& row, std::string_view column) { return std::get<double>(cell(row, column)); }

TEST(ManycoreStudyTest, RunsAWorkloadToItsEnd) {
  const Row row = run({"workload=mix4"});
  EXPECT_EQ(std::get<std::string>(cell(row, "state")), "ok");
  EXPECT_NEAR(static_cast<double>(std::get<std::uint64_t>(cell(row, "l1_misses"))), 15'899 * 0.2, 200);
  EXPECT_GT(number(row, "time_us"), 0.1);  // 200 instructions, two a cycle
}

TEST(ManycoreStudyTest, TheLooseFabricTakesAsLongAsTheFlits) {
  const Row flit = run({"workload=mix2"}), loose = run({"workload=mix2", "fidelity=loose"});
  EXPECT_NEAR(number(loose, "mean_time_us"), number(flit, "mean_time_us"),
              0.02 * number(flit, "mean_time_us"));
  EXPECT_NEAR(number(loose, "power_w"), number(flit, "power_w"), 0.02 * number(flit, "power_w"));
}

TEST(ManycoreStudyTest, AGatedGlobalRouterSavesItsStaticPowerAndItsChannels) {
  const double all = number(run({}), "static_w"), seven = number(run({"gated_global_routers=1"}), "static_w");
  EXPECT_NEAR(all - seven, 0.28 * (0.510107 + 72 * 12.9 * 0.000527),
              0.01);  // its channels are longer than the mean
}

TEST(ManycoreStudyTest, SaysWhyARunDidNotFinish) {
  const Row row = run({"instructions=100000", "limit=1us"});
  EXPECT_EQ(std::get<std::string>(cell(row, "state")), "unfinished");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(row, "time_us")));
}

TEST(ManycoreStudyTest, RefusesAWorkloadThatDoesNotFit) { EXPECT_THROW(study({"nodes=64"}), ConfigError); }

}  // namespace
}  // namespace asterism
