// Compares the table with a naive one, for all operations.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <list>
#include <map>

#include "base/parameter_name.h"
#include "base/random.h"
#include "matt/matt.h"
#include "matt/page_set.h"

namespace asterism {
namespace {

using Answer = Matt::Answer;
using Reason = Matt::Reason;
using Choice = Matt::Choice;

// Does what the header says, with a search through all pages wherever that is shortest.
class NaiveMatt {
 public:
  explicit NaiveMatt(const MattConfig& config) : config_(config) {}

  void track(std::uint32_t page, bool tracked) {
    pages_.erase(page);
    buffer_.remove_if([&](const Held& held) { return held.page == page; });
    std::erase(queue_, page);
    if (tracked) pages_[page] = {};
  }
  void mark(std::uint32_t page) {
    if (!pages_.contains(page) || peek(page) != Answer::ready) return;
    write_back(page);
    merge({page, ~std::uint64_t{0}, 64});
  }
  Answer write(std::uint32_t page, std::uint64_t lines) {
    if (!pages_.contains(page)) return Answer::ready;
    if (peek(page) != Answer::ready) {
      Page& blocked = pages_[page];
      if (!blocked.priority && !blocked.locked && queue_.size() < Matt::priority_queue)
        queue_.push_back(page);
      blocked.priority = true;
      return Answer::not_ready;
    }
    Held held{page, 0, 0};
    if (const auto found = find(page); found != buffer_.end()) {
      held = *found;
      buffer_.erase(found);
    } else if (buffer_.size() == config_.buffer_entries) {
      merge(buffer_.back());
      buffer_.pop_back();
    }
    held.lines |= lines;
    held.writes = std::min(held.writes + std::popcount(lines), 255);
    buffer_.push_front(held);
    return Answer::ready;
  }
  Answer peek(std::uint32_t page) {
    return pages_.contains(page) && (is_pending(page) || pages_[page].locked) ? Answer::not_ready
                                                                              : Answer::ready;
  }
  void begin_phase() {
    while (!buffer_.empty()) write_back(buffer_.front().page);
    ++phase_;
  }
  std::uint32_t pending() const {
    return static_cast<std::uint32_t>(std::ranges::count_if(pages_, [this](const auto& entry) {
      const Page& page = entry.second;
      return page.locked ? page.copied_phase < phase_ : page.lines != 0 && page.phase < phase_;
    }));
  }
  bool has_candidates() {
    return std::ranges::any_of(pages_, [this](const auto& entry) { return is_candidate(entry.first); });
  }
  std::optional<Choice> next(bool candidates_too) {
    if (!queue_.empty()) {
      const std::uint32_t page = queue_.front();
      queue_.erase(queue_.begin());
      return lock(page, Reason::priority);
    }
    if (const auto page = first(after_pending_, [this](std::uint32_t p) { return is_pending(p); })) {
      after_pending_ = *page + 1;
      return lock(*page, Reason::pending);
    }
    if (!candidates_too) return std::nullopt;
    if (const auto page = first(after_candidate_, [this](std::uint32_t p) { return is_candidate(p); })) {
      after_candidate_ = *page + 1;
      return lock(*page, Reason::candidate);
    }
    return std::nullopt;
  }
  std::optional<Choice> take(std::uint32_t page) {
    if (!is_pending(page)) return std::nullopt;
    std::erase(queue_, page);
    return lock(page, Reason::pending);
  }
  bool copied(std::uint32_t page) {
    if (!pages_.contains(page) || !pages_[page].locked) return false;
    pages_[page].locked = false;
    return std::exchange(pages_[page].priority, false);
  }
  Matt::Entry entry(std::uint32_t page) {
    if (!pages_.contains(page)) return {};
    const Page& p = pages_[page];
    return {p.lines, tag(p.phase), static_cast<std::uint8_t>(p.writes), p.priority, p.lines != 0, true};
  }
  bool is_buffered(std::uint32_t page) { return find(page) != buffer_.end(); }
  void reset() { *this = NaiveMatt(config_); }

