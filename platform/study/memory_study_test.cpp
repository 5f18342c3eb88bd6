#include <gtest/gtest.h>

#include "base/thrown.h"
#include "memory/dram_part.h"
#include "platform/study/study_kind.h"
#include "platform/study/study_under_test.h"

namespace asterism {
namespace {

const StudyUnderTest memory(R"({"kind": "memory"})");

TEST(MemoryStudyTest, EveryPartIsInOrder) {
  for (const char* part :
       {"ddr3_1600_1gb_x4", "ddr3_1600_2gb_x4", "ddr3_1600_2gb_x8", "ddr4_2400_8gb_x4", "ddr4_2400_8gb_x8"})
    EXPECT_NO_THROW(load_config<DramPart>(shipped_configs, "dram", part)) << part;
}

TEST(MemoryStudyTest, AnImpossibleTimingIsRefusedByItsRule) {
  for (const char* change :
       {"timing.cwl=12cycles", "timing.tras=11cycles", "timing.trc=38cycles", "timing.tccd_s=3cycles",
        "timing.tfaw=4cycles", "timing.trfc=38cycles", "timing.trefi=139cycles"}) {
    ConfigDocument document = ConfigDocument::load(shipped_configs.locate("dram", "ddr3_1600_2gb_x8"));
    document.apply_override(change);
    const std::string text = change;
    const std::string key = text.substr(0, text.find('='));
    const std::string words = thrown<ConfigError>([&] { read_config<DramPart>(document, shipped_configs); });
    EXPECT_NE(words.find(key + ": expected a value that is"), std::string::npos) << words;
  }
}

TEST(MemoryStudyTest, MeasuresBandwidthAndWhatRequestsFound) {
  const Row row = memory.run({"requests=20000", "outstanding=1"});
  EXPECT_NEAR(row.number("bandwidth_gb_per_s"), 1.33, 0.02);
  EXPECT_EQ(row.count("row_hits") + row.count("row_misses") + row.count("row_conflicts"), 20'000u);
  EXPECT_GT(row.count("row_conflicts"), 18'000u);
  EXPECT_NEAR(row.number("latency_p50_ns"), 46.25, 0.2);
}

TEST(MemoryStudyTest, WritesAreAShare) {
  const Row row = memory.run({"requests=20000", "writes=33%"});
  EXPECT_NEAR(static_cast<double>(row.count("writes_done")), 6600, 200);
  EXPECT_GT(row.number("write_latency_ns"), 100);
  EXPECT_EQ(memory.read({"writes=0%:50%:12.5%"}).points.size(), 5u);
  EXPECT_EQ(
      memory.mistake({"writes=0.33"}),
      "command line: error: writes: expected a share of at most \"100%\", got 0.33; it has no unit (%)");
}

TEST(MemoryStudyTest, ReadsATrace) {
  const TraceFile trace("R 0\nR 40\nR 0x2000 1us\nW 80 2us\n");
  const Row row = memory.run({trace.key()});
  EXPECT_EQ(row.count("reads"), 3u);
  EXPECT_EQ(row.number("latency_max_ns"), 37.5);  // the burst of the second read follows that of the first
  trace.write("R 0\nR 8000000000000000\n");
  EXPECT_NE(memory.mistake({trace.key()}).find(":2: expected an address below 0x80000000"),
            std::string::npos);
  EXPECT_NE(memory.mistake({trace.key(), "pattern=copy"}).find("pattern: this key is valid only if trace is"),
            std::string::npos);
  trace.remove();
  EXPECT_NE(memory.mistake({trace.key()}).find("cannot be opened"), std::string::npos);
}

TEST(MemoryStudyTest, StrongCodesCostExtraAccessesForWritesAlone) {
  const std::vector<std::string> base = {"part=ddr3_1600_1gb_x4", "ranks=2", "requests=20000"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return memory.run(more);
  };
  const auto none = with({"writes=33%"}), strong = with({"writes=33%", "ecc=strong"});
  EXPECT_EQ(none.count("extra_reads"), 0u);
  EXPECT_NEAR(static_cast<double>(strong.count("extra_reads")), 6600,
              200);  // all miss the ECC cache
  EXPECT_GT(strong.count("extra_writes"), 5000u);
  EXPECT_LT(strong.number("bandwidth_gb_per_s"), 0.8 * none.number("bandwidth_gb_per_s"));
  EXPECT_EQ(with({"ecc=strong"}).count("extra_reads"), 0u);
  // Sixteen blocks share one block of third symbols.
  const auto dense = with({"writes=33%", "ecc=strong", "pattern=sequential"});
  EXPECT_NEAR(static_cast<double>(dense.count("extra_reads")), 20'000.0 / 16, 10);
}

TEST(MemoryStudyTest, ABlockIsTwoBurstsOfHbm) {
  const std::vector<std::string> hbm = {"part=hbm2e_3600_16gb_8h", "requests=20000", "mapping=RoCoBaRaCh",
                                        "pattern=sequential",      "outstanding=64", "page_policy=open"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> keys = hbm;
    keys.push_back(more);
    return memory.run(keys);
  };
  const auto half = with("access=32B"), whole = with("access=64B");
  for (const double bandwidth : {half.number("bandwidth_gb_per_s"), whole.number("bandwidth_gb_per_s")})
    EXPECT_NEAR(bandwidth / 57.55, 0.85, 0.08);  // of the peak of both pseudo-channels
  EXPECT_EQ(half.count("row_hits") + half.count("row_misses") + half.count("row_conflicts"), 20'000u);
  EXPECT_EQ(whole.count("row_hits") + whole.count("row_misses") + whole.count("row_conflicts"), 20'000u);
}

TEST(MemoryStudyTest, TheLongestWaitForARefreshOfBanksIsShorter) {
  const auto longest = [](const std::string& refresh) {
    return memory.run({"part=ddr5_4800_16gb_x8", "requests=50000", "outstanding=1", "refresh=" + refresh})
        .number("latency_max_ns");
  };
  EXPECT_GT(longest("all_bank"), 295 + 52);  // tRFC and a closed bank
  EXPECT_LT(longest("by_banks"), 295);
  EXPECT_LT(longest("none"), 80);
}

TEST(MemoryStudyTest, RefusesWhatThePartDoesNotHave) {
  EXPECT_NE(memory.mistake({"refresh=by_banks"})
                .find("refresh: ddr3_1600_2gb_x8 has only refreshes of whole ranks: its file has no "
                      "bank_refresh; choose refresh=all_bank"),
            std::string::npos);
  const std::string ddr5 = "part=ddr5_4800_16gb_x8";
  EXPECT_NE(memory.mistake({ddr5, "postponed_refreshes=5"})
                .find("postponed_refreshes: expected at most 4, as many refreshes as may be late in "
                      "ddr5_4800_16gb_x8, got 5"),
            std::string::npos);
  EXPECT_GT(memory.run({ddr5, "requests=100", "refresh=by_banks", "postponed_refreshes=8"})
                .number("bandwidth_gb_per_s"),
            0);
  EXPECT_NE(memory.mistake({"access=32B"})
                .find("access: expected 64B, which a burst of ddr3_1600_2gb_x8 moves, got 32B"),
            std::string::npos);
}

TEST(MemoryStudyTest, RefusesACodeThatDoesNotFitTheChips) {
  EXPECT_NE(memory.mistake({"ecc=normal", "part=hbm3_6400_16gb_8h"}).find("has 1 chip of "),
            std::string::npos);
  EXPECT_NE(memory.mistake({"ecc=normal", "part=ddr5_5600_16gb_x4"})
                .find("or ecc=none, or for a node's memory a code of DDR5 ranks by ecc_rank_code"),
            std::string::npos);
  EXPECT_NE(memory.mistake({"ecc=normal"}).find("part: ddr3_1600_2gb_x8 has 9 chips of 8 bits in a rank"),
            std::string::npos);
  const std::string part = "part=ddr3_1600_1gb_x4";
  EXPECT_NE(memory.mistake({"ecc=strong", part})
                .find("ecc: strong ECC keeps its third parity symbol in another rank"),
            std::string::npos);
  EXPECT_NE(memory.mistake({"ecc=strong", part, "ranks=2", "size=4GiB"})
                .find("size: strong ECC keeps its third parity symbols in rows that the memory does not use: "
                      "expected at most 3854MiB, got 4GiB"),
            std::string::npos);
  EXPECT_NE(memory.mistake({"size=3GiB"}).find("expected at most 2GiB"), std::string::npos);
  const auto with_cache = [&](const std::string& size) {
    return memory.mistake({"ecc=strong", part, "ranks=2", "ecc_cache=" + size});
  };
  EXPECT_EQ(with_cache("16MiB"), "none");
  EXPECT_NE(with_cache("32MiB").find("ecc_cache: expected a size of at most \"16MiB\""), std::string::npos);
  EXPECT_NE(with_cache("48KiB").find("ecc_cache_ways * 64 bytes times a power of two"), std::string::npos);
  EXPECT_NE(memory.mistake({"mapping=RoRaBaCo"}).find("each of Ro, Ra, Ba, Co and Ch once"),
            std::string::npos);
}

}  // namespace
}  // namespace asterism
