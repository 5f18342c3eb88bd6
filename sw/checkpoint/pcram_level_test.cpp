// Checkpoints with PCRAM between memory and the DIMM-SSD.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "checkpoint/test_machine.h"
#include "checkpoint/two_regions.h"

extern "C" {
#include "checkpoint/checkpoint.h"
#include "checkpoint/pcram_level.h"
}

namespace {

// The parameter selects modules, or a stack with incremental saves.
class PcramLevelTest : public testing::TestWithParam<bool>, protected TwoRegions<2000> {
 protected:
  void SetUp() override {
    machine.reset();
    machine.has_pcram = true;
    machine.is_stack = GetParam();
    ASSERT_EQ(start(), checkpoint_ok);
  }
  // The calls of an app when the node has started.
  CheckpointStatus start(unsigned ssd_every = 0, bool memory = false) {
    checkpoint_initialize();
    if (memory) {
      EXPECT_EQ(checkpoint_use_memory(sizeof text + sizeof vector, ssd_every), checkpoint_ok);
    }
    const CheckpointStatus status = checkpoint_use_pcram(ssd_every, true);
    protect();
    return status;
  }
  static bool restores(std::uint64_t version) {
    fill(99);
    return checkpoint_restore("a", version) == checkpoint_ok && holds(version);
  }
  // The versions are in ascending order, so that the newest is read last and is not overwritten next.
  static std::vector<std::uint64_t> versions() {
    std::vector<std::uint64_t> found;
    std::uint64_t version = checkpoint_any_version;
    while (checkpoint_find_newest("a", version, &version) == checkpoint_ok)
      found.insert(found.begin(), version--);
    return found;
  }
  static std::vector<CheckpointStatus> levels() {
    return {checkpoint_level_status(checkpoint_memory), checkpoint_level_status(checkpoint_pcram),
            checkpoint_level_status(checkpoint_dimm_ssd)};
  }
};

using Levels = std::vector<CheckpointStatus>;  // memory, PCRAM, DIMM-SSD

TEST_P(PcramLevelTest, TheTwoNewestVersionsSurviveAPowerLoss) {
  for (std::uint64_t version = 1; version <= 5; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_ok, checkpoint_not_asked}));
  machine.power_loss();
  ASSERT_EQ(start(), checkpoint_ok);
  EXPECT_EQ(newest(), 5u);
  EXPECT_EQ(newest(4), 4u);
  EXPECT_TRUE(restores(5));
  EXPECT_TRUE(restores(4));
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_ok, checkpoint_not_asked}));
  EXPECT_EQ(checkpoint_restore("a", 3), checkpoint_not_found);
  EXPECT_TRUE(machine.flash.empty());
}

TEST_P(PcramLevelTest, IsDurableForBeginTestAndWait) {
  fill(1);
  ASSERT_EQ(checkpoint_begin("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_test(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_wait(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
}

TEST_P(PcramLevelTest, EveryThirdGoesToTheSsdToo) {
  start(3);
  for (std::uint64_t version = 1; version <= 7; ++version) {
    ASSERT_EQ(write(version), checkpoint_ok);
    EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_ok,
                                version % 3 == 0 ? checkpoint_ok : checkpoint_not_asked}));
  }
  EXPECT_EQ(machine.flash.size(), 2u);
}

TEST_P(PcramLevelTest, HandedOverVersionsArePendingOnTheSsdAlone) {
  start(1);
  checkpoint_use_method(dimm_ssd_late);
  fill(1);
  ASSERT_EQ(checkpoint_begin("a", 1), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_ok, checkpoint_pending}));
  EXPECT_EQ(checkpoint_test(1), checkpoint_pending);
  machine.power_loss();
  start(1);
  EXPECT_EQ(newest(), 1u);
  EXPECT_TRUE(restores(1));
  checkpoint_use_method(dimm_ssd_configured);
}

