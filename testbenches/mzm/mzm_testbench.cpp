// Compares rtl/mzm with ZoneMonitor: each operation goes to both, and their complete answers are compared.
//
// Operations are random for tables and caches of several sizes, in any order and as a driver would make them.
// They reach every kind of outcome.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/parameter_name.h"
#include "base/random.h"
#include "cosim/rtl_zone_monitor.h"
#include "testbenches/mzm/mutants.h"
#include "testbenches/operation_pair.h"

namespace asterism {
namespace {

constexpr const char* mzm = "rtl/mzm/block.json";

using Answer = ZoneMonitor::Answer;
using Kind = ZoneMonitorOperation::Kind;

struct Case {
  std::uint32_t zones = 4'000;
  std::uint32_t lines = 8, ways = 2;

  ZoneMonitorConfig config() const { return {.cache = ZoneMonitor::sector * 2 * lines, .ways = ways}; }
  std::vector<std::string> overrides(std::vector<std::string> more = {}) const {
    return overrides_of(RtlZoneMonitor::parameters(config(), zones), std::move(more));
  }
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.zones << " zones, " << c.lines << " lines in " << c.ways << " ways";
}

class Pair : public OperationPair<ZoneMonitor, ZoneMonitorPorts, ZoneMonitorOperation, ZoneMonitorAnswer> {
 public:
  Pair(const std::string& block, const Case& shape, const std::vector<std::string>& overrides = {})
      : OperationPair(ZoneMonitor(shape.config(), shape.zones), block, shape.overrides(overrides)),
        shape_(shape) {}

  using OperationPair::run;
  bool run(Kind kind, std::uint32_t zone = 0, bool flag = false) { return run({kind, zone, flag}); }
  const Case& shape() const { return shape_; }

 private:
  ZoneMonitorAnswer ask_model(const ZoneMonitorOperation& operation) override {
    const bool open = model_.open();
    ZoneMonitorAnswer answer;
    switch (operation.kind) {
      case Kind::track:
        tracks_.hit(operation.flag == model_.tracking() ? 0 : operation.flag ? 1 : 2);
        model_.track(operation.flag);
        break;
      case Kind::write:
        answer = write(operation.zone);
        break;
      case Kind::expose:
        exposes_.hit(open ? 0 : model_.is_unpreserved(operation.zone) ? 1 : 2);
        model_.expose(operation.zone);
        break;
      case Kind::begin:
        answer.sectors = model_.begin();
        begins_.hit(open ? 0 : answer.sectors != 0 ? 1 : 2);
        break;
      case Kind::preserve:
        preserves_.hit(!model_.is_unpreserved(operation.zone) ? 0 : open ? 1 : 2);
        model_.preserve(operation.zone);
        break;
      case Kind::refresh:
        refreshes_.hit(open);
        model_.refresh();
        break;
      case Kind::complete:
        completes_.hit(!open ? 0 : model_.unpreserved() != 0 ? 1 : 2);
        model_.complete();
        break;
    }
    answer.complete = !model_.open();
    return answer;
  }
  ZoneMonitorAnswer write(std::uint32_t zone) {
    const ZoneMonitor::Counts before = model_.counts();
    const ZoneMonitor::Check check = model_.write(zone);
    const ZoneMonitor::Counts& after = model_.counts();
    const bool stale = !model_.is_unpreserved(zone);
    conflicts_.hit(check.answer == Answer::proceed       ? model_.open() ? 1 : 0
                   : check.answer == Answer::first_stall ? stale ? 3 : 2
                   : stale                               ? 5
                                                         : 4);
    if (after.unchecked != before.unchecked) {
      cache_.hit(0);
    } else {
      const bool previous = after.previous.misses != before.previous.misses,
                 next = after.next.misses != before.next.misses;
      cache_.hit(1 + std::size_t{previous} + 2 * std::size_t{next});
    }
    if (after.writebacks != before.writebacks) evictions_.hit(check.answer != Answer::proceed);
    dirty_.hit((model_.tracking() ? 1 : 0) + (check.answer != Answer::proceed ? 2 : 0));
    return {.answer = check.answer, .sectors = check.sectors};
  }

  ZoneMonitorAnswer read(const ZoneMonitorOperation&) override { return ports().answer(); }

