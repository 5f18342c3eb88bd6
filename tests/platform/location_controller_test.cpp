// The Checkpoint Location Controller in real firmware: events.jsonl records its decisions, which follow from
// the reports of the devices, and a run recovers from the checkpoints that it left.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Le;
using testing::Not;
using Event = nlohmann::json;

struct LocationControllerTest : CommandTest {
  // The rated writes of section 4.5.4 over five years, in bytes a second.
  static constexpr double s3700 = 14.6e15 / (5 * 365.0 * 86400);

  Ended microbenchmark(const std::string& args, Arguments more = {}) const {
    more.insert(more.begin(), "args=" + args);
    more.insert(more.end(), {"node.dimm_ssd.rated_writes=14600TB", "node.log.node=off"});
    return firmware("microbenchmark", more);
  }
  std::vector<Event> of_kind(const std::string& kind, const std::string& run = "run") const {
    std::vector<Event> all;
    for (const Event& event : events(run))
      if (event["kind"] == kind) all.push_back(event);
    return all;
  }
  std::vector<Event> decisions(const std::string& run = "run") const {
    return of_kind("checkpoint_location", run);
  }
  std::map<std::string, int> reasons(const std::string& run = "run") const {
    std::map<std::string, int> count;
    for (const Event& event : decisions(run)) ++count[event["reason"].get<std::string>()];
    return count;
  }
  std::set<std::uint64_t> versions(const std::string& location, const std::string& run = "run") const {
    std::set<std::uint64_t> all;
    for (const Event& event : decisions(run))
      if (event["location"] == location) all.insert(event["version"].get<std::uint64_t>());
    return all;
  }
  // Parses the line of the app: "... 40 iterations in 812.3 ms, 600.1 ms of checkpoints: 3.8 x".
  double slowdown() const {
    std::smatch match;
    const std::string console = contents("run/console.log");
    if (!std::regex_search(console, match, std::regex(R"(of checkpoints: (\d+\.\d+) x)"))) return 0;
    return std::stod(match.str(1));
  }
};

TEST_F(LocationControllerTest, EveryDecisionIsAnEventAndTheRunSurvivesALossOfPower) {
  const Ended ended = asterism({"run", "location_controller"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("result.txt is equal, bit for bit"), HasSubstr("1 power loss, 1 recovery")));
  const std::string run = "runs/location_controller";
  const std::map<std::string, int> count = reasons(run);
  for (const char* reason : {"first", "allowed", "lifetime", "loss", "forced"})
    EXPECT_EQ(count.count(reason), 1u) << reason;
  EXPECT_EQ(count.at("first"), 2) << "the firmware starts again after the power failure";
  // After a decision for the DIMM-SSD its next checkpoint has that version; after another decision there is
  // none.
  std::uint64_t announced = 0;
  bool to_ssd = false;
  for (const Event& event : events(run)) {
    if (event["kind"] == "checkpoint_location") {
      announced = event["version"];
      to_ssd = event["location"] == "dimm_ssd";
      EXPECT_EQ(event["source"], "node.power");
    }
    if (event["kind"] != "checkpoint_begin") continue;
    EXPECT_TRUE(to_ssd);
    EXPECT_EQ(event["version"], announced);
  }
  // The run resumes from the newest checkpoint on the DIMM-SSD; those in memory are lost.
  const auto restored = of_kind("restore", run);
  ASSERT_EQ(restored.size(), 1u);
  std::uint64_t newest = 0, decided = 0;
  for (const Event& event : events(run)) {
    if (event["kind"] == "checkpoint_commit") newest = event["version"];
    if (event["kind"] == "checkpoint_location") decided = event["version"];
    if (event["kind"] == "power_lost") break;
  }
  EXPECT_EQ(restored[0]["version"], newest);
  EXPECT_GE(decided, newest);
  EXPECT_LE(decided - newest, 8u) << "forced_every=8";
}

// At any decision, the bytes written to the flash so far may exceed the rating by at most one checkpoint.
TEST_F(LocationControllerTest, LifetimeEstimationHoldsTheBandwidthAtTheRating) {
  ASSERT_EQ(microbenchmark("bytes=500000 iterations=30 lifetime=5").status, 0);
  EXPECT_THAT(reasons(), Not(testing::Contains(testing::Key("loss"))));
  EXPECT_GE(reasons()["lifetime"], 3);
  const auto all = events();
  const auto first = decisions().front()["time_ps"].get<std::uint64_t>();
  double written = 0;
  for (const Event& event : all) {
    if (event["kind"] != "checkpoint_begin") continue;
    const double seconds = 1e-12 * (event["time_ps"].get<double>() - static_cast<double>(first)) + 5e-3;
    if (event["version"] != 1) {
      EXPECT_LT(written / seconds, 1.02 * s3700) << event;
    }
    written += event["pages"].get<double>() * 4096;
  }
  const double seconds = 1e-12 * (all.back()["time_ps"].get<double>() - static_cast<double>(first)) + 5e-3;
  EXPECT_GT(written / seconds, 0.8 * s3700);
  // If the rating allows more, or no lifetime is given, all checkpoints go to the SSD.
  ASSERT_EQ(microbenchmark("bytes=500000 iterations=6 lifetime=0").status, 0);
  EXPECT_EQ(reasons(), (std::map<std::string, int>{{"first", 1}, {"allowed", 5}}));
  ASSERT_EQ(firmware("microbenchmark", {"args=bytes=500000 iterations=6"}).status, 0);
  EXPECT_EQ(reasons(), (std::map<std::string, int>{{"first", 1}, {"allowed", 5}})) << "no lifetime was given";
}