TEST_P(PcramLevelTest, ARestoreTriesMemoryThenPcramThenTheSsd) {
  ASSERT_EQ(start(1, true), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 2; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_ok, checkpoint_ok, checkpoint_ok}));
  machine.warm_reset();
  start(1, true);
  EXPECT_TRUE(restores(2));
  EXPECT_EQ(levels(), Levels({checkpoint_ok, checkpoint_not_asked, checkpoint_not_asked}));
  machine.poison(machine.find("version 2!"));
  EXPECT_TRUE(restores(2));
  EXPECT_EQ(levels(), Levels({checkpoint_uncorrectable, checkpoint_ok, checkpoint_not_asked}));
  machine.next_pcram_error = pcram_uncorrectable;
  EXPECT_TRUE(restores(2));
  EXPECT_EQ(levels(), Levels({checkpoint_not_found, checkpoint_unreadable, checkpoint_ok}));
  EXPECT_TRUE(restores(2));
  EXPECT_EQ(levels(), Levels({checkpoint_not_found, checkpoint_not_found, checkpoint_ok}))
      << "a checkpoint that could not be read must be discarded";
  machine.power_loss();
  start(1, true);
  EXPECT_TRUE(restores(1));
  EXPECT_EQ(levels(), Levels({checkpoint_not_found, checkpoint_ok, checkpoint_not_asked}));
}

TEST_P(PcramLevelTest, TheNewestOfAllLevelsIsFound) {
  start(1, true);
  ASSERT_EQ(write(4), checkpoint_ok);
  machine.flash[{"a", 9}] = {};
  EXPECT_EQ(newest(), 9u);
  EXPECT_EQ(newest(8), 4u);
  machine.flash.clear();
  machine.power_loss();
  start(1, true);
  EXPECT_EQ(newest(), 4u);
}

// The power fails after every single line of a third and a fourth checkpoint: every version that was reported
// safe must be found and complete, and no version that is found may be torn.
TEST_P(PcramLevelTest, AnInterruptedSaveLeavesTheCheckpointBefore) {
  unsigned power_failures = 0, kept = 0;
  bool finished = false;
  for (int lines = 0; !finished; ++lines) {
    machine.reset();
    machine.has_pcram = true;
    machine.is_stack = GetParam();
    start();
    for (std::uint64_t version = 1; version <= 2; ++version) ASSERT_EQ(write(version), checkpoint_ok);
    std::uint64_t safe = 2;
    try {
      machine.lines_until_power_failure = lines;
      while (safe < 4 && write(safe + 1) == checkpoint_ok) ++safe;
      finished = true;
    } catch (const PowerLoss&) {
      ++power_failures;
    }
    machine.power_loss();
    ASSERT_EQ(start(), checkpoint_ok);
    const std::uint64_t found = newest();
    ASSERT_GE(found, safe) << lines;
    ASSERT_LE(found, safe + 1) << lines;
    ASSERT_TRUE(restores(found)) << lines;
    std::uint64_t older;
    if (checkpoint_find_newest("a", found - 1, &older) == checkpoint_ok) {
      ++kept;
      ASSERT_TRUE(restores(older)) << lines << " " << older;
    }
    ASSERT_EQ(write(20), checkpoint_ok);
    ASSERT_TRUE(restores(20)) << lines;
  }
  EXPECT_GT(power_failures, 600u);
  EXPECT_GT(kept, 0u);
}

// The next checkpoint must not overwrite the version that was restored.
TEST_P(PcramLevelTest, ARestoredOlderVersionIsKeptUntilTheNextIsComplete) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  ASSERT_TRUE(restores(1));
  machine.lines_until_power_failure = 100;
  EXPECT_THROW(write(3), PowerLoss);
  machine.power_loss();
  start();
  EXPECT_EQ(newest(), 1u);
  EXPECT_TRUE(restores(1));
}

TEST_P(PcramLevelTest, TheSameVersionAgainReplacesTheFirst) {
  ASSERT_EQ(write(1), checkpoint_ok);
  fill(7);
  ASSERT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  fill(99);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(7));
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  machine.power_loss();
  start();
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

// The slot that could not be cleared is not the one written next: its checkpoint must not count as the later
// one.
TEST_P(PcramLevelTest, AVersionWrittenAgainAfterAFailedDiscardIsTheLaterOne) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);  // in the second slot
  ASSERT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  machine.next_pcram_error = pcram_bus_error;
  ASSERT_EQ(checkpoint_discard("a", 2), checkpoint_ok);
  fill(7);
  ASSERT_EQ(checkpoint_write("a", 2), checkpoint_ok);
  machine.power_loss();
  ASSERT_EQ(start(), checkpoint_ok);
  fill(99);
  ASSERT_EQ(checkpoint_restore("a", 2), checkpoint_ok);
  EXPECT_TRUE(holds(7));
}

