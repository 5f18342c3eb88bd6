#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "platform/study/study_report.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest hbm_codes(R"({"kind": "hbm_codes"})");

TEST(HbmCodesStudyTest, TheLongCodeNeedsItsSpanForEveryRead) {
  const auto throughput = [](const std::vector<std::string>& overrides) {
    return hbm_codes.run(overrides).number("throughput_percent");
  };
  EXPECT_NEAR(throughput({"code=reach", "random_reads=1"}), 50, 1e-9);
  EXPECT_NEAR(throughput({"code=long_rs", "random_reads=1"}), 100.0 / 81, 1e-9);
  EXPECT_NEAR(throughput({"code=on_die", "random_reads=0.5", "random_writes=0.5"}), 100, 1e-9);
  EXPECT_NEAR(throughput({"code=reach"}), 100 * 64.0 / 81, 1e-9);
}

TEST(HbmCodesStudyTest, CountsEveryTrialOnce) {
  const Row row = hbm_codes.run({"code=reach", "bit_errors=0.002", "trials=50"});
  EXPECT_EQ(row.count("correct") + row.count("trials_uncorrectable") + row.count("trials_silent"), 50u);
}

TEST(HbmCodesStudyTest, TheDieToleratesOneWrongBitInAMillionByDefault) {
  EXPECT_NEAR(hbm_codes.run({"code=on_die"}).number("tolerated_bit_errors"), 1e-6, 1e-8);
}

// The shipped study shows what the codes cost where a tenth is read at random, and what they leave.
TEST(HbmCodesStudyTest, TheShippedStudyShowsThroughputAndFailures) {
  const Study study = shipped_study("hbm_codes", {"bit_errors=1e-6,1e-4,1e-3"});
  const PointRun run = run_all(study, 1);
  const std::vector<Panel> panels = panels_of(study, run);
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[1].y_label, "uncorrectable");
  EXPECT_TRUE(panels[1].is_logarithmic);
  const std::string table = to_table(study, run);
  for (const char* text : {"uncorrectable", "silent", "flagged", "1.0e-66"})
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  EXPECT_EQ(table.find("do not fit"), std::string::npos) << table;
  const auto throughput = [&](std::string_view code) {
    for (std::size_t i = 0; i < study.points.size(); ++i)
      if (to_text(study.points[i].coordinates.at(0)) == code)
        return Row{study.kind, run.rows.at(i).value()}.number("throughput_percent");
    return 0.0;
  };
  EXPECT_LT(throughput("long_rs"), throughput("reach") / 5);
}

}  // namespace
}  // namespace asterism
