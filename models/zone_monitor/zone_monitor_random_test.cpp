// Compares the monitor with a naive one, for all operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>

#include "base/random.h"
#include "zone_monitor/zone_monitor.h"

namespace asterism {
namespace {

using Answer = ZoneMonitor::Answer;
using Check = ZoneMonitor::Check;

// The specification in the header, written with sets. `previous_` is the table; each sector of it in the
// cache is a set of its own.
class NaiveMonitor {
 public:
  explicit NaiveMonitor(const ZoneMonitorConfig& config)
      : ways_(config.ways), sets_(config.cache.count() / 64 / config.ways) {}

  void track(bool on) {
    if (on == tracking_) return;
    tracking_ = on;
    next_.clear();
    for (auto& [set, lines] : cache_)
      for (Line& line : lines) line.next = line.changed = false;
  }
  Check write(std::uint32_t zone) {
    if (!open_ && !tracking_) return {Answer::proceed, 0};
    moved_ = 0;
    Line& line = use(zone / 256);
    const bool waits = open_ && fetched_previous(line).contains(zone);
    if (!waits && !tracking_) return {Answer::proceed, moved_};
    if (!line.next) ++moved_;
    line.next = true;
    const bool first = next_.insert(zone).second;
    if (first) line.changed = true;
    return {!waits ? Answer::proceed : first ? Answer::first_stall : Answer::stall, moved_};
  }
  // Whether a write would have to wait without a cache.
  bool must_wait(std::uint32_t zone) const { return open_ && previous_.contains(zone); }
  void expose(std::uint32_t zone) {
    if (!open_) previous_.insert(zone);
  }
  std::uint32_t begin() {
    if (open_) return 0;
    std::uint32_t changed = 0;
    for (const auto& [set, lines] : cache_)
      changed += static_cast<std::uint32_t>(std::ranges::count(lines, true, &Line::changed));
    cache_.clear();
    if (tracking_) previous_.merge(next_);
    next_.clear();
    open_ = true;
    return changed;
  }
  void preserve(std::uint32_t zone) { previous_.erase(zone); }
  void refresh() {
    for (auto& [set, lines] : cache_)
      for (Line& line : lines) line.previous.reset();
  }
  void complete() {
    open_ = false;
    previous_.clear();
  }
  void reset() {
    cache_.clear();
    previous_.clear();
    next_.clear();
    tracking_ = open_ = false;
  }

  const std::set<std::uint32_t>& previous() const { return previous_; }
  bool is_dirty(std::uint32_t zone) const { return next_.contains(zone); }

 private:
  struct Line {
    std::uint32_t tag;
    std::optional<std::set<std::uint32_t>> previous = {};
    bool next = false, changed = false;
  };

  Line& use(std::uint32_t tag) {
    std::list<Line>& set = cache_[tag % sets_];  // the newest first
    if (const auto found = std::ranges::find(set, tag, &Line::tag); found != set.end()) {
      set.splice(set.begin(), set, found);
      return set.front();
    }
    if (set.size() == ways_) {
      moved_ += set.back().changed;
      set.pop_back();
    }
    set.push_front({tag});
    return set.front();
  }
  const std::set<std::uint32_t>& fetched_previous(Line& line) {
    if (!line.previous) {
      ++moved_;
      line.previous.emplace(previous_.lower_bound(256 * line.tag),
                            previous_.lower_bound(256 * line.tag + 256));
    }
    return *line.previous;
  }

  std::uint64_t ways_, sets_;
  std::map<std::uint64_t, std::list<Line>> cache_;
  std::set<std::uint32_t> previous_, next_;
  bool tracking_ = false, open_ = false;
  std::uint8_t moved_ = 0;
};

struct Case {
  std::uint32_t zones;
  ZoneMonitorConfig config;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.zones << " zones, " << c.config.cache.count() << " bytes in " << c.config.ways << " ways";
}

class Pair {
 public:
  Pair(const Case& c, std::uint64_t seed)
      : zones_(c.zones), random_(seed), monitor_(c.config, c.zones), naive_(c.config) {}

