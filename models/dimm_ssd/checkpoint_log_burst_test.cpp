// Many checkpoints are open at once on small flash. Whichever of them the log refuses, it must accept a
// further one if it accepts that one after the same checkpoints that come one after the other.
#include <bit>
#include <utility>
#include <vector>

#include "dimm_ssd/checkpoint_log_rig.h"

namespace asterism {
namespace {

enum class Burst {
  closed_at_once,   // each is written and closed before the next is opened
  closed_together,  // all are open, and written alternately
  abandoned,        // as before, but only the older half is closed, and the rest is abandoned
};

struct Case {
  Burst burst;
  std::uint32_t checkpoints;  // in the burst
  std::uint32_t blocks, pages_per_block;
  std::uint32_t versions;
  std::uint32_t memory_pages;
  std::uint32_t pages;  // data pages of each checkpoint
  std::uint64_t lines;  // of each data page
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << "burst " << static_cast<int>(c.burst) << " of " << c.checkpoints << ", " << c.blocks
       << " blocks of " << c.pages_per_block << ", " << c.versions << " versions, memory " << c.memory_pages
       << ", " << c.pages << " pages of " << std::popcount(c.lines) << " lines";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Burst burst : {Burst::closed_at_once, Burst::closed_together, Burst::abandoned})
    for (const std::uint32_t checkpoints : {3u, 10u})
      for (const auto& [blocks, pages_per_block] : {std::pair(6u, 6u), std::pair(8u, 4u), std::pair(12u, 4u)})
        for (std::uint32_t versions = 1; versions <= 3; ++versions)
          for (const std::uint32_t memory_pages : {2u, 4u})
            for (std::uint32_t pages = 1; pages <= memory_pages; pages *= 2)
              for (const std::uint64_t lines : {std::uint64_t{1}, (std::uint64_t{1} << 40) - 1})
                all.push_back(
                    {burst, checkpoints, blocks, pages_per_block, versions, memory_pages, pages, lines});
  return all;
}

struct BurstRig : LogRig {
  const Case& c;
  std::vector<Handle> handles;

  explicit BurstRig(const Case& of) : LogRig(small(1, of.blocks, of.pages_per_block), config_of(of)), c(of) {
    memory_pages = c.memory_pages;
    drain();
    take_full("cg", 1, 1);
  }
  static CheckpointLogConfig config_of(const Case& c) {
    CheckpointLogConfig config = fine_lines();
    config.versions = c.versions;
    config.merge_below = 0;
    return config;
  }

  // Versions count from 2; the pages of each begin one page after those of the version before.
  void write_page(Handle handle, std::uint32_t version, std::uint32_t page) {
    write({{handle, (version + page) % c.memory_pages, c.lines, version}});
  }
  bool take_increment(std::uint32_t version) {
    const Handle handle = log->open("cg", c.memory_pages, false);
    for (std::uint32_t page = 0; page < c.pages; ++page) write_page(handle, version, page);
    log->close(now, handle, version);
    drain();
    return commits.contains(handle);
  }
  bool take_next(bool full) {
    const std::uint32_t version = c.checkpoints + 2;
    return full ? commits.contains(take_full("cg", version, version)) : take_increment(version);
  }

  void take_burst() {
    for (std::uint32_t i = 0; i < c.checkpoints; ++i) {
      handles.push_back(log->open("cg", c.memory_pages, false));
      if (c.burst != Burst::closed_at_once) continue;
      for (std::uint32_t page = 0; page < c.pages; ++page) write_page(handles[i], i + 2, page);
      log->close(now, handles[i], i + 2);
    }
    if (c.burst != Burst::closed_at_once) take_in_turns();
    drain();
  }
  void take_in_turns() {
    for (std::uint32_t page = 0; page < c.pages; ++page)
      for (std::uint32_t i = 0; i < c.checkpoints; ++i) write_page(handles[i], i + 2, page);
    const bool is_abandoned = c.burst == Burst::abandoned;
    if (is_abandoned) drain();
    const std::uint32_t closed = is_abandoned ? c.checkpoints / 2 : c.checkpoints;
    for (std::uint32_t i = 0; i < closed; ++i) log->close(now, handles[i], i + 2);
    drain();
    if (is_abandoned) log->abandon(now, handles[closed]);
  }
  // Takes the checkpoints that the other rig has committed.
  bool take_one_by_one(const BurstRig& other) {
    for (std::uint32_t i = 0; i < c.checkpoints; ++i)
      if (other.commits.contains(other.handles[i]) && !take_increment(i + 2)) return false;
    return true;
  }
};

TEST(CheckpointLogBurst, LeavesRoomForWhatFitsBehindItsCheckpoints) {
  unsigned refused = 0, taken = 0;
  for (const Case& c : cases())
    for (const bool full : {false, true}) {
      BurstRig rig(c);
      rig.take_burst();
      refused += rig.failures.empty() ? 0 : 1;
      for (const auto& [handle, error] : rig.failures) ASSERT_EQ(error, LogRig::Error::no_space);
      const bool is_taken = rig.take_next(full);
      if (!is_taken) {
        BurstRig sequence(c);
        EXPECT_FALSE(sequence.take_one_by_one(rig) && sequence.take_next(full))
            << testing::PrintToString(c) << ", full " << full;
        continue;
      }
      ++taken;
      rig.power_cycle();
      const std::uint32_t version = c.checkpoints + 2;
      EXPECT_EQ(rig.line("cg", version, version % c.memory_pages, 0), version) << testing::PrintToString(c);
    }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(taken, 500u);
}

}  // namespace
}  // namespace asterism
