#include "platform/study/ecc_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "platform/config/config.h"
#include "platform/study/point_runner.h"
#include "platform/study/published.h"
#include "platform/study/study.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

Study study(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "ecc", "trials": 1000})", "s.json");
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), "s", library, {&ecc_study, 1});
}

Cell cell(const std::vector<Cell>& row, std::string_view column) {
  for (std::size_t i = 0; i < ecc_study.columns.size(); ++i)
    if (ecc_study.columns[i].name == column) return row.at(i);
  throw std::out_of_range(std::string(column));
}
double number(const std::vector<std::string>& overrides, std::string_view column) {
  const Study s = study(overrides);
  return std::get<double>(cell(s.points.at(0).point->run({}), column));
}

TEST(EccStudyTest, CountsEveryTrialOnce) {
  const Study s = study({"failure=bit+bit", "profile=strict"});
  const auto row = s.points.at(0).point->run({});
  const auto count = [&](std::string_view column) { return std::get<std::uint64_t>(cell(row, column)); };
  EXPECT_EQ(count("corrected") + count("uncorrectable") + count("silent"), 1000u);
  EXPECT_NEAR(static_cast<double>(count("corrected")), 500, 60);  // the other half lies in one codeword
}

TEST(EccStudyTest, PutsTheExactSharesAndThePublishedOnesBeside) {
  EXPECT_NEAR(number({"failure=chip+chip"}, "exact_sdc_ppm"), 30.2747, 1e-4);
  EXPECT_NEAR(number({"failure=chip+chip"}, "published_sdc_ppm"), 31, 1e-9);
  EXPECT_NEAR(number({"failure=pin+chip"}, "exact_sdc_ppm"), 30.5, 0.05);
  EXPECT_EQ(number({"failure=pin+pin"}, "exact_sdc_ppm"), 0);
  EXPECT_EQ(number({"failure=pin", "code=rs_36_32"}, "published_due_percent"), 100);
}

TEST(EccStudyTest, SaysPublishedWhatThePaperEntrySays) {
  const auto paper = load_config<PublishedPaper>(library, "published", "abeyratne2017");
  const auto entry = std::ranges::find(paper.entries, "table4.4", &PublishedEntry::id);
  std::map<std::string, std::vector<Cell>> rows;
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
      rows[name] = study(overrides).points.at(0).point->run({});
    }
    EXPECT_NEAR(std::get<double>(cell(rows[name], "published_" + column)), value.published, 1e-9)
        << value.what;
    ++compared;
  }
  EXPECT_EQ(compared, 3u * 56);
}

TEST(EccStudyTest, TellsTheDecodersTimes) {
  EXPECT_NEAR(number({"code=rs_36_32"}, "decode_clean_ns"), 0.48, 1e-9);
  EXPECT_NEAR(number({"code=rs_36_32"}, "decode_corrected_ns"), 0.48 + 0.47, 1e-9);
  EXPECT_NEAR(number({"code=rs_18_16"}, "decode_clean_ns"), 0.41, 1e-9);
  EXPECT_NEAR(number({"code=rs_19_16"}, "decode_corrected_ns"), 0.41 + 0.47, 1e-9);
}

TEST(EccStudyTest, GivesTheSameOnAnyNumberOfThreads) {
  const auto rows = [](unsigned threads) {
    const Study s = study({"failure=bit+pin,chip+chip", "code=rs_36_32,rs_19_16", "profile=chip"});
    std::vector<StudyPoint*> points;
    for (const auto& point : s.points) points.push_back(point.point.get());
    return run_points(points, {.threads = threads, .show_progress = false}).rows;
  };
  EXPECT_EQ(rows(1), rows(2));
}

TEST(EccStudyTest, RefusesAFailureThatIsNone) { EXPECT_THROW(study({"failure=row"}), ConfigError); }

}  // namespace
}  // namespace asterism
