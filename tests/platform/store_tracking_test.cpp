// The ways in which a DIMM-SSD sees what cores store: dirty lines of the native engine, the bus under Unicorn, what caches
// write back. What is saved, and what a program makes of it, is the same by all of them.
#include <fmt/format.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

struct Way {
  std::string name, override;
};
std::vector<Way> all_ways() {
  std::vector<Way> ways = {{"Lines", "node.cores.engine=native"}, {"Caches", "node.cores.caches=tags"}};
  if (ASTERISM_HAS_UNICORN) ways.push_back({"Bus", "node.cores.engine=unicorn"});
  return ways;
}
const std::vector<std::string> methods = {
    "stop_and_copy_hardware", "copy_on_write", "consolidate", "early", "late", "early_late",
    "early_late+consolidate"};

struct StoreTrackingTest : CommandTest, testing::WithParamInterface<Way> {
  std::string run(const std::string& app, const std::string& args,
                  const std::vector<std::uint64_t>& cuts = {}, const Arguments& more = {}) {
    std::string faults;
    for (const std::uint64_t at : cuts)
      faults += fmt::format(R"({}{{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})",
                            faults.empty() ? "" : ",", at);
    Arguments arguments{"args=" + args, "faults=[" + faults + "]", "node.log.node=off", GetParam().override};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = firmware(app, arguments);
    EXPECT_EQ(ended.status, 0) << app << " " << args << " " << faults << "\n" << ended.out << ended.err;
    return contents("run/files/result.txt");
  }
  nlohmann::json checkpointer() const { return json("run/stats.json")["node"]["dimm_ssd"]["checkpointer"]; }
  std::uint64_t end() const { return json("run/stats.json")["simulated_time_ps"]; }
  // The newest version that was durable is the one that is restored.
  void expect_the_newest_durable() const {
    std::uint64_t newest = 0;
    for (const auto& event : events()) {
      if (event["kind"] == "checkpoint_commit") newest = event["version"];
      if (event["kind"] == "restore") {
        EXPECT_EQ(event["version"], newest) << event;
      }
    }
  }
};

// In four checkpoints of cg's five pages, of which the first is full.
TEST_P(StoreTrackingTest, TheSameLinesAreModified) {
  run("cg", "nx=8 interval=3 method=stop_and_copy");
  EXPECT_EQ(checkpointer()["matt"]["chosen_lines"]["pending"], 1091);
  EXPECT_EQ(checkpointer()["full_checkpoints"], 1);
}

TEST_P(StoreTrackingTest, ACutAnywhereLeavesTheNewestDurableVersionByEveryMethod) {
  const std::string args = "nx=6 interval=2 async=on method=";
  const std::string whole = run("cg", args + "stop_and_copy");
  for (const std::string& method : methods) {
    EXPECT_EQ(run("cg", args + method), whole) << method;
    const std::uint64_t last = end();
    for (int i = 1; i <= 5; ++i) {
      EXPECT_EQ(run("cg", args + method, {last * i / 6}), whole) << method << i;
      expect_the_newest_durable();
    }
    EXPECT_EQ(run("cg", args + method, {last / 3, last / 2}), whole) << method;
  }
}

// powercut fills the next version in while the one before is copied, and looks at every word that it gets back.
TEST_P(StoreTrackingTest, WhatIsWrittenBehindAnIntervalIsNotInItsImage) {
  for (const std::string& method : methods) {
    const std::string args = "versions=4 pages=6 async=on method=" + method;
    run("powercut", args);
    const std::uint64_t last = end();
    for (int i = 1; i <= 6; ++i) {
      run("powercut", args, {last * i / 7});
      expect_the_newest_durable();
    }
  }
}

TEST_P(StoreTrackingTest, ARunIsTheSameToTheByte) {
  run("cg", "nx=6 interval=2 async=on method=early_late+consolidate");
  const std::string events = contents("run/events.jsonl"), statistics = contents("run/stats.json");
  run("cg", "nx=6 interval=2 async=on method=early_late+consolidate");
  EXPECT_EQ(contents("run/events.jsonl"), events);
  EXPECT_EQ(contents("run/stats.json"), statistics);
}

INSTANTIATE_TEST_SUITE_P(Ways, StoreTrackingTest, testing::ValuesIn(all_ways()),
                         [](const auto& info) { return info.param.name; });

using CachesTest = CommandTest;

TEST_F(CachesTest, StandInFrontOfAFabricOfFlitsAndOfExactMemory) {
  const Ended flits =
      firmware("hello", {"node.cores.caches=tags", "node.fabric.topology=mesh", "node.fabric.fidelity=flit"});
  EXPECT_EQ(flits.status, 0) << flits.out << flits.err;
  const Ended exact = firmware("hello", {"node.cores.caches=tags", "node.memory.fidelity=exact"});
  EXPECT_EQ(exact.status, 0) << exact.out << exact.err;
}

}  // namespace
}  // namespace asterism
