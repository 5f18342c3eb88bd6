#include "dimm_ssd/checkpointer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

namespace asterism {
namespace {

using enum CheckpointMethod;
constexpr std::uint64_t all_lines = ~std::uint64_t{0};

// A memory of 8 pages, which takes 100 ns for each line, and a program that records the reports. Two packages
// share a channel. A flash page of 16 KiB holds four pages of memory and takes 41 us on the bus and 660 us in
// the array. The tests do not check contents.
struct Bench : Checkpointer::Memory, Checkpointer::Sink {
  static constexpr Picoseconds line = 100_ns, page = 6400_ns, bus = transfer_time(16_KiB, 400_MBps);
  // After the data are in flash, the metadata and the root in two places take this time.
  static constexpr Picoseconds commit = bus + 660_us + bus + bus + 660_us;

  FlashGeometry geometry{.packages = 2, .blocks = 16, .pages_per_block = 32};
  FlashPart part;
  FlashImage image{geometry};
  Checkpointer device;
  Picoseconds now;
  std::map<std::uint64_t, Picoseconds> durable_at;
  std::map<std::uint32_t, Picoseconds> released_at;
  std::optional<Picoseconds> resumed_at;
  std::vector<std::pair<std::uint64_t, Checkpointer::Error>> failures;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> reads;
  std::vector<std::uint32_t> frames;
  std::optional<std::uint32_t> silent_page;
  // Whether memory reports the end of an access only when it has ended, and not when it begins.
  bool reports_late = false;
  struct Access {
    AccessEnd end;
    OnAccessEnd ended;
  };
  std::vector<Access> under_way;

  static CheckpointerConfig with(CheckpointMethod method, std::uint32_t frames = 0) {
    CheckpointerConfig config;
    config.method = method;
    config.shadow_frames = frames;
    return config;
  }
  explicit Bench(const CheckpointerConfig& config) : device(config, part, image, 8, *this, *this) {
    device.power_up(now);
    run();
    device.track(now, "program", 8);
  }
  // Takes the first checkpoint, which is full, and waits until it is durable.
  Bench& saved() {
    device.end_interval(now, 1);
    run();
    reads.clear();
    resumed_at.reset();
    return *this;
  }
  void run(std::optional<Picoseconds> until = std::nullopt) {
    for (auto t = next(); t && (!until || *t <= *until); t = next()) {
      now = std::max(now, *t);
      end_accesses();
      device.advance_to(now);
    }
    if (until) now = *until;
  }
  std::optional<Picoseconds> next() const {
    auto at = device.next_event();
    for (const Access& each : under_way) at = earlier(at, each.end.at);
    return at;
  }
  void end_accesses() {
    for (std::size_t i = 0; i < under_way.size();) {
      if (under_way[i].end.at > now) {
        ++i;
        continue;
      }
      const Access access = under_way[i];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
      access.ended(access.end);
    }
  }
  void end(const AccessEnd& end, const OnAccessEnd& ended) {
    reports_late ? under_way.push_back({end, ended}) : ended(end);
  }
  void abandon_accesses() override { under_way.clear(); }
  bool write(std::uint32_t at, std::uint64_t lines = 1) { return device.write(now, at, lines).ready; }

