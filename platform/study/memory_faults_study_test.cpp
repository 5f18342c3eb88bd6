#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <vector>

#include "memory/fault_arrivals.h"
#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest memory_faults(R"({"kind": "memory_faults", "trials": 200})");

TEST(MemoryFaultsStudyTest, SumsTheRatesOfAllModes) {
  const Row row = memory_faults.run({"code=rs_10_8"});
  EXPECT_NEAR(row.number("faults_fit"), 66.1, 1e-9);
  EXPECT_NEAR(row.number("corrected_fit"), 66.1, 1e-9);
  EXPECT_EQ(row.number("uncorrected_fit"), 0);
}

TEST(MemoryFaultsStudyTest, LosesChipsWithNineOfThem) {
  // Rows, banks and ranks; and a third of the beats, whose four pins are more than two.
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32"}).number("uncorrected_fit"), 24.6 + 1.7 / 3, 1e-3);
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32", "faults=jaguar_ddr2_bounded"}).number("uncorrected_fit"),
              16.2, 1e-3);
  EXPECT_NEAR(memory_faults.run({"code=rs_36_32", "mode=row"}).number("rank_uncorrected_fit"), 9 * 8.4, 1e-3);
}

// Within one die, REACH corrects what is in one of its 72 chunks; on nine, eight chunks of any die.
TEST(MemoryFaultsStudyTest, ASpanOfReachOutlivesADieIfItIsOnNine) {
  const auto left = [](const char* key) {
    return memory_faults.run({"memory=hbm", "sector_code=reach", key}).number("rank_uncorrected_fit");
  };
  EXPECT_NEAR(left("span_dies=1"), 40 * 24.6, 1e-6);
  EXPECT_EQ(left("span_dies=9"), 0);
}

TEST(MemoryFaultsStudyTest, AGpuHasNoSpanOnMoreDiesThanItHas) {
  const std::vector<std::string> keys = {"memory=hbm", "sector_code=reach", "dies=8"};
  EXPECT_EQ(memory_faults.mistake({keys[0], keys[1], keys[2], "span_dies=9"})
                .find("command line: error: span_dies: expected a value that is at most `dies`"),
            0u);
  EXPECT_EQ(memory_faults.mistake({keys[0], keys[1], keys[2], "span_dies=8"}), "none");
}

// Of 1000 faults that were all corrected, up to 0.4% may not be.
TEST(MemoryFaultsStudyTest, WhatNoDrawnFaultLeavesHasABound) {
  const Study study = memory_faults.read({"memory=hbm", "sector_code=reach", "span_dies=9", "trials=1000"});
  const PointRun run = run_all(study, 1);
  const Row row{study.kind, *run.rows[0]};
  EXPECT_EQ(row.number("due_fit"), 0);
  EXPECT_NEAR(row.number("due_high_fit"), 66.1 * 0.0038, 0.01);
  const std::string table = to_table(study, run);
  EXPECT_NE(table.find(" <0.25"), std::string::npos) << table;
}

// The code of HBM3 corrects bits and 16 bits of a word, not rows, banks and what is larger.
TEST(MemoryFaultsStudyTest, CountsTheDiesOfAGpu) {
  const Row symbol = memory_faults.run({"memory=hbm"});
  EXPECT_NEAR(symbol.number("uncorrected_fit"), 24.6, 1e-9);
  EXPECT_NEAR(symbol.number("rank_uncorrected_fit"), 40 * 24.6, 1e-6);
  EXPECT_NEAR(memory_faults.run({"memory=hbm", "sector_code=none", "dies=1"}).number("rank_uncorrected_fit"),
              66.1, 1e-9);
  EXPECT_THROW(memory_faults.read({"memory=hbm", "code=rs_10_8"}), ConfigError);
  EXPECT_EQ(memory_faults.mistake({"memory=ddr5", "span_dies=9"}).find("command line: error: span_dies: "),
            0u);
}

// Of a sweep it is for the points that have a span.
TEST(MemoryFaultsStudyTest, OnlyReachHasSpans) {
  EXPECT_EQ(memory_faults.mistake({"memory=hbm", "sector_code=symbol", "span_dies=9"})
                .find("command line: error: span_dies: this key is valid only if sector_code is \"reach\""),
            0u);
  EXPECT_EQ(memory_faults.mistake({"memory=hbm", "sector_code=symbol,reach", "span_dies=9"}), "none");
}

