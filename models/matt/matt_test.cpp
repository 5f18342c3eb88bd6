#include "matt/matt.h"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>

#include "base/random.h"
#include "matt/matt_hook.h"

namespace asterism {
namespace {

using Answer = Matt::Answer;
using Reason = Matt::Reason;
using Choice = Matt::Choice;

constexpr std::uint64_t all_lines = ~std::uint64_t{0};

struct Table : Matt {
  explicit Table(std::uint32_t pages = 100, MattConfig config = {}) : Matt(config, pages) {
    for (std::uint32_t page = 0; page < pages; ++page) track(page, true);
  }
  void make_pending(std::initializer_list<std::uint32_t> numbers) {
    for (const std::uint32_t page : numbers) write(page, 1);
    begin_phase();
  }
  void write_times(std::uint32_t page, unsigned times) {
    for (unsigned i = 0; i < times; ++i) write(page, 1);
  }
  std::vector<std::uint32_t> choose_all(bool candidates_too = false) {
    std::vector<std::uint32_t> chosen;
    while (const auto choice = next(candidates_too)) chosen.push_back(choice->page);
    return chosen;
  }
};
using Pages = std::vector<std::uint32_t>;

// ---- the entry ----

TEST(Matt, AnEntryOf13BitsOfPhaseIs11Bytes) {
  EXPECT_EQ(Matt({}, 1).size(), Bytes(11));
  EXPECT_EQ(Matt({}, 4 << 20).size(), 44_MiB);  // a DIMM of 16 GB, section 5.3.4
  EXPECT_EQ(Matt({.phase_bits = 2}, 1000).size(), Bytes(10'000));
  EXPECT_EQ(Matt({.phase_bits = 16}, 1000).size(), Bytes(12'000));
}

TEST(Matt, ATrackedPageIsClean) {
  Table table;
  EXPECT_EQ(table.entry(3), (Matt::Entry{.valid = true}));
  EXPECT_EQ(table.peek(3), Answer::ready);
}

TEST(Matt, APageThatIsNotTrackedIsReadyAndLeavesNoTrace) {
  Matt table({}, 10);
  EXPECT_EQ(table.write(3, all_lines), Answer::ready);
  EXPECT_FALSE(table.is_buffered(3));
  table.begin_phase();
  EXPECT_EQ(table.entry(3), Matt::Entry{});
  EXPECT_EQ(table.pending(), 0u);
}

TEST(Matt, TheEntryHoldsWhatLeftTheBuffer) {
  Table table;
  table.begin_phase();
  table.write(3, 0b1001);
  table.write(3, 0b1000);
  EXPECT_EQ(table.entry(3), (Matt::Entry{.valid = true}));
  table.begin_phase();
  EXPECT_EQ(table.entry(3),
            (Matt::Entry{.lines = 0b1001, .phase = 1, .writes = 3, .modified = true, .valid = true}));
}

TEST(Matt, RequestsStopBeingCountedAt255) {
  Table table;
  for (int i = 0; i < 4; ++i) table.write(3, all_lines);
  table.begin_phase();
  EXPECT_EQ(table.entry(3).writes, 255);
}

TEST(Matt, ThePhaseOfAnEntryIsModulo) {
  Table table(10, {.phase_bits = 2});
  for (int i = 0; i < 6; ++i) table.begin_phase();
  table.write(3, 1);
  table.begin_phase();
  EXPECT_EQ(table.entry(3).phase, 2u);
  EXPECT_EQ(table.phase(), 7u);
}

// ---- the bitmap buffer ----

TEST(Matt, AWriteBringsItsPageIntoTheBuffer) {
  Table table;
  table.write(3, 1);
  EXPECT_TRUE(table.is_buffered(3));
  EXPECT_FALSE(table.is_buffered(4));
}

TEST(Matt, TheLeastRecentlyWrittenPageLeavesTheBuffer) {
  Table table(100, {.buffer_entries = 3});
  for (const std::uint32_t page : {5, 6, 7, 5, 8}) table.write(page, 1);
  EXPECT_FALSE(table.is_buffered(6));
  EXPECT_EQ(table.entry(6).lines, 1u);
  for (const std::uint32_t page : {5, 7, 8}) EXPECT_TRUE(table.is_buffered(page));
}

TEST(Matt, ABufferOfOnePageHoldsTheLast) {
  Table table(100, {.buffer_entries = 1});
  for (const std::uint32_t page : {5, 6, 6, 5}) table.write(page, 2);
  EXPECT_EQ(table.entry(5).lines, 2u);
  EXPECT_EQ(table.entry(6).writes, 2);
  EXPECT_TRUE(table.is_buffered(5));
}

TEST(Matt, LinesAndRequestsOfAPageJoinThoseOfItsPhase) {
  Table table(100, {.buffer_entries = 1});
  table.write(5, 0b01);
  table.write(6, 1);
  table.write(5, 0b10);
  table.write(6, 1);
  EXPECT_EQ(table.entry(5), (Matt::Entry{.lines = 0b11, .writes = 2, .modified = true, .valid = true}));
}

TEST(Matt, RequestsOfAnotherPhaseAreDropped) {
  Table table(100, {.buffer_entries = 1});
  table.write_times(5, 7);
  table.begin_phase();
  table.take(5);
  table.copied(5);
  table.write(5, 0b10);
  table.begin_phase();
  EXPECT_EQ(table.entry(5).writes, 1);
  EXPECT_EQ(table.entry(5).lines, 0b10u);
}

TEST(Matt, APageThatEndsToBeTrackedFreesItsEntryOfTheBuffer) {
  Table table(100, {.buffer_entries = 2});
  table.write(5, 1);
  table.write(6, 1);
  table.track(6, false);
  EXPECT_FALSE(table.is_buffered(6));
  table.write(7, 1);
  EXPECT_TRUE(table.is_buffered(5));  // page 5 is older than 6, but the free entry is used first
  EXPECT_EQ(table.entry(6), Matt::Entry{});
}

// ---- pending pages, locked pages, pages with waiting writes ----

TEST(Matt, WhatAPhaseModifiedIsPendingFromItsEnd) {
  Table table;
  table.write(3, 1);
  EXPECT_EQ(table.pending(), 0u);
  table.begin_phase();
  EXPECT_EQ(table.pending(), 1u);
  EXPECT_EQ(table.peek(3), Answer::not_ready);
}

TEST(Matt, AWriteToAPendingPageNotesNothingButThePriority) {
  Table table;
  table.make_pending({3});
  EXPECT_EQ(table.write(3, 0b10), Answer::not_ready);
  EXPECT_FALSE(table.is_buffered(3));
  EXPECT_EQ(table.entry(3),
            (Matt::Entry{.lines = 1, .writes = 1, .priority = true, .modified = true, .valid = true}));
}

TEST(Matt, PeekNotesNothing) {
  Table table;
  table.make_pending({3});
  EXPECT_EQ(table.peek(3), Answer::not_ready);
  EXPECT_FALSE(table.entry(3).priority);
}

TEST(Matt, AChosenPageIsLockedUntilItWasCopied) {
  Table table;
  table.make_pending({3});
  EXPECT_EQ(table.next(false), (Choice{3, 1, 0, Reason::pending}));
  EXPECT_EQ(table.entry(3).lines, 0u);
  EXPECT_EQ(table.pending(), 1u);
  EXPECT_EQ(table.peek(3), Answer::not_ready);
  EXPECT_FALSE(table.next(false));

  EXPECT_FALSE(table.copied(3));
  EXPECT_EQ(table.pending(), 0u);
  EXPECT_EQ(table.write(3, 1), Answer::ready);
}

TEST(Matt, CopiedSaysThatAWriteHasWaited) {
  Table table;
  table.make_pending({3});
  table.next(false);
  table.write(3, 1);
  EXPECT_TRUE(table.copied(3));
  EXPECT_FALSE(table.entry(3).priority);
}

TEST(Matt, CopiedOfAPageThatIsNotLockedDoesNothing) {
  Table table;
  table.make_pending({3});
  table.write(3, 1);
  EXPECT_FALSE(table.copied(3));
  EXPECT_EQ(table.peek(3), Answer::not_ready);
  EXPECT_TRUE(table.entry(3).priority);
}

TEST(Matt, APageStaysPendingOverPhases) {
  Table table;
  table.make_pending({3});
  table.make_pending({4});
  EXPECT_EQ(table.pending(), 2u);
  EXPECT_EQ(table.next(false)->phase, 0u);
  EXPECT_EQ(table.next(false)->phase, 1u);
}

TEST(Matt, TrackingAnewMakesAPendingPageClean) {
  Table table;
  table.make_pending({3});
  table.write(3, 1);
  table.track(3, true);
  EXPECT_EQ(table.entry(3), (Matt::Entry{.valid = true}));
  EXPECT_EQ(table.pending(), 0u);
  EXPECT_FALSE(table.next(true));
}

TEST(Matt, TrackingALockedPageAnewUnlocksIt) {
  Table table;
  table.make_pending({3});
  table.next(false);
  table.track(3, true);
  EXPECT_EQ(table.pending(), 0u);
  EXPECT_EQ(table.peek(3), Answer::ready);
  EXPECT_FALSE(table.copied(3));
}

TEST(Matt, AMarkedPageCountsAsModifiedAsAWhole) {
  Table table;
  table.write(3, 1);
  table.mark(3);
  EXPECT_FALSE(table.is_buffered(3));
  EXPECT_EQ(table.entry(3), (Matt::Entry{.lines = all_lines, .writes = 65, .modified = true, .valid = true}));
  EXPECT_TRUE(table.has_candidates());
}

TEST(Matt, PagesThatAreUntrackedPendingOrLockedAreNotMarked) {
  Table table;
  table.track(1, false);
  table.make_pending({2, 3});
  table.take(3);
  for (const std::uint32_t page : {1, 2, 3}) table.mark(page);
  EXPECT_EQ(table.entry(1).lines, 0u);
  EXPECT_EQ(table.entry(2).lines, 1u);
  EXPECT_EQ(table.entry(3).lines, 0u);
}

// ---- candidates ----

TEST(Matt, APageWrittenOftenEnoughIsACandidateOnceItLeftTheBuffer) {
  Table table(100, {.buffer_entries = 1, .early_writes = 3});
  table.write_times(3, 3);
  EXPECT_FALSE(table.has_candidates());
  table.write_times(4, 2);
  EXPECT_TRUE(table.has_candidates());
  table.write(5, 1);  // this evicts page 4 with two requests
  EXPECT_EQ(table.choose_all(true), Pages{3});
}

TEST(Matt, ACandidateThatIsWrittenToIsNoneWhileInTheBuffer) {
  Table table(100, {.buffer_entries = 1, .early_writes = 3});
  table.write_times(3, 3);
  table.write(4, 1);
  table.write(3, 1);
  EXPECT_FALSE(table.has_candidates());
  table.write(4, 1);
  EXPECT_TRUE(table.has_candidates());
}

TEST(Matt, CandidatesAreChosenWhenAskedFor) {
  Table table(100, {.buffer_entries = 1, .early_writes = 1});
  table.write(3, 0b100);
  table.write(4, 1);
  EXPECT_FALSE(table.next(false));
  EXPECT_EQ(table.next(true), (Choice{3, 0b100, 0, Reason::candidate}));
  EXPECT_EQ(table.pending(), 0u);
  EXPECT_EQ(table.write(3, 1), Answer::not_ready);
  EXPECT_FALSE(table.next(true));  // its copy is in progress
  EXPECT_TRUE(table.copied(3));
}

TEST(Matt, AnEarlyCopyUnderWayIsPendingWhenItsPhaseEnds) {
  Table table(100, {.buffer_entries = 1, .early_writes = 1});
  table.write(3, 1);
  table.write(4, 1);
  table.next(true);
  table.begin_phase();
  EXPECT_EQ(table.pending(), 2u);
  table.copied(3);
  EXPECT_EQ(table.pending(), 1u);
}

TEST(Matt, ThePageOfAnEarlyCopyIsACandidateAgainAtItsNextLine) {
  Table table(100, {.buffer_entries = 1, .early_writes = 3});
  table.write_times(3, 3);
  table.write(4, 1);
  table.next(true);
  table.copied(3);
  EXPECT_FALSE(table.has_candidates());
  table.write(3, 0b10);
  table.write(4, 1);
  EXPECT_EQ(table.next(true), (Choice{3, 0b10, 0, Reason::candidate}));
  EXPECT_EQ(table.entry(3).writes, 4);
}

TEST(Matt, CandidatesThatAPhaseLeavesArePending) {
  Table table(100, {.buffer_entries = 1, .early_writes = 1});
  table.write(3, 1);
  table.begin_phase();
  EXPECT_FALSE(table.has_candidates());
  EXPECT_EQ(table.next(true)->reason, Reason::pending);
}

// ---- the order of choices ----

TEST(Matt, PagesWithAWaitingWriteComeFirstInTheOrderOfTheirRequests) {
  Table table;
  table.make_pending({1, 2, 3, 4});
  for (const std::uint32_t page : {3, 2, 3}) table.write(page, 1);
  EXPECT_EQ(table.next(false)->reason, Reason::priority);
  EXPECT_EQ(table.choose_all(), (Pages{2, 1, 4}));
}

TEST(Matt, PendingPagesComeBeforeCandidates) {
  Table table(100, {.buffer_entries = 1, .early_writes = 1});
  table.make_pending({50});
  table.write(3, 1);
  table.write(4, 1);
  EXPECT_EQ(table.choose_all(true), (Pages{50, 3}));
}

TEST(Matt, ChoicesGoAround) {
  Table table;
  table.make_pending({10, 20, 30});
  EXPECT_EQ(table.next(false)->page, 10u);
  EXPECT_EQ(table.next(false)->page, 20u);
  table.copied(10);
  table.make_pending({10});
  EXPECT_EQ(table.choose_all(), (Pages{30, 10}));
}

TEST(Matt, ThePositionOfAClassIsMovedByItsOwnChoicesOnly) {
  Table table(100, {.buffer_entries = 1, .early_writes = 1});
  table.make_pending({10, 20, 30, 90});
  EXPECT_EQ(table.next(true)->page, 10u);
  table.write(90, 1);
  EXPECT_EQ(table.next(true)->page, 90u);
  for (const std::uint32_t page : {60, 61}) table.write(page, 1);
  EXPECT_EQ(table.choose_all(true), (Pages{20, 30, 60}));
}

TEST(Matt, TheQueueOfWaitingPagesHolds64) {
  Table table(200);
  for (std::uint32_t page = 0; page < 200; ++page) table.write(page, 1);
  table.begin_phase();
  for (std::uint32_t page = 199; page >= 130; --page) table.write(page, 1);
  for (std::uint32_t page = 199; page > 199 - 64; --page)
    EXPECT_EQ(table.next(false), (Choice{page, 1, 0, Reason::priority}));
  EXPECT_EQ(table.next(false), (Choice{0, 1, 0, Reason::pending}));
  EXPECT_TRUE(table.entry(133).priority);  // the queue was full when it was written
  for (std::uint32_t page = 1; page < 130; ++page) table.next(false);
  EXPECT_EQ(table.next(false), (Choice{130, 1, 0, Reason::pending}));
  EXPECT_TRUE(table.copied(130));
}

TEST(Matt, ALockedPageThatIsWaitedForIsNotChosenAgain) {
  Table table;
  table.make_pending({3, 4});
  table.next(false);
  table.write(3, 1);
  EXPECT_EQ(table.choose_all(), Pages{4});
}

TEST(Matt, TakeChoosesThePageThatTheCallerNames) {
  Table table;
  table.make_pending({3, 4, 5});
  EXPECT_EQ(table.take(4), (Choice{4, 1, 0, Reason::pending}));
  EXPECT_EQ(table.choose_all(), (Pages{3, 5}));
}

TEST(Matt, TakeTakesAPageOutOfTheQueue) {
  Table table;
  table.make_pending({3, 4});
  table.write(4, 1);
  EXPECT_EQ(table.take(4), (Choice{4, 1, 0, Reason::pending}));
  EXPECT_EQ(table.choose_all(), Pages{3});
  EXPECT_TRUE(table.copied(4));
}

TEST(Matt, TakeGivesNothingOfAPageThatIsNotPendingOrIsLocked) {
  Table table;
  table.make_pending({3});
  EXPECT_FALSE(table.take(4));
  table.next(false);
  EXPECT_FALSE(table.take(3));
}

// ---- reset, statistics, the hook ----

TEST(Matt, EveryResetEmptiesTableAndBuffer) {
  for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
    Table table;
    table.make_pending({3, 4, 5});
    table.next(false);
    table.write(4, 1);
    table.write(6, 1);
    table.reset(kind);
    EXPECT_EQ(table.phase(), 0u);
    EXPECT_EQ(table.pending(), 0u);
    EXPECT_FALSE(table.is_buffered(6));
    EXPECT_FALSE(table.next(true));
    for (std::uint32_t page = 0; page < 10; ++page) EXPECT_EQ(table.entry(page), Matt::Entry{});
    table.track(1, true);
    table.track(9, true);
    table.make_pending({9, 1});
    EXPECT_EQ(table.choose_all(), (Pages{1, 9}));
  }
}

std::map<std::string, std::uint64_t> counts(const Statistics& statistics, const std::string& prefix = "") {
  std::map<std::string, std::uint64_t> all;
  for (const auto& [name, value] : statistics.entries())
    if (const auto* number = std::get_if<std::uint64_t>(&value))
      all[prefix + name] = *number;
    else if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value))
      all.merge(counts(**group, prefix + name + "."));
  return all;
}

TEST(Matt, CountsWhatItDid) {
  Table table(100, {.buffer_entries = 2, .early_writes = 2});
  table.write(1, 0b111);
  table.write(1, 1);
  table.write(2, 1);
  table.write(3, 1);  // this evicts page 1
  table.next(true);
  table.mark(4);
  table.begin_phase();  // this evicts pages 2 and 3
  table.write(3, 0b11);
  table.next(true);
  Statistics statistics;
  table.report(statistics);
  auto count = counts(statistics);
  EXPECT_EQ(count["requests"], 8u);
  EXPECT_EQ(count["lookups"], 4u);
  EXPECT_EQ(count["writebacks"], 3u);
  EXPECT_EQ(count["not_ready"], 1u);
  EXPECT_EQ(count["marked_pages"], 1u);
  EXPECT_EQ(count["choices.candidate"], 1u);
  EXPECT_EQ(count["chosen_lines.candidate"], 3u);
  EXPECT_EQ(count["choices.priority"], 1u);
  EXPECT_EQ(count["choices.pending"], 0u);
}

// A hook that contradicts the model in every answer.
struct Contrary : MattHook {
  std::string operations;

  void track(std::uint32_t, bool, Matt::Work& work) override { record("track", work); }
  void mark(std::uint32_t, Matt::Work& work) override { record("mark", work); }
  void write(std::uint32_t, std::uint64_t, Answer& answer, Matt::Work& work) override {
    EXPECT_EQ(answer, Answer::ready);
    answer = Answer::not_ready;
    record("write", work);
  }
  void peek(std::uint32_t, Answer& answer) override { answer = Answer::not_ready; }
  void begin_phase(Matt::Work& work) override { record("phase", work); }
  void next(bool, std::optional<Choice>& choice, Matt::Work& work) override {
    EXPECT_EQ(choice, (Choice{3, 1, 0, Reason::pending}));
    choice = Choice{7, 2, 1, Reason::candidate};
    record("next", work);
  }
  void take(std::uint32_t, std::optional<Choice>& choice, Matt::Work& work) override {
    EXPECT_FALSE(choice);
    choice = Choice{8, 2, 1, Reason::pending};
    record("take", work);
  }
  void copied(std::uint32_t, bool& waited, Matt::Work& work) override {
    EXPECT_FALSE(waited);
    waited = true;
    record("copied", work);
  }
  void reset(Reset) override { operations += "reset "; }
  void record(const std::string& operation, Matt::Work& work) {
    operations += operation + " ";
    work = {77, true};
  }
};

TEST(Matt, TheAnswersOfTheHookAreTheAnswersOfTheTable) {
  Table table;
  Contrary contrary;
  table.attach_hook(&contrary);
  EXPECT_EQ(table.write(3, 1), Answer::not_ready);
  EXPECT_EQ(table.peek(3), Answer::not_ready);
  table.begin_phase();
  EXPECT_EQ(table.next(false)->page, 7u);
  EXPECT_EQ(table.take(3)->page, 8u);
  EXPECT_TRUE(table.copied(3));
  EXPECT_EQ(table.pending(), 77u);
  EXPECT_TRUE(table.has_candidates());
  table.track(9, true);
  table.mark(9);
  table.reset(Reset::warm);
  EXPECT_EQ(contrary.operations, "write phase next take copied track mark reset ");

  table.attach_hook(nullptr);
  EXPECT_EQ(table.pending(), 0u);
  EXPECT_EQ(table.peek(3), Answer::ready);
}

}  // namespace
}  // namespace asterism
