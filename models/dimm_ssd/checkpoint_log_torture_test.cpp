// Takes random checkpoints on flash that is nearly full, and lets the power fail at random events. After
// every recovery the directory must be what it was at the last commit that was reported, or at a later one
// that was in progress, and the image of every version must be what was written, line by line.
//
// ASTERISM_TORTURE_SEED=n runs one trial, ASTERISM_TORTURE_TRIALS=n runs another number of trials.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <set>

#include "base/random.h"
#include "dimm_ssd/checkpoint_log_rig.h"

namespace asterism {
namespace {

using Handle = CheckpointLog::Handle;
constexpr std::uint32_t lines_per_page = LogRig::lines_per_page;

// What a checkpoint that was opened must hold.
struct Written {
  std::string name;
  std::uint64_t version = 0;
  LogRig::Image image;                           // at the end of its interval
  std::map<std::uint32_t, std::uint64_t> dirty;  // lines by page that are not in the log yet
  bool has_ended = false, is_closed = false;
};
using Visible = std::vector<Handle>;  // a name's checkpoints in the order of their commits

// The program of one name, which writes in intervals.
struct Program {
  LogRig::Image memory;
  std::vector<Handle> open;             // oldest first; the last one belongs to the current interval
  std::vector<Handle> maybe_committed;  // abandoned, but their root may have been in progress
  std::deque<Handle> discards;
  Visible visible;  // as reported
  std::uint64_t version = 0;
  bool is_last_committed = false;
};

enum class Flash { keeps_pages, loses_pages };

struct Torture {
  Random random;
  bool has_losses;
  std::uint32_t versions;
  LogRig rig;
  std::map<Handle, Written> written;
  std::map<std::string, Program> programs;
  std::deque<std::string> discard_order;
  std::uint64_t last_sequence = 0;
  std::uint32_t value = 0;
  std::size_t commits_seen = 0, power_failures = 0;

  Torture(std::uint64_t seed, Flash flash)
      : random(seed),
        has_losses(flash == Flash::loses_pages),
        versions(1 + below(3)),
        rig(geometry(), config()) {
    rig.memory_pages = 2 + below(4);
    for (unsigned i = 0; i < 1 + below(2); ++i) programs[i == 0 ? "a" : "b"];
    finish_recovery();
  }

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random.below(bound)); }
  FlashGeometry geometry() { return LogRig::small(1 + below(3), 10 + below(6), 4 + below(5)); }
  CheckpointLogConfig config() {
    CheckpointLogConfig config = LogRig::fine_lines();
    config.versions = versions;
    config.merge_below = below(2) == 0 ? below(1000) : 250;
    config.translation.over_provisioning = 100 + below(200);
    return config;
  }

