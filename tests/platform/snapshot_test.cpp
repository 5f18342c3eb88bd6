// A run that resumes from a snapshot equals one that never stopped.
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "tests/platform/command.h"

namespace asterism {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

struct Case {
  std::string name, scenario;
  Arguments overrides;
  std::string at;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SnapshotTest : public CommandTest {
 protected:
  void SetUp() override {
    const Ended asked =
        asterism({"run", "hello", "--snapshot-at", "1ns", "--snapshot", "asked.snapshot", "--out", "asked"});
    if (is_refused_by_sanitizers(asked)) GTEST_SKIP() << asked.err;
  }

  Arguments run(const Case& c, const Arguments& more) const {
    Arguments all{"run", c.scenario};
    all.insert(all.end(), c.overrides.begin(), c.overrides.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string snapshot_of_hello() const {
    EXPECT_EQ(
        asterism({"run", "hello", "--snapshot-at", "1us", "--snapshot", "hello.snapshot", "--out", "first"})
            .status,
        0);
    return "hello.snapshot";
  }
  void expect_refused(const std::string& file, const std::string& why) const {
    const Ended ended = asterism({"run", "--restore", file, "--out", "second"});
    EXPECT_EQ(ended.status, 65) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(file + ": error: "));
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_FALSE(exists("second"));
    EXPECT_FALSE(exists("second.partial"));
  }
};

class SnapshotOf : public SnapshotTest, public testing::WithParamInterface<Case> {};

TEST_P(SnapshotOf, GoesOnAsIfTheRunHadNeverStopped) {
  const Case& c = GetParam();
  const Ended whole = asterism(run(c, {"--out", "whole"}));
  const Ended first = asterism(run(c, {"--snapshot-at", c.at, "--snapshot", "file", "--out", "first"}));
  const Ended second = asterism({"run", "--restore", "file", "--out", "second"});
  EXPECT_EQ(first.status, whole.status) << first.err;
  EXPECT_EQ(second.status, whole.status) << second.err;
  EXPECT_EQ(second.err, "");
  EXPECT_THAT(second.out, HasSubstr("second"));
  const auto expected = left_by("whole");
  EXPECT_GT(expected.at("stats.json").size(), 100u);
  EXPECT_EQ(left_by("first"), expected);
  EXPECT_EQ(left_by("second"), expected);
  // A snapshot can be restored again, and to another folder.
  EXPECT_EQ(asterism({"run", "--restore", "file", "--out", "deeper/third"}).status, whole.status);
  EXPECT_EQ(left_by("deeper/third"), expected);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SnapshotOf,
                         testing::Values(Case{"Hello", "hello", {}, "1us"},
                                         Case{"PowerLoss", "power_loss", {}, "2ms"},
                                         Case{"Gpu", "gpu_snapshot", {}, "1ms"},
                                         Case{"Cluster", "buddy_cluster", {}, "1ms"}),
                         [](const auto& info) { return info.param.name; });

TEST_F(SnapshotTest, ARestoredRunMayEndLater) {
  snapshot_of_hello();
  EXPECT_EQ(asterism({"run", "--restore", "hello.snapshot", "--until", "2us", "--out", "second"}).status, 69);
  EXPECT_EQ(json("second/stats.json")["simulated_time_ps"], 2000000);
  const Ended before = asterism({"run", "--restore", "hello.snapshot", "--until", "10ns", "--out", "third"});
  EXPECT_EQ(before.status, 65);
  EXPECT_THAT(before.err, HasSubstr("--until: is earlier than the snapshot, which is at 1"));
}

TEST_F(SnapshotTest, IsRefusedWhenItIsTruncated) {
  const std::string file = snapshot_of_hello(), whole = contents(file);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{5}, std::size_t{30}, std::size_t{1000}, whole.size() - 1}) {
    write(file, whole.substr(0, bytes));
    expect_refused(file, bytes == 0 ? "is no snapshot" : "is truncated");
  }
  write(file, whole + "x");
  expect_refused(file, "is damaged");
}

TEST_F(SnapshotTest, IsRefusedWhenAByteIsFlipped) {
  const std::string file = snapshot_of_hello(), whole = contents(file);
  const std::size_t body =
      whole.find("\x28\xb5\x2f\xfd", whole.find("\x28\xb5\x2f\xfd") + 4);  // the second frame of zstd
  ASSERT_LT(body, whole.size());
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 40) places.push_back(at);
  for (std::size_t at = body; at < body + 1600; at += 160)
    places.push_back(at);      // in the run's own scenario.json
  places.push_back(body + 4);  // zstd ignores the bit that flips there
  for (const std::size_t at : places) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write(file, flipped);
    const Ended ended = asterism({"run", "--restore", file, "--out", "second"});
    EXPECT_EQ(ended.status, 65) << at << ended.err;
    EXPECT_THAT(ended.err, StartsWith(file + ": error: ")) << at;
    EXPECT_FALSE(exists("second.partial"));
  }
}

