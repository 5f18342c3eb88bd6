#include <gtest/gtest.h>

#include <string>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest ddr5_codes(R"({"kind": "ddr5_codes", "trials": 200})");

TEST(Ddr5CodesStudyTest, PutsExactSharesBesideMeasuredOnes) {
  const Row row = ddr5_codes.run({"code=rs_36_32", "fault=half_burst"});
  EXPECT_EQ(row.count("corrected") + row.count("uncorrectable") + row.count("silent"), 200u);
  EXPECT_NEAR(row.number("exact_sdc_share"), 0.00945, 1e-5);
}

TEST(Ddr5CodesStudyTest, HasNoExactSharesBehindTheChipsOwnCode) {
  const Row row = ddr5_codes.run({"code=rs_10_8", "fault=bit", "second_fault=bit", "on_die=true"});
  EXPECT_EQ(row.number("dce_share"), 1);
  EXPECT_TRUE(row.is_empty("exact_dce_share"));
}

TEST(Ddr5CodesStudyTest, RefusesAHashOfAnotherCode) {
  EXPECT_THROW(ddr5_codes.read({"code=rs_10_8", "hash_bits=48"}), ConfigError);
}

// What distinguishes the codes is on the screen: their exact shares, of one chip and of two.
TEST(Ddr5CodesStudyTest, TheShippedStudyShowsExactShares) {
  const Study study =
      shipped_study("ddr5_codes", {"code=chip_guard,rs_36_32_bounded", "fault=chip", "trials=10"});
  const PointRun run = run_all(study, 1);
  const std::string table = to_table(study, run);
  for (const char* text : {"second_fault", "exact DUE", "exact SDC", "5.1e-13", "6.6e-08"})
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  const std::vector<Panel> panels = panels_of(study, run);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].series.at(0).name, "second_fault=-") << "as the table has it";
  EXPECT_EQ(label_of(study, run, "exact_dce_share"), "exact DCE share");
  EXPECT_EQ(label_of(study, run, "exact_due_share"), "exact DUE");
}

TEST(Ddr5CodesStudyTest, TheFigureBehindTheChipsOwnCodeHasOnlyMeasuredShares) {
  const Study study = ddr5_codes.read({"code=rs_10_8,rs_40_32", "on_die=true"});
  EXPECT_EQ(panels_of(study, run_all(study, 1)).size(), 1u);
}

}  // namespace
}  // namespace asterism