  // ---- the programs ----
  void begin(Program& program, const std::string& name, bool full) {
    const Handle handle = rig.log->open(name, rig.memory_pages, full);
    written[handle].name = name;
    program.open.push_back(handle);
    if (!full) return;
    for (std::uint32_t page = 0; page < rig.memory_pages; ++page) written[handle].dirty[page] = ~0ull;
  }
  void start_again(Program& program, const std::string& name) {
    program.open.clear();
    program.memory.resize(rig.memory_pages * lines_per_page);
    for (std::uint32_t& line : program.memory) line = ++value;
    begin(program, name, true);
  }
  void modify(Program& program) {
    Written& current = written[program.open.back()];
    const std::uint32_t page = below(rig.memory_pages);
    const std::uint64_t lines = below(3) == 0 ? ~0ull : random.next() & random.next() & random.next();
    for (std::uint32_t line = 0; line < lines_per_page; ++line)
      if (lines >> line & 1) program.memory[page * lines_per_page + line] = ++value;
    if (lines != 0) current.dirty[page] |= lines;
  }
  void end_interval(Program& program, const std::string& name) {
    if (program.open.size() > 3) return;
    Written& current = written[program.open.back()];
    current.has_ended = true;
    current.image = program.memory;
    // A number is used again only if it shows which of the two was committed.
    const bool is_repeated = program.open.size() == 1 && program.is_last_committed && below(5) == 0;
    if (!is_repeated) ++program.version;
    program.is_last_committed = false;
    current.version = program.version;
    begin(program, name, below(5) == 0);
  }
  void close_copied() {
    for (auto& [name, program] : programs)
      for (const Handle handle : std::vector(program.open)) {
        Written& w = written[handle];
        if (!w.has_ended || w.is_closed || !w.dirty.empty()) continue;
        w.is_closed = true;
        rig.log->close(rig.now, handle, w.version);
      }
  }
  // Fills one data page with random dirty pages.
  void copy() {
    std::vector<std::pair<Handle, std::uint32_t>> pages;
    for (const auto& [name, program] : programs)
      for (const Handle handle : program.open)
        for (const auto& [page, lines] : written[handle].dirty) pages.emplace_back(handle, page);
    std::vector<CheckpointLog::Entry> entries;
    std::vector<std::byte> data;
    for (unsigned tries = 0; tries < 6 && !pages.empty(); ++tries) {
      const auto chosen = pages.begin() + below(static_cast<std::uint32_t>(pages.size()));
      const auto [handle, page] = *chosen;
      pages.erase(chosen);
      Written& w = written[handle];
      const std::uint64_t lines = w.dirty[page];
      const auto bytes = static_cast<std::size_t>(std::popcount(lines)) * LogRig::line_bytes;
      if (data.size() + bytes > rig.log->page_size().count()) continue;
      w.dirty.erase(page);
      const LogRig::Image& image = w.has_ended ? w.image : programs[w.name].memory;
      for (std::uint32_t line = 0; line < lines_per_page; ++line) {
        if ((lines >> line & 1) == 0) continue;
        const auto bytes_of = std::as_bytes(std::span(&image[page * lines_per_page + line], 1));
        data.insert(data.end(), bytes_of.begin(), bytes_of.end());
      }
      entries.push_back({handle, page, lines});
    }
    if (!entries.empty()) rig.log->write(rig.now, entries, std::move(data), 0);
    close_copied();
  }
  void abandon(Program& program, const std::string& name) {
    const std::size_t first = below(static_cast<std::uint32_t>(program.open.size()));
    const Handle handle = program.open[first];
    abandon(program, handle);
    rig.log->abandon(rig.now, handle);
    if (program.open.empty() || written[program.open.back()].has_ended) begin(program, name, true);
    restart_dirty(program);
  }
  // A program whose last interval was abandoned continues with all of its memory dirty.
  void restart_dirty(Program& program) {
    for (std::uint32_t page = 0; page < rig.memory_pages; ++page)
      written[program.open.back()].dirty[page] = ~0ull;
  }
  void abandon(Program& program, Handle from) {
    const auto first = std::ranges::find(program.open, from);
    std::copy_if(first, program.open.end(), std::back_inserter(program.maybe_committed),
                 [&](Handle h) { return written[h].is_closed; });
    std::ranges::sort(program.maybe_committed);
    while (program.maybe_committed.size() > 6) program.maybe_committed.erase(program.maybe_committed.begin());
    program.open.erase(first, program.open.end());
  }
  void discard(Program& program, const std::string& name) {
    if (program.visible.empty()) return;
    const Handle handle = program.visible[below(static_cast<std::uint32_t>(program.visible.size()))];
    if (std::ranges::count(program.discards, handle) != 0) return;
    ASSERT_TRUE(rig.log->discard(rig.now, name, written[handle].version));
    program.discards.push_back(handle);
    discard_order.push_back(name);
  }

