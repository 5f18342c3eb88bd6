#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platform/study/published.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest ecc(R"({"kind": "ecc", "trials": 1000})");

double number(const std::vector<std::string>& overrides, std::string_view column) {
  return ecc.run(overrides).number(column);
}

TEST(EccStudyTest, CountsEveryTrialOnce) {
  const Row row = ecc.run({"failure=bit+bit", "profile=strict"});
  EXPECT_EQ(row.count("corrected") + row.count("uncorrectable") + row.count("silent"), 1000u);
  // In the other half both failures are in one codeword.
  EXPECT_NEAR(static_cast<double>(row.count("corrected")), 500, 60);
}

TEST(EccStudyTest, PutsTheExactSharesAndThePublishedOnesBeside) {
  EXPECT_NEAR(number({"failure=chip+chip"}, "exact_sdc_ppm"), 30.2747, 1e-4);
  EXPECT_NEAR(number({"failure=chip+chip"}, "published_sdc_ppm"), 31, 1e-9);
  EXPECT_NEAR(number({"failure=pin+chip"}, "exact_sdc_ppm"), 30.5, 0.05);
  EXPECT_EQ(number({"failure=pin+pin"}, "exact_sdc_ppm"), 0);
  EXPECT_EQ(number({"failure=pin", "code=rs_36_32"}, "published_due_percent"), 100);
}

TEST(EccStudyTest, SaysPublishedWhatThePaperEntrySays) {
  const auto paper = load_published(shipped_configs, "abeyratne2017");
  const auto entry = std::ranges::find(paper.entries, "table4.4", &PublishedEntry::id);
  std::map<std::string, Row> rows;
  unsigned compared = 0;
  for (const PublishedValue& value : entry->values) {  // measured: "column(study)"
    std::istringstream measured(value.measured);
    std::string column, name, word;
    std::getline(std::getline(measured, column, '('), name, ')');
    if (column.starts_with("exact_")) continue;
    if (!rows.contains(name)) {
      std::istringstream command(paper.studies.at(name));
      std::vector<std::string> overrides;
      for (command >> word; command >> word;)
        if (!word.starts_with("trials=")) overrides.push_back(word);
      overrides.emplace_back("trials=1");
      rows.emplace(name, ecc.run(overrides));
    }
    EXPECT_NEAR(rows.at(name).number("published_" + column), value.published, 1e-9) << value.what;
    ++compared;
  }
  EXPECT_EQ(compared, 3u * 56);
}

TEST(EccStudyTest, ReportsTheTimesOfTheDecoders) {
  EXPECT_NEAR(number({"code=rs_36_32"}, "decode_clean_ns"), 0.48, 1e-9);
  EXPECT_NEAR(number({"code=rs_36_32"}, "decode_corrected_ns"), 0.48 + 0.47, 1e-9);
  EXPECT_NEAR(number({"code=rs_18_16"}, "decode_clean_ns"), 0.41, 1e-9);
  EXPECT_NEAR(number({"code=rs_19_16"}, "decode_corrected_ns"), 0.41 + 0.47, 1e-9);
}

TEST(EccStudyTest, GivesTheSameOnAnyNumberOfThreads) {
  const auto rows = [](unsigned threads) {
    return run_all(ecc.read({"failure=bit+pin,chip+chip", "code=rs_36_32,rs_19_16", "profile=chip"}), threads)
        .rows;
  };
  EXPECT_EQ(rows(1), rows(2));
}

TEST(EccStudyTest, RefusesAFailureThatIsNone) { EXPECT_THROW(ecc.read({"failure=row"}), ConfigError); }

}  // namespace
}  // namespace asterism