 private:
  struct Page {
    std::uint64_t lines = 0, phase = 0, copied_phase = 0;
    int writes = 0;
    bool priority = false, locked = false;
  };
  struct Held {
    std::uint32_t page;
    std::uint64_t lines;
    int writes;
  };

  std::uint32_t tag(std::uint64_t phase) const {
    return static_cast<std::uint32_t>(phase % (std::uint64_t{1} << config_.phase_bits));
  }
  std::list<Held>::iterator find(std::uint32_t page) { return std::ranges::find(buffer_, page, &Held::page); }
  bool is_pending(std::uint32_t page) {
    if (!pages_.contains(page)) return false;
    const Page& p = pages_[page];
    return !p.locked && p.lines != 0 && p.phase < phase_;
  }
  bool is_candidate(std::uint32_t page) {
    const Page& p = pages_[page];
    return !p.locked && p.lines != 0 && p.phase == phase_ &&
           p.writes >= static_cast<int>(config_.early_writes) && !is_buffered(page);
  }
  template <class Condition>
  std::optional<std::uint32_t> first(std::uint32_t from, Condition&& condition) {
    for (auto at = pages_.lower_bound(from); at != pages_.end(); ++at)
      if (condition(at->first)) return at->first;
    for (const auto& [page, entry] : pages_)
      if (condition(page)) return page;
    return std::nullopt;
  }
  void write_back(std::uint32_t page) {
    if (const auto found = find(page); found != buffer_.end()) {
      merge(*found);
      buffer_.erase(found);
    }
  }
  void merge(const Held& held) {
    Page& p = pages_[held.page];
    if (tag(p.phase) != tag(phase_)) p.writes = 0;
    p.phase = phase_;
    p.lines |= held.lines;
    p.writes = std::min(p.writes + held.writes, 255);
  }
  Choice lock(std::uint32_t page, Reason reason) {
    Page& p = pages_[page];
    p.locked = true;
    p.copied_phase = p.phase;
    return {page, std::exchange(p.lines, 0), tag(p.phase), reason};
  }

  MattConfig config_;
  std::uint64_t phase_ = 0;
  std::map<std::uint32_t, Page> pages_;  // tracked
  std::list<Held> buffer_;               // the newest first
  std::vector<std::uint32_t> queue_;
  std::uint32_t after_pending_ = 0, after_candidate_ = 0;
};

struct Case {
  std::uint32_t pages;
  MattConfig config;
  unsigned reset_one_in;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.pages << " pages"; }

class Pair {
 public:
  Pair(const Case& c, std::uint64_t seed)
      : case_(c), random_(seed), table_(c.config, c.pages), naive_(c.config) {}

  void step() {
    // Some pages are used more than others, so that the buffer hits.
    page_ = static_cast<std::uint32_t>(random_.below(2) ? random_.below(case_.pages)
                                                        : random_.below(std::min(case_.pages, 80u)));
    const std::uint64_t choice = random_.below(1000);
    if (choice < 700) {
      write();
    } else if (choice < 770) {
      const bool tracked = random_.below(8) != 0;
      table_.track(page_, tracked);
      naive_.track(page_, tracked);
    } else if (choice < 780) {
      table_.mark(page_);
      naive_.mark(page_);
    } else if (choice < 900) {
      const bool candidates_too = random_.below(2) != 0;
      const auto chosen = table_.next(candidates_too);
      ASSERT_EQ(chosen, naive_.next(candidates_too));
      if (chosen) locked_.push_back(chosen->page);
    } else if (choice < 920) {
      const auto chosen = table_.take(page_);
      ASSERT_EQ(chosen, naive_.take(page_));
      if (chosen) locked_.push_back(chosen->page);
    } else if (choice < 990) {
      copy();
    } else if (choice < 998) {
      table_.begin_phase();
      naive_.begin_phase();
    } else if (random_.below(case_.reset_one_in) == 0) {
      table_.reset(Reset::warm);
      naive_.reset();
    }
    compare();
  }
  void compare_all() {
    for (page_ = 0; page_ < case_.pages; ++page_) compare();
  }