// The earlier checkpoint cannot be cleared. If the version is discarded, it must be gone anyway, and the
// earlier checkpoint must not return.
TEST_P(PcramLevelTest, AVersionThatReplacedAnotherIsDiscardedWithIt) {
  ASSERT_EQ(write(1), checkpoint_ok);
  machine.saves_until_pcram_error =
      static_cast<int>(machine.saves.size());  // all saves of a write except the clearing
  machine.next_pcram_error = pcram_bus_error;
  fill(7);
  EXPECT_NE(checkpoint_write("a", 1), checkpoint_ok);
  machine.power_loss();
  ASSERT_EQ(start(), checkpoint_ok);
  fill(99);
  ASSERT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
  EXPECT_TRUE(holds(7));
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
  machine.power_loss();
  ASSERT_EQ(start(), checkpoint_ok);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_P(PcramLevelTest, AnIncrementLeavesOutPagesThatALayerHas) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  const std::uint64_t full = pcram_level_copied() / 2;
  EXPECT_EQ(full, checkpoint_pages());
  fill(1);
  ASSERT_EQ(checkpoint_write("a", 3), checkpoint_ok);
  EXPECT_EQ(pcram_level_copied() - 2 * full, GetParam() ? 1 : full)
      << "a stack saves only the header's page again";
  EXPECT_TRUE(restores(2));
  fill(99);
  ASSERT_EQ(checkpoint_restore("a", 3), checkpoint_ok);
  EXPECT_TRUE(holds(1));
}

TEST_P(PcramLevelTest, ACheckpointThatPcramCannotTakeGoesToTheSsd) {
  start(100);
  machine.next_pcram_error = pcram_worn_out;
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_worn_out, checkpoint_ok}));
  ASSERT_EQ(write(2), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_worn_out, checkpoint_ok}))
      << "PCRAM must not be used any more";
  start(0);
  machine.next_pcram_error = pcram_worn_out;
  EXPECT_EQ(write(3), checkpoint_worn_out);
  EXPECT_EQ(newest(), 2u) << "version 2 is on the SSD";
}

TEST_P(PcramLevelTest, PoisonReadByPcramIsReportedAndTheCheckpointBeforeIsKept) {
  start(0, true);
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  fill(3);
  machine.poison(&vector[900]);
  EXPECT_EQ(checkpoint_write("a", 3), checkpoint_uncorrectable);
  EXPECT_EQ(checkpoint_level_status(checkpoint_pcram), checkpoint_uncorrectable);
  machine.poisoned.clear();
  EXPECT_EQ(newest(), 2u);
  machine.power_loss();
  start();
  EXPECT_TRUE(restores(2));
}

TEST_P(PcramLevelTest, OtherRegionsAreRefusedAndKept) {
  ASSERT_EQ(write(1), checkpoint_ok);
  checkpoint_protect(1, vector, sizeof vector - 4096);
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_other_regions);
  checkpoint_protect(1, vector, sizeof vector);
  EXPECT_TRUE(restores(1));
}

// A failed discard leaves the header in the cells. The next write to that slot must clear it first.
TEST_P(PcramLevelTest, AHeaderThatCouldNotBeClearedIsClearedBeforeItsSlotIsWritten) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  machine.next_pcram_error = pcram_bus_error;
  ASSERT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  machine.lines_until_power_failure = 100;  // after the header
  EXPECT_THROW(write(3), PowerLoss);
  machine.power_loss();
  start();
  EXPECT_EQ(newest(), 2u);
  std::uint64_t older;
  EXPECT_EQ(checkpoint_find_newest("a", 1, &older), checkpoint_not_found);
  EXPECT_TRUE(restores(2));
}