// The device remembers what earlier runs have written.
TEST_F(LocationControllerTest, AWornOutDeviceIsSpared) {
  const Arguments worn = {"node.dimm_ssd.image=a.img", "node.dimm_ssd.rated_writes=3MB"};
  ASSERT_EQ(firmware("microbenchmark", {"args=iterations=8 place=ssd", worn[0], worn[1]}).status, 0);
  ASSERT_EQ(firmware("microbenchmark", {"args=iterations=4 name=second", worn[0], worn[1]}).status, 0);
  EXPECT_EQ(reasons(), (std::map<std::string, int>{{"lifetime", 4}}));
}

// In section 4.6 every tenth checkpoint goes to the SSD; in section 4.3 a checkpoint goes to one place only.
TEST_F(LocationControllerTest, NineToOneWritesEveryTenthToTheSsdAlone) {
  ASSERT_EQ(microbenchmark("iterations=20 place=nine_to_one").status, 0);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("to the ramdisk 18, to the SSD 2, skipped 0, failed 0"));
  const auto on_ssd = of_kind("checkpoint_commit");
  ASSERT_EQ(on_ssd.size(), 2u);
  EXPECT_EQ(on_ssd[0]["version"], 10);
  EXPECT_EQ(on_ssd[1]["version"], 20);
}

// Table 4.2's miniFE in section 4.6.1.5: the lifetime allows almost all checkpoints on the SSD, the bound on
// the loss almost none.
TEST_F(LocationControllerTest, MiniFeGoesToTheSsdByLifetimeAndToTheRamdiskByLoss) {
  const std::string shape = "shape=minife iterations=40";
  ASSERT_EQ(microbenchmark(shape + " place=nowhere").status, 0);
  EXPECT_EQ(slowdown(), 1);
  ASSERT_EQ(microbenchmark(shape + " place=ssd").status, 0);
  const double always_ssd = slowdown();
  ASSERT_EQ(microbenchmark(shape + " place=ramdisk").status, 0);
  const double always_ramdisk = slowdown();
  EXPECT_TRUE(decisions().empty());
  ASSERT_EQ(microbenchmark(shape).status, 0);
  EXPECT_THAT(versions("dimm_ssd").size(), Ge(38u));
  EXPECT_NEAR(slowdown(), always_ssd, 0.05 * always_ssd);
  ASSERT_EQ(microbenchmark(shape + " overhead=10").status, 0);
  EXPECT_THAT(versions("dram").size(), Ge(36u));
  EXPECT_LT(slowdown(), 1.2 * always_ramdisk);
  EXPECT_GT(always_ssd, 2 * always_ramdisk);
}

TEST_F(LocationControllerTest, LuleshStaysWithinItsLifetimeAndMeetsTheBound) {
  const std::string shape = "shape=lulesh iterations=30";
  ASSERT_EQ(microbenchmark(shape).status, 0);
  EXPECT_EQ(reasons(), (std::map<std::string, int>{{"first", 1}, {"allowed", 29}}));
  const double without_bound = slowdown();
  ASSERT_EQ(microbenchmark(shape + " overhead=10").status, 0);
  EXPECT_THAT(reasons(), IsSupersetOf({testing::Key("loss"), testing::Key("allowed")}));
  EXPECT_LT(slowdown(), without_bound);
}

// The ramdisk has less space than four ranks of 100,000 bytes need.
TEST_F(LocationControllerTest, WhatNeitherMayTakeIsSkippedUnlessForced) {
  ASSERT_EQ(microbenchmark("iterations=12 overhead=1 forced_every=4 ramdisk=99000").status, 0);
  EXPECT_EQ(reasons(), (std::map<std::string, int>{{"first", 1}, {"size", 8}, {"forced", 3}}));
  EXPECT_THAT(versions("dimm_ssd"), ElementsAre(1, 4, 8, 12));
  EXPECT_EQ(of_kind("checkpoint_commit").size(), 4u);
  EXPECT_THAT(contents("run/console.log"), HasSubstr("to the ramdisk 0, to the SSD 4, skipped 8, failed 0"));
}