  void step() {
    zone_ = any_zone();
    const std::uint64_t choice = random_.below(1000);
    if (choice < 700) {
      write();
    } else if (choice < 800) {
      preserve();
    } else if (choice < 900) {
      monitor_.expose(zone_);
      naive_.expose(zone_);
    } else if (choice < 930) {
      monitor_.refresh();
      naive_.refresh();
    } else if (choice < 970) {
      ASSERT_EQ(monitor_.begin(), naive_.begin());
    } else if (choice < 985) {
      monitor_.complete();
      naive_.complete();
    } else if (choice < 998) {
      const bool on = random_.below(4) != 0;
      monitor_.track(on);
      naive_.track(on);
    } else {
      monitor_.reset(Reset::warm);
      naive_.reset();
    }
    compare();
  }
  const ZoneMonitor::Counts& counts() const { return monitor_.counts(); }
  std::uint64_t waits_in_vain() const { return waits_in_vain_; }

 private:
  // Half of the zones are in few sectors, so that the cache hits.
  std::uint32_t any_zone() {
    const auto zone = static_cast<std::uint32_t>(random_.below(zones_));
    return random_.below(2) ? zone : zone % 700 % zones_;
  }
  void write() {
    const Answer peeked = monitor_.peek(zone_);
    const Check check = monitor_.write(zone_);
    ASSERT_EQ(check, naive_.write(zone_)) << "zone " << zone_;
    ASSERT_EQ(check.answer, peeked);
    ASSERT_FALSE(naive_.must_wait(zone_) && check.answer == Answer::proceed) << "zone " << zone_;
    waits_in_vain_ += !naive_.must_wait(zone_) && check.answer != Answer::proceed ? 1 : 0;
  }
  void preserve() {  // usually the next zone, as the offloader does
    if (random_.below(4)) zone_ = monitor_.next_unpreserved(zone_).value_or(zone_);
    monitor_.preserve(zone_);
    naive_.preserve(zone_);
  }
  void compare() {
    ASSERT_EQ(monitor_.is_unpreserved(zone_), naive_.previous().contains(zone_));
    ASSERT_EQ(monitor_.is_dirty(zone_), naive_.is_dirty(zone_));
    ASSERT_EQ(monitor_.unpreserved(), naive_.previous().size());
    const auto first = naive_.previous().lower_bound(zone_);
    ASSERT_EQ(monitor_.next_unpreserved(zone_),
              first == naive_.previous().end() ? std::nullopt : std::optional(*first));
  }

  std::uint32_t zones_;
  Random random_;
  ZoneMonitor monitor_;
  NaiveMonitor naive_;
  std::uint32_t zone_ = 0;
  std::uint64_t waits_in_vain_ = 0;
};

class ZoneMonitorRandomTest : public testing::TestWithParam<Case> {};

TEST_P(ZoneMonitorRandomTest, DoesAsANaiveMonitor) {
  ZoneMonitor::Counts counts;
  std::uint64_t waits_in_vain = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Pair pair(GetParam(), seed);
    for (unsigned i = 0; i < 20'000 && !HasFatalFailure(); ++i) pair.step();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    counts += pair.counts();
    waits_in_vain += pair.waits_in_vain();
  }
  EXPECT_GT(counts.first_stalls, 0u);
  EXPECT_GT(counts.stalls, 0u);
  EXPECT_GT(waits_in_vain, 0u);
  EXPECT_GT(counts.writebacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(ZoneMonitor, ZoneMonitorRandomTest,
                         testing::Values(Case{1, {.cache = Bytes(64), .ways = 1}},
                                         Case{300, {.cache = Bytes(64), .ways = 1}},
                                         Case{3'000, {.cache = Bytes(256), .ways = 2}},
                                         Case{3'000, {.cache = Bytes(256), .ways = 4}},
                                         Case{16'384, {.cache = 1_KiB, .ways = 1}}, Case{16'384, {}}));

}  // namespace
}  // namespace asterism