// Random writes, discards, restores, power failures in the middle of a line, resets and errors of the device:
// the newest version that was reported safe is found, and whatever is found holds what was written. A state
// that no trial reaches fails the test.
TEST_P(PcramLevelTest, ReportedCheckpointsAreRestoredWhateverHappens) {
  std::mt19937_64 random(GetParam() ? 1 : 2);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  std::map<std::string, unsigned> reached;
  const auto restart = [&](bool power) {
    if (power)
      machine.power_loss();
    else
      machine.warm_reset();
    machine.next_pcram_error = pcram_ok;
    ASSERT_EQ(start(), checkpoint_ok);
  };
  for (unsigned trial = 0; trial < 300; ++trial) {
    machine.reset();
    machine.has_pcram = true;
    machine.is_stack = GetParam();
    start();
    std::optional<std::uint64_t> safe;  // the newest version that was reported, and not discarded since
    std::uint64_t version = 0;
    for (unsigned step = 0; step < 12; ++step) {
      const auto what = below(8);
      machine.next_pcram_error = what == 7 ? (below(2) ? pcram_bus_error : pcram_worn_out) : pcram_ok;
      machine.lines_until_power_failure = what == 6 ? static_cast<int>(below(600)) : -1;
      try {
        if (what == 5 && safe) {
          machine.next_pcram_error = below(2) ? pcram_ok : pcram_bus_error;
          ++reached[machine.next_pcram_error == pcram_ok ? "discard" : "discard_failed"];
          EXPECT_EQ(checkpoint_discard("a", *safe), checkpoint_ok);
          machine.next_pcram_error = pcram_ok;
          const std::vector<std::uint64_t> there = versions();
          safe = there.empty() ? std::nullopt : std::optional(there.back());
        } else if (what == 4 && safe) {
          ++reached["restore"];
          ASSERT_TRUE(restores(*safe)) << trial;
        } else {
          const CheckpointStatus status = write(++version);
          if (status == checkpoint_ok) safe = version;
          ++reached[status == checkpoint_ok ? "written" : "write_failed"];
        }
      } catch (const PowerLoss&) {
        ++reached["power_failure"];
        restart(true);
      }
      machine.next_pcram_error = pcram_ok;
      machine.lines_until_power_failure = -1;
      if (below(4) == 0) restart(below(2) != 0);
      const std::vector<std::uint64_t> there = versions();
      ASSERT_TRUE(!safe || (!there.empty() && there.back() >= *safe)) << trial << " " << step;
      for (const std::uint64_t each : there)
        ASSERT_TRUE(restores(each)) << trial << " " << step << " " << each;
      if (safe) safe = there.back();  // it may have been complete without a report
      reached["checked"] += static_cast<unsigned>(there.size());
    }
  }
  for (const char* state :
       {"written", "write_failed", "power_failure", "discard", "discard_failed", "restore", "checked"})
    EXPECT_GT(reached[state], 50u) << state;
}

// Cells that have lost a bit unnoticed.
TEST_P(PcramLevelTest, ChangedContentsAreTornAfterARestore) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  for (auto& [place, page] : machine.pcram)
    for (std::size_t at = 0; at < page.size(); at += 8) {
      std::uint64_t word;
      std::memcpy(&word, page.data() + at, 8);
      if (word == 2 * 1000 + 1234) page[at + 7] ^= 0x80;
    }
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_torn);
  EXPECT_EQ(newest(), 1u);
  EXPECT_TRUE(restores(1));
}

TEST_P(PcramLevelTest, WorksWithoutADimmSsd) {
  machine.has_dimm_ssd = false;
  ASSERT_EQ(start(1), checkpoint_ok);
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_ok, checkpoint_no_device}));
  EXPECT_EQ(newest(), 1u);
  EXPECT_TRUE(restores(1));
}

TEST_P(PcramLevelTest, MissingPcramIsReported) {
  machine.has_pcram = false;
  EXPECT_EQ(start(), checkpoint_no_pcram);
  EXPECT_STREQ(checkpoint_text(checkpoint_no_pcram), "no PCRAM");
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(levels(), Levels({checkpoint_not_asked, checkpoint_not_asked, checkpoint_ok}));
}

TEST_P(PcramLevelTest, RandomCellsAreNoCheckpoint) {
  ASSERT_EQ(write(1), checkpoint_ok);
  std::mt19937_64 random(1);
  for (auto& [place, page] : machine.pcram)
    for (auto& byte : page) byte = static_cast<std::uint8_t>(random());
  start();
  std::uint64_t version;
  EXPECT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_not_found);
  ASSERT_EQ(write(2), checkpoint_ok);
  EXPECT_TRUE(restores(2));
}

TEST(PcramModulesTest, ACheckpointThatDoesNotFitIntoAHalfIsTooLarge) {
  static std::uint64_t large[64 * 512];
  machine.reset();
  machine.has_pcram = true;
  checkpoint_initialize();
  ASSERT_EQ(checkpoint_use_pcram(0, false), checkpoint_ok);
  checkpoint_protect(0, large, 29 * 4096);
  ASSERT_LE(checkpoint_pages(), 31u);
  EXPECT_EQ(checkpoint_write("a", 1), checkpoint_ok);
  checkpoint_protect(0, large, 31 * 4096);
  EXPECT_EQ(checkpoint_write("a", 2), checkpoint_too_large);
  checkpoint_protect(0, large, size_t{1} << 28);  // more than the list of pages can hold
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_too_large);
}

INSTANTIATE_TEST_SUITE_P(OnModulesAndStack, PcramLevelTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Stack" : "Modules"; });

}  // namespace