  void read_lines(Picoseconds from, std::uint32_t at, std::uint64_t lines, OnAccessEnd ended) override {
    reads.emplace_back(at, lines);
    end({from + line * static_cast<std::uint64_t>(std::popcount(lines)), at != silent_page}, ended);
  }
  std::uint64_t written_lines(std::uint32_t) override { return 0; }
  void copy_to_frame(Picoseconds from, std::uint32_t at, std::uint64_t, std::uint32_t frame,
                     OnAccessEnd ended) override {
    frames.push_back(frame);
    end({from + 2 * page, at != silent_page}, ended);
  }
  void read_frame(Picoseconds from, std::uint32_t, std::uint64_t, OnAccessEnd ended) override {
    end({from + page}, ended);
  }
  void recovered(Picoseconds) override {}
  void durable(Picoseconds at, std::uint64_t version) override { durable_at[version] = at; }
  void failed(Picoseconds, std::uint64_t version, Checkpointer::Error error) override {
    failures.emplace_back(version, error);
  }
  void released(Picoseconds at, std::uint32_t page_number) override { released_at[page_number] = at; }
  void resumed(Picoseconds at) override { resumed_at = at; }
  void discarded(Picoseconds) override {}
};
using Reads = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

// ---- each method's row ----

TEST(Checkpointer, StopAndCopyStopsSoftwareUntilTheVersionIsDurable) {
  Bench bench(Bench::with(stop_and_copy));
  bench.saved();
  bench.write(3);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.reads, (Reads{{3, all_lines}}));
  EXPECT_EQ(bench.durable_at[2], end + Bench::page + Bench::bus + 660_us + Bench::commit);
  EXPECT_EQ(bench.resumed_at, bench.durable_at[2]);
}

TEST(Checkpointer, StopAndCopyInHardwareHoldsEveryWriteUntilAllIsCopied) {
  Bench bench(Bench::with(stop_and_copy_hardware));
  bench.saved();
  bench.write(3);
  bench.write(5);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_FALSE(bench.device.stopped());
  EXPECT_FALSE(bench.device.is_ready(0));
  EXPECT_FALSE(bench.write(0));  // although it was not modified
  EXPECT_FALSE(bench.write(3));
  bench.run();
  const Picoseconds copied = end + 2 * Bench::page;
  EXPECT_EQ(bench.released_at, (std::map<std::uint32_t, Picoseconds>{{0, copied}, {3, copied}}));
  EXPECT_TRUE(bench.write(0));
}

TEST(Checkpointer, CopyOnWriteCopiesAPageAsideBeforeItIsWritten) {
  Bench bench(Bench::with(copy_on_write, 1));
  bench.saved();
  for (const std::uint32_t page : {2, 4, 6}) bench.write(page);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_FALSE(bench.device.stopped());
  // Page 2 is being copied, page 4 is copied to the frame, and there is no frame for page 6.
  EXPECT_FALSE(bench.write(2));
  const Checkpointer::Answer aside = bench.device.write(bench.now, 4, 1);
  EXPECT_TRUE(aside.ready);
  EXPECT_EQ(aside.delay, 2 * Bench::page);
  EXPECT_FALSE(bench.write(6));
  bench.run();
  EXPECT_EQ(bench.released_at[2], end + Bench::page);
  EXPECT_EQ(bench.released_at[6], end + 2 * Bench::page);  // page 6 is copied before the frame
  EXPECT_EQ(bench.durable_at[2], end + 3 * Bench::page + Bench::bus + 660_us + Bench::commit);
}

// ---- accesses whose end memory reports when they have ended ----

struct LateBench : Bench {
  using Bench::Bench;
  LateBench& saved() {
    Bench::saved();
    reports_late = true;
    return *this;
  }
};

TEST(Checkpointer, ACopyEndsWhenMemoryReportsIt) {
  LateBench bench(Bench::with(late));
  bench.saved();
  bench.write(3);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_FALSE(bench.write(3));
  EXPECT_EQ(bench.device.next_event(), std::nullopt);  // nothing happens before
  EXPECT_TRUE(bench.device.copies_late_now());
  bench.run();
  EXPECT_EQ(bench.released_at[3], end + Bench::page);
  EXPECT_EQ(bench.durable_at[2], end + Bench::page + Bench::bus + 660_us + Bench::commit);
}

TEST(Checkpointer, AWriteWaitsUntilItsPageIsInAFrame) {
  LateBench bench(Bench::with(copy_on_write, 1));
  bench.saved();
  for (const std::uint32_t page : {2, 4, 6}) bench.write(page);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_TRUE(bench.device.is_ready(4));
  EXPECT_FALSE(bench.write(4));
  EXPECT_FALSE(bench.device.is_ready(4));
  EXPECT_FALSE(bench.write(4));  // another write joins it
  EXPECT_EQ(bench.frames, (std::vector<std::uint32_t>{0}));
  EXPECT_FALSE(bench.write(6));  // there is no other frame
  EXPECT_EQ(bench.device.writes_held(), 1u);
  bench.run(end + 2 * Bench::page);
  EXPECT_EQ(bench.released_at[4], end + 2 * Bench::page);
  EXPECT_TRUE(bench.write(4));
  bench.run();
  EXPECT_EQ(bench.durable_at[2], end + 3 * Bench::page + Bench::bus + 660_us + Bench::commit);
}

TEST(Checkpointer, AWriteIsReleasedWhenItsCopyToAFrameFailsOrIsAbandoned) {
  LateBench bench(Bench::with(copy_on_write, 1));
  bench.saved();
  bench.write(2);
  bench.write(3);
  bench.device.end_interval(bench.now, 2);
  bench.silent_page = 3;
  EXPECT_FALSE(bench.write(3));
  bench.run();
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Checkpointer::Error::memory)}));
  EXPECT_TRUE(bench.released_at.contains(3));
  EXPECT_TRUE(bench.write(3));

  bench.silent_page.reset();
  bench.device.end_interval(bench.now, 3);
  bench.run(bench.now + 1_us);
  bench.released_at.clear();
  EXPECT_FALSE(bench.write(3));
  bench.device.abort(bench.now);
  EXPECT_TRUE(bench.released_at.contains(3));
  EXPECT_TRUE(bench.under_way.empty());
}

