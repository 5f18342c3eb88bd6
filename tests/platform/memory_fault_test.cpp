// Memory that fails under real firmware: which errors the firmware detects, and that the main job still
// computes the same bits.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

// Each of the two ranks is a range of addresses; firmware is in rank 0.
const Arguments two_ranks = {"node.memory.mapping=RaRoBaCoCh", "node.memory.ranks=2", "node.log.node=off"};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

struct MemoryFaultTest : CommandTest {
  Ended on_two_ranks(const std::string& app, Arguments more = {}) const {
    more.insert(more.end(), two_ranks.begin(), two_ranks.end());
    return firmware(app, more);
  }
  // A permanent fault.
  static std::string stuck(const std::string& at, const std::string& kind, const std::string& place) {
    return fmt::format(R"({{"at":"{}","kind":"{}","persistence":"stuck","channel":0,{}}})", at, kind, place);
  }
  static std::string dead(const std::string& at, int rank, int chip) {
    return stuck(at, "chip", fmt::format(R"("rank":{},"chip":{})", rank, chip));
  }
  static std::string faults(const std::vector<std::string>& all) {
    return fmt::format("faults=[{}]", fmt::join(all, ","));
  }
  // The main job on a small problem, with these arguments and failed chips of rank 1.
  Ended main_job(const std::string& args, std::uint64_t at_us = 0, const std::vector<int>& chips = {}) const {
    std::vector<std::string> all;
    all.reserve(chips.size());
    for (const int chip : chips) all.push_back(dead(fmt::format("{}us", at_us), 1, chip));
    return on_two_ranks("cg", {"args=nx=10 interval=2 " + args, faults(all)});
  }
  // The kinds of events that report a failure, without direct repetitions.
  std::vector<std::string> story(const std::string& run) const {
    const std::set<std::string> reported = {"memory_fault", "uncorrectable_error", "warm_reset", "restore",
                                            "recovery"};
    std::vector<std::string> kinds_reported;
    for (const std::string& kind : kinds(events(run)))
      if (reported.count(kind) != 0 && (kinds_reported.empty() || kinds_reported.back() != kind))
        kinds_reported.push_back(kind);
    return kinds_reported;
  }
  std::string recovered_from(const std::string& run) const {
    for (const auto& event : events(run))
      if (event["kind"] == "recovery") return event["from"];
    return "nothing";
  }
};