  // ---- what must hold ----
  void commit(Visible& visible, Handle handle) const {
    std::erase_if(visible, [&](Handle h) { return written.at(h).version == written.at(handle).version; });
    visible.push_back(handle);
    if (visible.size() > versions) visible.erase(visible.begin());
  }
  // Applies the reports of the log since the last call, in their order: discards of a root come before its
  // commits.
  void take_reports() {
    for (; rig.discards != 0; --rig.discards) {
      Program& program = programs[discard_order.front()];
      std::erase(program.visible, program.discards.front());
      program.discards.pop_front();
      discard_order.pop_front();
    }
    std::set<std::pair<std::string, std::uint64_t>> reported;
    for (const auto& [handle, at] : rig.commits) {
      Program& program = programs[written[handle].name];
      commit(program.visible, handle);
      std::erase(program.open, handle);
      program.is_last_committed = program.open.size() == 1 && written[handle].version == program.version;
      reported.emplace(written[handle].name, written[handle].version);
    }
    rig.commits.clear();
    for (const auto& stored : rig.log->stored()) {
      if (stored.sequence <= last_sequence || !stored.visible) continue;
      if (reported.contains({stored.name, stored.version})) continue;
      std::vector<Handle>& maybe_committed = programs[stored.name].maybe_committed;
      const auto found = std::ranges::find_if(maybe_committed, [&](Handle h) {
        return written[h].is_closed && written[h].version == stored.version;
      });
      ASSERT_NE(found, maybe_committed.end());
      commit(programs[stored.name].visible, *found);
      maybe_committed.erase(maybe_committed.begin(), found + 1);
    }
    for (const auto& [handle, error] : rig.failures) {
      Program& program = programs[written[handle].name];
      if (std::ranges::count(program.open, handle) == 0) continue;
      abandon(program, handle);
      begin(program, written[handle].name, true);
      restart_dirty(program);
    }
    rig.failures.clear();
    for (const auto& stored : rig.log->stored()) last_sequence = std::max(last_sequence, stored.sequence);
  }
  // The log may drop unreadable versions without a report to make space.
  bool is_dropped(Handle handle) const {
    const Written& w = written.at(handle);
    return std::ranges::count(stored_versions(w.name), w.version) == 0;
  }
  void erase_dropped() {
    for (auto& [name, program] : programs)
      std::erase_if(program.visible, [&](Handle handle) { return is_dropped(handle); });
  }
  std::vector<std::uint64_t> stored_versions(const std::string& name) const {
    std::vector<std::uint64_t> result;
    for (const auto& stored : rig.log->stored())
      if (stored.visible && stored.name == name) result.push_back(stored.version);
    return result;
  }
  std::vector<std::uint64_t> versions_of(const Visible& visible) const {
    std::vector<std::uint64_t> result;
    for (const Handle handle : visible) result.push_back(written.at(handle).version);
    return result;
  }
  void expect_as_reported() {
    if (has_losses) erase_dropped();
    for (const auto& [name, program] : programs)
      ASSERT_EQ(stored_versions(name), versions_of(program.visible)) << name;
    const auto is_readable = [](const auto& stored) { return stored.readable || !stored.visible; };
    ASSERT_TRUE(has_losses || std::ranges::all_of(rig.log->stored(), is_readable));
  }

  // Collects every state in which a power failure may leave a name. Discards and commits in progress happen
  // each in their order. A checkpoint that was abandoned may be committed or not.
  void possible(const Program& program, const Visible& visible, std::size_t discards,
                std::span<const Handle> commits, std::vector<Visible>& states) const {
    states.push_back(visible);
    if (discards < program.discards.size()) {
      Visible without = visible;
      std::erase(without, program.discards[discards]);
      possible(program, without, discards + 1, commits, states);
    }
    if (commits.empty()) return;
    const Handle next = commits.front();
    if (written.at(next).is_closed) {
      Visible with = visible;
      commit(with, next);
      possible(program, with, discards, commits.subspan(1), states);
    }
    if (std::ranges::count(program.maybe_committed, next) != 0)
      possible(program, visible, discards, commits.subspan(1), states);
  }

  bool holds(const std::string& name, Visible visible) {
    if (has_losses) std::erase_if(visible, [&](Handle h) { return is_dropped(h); });
    if (stored_versions(name) != versions_of(visible)) return false;
    for (const Handle handle : visible) {
      const auto image = rig.restore(name, written[handle].version);
      if (has_losses && !image) continue;
      if (image != written[handle].image) return false;
    }
    return true;
  }
  void check(const std::string& name, Program& program) {
    std::vector<Visible> states;
    std::vector<Handle> commits = program.maybe_committed;
    commits.insert(commits.end(), program.open.begin(), program.open.end());
    std::ranges::sort(commits);
    possible(program, program.visible, 0, commits, states);
    for (const Visible& visible : states)
      if (holds(name, visible)) {
        program.visible = visible;
        if (has_losses) erase_dropped();
        return;
      }
    FAIL() << name << " holds versions " << testing::PrintToString(stored_versions(name))
           << " instead of the reported " << testing::PrintToString(versions_of(program.visible));
  }