// ---- frames ----

// There are as many frames as the register can hold; frames that are not filled must take no memory.
TEST(Checkpointer, FramesAreFilledInRotation) {
  Bench bench(Bench::with(copy_on_write, 0xFFFFFFFF));
  bench.saved();
  for (const std::uint32_t page : {2, 4, 6}) bench.write(page);
  bench.device.end_interval(bench.now, 2);
  EXPECT_TRUE(bench.write(4));
  EXPECT_TRUE(bench.write(6));
  EXPECT_EQ(bench.frames, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Checkpointer, CopyOnWriteStopsUntilTheVersionBeforeIsDurable) {
  Bench bench(Bench::with(copy_on_write, 4));
  bench.saved();
  bench.write(2);
  bench.device.end_interval(bench.now, 2);
  bench.write(3);
  bench.device.end_interval(bench.now, 3);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.resumed_at, bench.durable_at[2]);
  EXPECT_GT(bench.durable_at[3], bench.durable_at[2]);
}

TEST(Checkpointer, ConsolidateSavesDirtyLinesOfManyPagesInOneFlashPage) {
  Bench bench(Bench::with(consolidate));
  bench.saved();
  for (std::uint32_t page = 0; page < 8; ++page) bench.write(page, 0x11);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.device.pages_per_flash_page()[8], 1u);
  EXPECT_EQ(bench.durable_at[2], end + 16 * Bench::line + Bench::bus + 660_us + Bench::commit);
}

TEST(Checkpointer, EarlyCopiesPagesThatAreWrittenOftenEnoughWithinTheInterval) {
  CheckpointerConfig config = Bench::with(early);
  config.matt.buffer_entries = 1;
  Bench bench(config);
  bench.saved();
  bench.write(3, 0xff);  // eight requests
  bench.write(5);        // this evicts page 3 from the bitmap buffer
  const Picoseconds start = bench.now;
  bench.run(start + Bench::page - 1_ps);
  EXPECT_EQ(bench.reads, (Reads{{3, all_lines}}));
  EXPECT_FALSE(bench.write(3));
  bench.run(start + 100_us);
  EXPECT_EQ(bench.released_at[3], start + Bench::page);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.reads, (Reads{{3, all_lines}, {5, all_lines}}));
  EXPECT_EQ(bench.durable_at[2], end + Bench::page + Bench::bus + 660_us + Bench::commit);
}

TEST(Checkpointer, LateHoldsAWriteToAPageUntilThatIsCopiedAndCopiesItNext) {
  Bench bench(Bench::with(late));
  bench.saved();
  for (std::uint32_t page = 0; page < 4; ++page) bench.write(page);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  EXPECT_FALSE(bench.device.stopped());
  EXPECT_FALSE(bench.write(3));
  EXPECT_TRUE(bench.write(7));
  bench.run();
  EXPECT_EQ(bench.reads, (Reads{{0, all_lines}, {3, all_lines}, {1, all_lines}, {2, all_lines}}));
  EXPECT_EQ(bench.released_at, (std::map<std::uint32_t, Picoseconds>{{3, end + 2 * Bench::page}}));
  EXPECT_EQ(bench.durable_at[2], end + 4 * Bench::page + Bench::bus + 660_us + Bench::commit);
}

TEST(Checkpointer, LateStopsWhenThePhasesOfTheTableAreUsedUp) {
  CheckpointerConfig config = Bench::with(late);
  config.matt.phase_bits = 2;
  config.page_buffers = 1;
  Bench bench(config);
  bench.saved();
  for (std::uint32_t page = 0; page < 8; ++page) bench.write(page);
  bench.device.end_interval(bench.now, 2);
  bench.device.end_interval(bench.now, 3);
  EXPECT_FALSE(bench.device.stopped());
  bench.device.end_interval(bench.now, 4);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_LT(*bench.resumed_at, bench.durable_at[2]);    // resumes when version 2's last page is in its buffer
  EXPECT_EQ(bench.durable_at[2], bench.durable_at[3]);  // one root commits both
}