TEST_F(SnapshotTest, AnotherConfigIsRefusedWithWhatDiffers) {
  const std::string file = snapshot_of_hello();
  EXPECT_EQ(asterism({"run", "hello", "--restore", file, "--out", "same"}).status, 0);
  const Ended ended = asterism({"run", "hello", "seed=77", "--restore", file, "--out", "second"});
  EXPECT_EQ(ended.status, 65);
  EXPECT_THAT(ended.err, HasSubstr("hello.snapshot: error: is of another config:\n  seed: 77 here, "));
  EXPECT_FALSE(exists("second"));
}

TEST_F(SnapshotTest, AnotherFormatIsRefused) {
  std::string text = contents(snapshot_of_hello());
  text[18] = 9;
  write("other", text);
  expect_refused("other", "has the format 9, and this asterism reads 2");
}

TEST_F(SnapshotTest, WhatCannotBeInOneIsRefusedBeforeTheRun) {
  write("flash.img", "");
  const auto refused = [&](const Arguments& more, const std::string& why) {
    Arguments all{"run", "hello", "--snapshot-at", "1us", "--snapshot", "file", "--out", "first"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_GE(ended.status, 64) << why;
    EXPECT_THAT(ended.err, HasSubstr(why));
    EXPECT_FALSE(exists("file"));
    EXPECT_FALSE(exists("first"));
  };
  refused({"node.uart0.input=terminal"}, "what is typed is in none");
  refused({"node.dimm_ssd.image=flash.img"},
          "a file that keeps the state of a device (node.devices.dimm_ssd.image) is in none");
  refused({"--gdb", ":0"}, "--gdb");
  EXPECT_EQ(asterism({"run", "hello", "--snapshot-at", "1us"}).status, 64);
  EXPECT_EQ(asterism({"run", "--restore", "nothing"}).status, 66);
  EXPECT_EQ(asterism({"run"}).status, 64);
}

// A restored run has the firmware and the instruments of the run that made the snapshot: options that ask for
// others must be refused, not ignored.
TEST_F(SnapshotTest, WhatOneHasIsRefusedOfARestoredRun) {
  const std::string file = snapshot_of_hello();
  const auto refused = [&](const Arguments& more, const std::string& why) {
    Arguments all{"run", "--restore", file, "--out", "second"};
    all.insert(all.end(), more.begin(), more.end());
    const Ended ended = asterism(all);
    EXPECT_EQ(ended.status, 65) << why;
    EXPECT_THAT(ended.err, HasSubstr("command line: error: " + why));
    EXPECT_FALSE(exists("second"));
  };
  refused({"--firmware", "memtest"}, "--firmware: is part of the snapshot");
  refused({"--profile"}, "--profile: can be used with --restore only if");
  refused({"--no-skip"}, "--no-skip: can be used with --restore only if");
  refused({"--check-idle"}, "--check-idle: can be used with --restore only if");
  refused({"--trace", "node.rtc"}, "--trace: is not available for a run that continues from a snapshot");
  refused({"--trace-from", "1us"}, "--trace-from: ");
}

TEST_F(SnapshotTest, OneThatWasNotReachedIsAnExpectationThatIsNotMet) {
  const Ended ended =
      asterism({"run", "hello", "--snapshot-at", "1s", "--snapshot", "late", "--out", "first"});
  EXPECT_EQ(ended.status, 67);
  EXPECT_THAT(ended.out, HasSubstr("--snapshot-at: the run ended before that, at "));
  EXPECT_FALSE(exists("late"));
}

// The fault has the same effect as in the scenario, if its time is later than cores may have run ahead. This
// holds for one core: the order of several cores at equal times depends on the whole queue of SystemC's
// events.
TEST_F(SnapshotTest, AFaultHasTheSameEffectInARestoredRun) {
  const std::vector<std::string> faults{R"({"at":"3ms","kind":"power_loss"})",
                                        R"({"at":"3ms","kind":"chip","channel":0,"rank":0,"chip":3})",
                                        R"({"at":"4ms","kind":"flash_bits","holds":"data","bits":200})"};
  ASSERT_EQ(asterism({"run", "power_loss", "faults=[]", "node.cores.count=1", "expect={}", "--snapshot-at",
                      "1ms", "--snapshot", "file", "--out", "first"})
                .status,
            0);
  for (const std::string& fault : faults) {
    const Ended whole = asterism(
        {"run", "power_loss", "faults=[" + fault + "]", "node.cores.count=1", "expect={}", "--out", "whole"});
    const Ended second =
        asterism({"run", "--restore", "file", "--alone", "--fault", fault, "--out", "second"});
    auto expected = left_by("whole"), seen = left_by("second");
    expected.erase("scenario.json"), seen.erase("scenario.json");
    EXPECT_EQ(seen, expected) << fault << second.err;
  }
}

TEST_F(SnapshotTest, ACampaignSaysHowEachFaultEnded) {
  ASSERT_EQ(asterism({"run", "power_loss", "faults=[]", "expect={}", "--snapshot-at", "1ms", "--snapshot",
                      "file", "--out", "first"})
                .status,
            0);
  write("faults.jsonl", R"({"at":"3ms","kind":"power_loss"}
{"at":"3ms","kind":"power_loss","restore_after":"9s"}

{"at":"900ms","kind":"power_loss"}
)");
  const Ended ended =
      asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "junit=j.xml", "jobs=2"});
  EXPECT_EQ(ended.status, 67) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("masked           0"));
  EXPECT_THAT(ended.out, HasSubstr("recovered        1"));
  EXPECT_THAT(ended.out, HasSubstr("hang             1"));
  EXPECT_THAT(ended.out, HasSubstr("faults.jsonl:2\n"));
  EXPECT_THAT(ended.out, HasSubstr("late             1"));
  const std::string junit = contents("j.xml");
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"power_loss\" tests=\"3\" failures=\"1\""));
  EXPECT_THAT(junit, HasSubstr("name=\"line 2: {&quot;at&quot;"));
  EXPECT_THAT(junit, HasSubstr("<failure type=\"hang\""));
  EXPECT_EQ(asterism({"study", "campaign", "scenario=hello", "snapshot=file", "faults=faults.jsonl"}).status,
            65);
}