  // ---- power ----
  void finish_recovery() {
    rig.recoveries = 0;
    while (rig.recoveries == 0 && rig.step()) {
    }
    ASSERT_TRUE(rig.log->ready());
    for (auto& [name, program] : programs) {
      check(name, program);
      program.maybe_committed.clear();
      program.discards.clear();
      start_again(program, name);
    }
    discard_order.clear();
    for (const auto& stored : rig.log->stored()) last_sequence = std::max(last_sequence, stored.sequence);
  }
  void fail_power() {
    ++power_failures;
    rig.commits.clear();
    rig.failures.clear();
    rig.discards = 0;
    rig.fail_power();
    rig.log->power_up(rig.now);
    for (unsigned again = below(3); again != 0; --again) {  // power failures during recovery
      rig.recoveries = 0;
      for (unsigned steps = below(40); steps != 0 && rig.recoveries == 0; --steps) rig.step();
      if (rig.recoveries != 0) break;
      ++power_failures;
      rig.fail_power();
      rig.log->power_up(rig.now);
    }
    if (rig.recoveries == 0) return finish_recovery();
    rig.fail_power();
    rig.log->power_up(rig.now);
    finish_recovery();
  }
  void lose_something() {
    const std::uint32_t page = below(rig.log->translation().pages());
    if (page < 2 || !rig.log->translation().is_mapped(page)) return;
    if (const auto place = rig.log->translation().place(page)) rig.image.add_bit_errors(*place, 100'000);
  }

  void act() {
    auto program = programs.begin();
    if (below(2) == 0 && programs.size() > 1) ++program;
    switch (const std::uint32_t what = below(100); what) {
      case 0:
        return abandon(program->second, program->first);
      case 1:
      case 2:
        return discard(program->second, program->first);
      case 3:
        if (has_losses) lose_something();
        return;
      default:
        if (what < 30) return modify(program->second);
        if (what < 42) return end_interval(program->second, program->first);
        if (what < 65) return copy();
        for (unsigned steps = 1 + below(8); steps != 0; --steps) {
          rig.step();
          take_reports();
        }
    }
  }
  void run(unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned acts = 1 + below(400); acts != 0; --acts) {
        act();
        expect_as_reported();
        if (testing::Test::HasFailure()) return;
      }
      fail_power();
      if (testing::Test::HasFailure()) return;
    }
  }
};

std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Totals {
  std::size_t power_failures = 0;
  std::uint64_t commits = 0, failures = 0, merges = 0, compactions = 0, lost_pages = 0;
};

Totals torture(std::uint64_t trials, Flash flash) {
  const std::uint64_t only = environment("ASTERISM_TORTURE_SEED", 0);
  trials = environment("ASTERISM_TORTURE_TRIALS", trials);
  Totals totals;
  for (std::uint64_t seed = only ? only : 1; seed <= (only ? only : trials); ++seed) {
    Torture trial(seed, flash);
    trial.run(8);
    totals.power_failures += trial.power_failures;
    totals.commits += trial.rig.figure("commits");
    totals.failures += trial.rig.figure("failures");
    totals.merges += trial.rig.figure("merges");
    totals.compactions += trial.rig.figure("compactions");
    totals.lost_pages += trial.rig.figure("lost_pages");
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "ASTERISM_TORTURE_SEED=" << seed;
      break;
    }
  }
  std::printf("%zu power failures, %zu commits, %zu failures, %zu merges, %zu compactions, %zu lost pages\n",
              totals.power_failures, totals.commits, totals.failures, totals.merges, totals.compactions,
              totals.lost_pages);
  return totals;
}

TEST(CheckpointLogTorture, PowerFailureAtAnyEventLeavesTheLastReportedStateOrALaterOne) {
  const Totals totals = torture(300, Flash::keeps_pages);
  if (std::getenv("ASTERISM_TORTURE_SEED") || std::getenv("ASTERISM_TORTURE_TRIALS")) return;
  EXPECT_GT(totals.power_failures, 4000u);
  EXPECT_GT(totals.merges, 1000u);
  EXPECT_GT(totals.compactions, 100u);
  EXPECT_GT(totals.failures, 100u);
}

TEST(CheckpointLogTorture, LostPagesNeverReadAsSomethingElse) {
  const Totals totals = torture(100, Flash::loses_pages);
  if (std::getenv("ASTERISM_TORTURE_SEED") || std::getenv("ASTERISM_TORTURE_TRIALS")) return;
  EXPECT_GT(totals.lost_pages, 100u);
}

}  // namespace
}  // namespace asterism