TEST(Checkpointer, EarlyLateWithConsolidationCopiesLinesEarlyAndLate) {
  CheckpointerConfig config = Bench::with(early_late_consolidate);
  config.matt.buffer_entries = 1;
  Bench bench(config);
  bench.saved();
  bench.write(3, 0xff);
  bench.write(5, 0x3);
  bench.run(bench.now + 10_us);
  bench.device.end_interval(bench.now, 2);
  EXPECT_FALSE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.reads, (Reads{{3, 0xff}, {5, 0x3}}));
  EXPECT_EQ(bench.device.pages_per_flash_page()[2], 1u);
}

// ---- versions ----

TEST(Checkpointer, TheFirstIsFullAndTheOthersAreIncrements) {
  Bench bench(Bench::with(stop_and_copy));
  bench.device.end_interval(bench.now, 1);
  bench.run();
  EXPECT_EQ(bench.reads.size(), 8u);
  bench.write(3);
  bench.device.end_interval(bench.now, 2);
  bench.run();
  EXPECT_EQ(bench.reads.size(), 9u);
  EXPECT_TRUE(bench.device.log().find("program", 1)->full);
  EXPECT_FALSE(bench.device.log().find("program", 2)->full);
}

TEST(Checkpointer, AnIntervalWithoutAWriteIsAVersionToo) {
  Bench bench(Bench::with(late));
  bench.saved();
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 2);
  bench.run();
  EXPECT_TRUE(bench.reads.empty());
  EXPECT_TRUE(bench.durable_at.contains(2));
}

TEST(Checkpointer, APageThatMemoryDoesNotAnswerAbandonsTheVersionAndAllSince) {
  Bench bench(Bench::with(late));
  bench.saved();
  bench.write(2);
  bench.silent_page = 2;
  bench.device.end_interval(bench.now, 2);
  bench.device.end_interval(bench.now, 3);
  EXPECT_FALSE(bench.write(2));
  bench.run();
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Checkpointer::Error::memory)}));
  EXPECT_TRUE(bench.released_at.contains(2));
  EXPECT_EQ(bench.device.log().newest("program", ~std::uint64_t{0})->version, 1u);
  bench.silent_page.reset();
  bench.device.end_interval(bench.now, 4);
  bench.run();
  EXPECT_TRUE(bench.device.log().find("program", 4)->full);
}

// No later event would release them.
TEST(Checkpointer, AWriteWhoseCopyToAFrameFailsReleasesTheOthersAtOnce) {
  Bench bench(Bench::with(copy_on_write, 1));
  bench.saved();
  bench.write(2);
  bench.write(3);
  bench.device.end_interval(bench.now, 2);
  EXPECT_FALSE(bench.write(2));  // the page is being copied
  bench.silent_page = 3;
  EXPECT_TRUE(bench.write(3));
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Checkpointer::Error::memory)}));
  EXPECT_EQ(bench.released_at, (std::map<std::uint32_t, Picoseconds>{{2, bench.now}}));
  EXPECT_TRUE(bench.device.is_ready(2));
}

TEST(Checkpointer, AbortAbandonsWhatIsNotDurableAndReleasesWrites) {
  Bench bench(Bench::with(late));
  bench.saved();
  bench.write(2);
  bench.write(3);
  bench.device.end_interval(bench.now, 2);
  bench.write(3);
  bench.device.abort(bench.now);
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Checkpointer::Error::aborted)}));
  EXPECT_TRUE(bench.released_at.contains(3));
  EXPECT_FALSE(bench.device.tracking());
  EXPECT_TRUE(bench.write(3));
  bench.run();
  EXPECT_EQ(bench.device.log().newest("program", ~std::uint64_t{0})->version, 1u);
}

TEST(Checkpointer, AnIncrementOfADiscardedVersionIsFull) {
  Bench bench(Bench::with(stop_and_copy));
  bench.saved();
  ASSERT_TRUE(bench.device.log().discard(bench.now, "program", 1));
  bench.run();
  bench.device.end_interval(bench.now, 2);
  bench.run();
  EXPECT_EQ(bench.reads.size(), 8u);
  EXPECT_TRUE(bench.device.log().find("program", 2)->full);
}

