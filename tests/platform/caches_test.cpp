// The cost of data caches to firmware, as the app sw/apps/cache_costs measures it.
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <string>

#include "tests/platform/command.h"

namespace asterism {
namespace {

using testing::HasSubstr;

struct CacheCostsTest : CommandTest {
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

TEST_F(CacheCostsTest, WithoutCachesTheStartCodeLeavesTheMmuOff) {
  const Ended ended = firmware("cache_costs");
  EXPECT_EQ(ended.status, 3) << ended.out << ended.err;
  EXPECT_THAT(contents("run/console.log"), HasSubstr("no data caches"));
}

}  // namespace
}  // namespace asterism