 private:
  void write() {
    const std::uint64_t lines =
        random_.below(10) ? std::uint64_t{1} << random_.below(64) : random_.next() | 1;
    ASSERT_EQ(table_.write(page_, lines), naive_.write(page_, lines)) << "page " << page_;
  }
  void copy() {  // sometimes of a page that is not locked
    if (!locked_.empty() && random_.below(20)) {
      const std::size_t at = random_.below(locked_.size());
      page_ = locked_[at];
      locked_[at] = locked_.back();
      locked_.pop_back();
    }
    ASSERT_EQ(table_.copied(page_), naive_.copied(page_));
  }
  void compare() {
    ASSERT_EQ(table_.peek(page_), naive_.peek(page_));
    ASSERT_EQ(table_.entry(page_), naive_.entry(page_)) << "page " << page_;
    ASSERT_EQ(table_.is_buffered(page_), naive_.is_buffered(page_));
    ASSERT_EQ(table_.pending(), naive_.pending());
    ASSERT_EQ(table_.has_candidates(), naive_.has_candidates());
  }

  Case case_;
  Random random_;
  Matt table_;
  NaiveMatt naive_;
  std::uint32_t page_ = 0;
  std::vector<std::uint32_t> locked_;
};

class MattRandomTest : public testing::TestWithParam<Case> {};

TEST_P(MattRandomTest, DoesAsANaiveTable) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Pair pair(GetParam(), seed);
    for (unsigned i = 0; i < 10'000 && !HasFatalFailure(); ++i) pair.step();
    pair.compare_all();
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Matt, MattRandomTest,
                         testing::Values(Case{1, {.buffer_entries = 1, .early_writes = 1}, 3},
                                         Case{
                                             3, {.phase_bits = 2, .buffer_entries = 2, .early_writes = 3}, 5},
                                         Case{65, {.buffer_entries = 3, .early_writes = 2}, 20},
                                         Case{200, {.phase_bits = 2, .buffer_entries = 16}, 20},
                                         Case{300, {.buffer_entries = 1, .early_writes = 1}, 20},
                                         Case{5000, {.early_writes = 4}, 100}),
                         ParameterName());

// ---- the set of pages ----

TEST(PageSet, FindsTheFirstAtOrAfterAPageAround) {
  PageSet set(300'000);
  EXPECT_EQ(set.first_around(0), std::nullopt);
  for (const std::uint32_t page : {5u, 63u, 64u, 4095u, 4096u, 262'144u, 299'999u}) set.insert(page);
  EXPECT_EQ(set.first_around(0), 5u);
  EXPECT_EQ(set.first_around(6), 63u);
  EXPECT_EQ(set.first_around(65), 4095u);
  EXPECT_EQ(set.first_around(4097), 262'144u);
  EXPECT_EQ(set.first_around(262'145), 299'999u);
  EXPECT_EQ(set.first_around(300'000), 5u);
  EXPECT_EQ(set.count(), 7u);
}

TEST(PageSet, WhatWasTakenOutIsNotFound) {
  PageSet set(10'000);
  set.insert(100);
  set.insert(9'000);
  set.erase(100);
  set.erase(101);
  EXPECT_EQ(set.first_around(0), 9'000u);
  EXPECT_EQ(set.count(), 1u);
  set.clear();
  EXPECT_EQ(set.first_around(0), std::nullopt);
}

TEST(PageSet, SetsAreAddedAndRemoved) {
  PageSet one(5'000), other(5'000);
  for (const std::uint32_t page : {1u, 70u, 4'999u}) one.insert(page);
  for (const std::uint32_t page : {70u, 200u}) other.insert(page);
  one.add(other);
  EXPECT_EQ(one.count(), 4u);
  EXPECT_EQ(one.first_around(71), 200u);
  one.remove(other);
  EXPECT_EQ(one.count(), 2u);
  EXPECT_EQ(one.first_around(2), 4'999u);
}

}  // namespace
}  // namespace asterism