TEST(MemoryFaultsStudyTest, ReportsTheTimeBetweenErrorsOfTheField) {
  const Row row = memory_faults.run({"memory=counted", "faults=h100_delta", "mode=uncorrectable"});
  EXPECT_NEAR(row.number("mtbe_h"), 88'768, 0.5);
  EXPECT_TRUE(row.is_empty("due_fit"));
  EXPECT_THROW(
      memory_faults.read({"memory=counted", "faults=h100_delta", "mode=uncorrectable", "code=rs_10_8"}),
      ConfigError);
}

TEST(MemoryFaultsStudyTest, TheFigureOfCountedErrorsIsTheTimeBetweenThem) {
  const Study study = shipped_study("gpu_memory_errors");
  const std::vector<Panel> panels = panels_of(study, run_all(study, 1));
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].y_label, "MTBE (h)");
  EXPECT_EQ(panels[0].categories.size(), 3u);
}

// All codes of ten chips correct all faults of a chip: pairs are left, of which some codes detect more.
TEST(MemoryFaultsStudyTest, PairsTellTheCodesOfTenChipsApart) {
  const Row separate = memory_faults.run({"code=rs_10_8"}),
            agreeing = memory_faults.run({"code=rs_10_8_chip"});
  EXPECT_EQ(separate.number("uncorrected_fit"), 0);
  EXPECT_GT(separate.number("pair_sdc_fit"), 10 * agreeing.number("pair_sdc_fit"));
  EXPECT_GT(agreeing.number("pair_due_fit"), 1);
  EXPECT_NEAR(agreeing.number("rank_uncorrected_fit"),
              agreeing.number("pair_due_fit") + agreeing.number("pair_sdc_fit"), 1e-9);
  const Row young = memory_faults.run({"code=rs_10_8_chip", "service_life=1y"});
  EXPECT_NEAR(young.number("pair_due_fit") / agreeing.number("pair_due_fit"), 0.2, 0.01);
  EXPECT_TRUE(memory_faults.run({"mode=row"}).is_empty("pair_due_fit"));
  EXPECT_TRUE(memory_faults.run({"memory=hbm"}).is_empty("pair_due_fit"));
}

TEST(MemoryFaultsStudyTest, HasNoSharesIfItIsStoppedBeforeTheFirstBlock) {
  std::stop_source user;
  user.request_stop();
  const Study study = memory_faults.read({"code=rs_36_32", "on_die=true"});
  const Row row{study.kind, study.points.at(0).point->run(user.get_token())};
  EXPECT_TRUE(row.is_empty("faults_fit"));
  EXPECT_TRUE(row.is_empty("sdc_fit"));
}

TEST(MemoryFaultsStudyTest, TheRandomFaultsOfANodeHaveTheRatesOfTheFile) {
  using Rates = std::map<std::pair<MemoryFaultKind, Persistence>, double>;
  const std::map<std::string, MemoryFaultKind> kinds = {
      {"bit", MemoryFaultKind::bit},       {"word", MemoryFaultKind::word},
      {"column", MemoryFaultKind::column}, {"row", MemoryFaultKind::row},
      {"bank", MemoryFaultKind::chip},     {"multi-bank", MemoryFaultKind::chip},
      {"multi-rank", MemoryFaultKind::pin}};
  std::ifstream file(ASTERISM_SOURCE_CONFIGS "/faults/jaguar_ddr2.json");
  const nlohmann::json rates = nlohmann::json::parse(file);
  Rates published;
  for (const nlohmann::json& mode : rates.at("modes")) {
    const MemoryFaultKind kind = kinds.at(mode.at("name"));
    published[{kind, Persistence::transient}] += mode.at("transient_fit").get<double>();
    published[{kind, Persistence::stuck}] += mode.at("permanent_fit").get<double>();
  }
  Rates ours;
  for (const FieldRate& rate : field_rates()) ours[{rate.kind, rate.persistence}] += rate.tenths / 10.0;
  ASSERT_EQ(ours.size(), published.size());
  for (const auto& [mode, fit] : published) EXPECT_NEAR(ours.at(mode), fit, 1e-9);
}

TEST(MemoryFaultsStudyTest, RefusesAnUnknownMode) {
  EXPECT_THROW(memory_faults.read({"mode=rank"}), ConfigError);
  EXPECT_NE(memory_faults.mistake({"faults=h100_delta"}).find("faults: expected a file with modes of faults"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
