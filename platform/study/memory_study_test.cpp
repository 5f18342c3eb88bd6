#include "platform/study/memory_study.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "memory/dram_part.h"
#include "platform/config/config.h"
#include "platform/study/study.h"

namespace asterism {
namespace {

const ConfigLibrary library(ASTERISM_SOURCE_CONFIGS);

Study study(const std::vector<std::string>& overrides) {
  ConfigDocument document = ConfigDocument::parse(R"({"kind": "memory"})", "s.json");
  for (const std::string& override : overrides) document.apply_override(override);
  return read_study(std::move(document), "s", library, {&memory_study, 1});
}
std::vector<Cell> run(const std::vector<std::string>& overrides) {
  const Study s = study(overrides);
  return s.points.at(0).point->run({});
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
  for (std::size_t i = 0; i < memory_study.columns.size(); ++i)
    if (memory_study.columns[i].name == column) return std::get<T>(row.at(i));
  throw std::out_of_range(std::string(column));
}

TEST(MemoryStudyTest, EveryPartIsInOrder) {
  for (const char* part :
       {"ddr3_1600_1gb_x4", "ddr3_1600_2gb_x4", "ddr3_1600_2gb_x8", "ddr4_2400_8gb_x4", "ddr4_2400_8gb_x8"})
    EXPECT_NO_THROW(load_config<DramPart>(library, "dram", part)) << part;
}

TEST(MemoryStudyTest, AnImpossibleTimingIsRefusedByItsRule) {
  for (const char* change :
       {"timing.cwl=12cycles", "timing.tras=11cycles", "timing.trc=38cycles", "timing.tccd_s=3cycles",
        "timing.tfaw=4cycles", "timing.trfc=38cycles", "timing.trefi=139cycles"}) {
    ConfigDocument document = ConfigDocument::load(library.locate("dram", "ddr3_1600_2gb_x8"));
    document.apply_override(change);
    const std::string text = change;
    const std::string key = text.substr(0, text.find('='));
    try {
      read_config<DramPart>(document, library);
      ADD_FAILURE() << change;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(key + ": expected a value that is"), std::string::npos)
          << error.what();
    }
  }
}

TEST(MemoryStudyTest, MeasuresBandwidthAndWhatRequestsFound) {
  const std::vector<Cell> row = run({"requests=20000", "outstanding=1"});
  EXPECT_NEAR(cell<double>(row, "bandwidth_gb_per_s"), 1.33, 0.02);
  EXPECT_EQ(cell<std::uint64_t>(row, "row_hits") + cell<std::uint64_t>(row, "row_misses") +
                cell<std::uint64_t>(row, "row_conflicts"),
            20'000u);
  EXPECT_GT(cell<std::uint64_t>(row, "row_conflicts"), 18'000u);
  EXPECT_NEAR(cell<double>(row, "latency_p50_ns"), 46.25, 0.2);
}

TEST(MemoryStudyTest, WritesAreAShare) {
  const std::vector<Cell> row = run({"requests=20000", "writes=33%"});
  EXPECT_NEAR(static_cast<double>(cell<std::uint64_t>(row, "writes_done")), 6600, 200);
  EXPECT_GT(cell<double>(row, "write_latency_ns"), 100);
  EXPECT_EQ(study({"writes=0%:50%:12.5%"}).points.size(), 5u);
  EXPECT_EQ(mistake({"writes=0.33"}),
            "command line: error: writes: expected a share of at most \"100%\", got 0.33");
}

TEST(MemoryStudyTest, ReadsATrace) {
  const auto path =
      std::filesystem::temp_directory_path() / ("memory_study_test_" + std::to_string(getpid()));
  std::ofstream(path) << "R 0\nR 40\nR 0x2000 1us\nW 80 2us\n";
  const std::vector<Cell> row = run({"trace=" + path.string()});
  EXPECT_EQ(cell<std::uint64_t>(row, "reads"), 3u);
  EXPECT_EQ(cell<double>(row, "latency_max_ns"), 37.5);  // the second read: its burst after the first one's
  std::ofstream(path) << "R 0\nR 8000000000000000\n";
  EXPECT_NE(mistake({"trace=" + path.string()}).find(":2: expected an address below 0x80000000"),
            std::string::npos);
  EXPECT_NE(mistake({"trace=" + path.string(), "pattern=copy"})
                .find("pattern: this key stands only where trace is"),
            std::string::npos);
  std::filesystem::remove(path);
  EXPECT_NE(mistake({"trace=" + path.string()}).find("cannot be opened"), std::string::npos);
}

TEST(MemoryStudyTest, StrongCodesCostExtraAccessesForWritesAlone) {
  const std::vector<std::string> base = {"part=ddr3_1600_1gb_x4", "ranks=2", "requests=20000"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run(more);
  };
  const auto none = with({"writes=33%"}), strong = with({"writes=33%", "ecc=strong"});
  EXPECT_EQ(cell<std::uint64_t>(none, "extra_reads"), 0u);
  EXPECT_NEAR(static_cast<double>(cell<std::uint64_t>(strong, "extra_reads")), 6600,
              200);  // all miss the ECC cache
  EXPECT_GT(cell<std::uint64_t>(strong, "extra_writes"), 5000u);
  EXPECT_LT(cell<double>(strong, "bandwidth_gb_per_s"), 0.8 * cell<double>(none, "bandwidth_gb_per_s"));
  EXPECT_EQ(cell<std::uint64_t>(with({"ecc=strong"}), "extra_reads"), 0u);
  const auto dense = with({"writes=33%", "ecc=strong", "pattern=sequential"});  // sixteen blocks share one
  EXPECT_NEAR(static_cast<double>(cell<std::uint64_t>(dense, "extra_reads")), 20'000.0 / 16, 10);
}

TEST(MemoryStudyTest, RefusesACodeThatDoesNotFitTheChips) {
  EXPECT_NE(mistake({"ecc=normal"}).find("part: ddr3_1600_2gb_x8 has chips of 8 bits"), std::string::npos);
  const std::string part = "part=ddr3_1600_1gb_x4";
  EXPECT_NE(
      mistake({"ecc=strong", part}).find("ecc: strong ECC keeps its third parity symbol in another rank"),
      std::string::npos);
  EXPECT_NE(mistake({"ecc=strong", part, "ranks=2", "size=4GiB"})
                .find("size: strong ECC keeps its third parity symbols in rows that the memory does not use: "
                      "expected at most 3854MiB, got 4GiB"),
            std::string::npos);
  EXPECT_NE(mistake({"size=3GiB"}).find("expected at most 2GiB"), std::string::npos);
  const auto with_cache = [&](const std::string& size) {
    return mistake({"ecc=strong", part, "ranks=2", "ecc_cache=" + size});
  };
  EXPECT_EQ(with_cache("16MiB"), "none");
  EXPECT_NE(with_cache("32MiB").find("ecc_cache: expected a size of at most \"16MiB\""), std::string::npos);
  EXPECT_NE(with_cache("48KiB").find("ecc_cache_ways * 64 bytes times a power of two"), std::string::npos);
  EXPECT_NE(mistake({"mapping=RoRaBaCo"}).find("each of Ro, Ra, Ba, Co and Ch once"), std::string::npos);
}

}  // namespace
}  // namespace asterism
