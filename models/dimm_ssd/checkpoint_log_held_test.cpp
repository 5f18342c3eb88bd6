// What may happen to the pages that a compaction reads: their checkpoints are discarded or lost, and new
// checkpoints need their space.
#include <functional>

#include "dimm_ssd/checkpoint_log_rig.h"

namespace asterism {
namespace {

constexpr std::uint64_t few_lines = 0xF, many_lines = ~std::uint64_t{0xF};

// The pages of "a" alone are not worth a compaction; when "b" is committed, a compaction of both begins.
struct HeldRig : LogRig {
  explicit HeldRig(bool loses) : LogRig(small(2, 24), eager()) {
    memory_pages = 40;
    drain();
    write_all("a", many_lines, 1);
    drain();
    power_cycle();  // no increment can continue "a" any more
    EXPECT_FALSE(log->is_collecting());
    EXPECT_EQ(figure("compactions"), 0u);
    if (loses) lose(2);  // the first data page of "a"
    write_all("b", few_lines, 2);
    while (!log->is_collecting() && step()) {
    }
    EXPECT_TRUE(log->is_collecting());
  }
  static CheckpointLogConfig eager() {
    CheckpointLogConfig config = fine_lines();
    config.merge_below = 1000;
    return config;
  }
  // Writes a data page for each page of memory; the first data page holds one line and is compacted first.
  Handle write_all(const std::string& name, std::uint64_t lines, std::uint32_t value) {
    const Handle handle = log->open(name, memory_pages, true);
    write({{handle, 0, lines & -lines, value}});
    for (std::uint32_t page = 1; page < memory_pages; ++page) write({{handle, page, lines, value}});
    log->close(now, handle, 1);
    return handle;
  }
  void expect_values(const std::string& name, std::uint64_t lines, std::uint32_t value) {
    const auto read = restore(name, 1);
    ASSERT_TRUE(read) << name;
    for (std::uint32_t line = lines_per_page; line < read->size(); ++line)
      ASSERT_EQ((*read)[line], lines >> line % lines_per_page & 1 ? value : 0) << name << ", line " << line;
  }
};

// Calls `act` after no event of a compaction, after one, after two and so on; returns their number.
std::uint64_t at_each_event(bool loses, const std::function<void(HeldRig& rig)>& act) {
  for (std::uint64_t events = 0;; ++events) {
    SCOPED_TRACE(testing::Message() << "after " << events << " events of the compaction");
    HeldRig rig(loses);
    for (std::uint64_t i = 0; i < events; ++i) rig.step();
    if (testing::Test::HasFailure() || !rig.log->is_collecting()) return events;
    act(rig);
  }
}

TEST(CheckpointLogHeld, DiscardDuringACompactionTakesNothingElse) {
  const std::uint64_t events = at_each_event(false, [](HeldRig& rig) {
    rig.log->discard(rig.now, "a", 1);
    const auto c = rig.write_all("c", many_lines, 3);
    rig.drain();
    EXPECT_TRUE(rig.commits.contains(c));
    for (int cycle = 0; cycle < 2; ++cycle, rig.power_cycle()) {
      EXPECT_EQ(rig.figure("lost_pages"), 0u);
      EXPECT_EQ(rig.log->stored().size(), 2u);
      rig.expect_values("b", few_lines, 2);
      rig.expect_values("c", many_lines, 3);
    }
  });
  EXPECT_GT(events, 80u);
}

TEST(CheckpointLogHeld, CompactionLeavesAloneWhatWasLostMeanwhile) {
  unsigned dropped = 0;
  const std::uint64_t events = at_each_event(true, [&dropped](HeldRig& rig) {
    rig.log->discard(rig.now, "b", 1);
    while (rig.discards == 0 && rig.step()) {
    }
    const bool is_dropped = rig.log->directory().body(0).lost;
    dropped += is_dropped && rig.log->is_collecting() ? 1 : 0;
    const std::uint64_t metadata = rig.figure("metadata_pages");
    while (rig.figure("metadata_pages") == metadata && rig.log->is_collecting() && rig.step()) {
    }
    const auto c = rig.write_all("c", many_lines, 3), d = rig.write_all("d", many_lines, 4);
    rig.drain();
    EXPECT_TRUE(rig.commits.contains(c) && rig.commits.contains(d));
    EXPECT_EQ(rig.figure("lost_pages"), 1u);
    rig.power_cycle();
    EXPECT_TRUE(!is_dropped || !rig.log->find("a", 1)->readable);
    rig.expect_values("d", many_lines, 4);
    rig.expect_values("c", many_lines, 3);
  });
  EXPECT_GT(events, 80u);
  EXPECT_GT(dropped, 0u);
}

}  // namespace
}  // namespace asterism