  Case shape_;
  Coverage::Group& conflicts_ = coverage_.group(
      "conflicts", {"complete", "preserved", "first stall", "first stall, stale", "stall", "stall, stale"});
  Coverage::Group& cache_ =
      coverage_.group("cache", {"not looked up", "hit", "previous missed", "next missed", "both missed"});
  Coverage::Group& evictions_ =
      coverage_.group("evictions", {"by a write that proceeds", "by one that waits"});
  Coverage::Group& dirty_ = coverage_.group(
      "dirty marking", {"not tracked", "tracked", "waits and not tracked", "waits and tracked"});
  Coverage::Group& tracks_ = coverage_.group("tracks", {"no change", "on", "off"});
  Coverage::Group& exposes_ = coverage_.group("exposes", {"while open", "again", "first"});
  Coverage::Group& begins_ = coverage_.group("begins", {"while open", "cache changed", "cache as the table"});
  Coverage::Group& preserves_ = coverage_.group("preserves", {"nothing", "of the snapshot", "exposed"});
  Coverage::Group& refreshes_ = coverage_.group("refreshes", {"while complete", "while open"});
  Coverage::Group& completes_ =
      coverage_.group("completes", {"while complete", "with zones left", "of a preserved snapshot"});
};

// Makes random operations that use some sectors more than others.
bool at_random(Pair& pair, std::uint64_t seed, unsigned operations) {
  Random random(seed);
  const std::uint32_t zones = pair.shape().zones;
  for (unsigned i = 0; i < operations; ++i) {
    const std::uint64_t choice = random.below(1000);
    ZoneMonitorOperation operation{.kind = choice < 600   ? Kind::write
                                           : choice < 720 ? Kind::expose
                                           : choice < 910 ? Kind::preserve
                                           : choice < 930 ? Kind::refresh
                                           : choice < 970 ? Kind::begin
                                           : choice < 985 ? Kind::complete
                                                          : Kind::track,
                                   .zone = static_cast<std::uint32_t>(random.below(zones)),
                                   .flag = random.below(4) != 0};
    if (random.below(2)) operation.zone %= 700;
    if (operation.kind == Kind::preserve && random.below(4))
      operation.zone = pair.model().next_unpreserved(operation.zone).value_or(operation.zone);
    if (!pair.run(operation)) return false;
    if (random.below(2000) == 0) pair.reset(static_cast<unsigned>(random.below(3)));
  }
  return true;
}

// Takes snapshots as a driver does, first a full one, then increments. Each is preserved in order while
// writes continue.
bool as_a_driver(Pair& pair, std::uint64_t seed, unsigned snapshots) {
  Random random(seed);
  const std::uint32_t zones = pair.shape().zones;
  if (!pair.run(Kind::track, 0, true)) return false;
  for (std::uint32_t zone = 0; zone < zones; zone += 3)
    if (!pair.run(Kind::expose, zone)) return false;
  for (unsigned snapshot = 0; snapshot < snapshots; ++snapshot) {
    if (!pair.run(Kind::begin)) return false;
    std::uint32_t at = 0;
    for (unsigned i = 0; at < zones; ++i) {
      const auto zone = static_cast<std::uint32_t>(random.below(zones));
      if (!pair.run(Kind::write, random.below(4) ? zone % 400 % zones : zone)) return false;
      const auto next = pair.model().next_unpreserved(at);
      if (next && !pair.run(Kind::preserve, *next)) return false;
      if (i % 16 == 15 && !pair.run(Kind::refresh)) return false;
      at = next ? *next + 1 : zones;
    }
    if (!pair.run(Kind::complete)) return false;
    for (unsigned i = 0; i < 300; ++i)
      if (!pair.run(Kind::write, static_cast<std::uint32_t>(random.below(zones)))) return false;
  }
  return true;
}

bool everything(Pair& pair, unsigned operations) {
  if (!as_a_driver(pair, 7, 3)) return false;
  pair.reset();
  return at_random(pair, 1, operations);
}

const Case shapes[] = {{.zones = 1, .lines = 1, .ways = 1},
                       {.zones = 300, .lines = 1, .ways = 1},
                       {.zones = 4'000, .lines = 8, .ways = 2},
                       {.zones = 5'000, .lines = 4, .ways = 4},
                       {.zones = 16'384, .lines = 32, .ways = 4}};
const Case &tiny = shapes[0], &usual = shapes[2], &paper = shapes[4];

class ShapeTest : public testing::TestWithParam<Case> {};

TEST_P(ShapeTest, AnswersAsTheModel) {
  Pair pair(mzm, GetParam());
  everything(pair, 20'000);
  EXPECT_EQ(pair.difference(), "");
  EXPECT_TRUE(pair.idle_was_honest());
  for (const std::string& group : pair.coverage().text()) std::cout << "  reached " << group << '\n';
}

INSTANTIATE_TEST_SUITE_P(Mzm, ShapeTest, testing::ValuesIn(shapes), ParameterName());

TEST(MzmTest, EveryOutcomeIsReached) {
  Pair pair(mzm, usual);
  EXPECT_TRUE(everything(pair, 50'000)) << pair.difference();
  for (const Coverage::Group& group : pair.coverage().groups())
    EXPECT_EQ(group.reached(), group.points()) << group.name();
}

TEST(MzmTest, ItsPropertiesHold) {
  for (const Case& shape : {tiny, usual}) {
    Pair pair(mzm, shape, {"assertions=true"});
    everything(pair, 10'000);
    EXPECT_EQ(pair.difference(), "");
  }
}

TEST(MzmTest, OperationsTakeTheCyclesThatTheModuleSays) {
  Pair pair(mzm, {.zones = 5'000, .lines = 1, .ways = 1});  // 20 sectors
  pair.run(Kind::refresh);                                  // after this the table is empty
  const auto cycles = [&](Kind kind, std::uint32_t zone = 0, bool flag = false) {
    EXPECT_TRUE(pair.run(kind, zone, flag)) << pair.difference();
    return pair.cycles();
  };
  EXPECT_EQ(cycles(Kind::write, 1), 2u);  // nothing is looked up
  EXPECT_EQ(cycles(Kind::track, 0, false), 2u);
  EXPECT_EQ(cycles(Kind::track, 0, true), 2u + 20);
  EXPECT_EQ(cycles(Kind::write, 1), 4u);    // fetches `next`
  EXPECT_EQ(cycles(Kind::write, 2), 3u);    // hits
  EXPECT_EQ(cycles(Kind::write, 300), 5u);  // the line is written back
  EXPECT_EQ(cycles(Kind::expose, 600), 3u);
  EXPECT_EQ(cycles(Kind::begin), 2u + 1 + 1 + 4 * 20);
  EXPECT_EQ(cycles(Kind::begin), 2u);
  EXPECT_EQ(cycles(Kind::expose, 601), 2u);
  EXPECT_EQ(cycles(Kind::write, 1), 5u);    // fetches both, waits
  EXPECT_EQ(cycles(Kind::write, 1), 3u);    // waits again
  EXPECT_EQ(cycles(Kind::write, 600), 6u);  // the line is written back, too
  EXPECT_EQ(cycles(Kind::preserve, 600), 3u);
  EXPECT_EQ(cycles(Kind::refresh), 2u);
  EXPECT_EQ(cycles(Kind::write, 600), 4u);  // fetches `previous`
  EXPECT_EQ(cycles(Kind::complete), 2u + 20);
}

TEST(MzmTest, AnOperationRightAfterAResetWaitsUntilTheTableIsEmpty) {
  Pair pair(mzm, paper);
  const auto last = paper.zones - 1;
  for (unsigned pause = 120; pause < 135; ++pause) {  // emptying the table takes 128 cycles
    ASSERT_TRUE(pair.run(Kind::expose, last)) << pair.difference();
    ASSERT_TRUE(pair.run(Kind::begin)) << pair.difference();
    pair.reset(pause);
    ASSERT_TRUE(pair.run(Kind::begin)) << pair.difference();
    ASSERT_TRUE(pair.run(Kind::write, last)) << pair.difference();
    ASSERT_TRUE(pair.run(Kind::complete)) << pair.difference();
  }
}

TEST(MzmTest, ItIsIdleOnceTheTableIsEmptied) {
  Pair pair(mzm, paper);
  pair.reset();
  EXPECT_EQ(pair.cycles_until_idle(), 128u);
  ASSERT_TRUE(pair.run(Kind::expose, 1)) << pair.difference();
  EXPECT_EQ(pair.cycles_until_idle(), 0u);
}

TEST(MzmTest, AResetDropsWhatIsInProgress) {
  Pair pair(mzm, usual);
  pair.ports().ask({.kind = Kind::begin});
  pair.rtl().run(20);
  pair.reset();
  EXPECT_TRUE(at_random(pair, 5, 2'000)) << pair.difference();
}

TEST(MzmTest, AZoneBeyondTheTableIsNeverPartOfASnapshot) {
  Pair pair(mzm, usual);
  const auto ask = [&](const ZoneMonitorOperation& operation) { return pair.ask_rtl(operation).value(); };
  ask({.kind = Kind::track, .flag = true});
  const std::vector<std::uint32_t> beyond = {4'000, 4'095, 4'096, 0xFFFF'FFFF};
  for (const std::uint32_t zone : beyond) {
    ask({.kind = Kind::expose, .zone = zone});
    EXPECT_EQ(ask({.kind = Kind::write, .zone = zone}), (ZoneMonitorAnswer{}));
  }
  EXPECT_EQ(ask({.kind = Kind::begin}), (ZoneMonitorAnswer{.complete = false}));
  for (const std::uint32_t zone : beyond)
    EXPECT_EQ(ask({.kind = Kind::write, .zone = zone}), (ZoneMonitorAnswer{.complete = false}));
}

// ---- mutants ----

class RtlMutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(RtlMutantTest, IsFound) {
  Pair pair(mutant_of("mzm", GetParam()), usual);
  EXPECT_FALSE(everything(pair, 50'000));
  std::cout << "  " << pair.difference() << '\n';
}

INSTANTIATE_TEST_SUITE_P(Mzm, RtlMutantTest, testing::ValuesIn(mzm_mutants), ParameterName());

}  // namespace
}  // namespace asterism