// Two nodes whose programs compute for different times and save different amounts have the forced versions in
// common, and perhaps no others.
TEST_F(LocationControllerTest, NodesThatDifferHaveTheForcedVersionsInCommon) {
  ASSERT_EQ(microbenchmark("iterations=24 overhead=20 forced_every=8").status, 0);
  const std::set<std::uint64_t> one = versions("dimm_ssd");
  ASSERT_EQ(microbenchmark("iterations=24 overhead=20 forced_every=8 time=3100 bytes=170000").status, 0);
  const std::set<std::uint64_t> other = versions("dimm_ssd");
  EXPECT_NE(one, other);
  for (const std::uint64_t forced : {1u, 8u, 16u, 24u})
    EXPECT_EQ(one.count(forced) + other.count(forced), 2u) << forced;
}

// A power failure loses the checkpoints in memory but not those on the DIMM-SSD, and the run has the same
// result.
TEST_F(LocationControllerTest, PowerMayGoAtAnyTime) {
  const std::string args = "iterations=16 overhead=15 forced_every=4";
  ASSERT_EQ(microbenchmark(args).status, 0);
  const std::string result = contents("run/files/result.txt");
  const std::uint64_t last = json("run/stats.json")["simulated_time_ps"];
  for (std::uint64_t i = 1; i <= 8; ++i) {
    const Ended ended = microbenchmark(
        args,
        {fmt::format(R"(faults=[{{"at":"{}ps","kind":"power_loss","restore_after":"1us"}}])", last * i / 9)});
    EXPECT_EQ(ended.status, 0) << i << ended.out << ended.err;
    EXPECT_EQ(contents("run/files/result.txt"), result) << i;
    expect_the_newest_durable(events());
  }
}

// --- Section 4.3.4, with the solver: chips of the data's rank fail, and a warm reset follows.

struct LocationRecoveryTest : LocationControllerTest {
  Ended solver(const std::vector<int>& chips, const std::string& at) const {
    std::string faults;
    for (const int chip : chips)
      faults +=
          fmt::format(R"({}{{"at":"{}","kind":"chip","persistence":"stuck","channel":0,"rank":1,"chip":{}}})",
                      faults.empty() ? "" : ",", at, chip);
    return firmware("cg", {"args=nx=10 interval=2 controller=on lifetime=5 overhead=10",
                           "node.memory.mapping=RaRoBaCoCh", "node.memory.ranks=2", "node.log.node=off",
                           "node.dimm_ssd.rated_writes=14600TB", "faults=[" + faults + "]"});
  }
  std::string recovered_from() const {
    const auto all = of_kind("recovery");
    return all.empty() ? "nothing" : all.front()["from"].get<std::string>();
  }
};

TEST_F(LocationRecoveryTest, TheRamdiskFirstThenTheSsd) {
  ASSERT_EQ(solver({}, "").status, 0);
  const std::string result = contents("run/files/result.txt");
  EXPECT_EQ(versions("dimm_ssd"), std::set<std::uint64_t>{2})
      << "any other would cost more than a tenth of the time";
  EXPECT_GE(versions("dram").size(), 8u);
  const auto after_version_12 = [&] {
    for (const Event& event : decisions())
      if (event["version"] == 14)
        return fmt::format("{}ps", event["time_ps"].get<std::uint64_t>() - 20'000'000);
    return std::string();
  }();
  // RS(19,16) corrects one chip.
  const Ended one = solver({3}, after_version_12);
  EXPECT_EQ(one.status, 0) << one.out << one.err;
  EXPECT_EQ(recovered_from(), "dram");
  EXPECT_THAT(contents("run/console.log"), HasSubstr("cg: checkpoint 12 restored\n"));
  EXPECT_EQ(contents("run/files/result.txt"), result);
  // The chip may fail at any time; the first checkpoint is on the DIMM-SSD.
  for (unsigned at_us = 3000; at_us < 6000; at_us += 600) {
    const Ended any = solver({3}, fmt::format("{}us", at_us));
    EXPECT_EQ(any.status, 0) << at_us << any.out << any.err;
    EXPECT_EQ(contents("run/files/result.txt"), result) << at_us;
  }
  // Two chips: both checkpoints in memory are discarded, and the older one on the DIMM-SSD is used.
  const Ended two = solver({3, 9}, after_version_12);
  EXPECT_EQ(two.status, 0) << two.out << two.err;
  EXPECT_EQ(recovered_from(), "dimm_ssd");
  EXPECT_THAT(contents("run/console.log"),
              AllOf(HasSubstr("uncorrectable memory error"), HasSubstr("cg: checkpoint 2 restored\n")));
  EXPECT_EQ(contents("run/files/result.txt"), result);
}

}  // namespace
}  // namespace asterism