// The ways in which a base may be lost before an early copy. The copy then belongs to a full checkpoint and
// contains the whole page.
struct LostBase {
  std::string name;
  bool is_full;
  void (*lose)(Bench&);
  friend void PrintTo(const LostBase& base, std::ostream* out) { *out << base.name; }
};
const std::vector<LostBase> lost_bases = {
    {"Stays", false, [](Bench&) {}},
    {"Discarded", true,
     [](Bench& bench) {
       ASSERT_TRUE(bench.device.log().discard(bench.now, "program", 1));
       bench.run();
     }},
    {"BeingDiscarded", true,
     [](Bench& bench) { ASSERT_TRUE(bench.device.log().discard(bench.now, "program", 1)); }},
    {"TrackedAnew", true, [](Bench& bench) { bench.device.track(bench.now, "program", 8); }},
    {"Reset", true,
     [](Bench& bench) {
       bench.device.reset(Reset::warm);
       bench.device.power_up(bench.now);
       bench.run();
       bench.device.track(bench.now, "program", 8);
     }},
};
struct CheckpointerBase : testing::TestWithParam<LostBase> {};

TEST_P(CheckpointerBase, IsDecidedBeforeAPageIsCopiedEarly) {
  CheckpointerConfig config = Bench::with(early_late_consolidate);
  config.matt.buffer_entries = 1;
  Bench bench(config);
  bench.saved();
  GetParam().lose(bench);
  bench.write(3, 0xff);  // eight requests make it a candidate once another page is in the bitmap buffer
  bench.write(5, 0x3);
  bench.run();
  bench.device.end_interval(bench.now, 2);
  bench.run();
  ASSERT_TRUE(bench.durable_at.contains(2));
  std::map<std::uint32_t, std::uint64_t> lines;
  for (const auto& [page, copied] : bench.reads) lines[page] |= copied;
  std::map<std::uint32_t, std::uint64_t> expected = {{3, 0xff}, {5, 0x3}};
  if (GetParam().is_full)
    for (std::uint32_t page = 0; page < 8; ++page) expected[page] = all_lines;
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(bench.device.log().find("program", 2)->full, GetParam().is_full);
  EXPECT_TRUE(bench.failures.empty());
}
INSTANTIATE_TEST_SUITE_P(Fates, CheckpointerBase, testing::ValuesIn(lost_bases),
                         [](const auto& info) { return info.param.name; });

// The base of an early copy is kept until the copy's checkpoint is durable.
TEST(Checkpointer, ABaseThatIsDiscardedBehindAnEarlyCopyIsKeptForIt) {
  CheckpointerConfig config = Bench::with(early_late_consolidate);
  config.matt.buffer_entries = 1;
  Bench bench(config);
  bench.saved();
  bench.write(3, 0xff);
  bench.write(5, 0x3);
  bench.run(bench.now + 10_us);
  EXPECT_EQ(bench.reads, (Reads{{3, 0xff}}));
  ASSERT_TRUE(bench.device.log().discard(bench.now, "program", 1));
  bench.run();
  EXPECT_EQ(bench.device.log().find("program", 1), nullptr);
  bench.device.end_interval(bench.now, 2);
  bench.run();
  EXPECT_EQ(bench.reads, (Reads{{3, 0xff}, {5, 0x3}}));
  EXPECT_TRUE(bench.durable_at.contains(2));
  EXPECT_TRUE(bench.device.log().find("program", 2)->readable);
}

TEST(Checkpointer, PagesThatAreStillPendingAreSavedWhenAStoppingMethodFollows) {
  Bench bench(Bench::with(late));
  bench.saved();
  for (std::uint32_t page = 0; page < 8; ++page) bench.write(page);
  bench.device.end_interval(bench.now, 2);
  bench.device.set_method(stop_and_copy);
  bench.device.end_interval(bench.now, 3);
  EXPECT_TRUE(bench.device.stopped());
  bench.run();
  EXPECT_EQ(bench.reads.size(), 8u);
  EXPECT_EQ(bench.resumed_at, bench.durable_at[3]);
  EXPECT_LE(bench.durable_at[2], bench.durable_at[3]);
}

TEST(Checkpointer, CopyingWaitsUntilOneOfTwoPageBuffersHasLeft) {
  CheckpointerConfig config = Bench::with(stop_and_copy);
  config.page_buffers = 1;
  Bench bench(config);
  const Picoseconds end = bench.now;
  bench.device.end_interval(end, 1);
  bench.run();
  // Four pages, the bus, four pages, the bus, and the second package's program operation take this time.
  EXPECT_EQ(bench.durable_at[1], end + 8 * Bench::page + 2 * Bench::bus + 660_us + Bench::commit);
}

}  // namespace
}  // namespace asterism
