#include "cosim/coverage.h"

#include <gmock/gmock.h>

namespace asterism {
namespace {

using testing::ElementsAre;

TEST(CoverageTest, CountsWhatWasReached) {
  Coverage coverage;
  auto& group = coverage.group("requesters", {"core0", "core1", "core2", "core3"});
  group.hit(2);
  group.hit(2, 3);
  EXPECT_EQ(group.reached(), 1u);
  EXPECT_EQ(group.hits(2), 4u);
  EXPECT_EQ(group.hits(0), 0u);
}

TEST(CoverageTest, AddsWhatAnotherInstanceReached) {
  Coverage one, other;
  one.group("outputs", {"dram", "fabric", "flash"}).hit(0);
  other.group("outputs", {"dram", "fabric", "flash"}).hit(1, 2);
  one.add(other);
  EXPECT_THAT(one.text(), ElementsAre("outputs 2/3 (never flash)"));
  EXPECT_EQ(one.groups().front().hits(1), 2u);
}

TEST(CoverageTest, NamesWhatWasNeverReached) {
  Coverage coverage;
  auto& some = coverage.group("requesters", {"core0", "core1", "core2", "core3"});
  auto& all = coverage.group("outputs", {"dram", "fabric"});
  coverage.group("priorities", {"a", "b", "c", "d", "e", "f"});
  some.hit(2);
  all.hit(0);
  all.hit(1);
  EXPECT_THAT(coverage.text(), ElementsAre("requesters 1/4 (never core0, core1, core3)", "outputs 2/2",
                                           "priorities 0/6 (never a, b, c, d and 2 more)"));
}

TEST(CoverageTest, SaysWhatItsContractNeedsAndWasNotReached) {
  Coverage coverage;
  auto& at_once = coverage.group("requests at once", {"1", "2", "3"});
  auto& edges = coverage.group("edges", {"rises", "falls"});
  at_once.need_one_of({1, 2}, "never had two requests at once");
  edges.need_each("never");
  at_once.hit(0);
  edges.hit(0);
  EXPECT_THAT(coverage.shortfalls(), ElementsAre("never had two requests at once", "never falls"));
  Statistics statistics;
  coverage.report(statistics);
  EXPECT_EQ(std::get<std::string>(statistics.entries().back().second),
            "never had two requests at once; never falls");
  at_once.hit(2);
  edges.hit(1);
  EXPECT_THAT(coverage.shortfalls(), testing::IsEmpty());
}

TEST(CoverageTest, ReportsEachGroup) {
  Coverage coverage;
  coverage.group("states", {"idle", "busy"}).hit(0);
  Statistics statistics;
  coverage.report(statistics);
  const auto& [name, value] = statistics.entries().at(0);
  EXPECT_EQ(name, "states");
  const auto& entries = std::get<std::unique_ptr<Statistics>>(value)->entries();
  EXPECT_EQ(entries.at(0), (std::pair<std::string, Statistics::Value>("reached", std::uint64_t{1})));
  EXPECT_EQ(entries.at(1), (std::pair<std::string, Statistics::Value>("points", std::uint64_t{2})));
  EXPECT_EQ(entries.at(2), (std::pair<std::string, Statistics::Value>("never", std::string("busy"))));
}

}  // namespace
}  // namespace asterism
