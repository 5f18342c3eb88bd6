#include "platform/study/dimm_ssd_study.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "platform/config/config.h"
#include "platform/study/study.h"
#include "platform/study/study_report.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

Study study(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "dimm_ssd"})", "s.json");
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), "s", library, {&dimm_ssd_study, 1});
}
std::string mistake(const std::vector<std::string>& overrides) {
  try {
    study(overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}
template <class T>
T cell(const std::vector<Cell>& row, std::string_view column) {
  for (std::size_t i = 0; i < dimm_ssd_study.columns.size(); ++i)
    if (dimm_ssd_study.columns[i].name == column) return std::get<T>(row.at(i));
  throw std::out_of_range(std::string(column));
}
double slowdown(const std::string& workload, const std::string& method) {
  const Study s = study({"workload=" + workload, "method=" + method});
  return cell<double>(s.points.at(0).point->run({}), "slowdown");
}

struct TraceFile {
  explicit TraceFile(const std::string& text)
      : path(std::filesystem::temp_directory_path() / ("asterism_writes_" + std::to_string(getpid()))) {
    std::ofstream(path) << text;
  }
  ~TraceFile() { std::filesystem::remove(path); }
  std::string key() const { return "trace=" + path.string(); }
  std::filesystem::path path;
};

TEST(DimmSsdStudyTest, WithoutCheckpointsItTellsWhatTheWorkloadIsLike) {
  const Study s = study({"workload=bwaves", "method=none"});
  const std::vector<Cell> row = s.points.at(0).point->run({});
  EXPECT_EQ(cell<std::uint64_t>(row, "requests"), 720'651u);
  EXPECT_EQ(cell<double>(row, "modified_pages"), 2'428);
  EXPECT_DOUBLE_EQ(cell<double>(row, "time_s"), 5 * 0.252);
}

TEST(DimmSsdStudyTest, StopAndCopyIsAsLongAsItsFlashPages) {
  // 607 pages at 82.5 us in 0.252 s, and the metadata
  EXPECT_NEAR(slowdown("bwaves", "stop_and_copy"), 1 + 607 * 82.5e-6 / 0.252, 0.01);
  EXPECT_LT(slowdown("bwaves", "consolidate"), 1.13);
  EXPECT_LT(slowdown("bwaves", "early_late"), 1.001);
}

TEST(DimmSsdStudyTest, TellsHowManyPagesAFlashPageHolds) {
  const Study s = study({"workload=omnetpp", "method=consolidate"});
  const std::vector<Cell> row = s.points.at(0).point->run({});
  EXPECT_EQ(cell<std::uint64_t>(row, "checkpoints"), 5u);
  EXPECT_GT(cell<double>(row, "pages_per_flash_page"), 7);
  EXPECT_NE(s.points.at(0).point->detail().find("\"flash_pages_by_memory_pages\":{"), std::string::npos);
}

TEST(DimmSsdStudyTest, TakesATrace) {
  const TraceFile trace("0 0 0\n1ms 7 1\n12ms 0 0\n");
  const Study s = study({trace.key(), "interval=10ms", "method=stop_and_copy"});
  const std::vector<Cell> row = s.points.at(0).point->run({});
  EXPECT_EQ(cell<std::uint64_t>(row, "requests"), 3u);
  EXPECT_EQ(cell<std::uint64_t>(row, "flash_pages"), 2u);
  EXPECT_DOUBLE_EQ(cell<double>(row, "alone_s"), 0.02);
}

TEST(DimmSsdStudyTest, ADeviceThatIsTooSmallSaysSo) {
  const Study s = study(
      {"workload=omnetpp", "method=late", "capacity=384MiB", "log.versions=2", "packages=1", "intervals=40"});
  EXPECT_EQ(cell<std::string>(s.points.at(0).point->run({}), "state"), "no_space");
}

TEST(DimmSsdStudyTest, MistakesAreToldAtTheirKeys) {
  EXPECT_EQ(mistake({"workload=lmb"}),
            "command line: error: workload: expected the name of a file in configs/write_profiles, got "
            "\"lmb\"; did you mean \"lbm\"?");
  EXPECT_EQ(mistake({"part=micron_2006_slc_2k"}),
            "command line: error: part: expected a part whose page is a multiple of 4KiB, got "
            "micron_2006_slc_2k with a page of 2KiB");
  EXPECT_NE(mistake({"capacity=1MiB"}).find("capacity: 1 blocks in a plane of the flash are too few"),
            std::string::npos);
  EXPECT_EQ(mistake({"workload=bwaves", "intervals=1000", "method=none"}), "none");
  EXPECT_NE(mistake({"trace=/nowhere"}).find("trace: /nowhere: cannot be opened"), std::string::npos);
  EXPECT_THROW(study({"trace=/nowhere"}), InputMissing);
  const TraceFile trace("0 0 0\n1 0 64\n");
  EXPECT_NE(mistake({trace.key()}).find(":2: expected a line below 64, got \"64\""), std::string::npos);
}

TEST(DimmSsdStudyTest, TheBarsOfAWorkloadStandSideBySide) {
  const Study s = study({"workload=bwaves,lbm", "method=none,early_late", "intervals=1"});
  const std::string svg = to_svg(s, run_study(s, {.threads = 1, .show_progress = false}));
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (auto at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) ++found;
    return found;
  };
  const int panels = 2;
  for (const char* name : {">bwaves<", ">lbm<", ">none<", ">early_late<"})
    EXPECT_EQ(count(name), panels) << name;
}

TEST(DimmSsdStudyTest, AMethodsKeyIsLeftOutOfOthers) {
  const Study s = study({"workload=bwaves", "method=late,copy_on_write", "shadow_frames=10,20"});
  EXPECT_EQ(s.points.size(), 3u);
}

}  // namespace
}  // namespace asterism