TEST_F(MemoryFaultTest, ADeadChipCostsTheDataAndNotTheCheckpointInMemory) {
  const Ended ended = asterism({"run", "chip_failure"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_THAT(ended.out, HasSubstr("expected     all expectations are met"));
  EXPECT_THAT(story("runs/chip_failure"),
              ElementsAre("memory_fault", "uncorrectable_error", "warm_reset", "recovery"));
  EXPECT_EQ(recovered_from("runs/chip_failure"), "dram");
  const std::string console = contents("runs/chip_failure/console.log");
  // The timing decides which core reads the failed chip first, and where.
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      console, match,
      std::regex("cg: core ([0-3]): uncorrectable error at (0x8[0-9a-f]{7})(; \\d+ in all)?\n"
                 "cg: core \\1: channel 0 rank 1 bank \\d, normal ECC, syndrome 0x[0-9a-f]{8}\n"
                 "cg: core \\1: everything is discarded, warm reset\n")))
      << console;
  EXPECT_THAT(console, HasSubstr("cg: data in rank 0 of 2\n"));
  EXPECT_THAT(console, HasSubstr("rank 1 bank 6 chip 3, strong ECC, syndrome 0x"));
  EXPECT_THAT(lines(console), Each(SizeIs(Le(80u))));
  const auto lines_with = [&](const std::string& text) {
    return std::ranges::count_if(
        lines(ended.err), [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  // Each once, and perhaps how often it was repeated.
  for (const std::string& text :
       {"uncorrectable error in the block at " + match.str(2), "core" + match.str(1) + ": load of "}) {
    EXPECT_GE(lines_with(text), 1) << ended.err;
    EXPECT_LE(lines_with(text), 2) << ended.err;
  }
  // The timing decides which checkpoint is the last one before the error, too.
  ASSERT_TRUE(std::regex_search(console, match,
                                std::regex("cg: (checkpoint \\d+) written\n"
                                           "cg: core [0-3]: uncorrectable error[^]*"
                                           "cg: \\1, level 1 \\(memory\\): ok\n[^]*cg: \\1 restored\n")))
      << console;
}

// A load of lost data is not executed. The app's handler and the guarded copies of the library take its
// abort.
TEST_F(MemoryFaultTest, ADeadChipIsTheSameStoryWhereLoadsAbort) {
  const Ended ended = asterism({"run", "chip_failure", "node.cores.load_errors=abort"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("poisoned data, a data abort"));
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_EQ(recovered_from("runs/chip_failure"), "dram");
}

TEST_F(MemoryFaultTest, WithASecondDeadChipTheOlderCheckpointOfTheSsdIsUsed) {
  const Ended ended = asterism({"run", "chip_failure_two"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_THAT(story("runs/chip_failure_two"),
              ElementsAre("memory_fault", "uncorrectable_error", "warm_reset", "uncorrectable_error",
                          "restore", "recovery", "uncorrectable_error"));
  EXPECT_EQ(recovered_from("runs/chip_failure_two"), "dimm_ssd");
  const std::string console = contents("runs/chip_failure_two/console.log");
  EXPECT_THAT(console, HasSubstr("cg: level 1 (memory): uncorrectable memory error\n"));
  EXPECT_THAT(console, HasSubstr("cg: checkpoint 8, level 2 (DIMM-SSD): ok\n"));
  EXPECT_THAT(console, HasSubstr("cg: checkpoint 8 restored\n"));
  EXPECT_THAT(console, HasSubstr("cg: checkpoint 12 written\n"))
      << "this newer checkpoint must have been written before it was lost";
}

// This is the smaller run of docs/memory.md.
TEST_F(MemoryFaultTest, ADeadChipIsTheSameStoryWithTheCodecsRtlInLockstep) {
  const Ended ended = asterism({"run", "chip_failure", "node.memory.codec.impl=lockstep",
                                "args=nx=4 interval=1 memory_checkpoints=on", "faults.0.at=2.95ms"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 committed to the DIMM-SSD, 0 power losses, 1 recovery"));
  EXPECT_THAT(ended.out, HasSubstr("node.memory.codec: lockstep, "));
  EXPECT_THAT(ended.out, HasSubstr(" operations, 0 mismatches"));
  EXPECT_THAT(ended.out, HasSubstr("result.txt is equal, bit for bit"));
  EXPECT_EQ(recovered_from("runs/chip_failure"), "dram");
  EXPECT_THAT(contents("runs/chip_failure/console.log"), HasSubstr(" chip 3, strong ECC, syndrome 0x"));
}

// These are the runs of docs/memory.md, "Faults behind caches".
TEST_F(MemoryFaultTest, WithoutCachesCodesFindAFaultAtTheSameLoad) {
  const auto run = [this](const std::string& code, const std::string& caches) {
    return asterism({"run", "chip_failure", "node.memory.part=ddr5_5600_16gb_x4",
                     "node.memory.ecc_rank_code=" + code, "node.cores.caches.model=" + caches,
                     "args=nx=4 interval=1", "faults.0.at=5ms", "expect={}"});
  };
  const std::string place = "5037.653 us] warning node.memory: ";
  const Ended corrected = run("rs_10_8", "none");
  EXPECT_THAT(corrected.out, HasSubstr("1 fault, 6921 errors corrected, 0 uncorrectable"));
  EXPECT_THAT(corrected.err, HasSubstr(place + "corrected error in the block at 0x80008000"));
  EXPECT_THAT(run("rs_36_32", "none").err,
              HasSubstr(place + "uncorrectable error in the block at 0x80008000"));
  EXPECT_THAT(run("rs_10_8", "tags").out, HasSubstr("1 fault, 0 errors corrected, 0 uncorrectable"));
}

TEST_F(MemoryFaultTest, EveryRegisterSaysWhatWasBroken) {
  const Ended ended = on_two_ranks("bad_memory");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("bad_memory: 0 wrong\n"));
}

// The firmware is in the rank that fails.
TEST_F(MemoryFaultTest, CodeThatCannotBeCorrectedIsAnErrorOfMemoryToo) {
  const auto both = faults({dead("1ms", 0, 2), dead("1ms", 0, 5)});
  node_of_firmware = untimed;  // no cache has the code
  const Ended ended = firmware("spin", {both, "node.memory.mapping=RaRoBaCoCh", "until=2ms"});
  EXPECT_EQ(ended.status, 69);
  EXPECT_THAT(ended.err, HasSubstr("poisoned data, an instruction abort ["));
  EXPECT_THAT(ended.err,
              HasSubstr("core is locked up: exceptions recur without an instruction between them"));
  EXPECT_THAT(ended.err, HasSubstr("; the code there cannot be read\n"));
  EXPECT_THAT(kinds(events("run")), testing::Contains("uncorrectable_error"));
  EXPECT_GT(json("run/stats.json")["node"]["memory"]["ecc"]["uncorrectable"], 0);
}

// The report of an exception needs a stack; without the check for a broken one, it would cause exceptions for
// ever.
TEST_F(MemoryFaultTest, AnExceptionOnABrokenStackEndsTheRunAndIsReported) {
  for (const std::string how : {"pointer", "memory"}) {
    const Ended ended = on_two_ranks("broken_stack", {"args=how=" + how, "until=10s"});
    EXPECT_EQ(ended.status, 60) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("*** exception while another was handled, MPIDR_EL1 0x0000000080000000\n"
                                     "    first   vector  0x000000000000000" +
                                     std::string(how == "pointer" ? "4" : "7") + "\n"));
    EXPECT_THAT(ended.out,
                HasSubstr("The stack or the code of this core is broken: nothing can be recovered."));
    if (how == "memory") {
      EXPECT_THAT(ended.out,
                  testing::ContainsRegex("core 0       SError: poisoned data, address 0x[0-9a-f]+,"));
    }
    EXPECT_LT(json("run/stats.json")["simulated_time_ps"], 1'000'000'000u);
  }
}

TEST_F(MemoryFaultTest, ThePatrolScrubberFindsWhatNobodyReads) {
  const Ended ended = on_two_ranks("scrub");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("scrub: 5 corrected, 5 of them logged\nscrub: 0 in the next pass\n"));
}

// Two bits of a word of a chip, of which its code would make three, in data that is copied at 2.95 ms. In
// between, at 2.91 ms, the chip has read the word of the first one.
TEST_F(MemoryFaultTest, AScrubOnTheDieRepairsABitBeforeASecondOneMeetsIt) {
  const auto bit = [](const char* at, unsigned bit) {
    return fmt::format(R"({{"at":"{}","kind":"bit","persistence":"transient","channel":0,"rank":1,"bank":18,)"
                       R"("row":0,"column":83,"chip":3,"bit":{}}})",
                       at, bit);
  };
  for (const bool is_scrubbed : {false, true}) {
    const Ended ended = asterism(
        {"run", "chip_failure", "node.memory.part=ddr5_5600_16gb_x4", "node.memory.ecc_rank_code=rs_36_32",
         "node.memory.on_die_ecc=true",
         is_scrubbed ? "node.memory.on_die_scrub=135us" : "node.memory.on_die_scrub=0s",
         "args=nx=10 interval=2", faults({bit("2.8ms", 0), bit("2.94ms", 21)}), "expect.recoveries=0"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    const auto ecc = json("runs/chip_failure/stats.json")["node"]["memory"]["ecc"];
    EXPECT_EQ(ecc["uncorrectable"], is_scrubbed ? 0 : 1) << ecc;
    EXPECT_EQ(ecc["on_die_miscorrected"], is_scrubbed ? 0 : 1) << ecc;
    if (is_scrubbed) {
      EXPECT_EQ(ecc["on_die_scrub_corrected"], 2) << ecc;
    }
  }
}

TEST_F(MemoryFaultTest, CheckpointsInMemoryDoNotChangeTheResult) {
  EXPECT_EQ(main_job("checkpoint=off").status, 0);
  const std::string result = contents("run/files/result.txt");
  for (const char* args : {"memory_checkpoints=on ssd_every=4", "memory_checkpoints=on ssd_every=0"}) {
    EXPECT_EQ(main_job(args).status, 0) << args;
    EXPECT_EQ(contents("run/files/result.txt"), result) << args;
  }
}

// The chip fails in every phase: before the first checkpoint, while one is written to memory or to the
// DIMM-SSD, while the cores compute, and in the last iterations.
TEST_F(MemoryFaultTest, AChipMayDieAtAnyTime) {
  ASSERT_EQ(main_job("checkpoint=off").status, 0);
  const std::string result = contents("run/files/result.txt");
  for (std::uint64_t at_us = 20; at_us < 4700; at_us += 260) {
    const Ended ended = main_job("memory_checkpoints=on", at_us, {3});
    EXPECT_EQ(ended.status, 0) << at_us << " us\n" << ended.out << ended.err;
    EXPECT_EQ(contents("run/files/result.txt"), result) << at_us << " us";
    EXPECT_THAT(contents("run/console.log"), HasSubstr("warm reset\n")) << at_us << " us";
    EXPECT_THAT(contents("run/console.log"), Not(HasSubstr("refused"))) << at_us << " us";
  }
}

TEST_F(MemoryFaultTest, TwoChipsMayDieAtAnyTime) {
  ASSERT_EQ(main_job("checkpoint=off").status, 0);
  const std::string result = contents("run/files/result.txt");
  for (std::uint64_t at_us = 20; at_us < 4700; at_us += 430) {
    const Ended ended = main_job("memory_checkpoints=on", at_us, {3, 9});
    EXPECT_EQ(ended.status, 0) << at_us << " us\n" << ended.out << ended.err;
    EXPECT_EQ(contents("run/files/result.txt"), result) << at_us << " us";
  }
}

TEST_F(MemoryFaultTest, WithoutCheckpointsInMemoryThoseOfTheSsdAreUsed) {
  const Ended ended = main_job("memory_checkpoints=off", 5000, {3});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(recovered_from("run"), "dimm_ssd");
}

TEST_F(MemoryFaultTest, WhatTheSsdReadsWronglyIsNoCheckpoint) {
  ASSERT_EQ(main_job("memory_checkpoints=on").status, 0);
  std::uint64_t begin_us = 0;
  for (const auto& event : events())
    if (event["kind"] == "checkpoint_begin" && event["version"] == 16)
      begin_us = event["time_ps"].get<std::uint64_t>() / 1'000'000;
  // The SSD reads the pages one by one.
  const Ended ended = main_job("memory_checkpoints=on", begin_us + 5, {3});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(contents("run/console.log"),
              HasSubstr("cg: checkpoint 16, level 1 (memory): ok\n"
                        "cg: checkpoint 16, level 2 (DIMM-SSD): uncorrectable memory error\n"));
  EXPECT_EQ(recovered_from("run"), "dram");
}

// Reading the log empties it, so firmware must remember the first failed rank itself over the second warm
// reset.
TEST_F(MemoryFaultTest, RanksThatWereLostStayOutOfUse) {
  const Ended ended = firmware(
      "cg", {"args=nx=10 interval=2 memory_checkpoints=on", "node.memory.mapping=RaRoBaCoCh",
             "node.memory.ranks=4", "node.log.node=off", faults({dead("5.4ms", 3, 3), dead("8.6ms", 2, 7)})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const std::string console = contents("run/console.log");
  const auto third = console.find("cg: data in rank 3 of 4\n"),
             second = console.find("cg: data in rank 2 of 4\n");
  EXPECT_LT(third, second);
  EXPECT_LT(second, console.find("cg: data in rank 1 of 4\n"));
  EXPECT_EQ(console.find("cg: data in rank 3 of 4\n", second), std::string::npos);
  EXPECT_EQ(recovered_from("run"), "dram");
}

// Rank 1 fails, and so does the row of rank 0 to which the data is moved.
TEST_F(MemoryFaultTest, WithoutASoundPlaceForItsDataTheJobGivesUp) {
  const std::string row = stuck("1.5ms", "row", R"("rank":0,"bank":4,"row":21,"chip":3)");
  const Ended ended =
      on_two_ranks("cg", {"args=nx=10 interval=2 memory_checkpoints=on", faults({dead("1.5ms", 1, 3), row})});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_THAT(contents("run/console.log"), HasSubstr("cg: reset cause warm, boot 9\n"));
  EXPECT_THAT(contents("run/console.log"), HasSubstr("once more, giving up\n"));
  EXPECT_FALSE(exists("run/files/result.txt"));
}

TEST_F(MemoryFaultTest, ADeadChipAndThenALossOfPowerLeaveTheSsd) {
  const Ended ended =
      on_two_ranks("cg", {"args=nx=10 interval=2 memory_checkpoints=on",
                          faults({dead("5.4ms", 1, 3), R"({"at":"9.2ms","kind":"power_loss"})"})});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(recovered_from("run"), "dram");
  EXPECT_THAT(contents("run/console.log"), HasSubstr("cg: checkpoint 8 restored\n"));
}

}  // namespace
}  // namespace asterism
