// The ways in which a DIMM-SSD detects the cores' stores: by the engine's dirty lines, or by the caches'
// write-backs. Both restore the same data, and a program computes the same from it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct Way {
  std::string name, override;
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.override; }
};
const std::vector<std::string> methods = {
    "stop_and_copy_hardware", "copy_on_write", "consolidate", "early", "late", "early_late",
    "early_late+consolidate"};

struct StoreTrackingTest : CommandTest, testing::WithParamInterface<Way> {
  void run(const std::string& app, const std::string& args, const std::vector<std::uint64_t>& failures = {},
           const Arguments& more = {}) const {
    std::string faults;
    for (const std::uint64_t at : failures)
      faults += fmt::format(R"({}{{"at":"{}ps","kind":"power_loss","restore_after":"1us"}})",
                            faults.empty() ? "" : ",", at);
    Arguments arguments{"args=" + args, "faults=[" + faults + "]", "node.log.node=off", GetParam().override};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = firmware(app, arguments);
    EXPECT_EQ(ended.status, 0) << app << " " << args << " " << faults << "\n" << ended.out << ended.err;
    expect_the_newest_durable(events());
  }
  std::string result_of_cg(const std::string& args, const std::vector<std::uint64_t>& failures = {}) const {
    run("cg", args, failures);
    return contents("run/files/result.txt");
  }
  nlohmann::json checkpointer() const { return json("run/stats.json")["node"]["dimm_ssd"]["checkpointer"]; }
  std::uint64_t end() const { return json("run/stats.json")["simulated_time_ps"]; }
};

// Counted over four checkpoints of cg's five pages; the first checkpoint is full.
TEST_P(StoreTrackingTest, ModifiedLinesAreChosen) {
  run("cg", "nx=8 interval=3 method=stop_and_copy");
  EXPECT_EQ(checkpointer()["matt"]["chosen_lines"]["pending"], 1091);
  EXPECT_EQ(checkpointer()["full_checkpoints"], 1);
}

TEST_P(StoreTrackingTest, APowerFailureAnywhereLeavesTheNewestDurableVersionByEveryMethod) {
  const std::string args = "nx=6 interval=2 async=on method=";
  const std::string whole = result_of_cg(args + "stop_and_copy");
  for (const std::string& method : methods) {
    EXPECT_EQ(result_of_cg(args + method), whole) << method;
    const std::uint64_t last = end();
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(result_of_cg(args + method, {last * i / 6}), whole) << method << i;
    EXPECT_EQ(result_of_cg(args + method, {last / 3, last / 2}), whole) << method;
  }
}

// The app power_failure writes the next version while the one before is copied, and checks every word that is
// restored. With one package, programming takes so long that stores hit pages that are not copied yet.
TEST_P(StoreTrackingTest, WhatIsWrittenBehindAnIntervalIsNotInItsImage) {
  for (const std::string& method : methods) {
    const std::string args = "versions=4 pages=16 async=on method=" + method;
    run("power_failure", args, {}, {"node.dimm_ssd.packages=1"});
    const bool stops = method == "consolidate" || method == "early";
    EXPECT_THAT(contents("run/console.log"), HasSubstr(stops ? "version 3 written" : "version 3 handed over"))
        << method;
    const auto statistics = checkpointer();
    const std::uint64_t held = statistics["writes_held"], copied_to_frames = statistics["copies_to_frames"];
    EXPECT_EQ(held + copied_to_frames > 0, !stops) << method;
    const std::uint64_t last = end();
    for (int i = 1; i <= 6; ++i) {
      run("power_failure", args, {last * i / 7}, {"node.dimm_ssd.packages=1"});
      EXPECT_THAT(contents("run/console.log"), HasSubstr("version 4 restored, 0 wrong words")) << method << i;
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

INSTANTIATE_TEST_SUITE_P(Ways, StoreTrackingTest,
                         testing::Values(Way{"Lines", "node.cores.caches.model=none"},
                                         Way{"Caches", "node.cores.caches.model=tags"}),
                         [](const auto& info) { return info.param.name; });

using CachesTest = CommandTest;

TEST_F(CachesTest, StandInFrontOfAFabricOfFlitsAndOfExactMemory) {
  const Ended flits = firmware(
      "hello", {"node.cores.caches.model=tags", "node.fabric.topology=mesh", "node.fabric.fidelity=flit"});
  EXPECT_EQ(flits.status, 0) << flits.out << flits.err;
  const Ended exact = firmware("hello", {"node.cores.caches.model=tags", "node.memory.fidelity=exact"});
  EXPECT_EQ(exact.status, 0) << exact.out << exact.err;
}

}  // namespace
}  // namespace asterism
