// The cost of data caches to firmware, as the app sw/apps/cache_costs measures it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <string>

#include "base/nightly.h"
#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct CacheCostsTest : CommandTest {
  CacheCostsTest() { node_of_firmware = untimed; }
  // Picoseconds by name, from a run with these keys.
  std::map<std::string, double> costs(const Arguments& keys = {}) const {
    Arguments arguments{"node.cores.caches.model=tags"};
    arguments.insert(arguments.end(), keys.begin(), keys.end());
    const Ended ended = firmware("cache_costs", arguments);
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    std::map<std::string, double> costs;
    const std::string log = contents("run/console.log");
    const std::regex line("cache_costs: (.*) ([0-9]+) ps");
    for (std::sregex_iterator each(log.begin(), log.end(), line), end; each != end; ++each)
      costs[(*each)[1]] = std::stod((*each)[2]);
    EXPECT_EQ(costs.size(), 13u) << log;
    return costs;
  }
};

TEST_F(CacheCostsTest, WhatPassesCachesOrWasInvalidatedCostsAnAccessToMemory) {
  auto cost = costs();
  const double hit = cost["load"], to_memory = cost["load, Device"];
  EXPECT_LT(hit, 10'000);
  EXPECT_GT(to_memory, hit + 20'000);
  for (const char* same : {"load, Non-cacheable", "load, SCTLR_EL1.C = 0", "load, MMU off"})
    EXPECT_NEAR(cost[same], to_memory, 0.2 * to_memory) << same;
  EXPECT_GT(cost["store, Non-cacheable"], cost["store"] + 20'000);
  for (const char* missing : {"load after clean and invalidate", "load after invalidate"})
    EXPECT_GT(cost[missing], hit + 20'000) << missing;
  EXPECT_GT(cost["store and clean"], cost["store"] + cost["clean"] + 10'000);
}

TEST_F(CacheCostsTest, ALineThatCoresShareCostsMoreThanLinesOfTheirOwn) {
  auto cost = costs();
  EXPECT_GT(cost["increment, one line"], 1.5 * cost["increment, own lines"]);
  const auto caches = json("run/stats.json")["node"]["caches"];
  std::uint64_t taken = 0;
  for (const char* core : {"core0", "core1", "core2", "core3"}) {
    EXPECT_GT(caches[core]["lines_invalidated"], 10) << core;
    taken += caches[core]["lines_taken"].get<std::uint64_t>();
  }
  EXPECT_GT(taken, 4000u);
  EXPECT_GT(caches["core0"]["uncached_accesses"], 5000);
  EXPECT_EQ(caches["core1"]["lines_cleaned"], 0);
  EXPECT_GE(caches["core0"]["lines_cleaned"], 1001);
  EXPECT_GE(caches["core0"]["lines_dropped"], 2 * 2000);
}

// Four cores that share a line interleave their accesses, even if the quantum lets each of them run far
// ahead.
TEST_F(CacheCostsTest, SharingCostsMoreUnderAnyQuantum) {
  for (const char* quantum : {"50ns", "200ns", "5us"}) {
    auto cost = costs({std::string("node.quantum=") + quantum});
    EXPECT_GT(cost["increment, one line"], 1.5 * cost["increment, own lines"]) << quantum;
  }
}

TEST_F(CacheCostsTest, TheRelationsHoldBeforeExactMemory) {
  auto cost = costs({"node.memory.fidelity=exact"});
  EXPECT_GT(cost["load, Device"], cost["load"] + 20'000);
  EXPECT_GT(cost["load after clean and invalidate"], cost["load"] + 20'000);
  EXPECT_GT(cost["store and clean"], cost["store"] + cost["clean"] + 10'000);
  EXPECT_GT(cost["increment, one line"], 1.5 * cost["increment, own lines"]);
}

TEST_F(CacheCostsTest, CachesThatCannotBeAreRefusedWithTheirKey) {
  for (const auto& [key, problem] : std::map<std::string, std::string>{
           {"l1d.ways=3", "l1d.size: expected a value that has a number of sets"},
           {"l1d={\"ways\": 12, \"size\": \"48KiB\", \"replacement\": \"tree_plru\"}",
            "l1d.ways: expected a value that is a power of two with tree_plru"},
           {"l1i={\"write\": \"through\"}", "l1i.write: expected a value that is back"},
           {"l2={\"inclusion\": \"inclusive\", \"size\": \"16KiB\"}",
            "l2.size: expected a value that is not smaller than an L1 that it includes"},
           {"llc={\"inclusion\": \"inclusive\", \"size\": \"1MiB\", \"latency\": \"9ns\"}",
            "llc.size: expected a value that is not smaller than a cache that it includes"},
           {"l2.latency=1ns", "l2.latency: expected a value that is at least that of the L1"},
           {"llc={\"latency\": \"3ns\"}",
            "llc.latency: expected a value that is at least that of the cache in front of it"},
           {"llc={\"cores\": 2, \"latency\": \"9ns\"}", "llc.cores: expected a value that is 0"}}) {
    const Ended ended =
        asterism({"run", "hello", "node.cores.caches.model=tags", "node.cores.caches." + key});
    EXPECT_EQ(ended.status, 65) << key;
    EXPECT_THAT(ended.err, HasSubstr("error: node.cores.caches." + problem)) << key;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

// The size comes from the node's file.
TEST_F(CacheCostsTest, WaysThatDoNotSuitTheSizeAreReportedWhereTheyWereGiven) {
  EXPECT_EQ(
      asterism({"check", "checkpoint_node", "cores.caches.l2.ways=3"}).err,
      "command line: error: cores.caches.l2.size: expected a value that has a number of sets (of `ways` "
      "lines of 64 bytes) that is a power of two, got \"2MiB\"; ways is 3\n");
}

TEST_F(CacheCostsTest, WithoutCachesTheStartCodeLeavesTheMmuOff) {
  const Ended ended = firmware("cache_costs");
  EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
  EXPECT_THAT(contents("run/console.log"), HasSubstr("no data caches"));
}

// Programs of every kind beside tags that see every access (CacheModel::checked): the first difference would
// be an internal error.
constexpr const char* two_levels = R"({"model": "checked", "l1i": {}})";
constexpr const char* three_levels = R"({
  "model": "checked",
  "l1d": {"size": "2KiB", "ways": 2, "replacement": "tree_plru"},
  "l1i": {"size": "1KiB", "ways": 2},
  "l2": {"size": "16KiB", "ways": 4, "cores": 1, "inclusion": "inclusive"},
  "llc": {"size": "64KiB", "ways": 8, "inclusion": "exclusive"}})";

class CheckedCaches : public CommandTest, public testing::WithParamInterface<Arguments> {};

TEST_P(CheckedCaches, HaveTheCountsOfTagsThatSeeEveryAccess) {
  if (GetParam().size() > 1 && GetParam()[1] == "firmware=litmus" && !is_nightly())
    GTEST_SKIP() << "takes most of a minute; the nightly tests make it";
  for (const std::string caches : {two_levels, three_levels}) {
    Arguments arguments{"run", "--quiet", "--out", "run", "node.cores.caches=" + caches};
    arguments.insert(arguments.begin() + 1, GetParam().begin(), GetParam().end());
    const Ended ended = asterism(arguments);
    ASSERT_EQ(ended.status, 0) << caches << ended.err;
    const auto counts = json("run/stats.json")["node"]["caches"];
    EXPECT_GT(counts["core0_l1d"]["hits"], 100);
    EXPECT_GT(counts["core0_l1i"]["hits"], 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , CheckedCaches,
    testing::Values(
        Arguments{"hello", "firmware=cg", "expect={}", "args=nx=8 interval=4"},
        Arguments{"hello", "firmware=conformance_exceptions", "expect={}"},
        Arguments{"hello", "firmware=conformance_interrupts", "expect={}"},
        Arguments{"hello", "firmware=conformance_atomics", "expect={}"},
        Arguments{"hello", "firmware=litmus", "expect={}", "args=pause=5"},
        Arguments{"hello", "firmware=causality", "expect={}", "args=rounds=20"},
        Arguments{"hello", "firmware=cache_costs", "expect={}"},
        Arguments{"hello", "firmware=memtest", "expect={}"},
        Arguments{"hello", "firmware=memory_timing", "expect={}", "args=latency to=128KiB loads=4096"},
        Arguments{"hello", "firmware=memory_timing", "expect={}", "args=loaded_latency size=96KiB loads=256"},
        Arguments{"hello", "firmware=memory_timing", "expect={}", "args=ping_pong"},
        Arguments{"power_loss", "expect.result_equals=null"}, Arguments{"gpu_snapshot"},
        Arguments{"hello", "firmware=cg", "expect={}", "args=nx=6 interval=4", "node.quantum=10us"}),
    [](const auto& info) {
      std::string name;
      for (const std::string& argument : info.param)
        for (const char c : argument)
          if (std::isalnum(static_cast<unsigned char>(c))) name += c;
      return name;
    });

}  // namespace
}  // namespace asterism