// A spare takes the rank, and leaves the files that the lost node would have left.
TEST_F(SnapshotTest, ACampaignKnowsARecoveredCluster) {
  ASSERT_EQ(asterism({"run", "buddy_cluster", "faults=[]", "expect={}", "--snapshot-at", "2ms", "--snapshot",
                      "file", "--out", "first"})
                .status,
            0);
  ASSERT_TRUE(exists("first/files/node1/result.txt"));
  write("faults.jsonl", R"({"at":"4ms","kind":"node_loss","node":1}
{"at":"4ms","kind":"node_loss","node":3}
{"at":"4ms","kind":"node_loss","node":8}
)");
  const Ended ended =
      asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "jobs=1", "--out", "runs"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("masked           1"));  // the loss of the spare
  EXPECT_THAT(ended.out, HasSubstr("recovered        2"));
  EXPECT_TRUE(exists("runs/line1/files/node7/result.txt"));
  EXPECT_FALSE(exists("runs/line1/files/node1/result.txt"));
}

// Corrections take time, which firmware without files may print.
TEST_F(SnapshotTest, ACampaignKnowsThatErrorsWereCorrected) {
  const Ended first = asterism({"run", "hello", "firmware=interference", "node.memory.ecc=strong",
                                "--snapshot-at", "1us", "--snapshot", "file", "--out", "run"});
  ASSERT_EQ(first.status, 0) << first.out << first.err;
  write(
      "faults.jsonl",
      R"({"at":"5us","kind":"column","persistence":"stuck","channel":0,"rank":0,"chip":3,"bank":0,"column":3,"bit":0}
)");
  const Ended ended = asterism({"study", "campaign", "snapshot=file", "faults=faults.jsonl", "jobs=1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("corrected        1"));
}

TEST_F(SnapshotTest, AListOfFaultsIsJudgedByItsLinesBeforeAnythingRuns) {
  snapshot_of_hello();
  write("faults.jsonl", R"({"at":"5us","kind":"chip","channel":0,"rank":0,"chip":99}
{"at":"5us","kind":"power_loss"}
{"at":"5us","kind":"earthquake"}
{"at":"5us"
{"at":"10ns","kind":"power_loss"}
)");
  const Ended ended = asterism({"study", "campaign", "snapshot=hello.snapshot", "faults=faults.jsonl"});
  EXPECT_EQ(ended.status, 65);
  for (const char* line : {"faults.jsonl:1:1: error: chip", "faults.jsonl:3:1: error: kind",
                           "faults.jsonl:4:1: error: is not JSON"})
    EXPECT_THAT(ended.err, HasSubstr(line));
  EXPECT_THAT(ended.err, testing::Not(HasSubstr("faults.jsonl:2")));
  write("faults.jsonl", R"({"at":"10ns","kind":"power_loss"})");
  EXPECT_THAT(asterism({"study", "campaign", "snapshot=hello.snapshot", "faults=faults.jsonl"}).err,
              HasSubstr("faults.jsonl:1:1: error: at: lies before the snapshot, which is at 1"));
}

}  // namespace
}  // namespace asterism
