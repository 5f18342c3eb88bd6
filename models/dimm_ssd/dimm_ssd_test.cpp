#include "dimm_ssd/dimm_ssd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>

namespace asterism {
namespace {

// A memory of 1 MiB at address 0 that takes 50 ns for each line. With `sees_writes` it claims to report the
// writes of others.
struct TestMemory : DimmSsd::Memory {
  std::vector<std::byte> bytes = std::vector<std::byte>(1 << 20);
  bool sees_writes = false;
  std::vector<Address> watched;
  int intervals = 0;
  std::optional<Address> silent;  // a page that does not answer

  void read_lines(DimmSsd::Part, Picoseconds now, Address page, std::uint64_t lines,
                  OnAccessEnd ended) override {
    std::vector<std::byte> data(64 * static_cast<std::size_t>(std::popcount(lines)));
    AccessEnd end =
        move(now, page, lines, [&](std::byte* at, std::size_t i) { std::memcpy(&data[i], at, 64); });
    end.data = data;
    ended(end);
  }
  void write_lines(DimmSsd::Part, Picoseconds now, Address page, std::uint64_t lines,
                   std::span<const std::byte> data, OnAccessEnd ended) override {
    ended(move(now, page, lines, [&](std::byte* at, std::size_t i) { std::memcpy(at, &data[i], 64); }));
  }
  AccessEnd move(Picoseconds now, Address page, std::uint64_t lines,
                 const std::function<void(std::byte*, std::size_t)>& line) {
    std::uint64_t moved = 0;
    if (page.value() >= bytes.size() || page == silent) return {now + 50_ns, false};
    for (unsigned i = 0; i < 64; ++i)
      if (lines >> i & 1) line(&bytes[page.value() + 64 * i], 64 * moved++);
    return {now + 50_ns * moved};
  }
  bool watch(std::span<const Address> pages) override {
    watched.assign(pages.begin(), pages.end());
    return sees_writes;
  }
  void interval_ended() override { ++intervals; }
  std::uint64_t written_lines(Address) override { return 0; }
};

struct TestEvents : EventLog {
  std::vector<std::pair<std::string, Picoseconds>> seen;
  void record(Picoseconds at, std::string_view, std::string_view kind,
              std::initializer_list<Detail>) override {
    seen.emplace_back(kind, at);
  }
};

// A device with its memory, driven by hand. Pages of the guest start at 64 KiB.
struct Bench : DimmSsd::Sink {
  static constexpr Address descriptor{0x1000};
  FlashGeometry geometry{.blocks = 6, .pages_per_block = 4};
  FlashPart part;
  FlashImage image{geometry};
  TestMemory memory;
  TestEvents events;
  DimmSsdConfig config;
  DimmSsd ssd{config, part, image, {Address(0), 1_MiB}, memory, *this, "ssd", events};
  Picoseconds time;
  std::optional<Picoseconds> completed_at, durable_at;
  std::vector<std::uint64_t> durable_versions;
  std::vector<std::pair<std::uint64_t, DimmSsd::Error>> failures;
  std::vector<Address> released_pages;

  Bench() { power_up(); }
  void completed(Picoseconds at) override { completed_at = at; }
  void durable(Picoseconds at, std::uint64_t version) override {
    durable_at = at;
    durable_versions.push_back(version);
  }
  void failed(Picoseconds, std::uint64_t version, DimmSsd::Error error) override {
    failures.emplace_back(version, error);
  }
  void released(Picoseconds, Address page) override { released_pages.push_back(page); }

  void power_up() {
    ssd.power_up(time);
    run();
  }
  void fail_power() { ssd.reset(Reset::power_loss); }

  void describe(const std::string& name, std::uint64_t version, std::uint32_t pages,
                std::uint32_t method = 0) {
    std::byte* at = memory.bytes.data() + descriptor.value();
    std::memset(at, 0, 48);
    std::memcpy(at, name.data(), name.size());
    std::memcpy(at + 32, &version, 8);
    std::memcpy(at + 40, &pages, 4);
    std::memcpy(at + 44, &method, 4);
    for (std::uint64_t i = 0; i < pages; ++i) {
      const std::uint64_t page =
          0x10000 + (pages - 1 - i) * 4096;  // in descending order, to distinguish pages from addresses
      std::memcpy(at + 48 + 8 * i, &page, 8);
    }
  }
  void fill(int value, std::uint32_t pages) {
    for (std::uint32_t i = 0; i < pages; ++i)
      std::memset(memory.bytes.data() + 0x10000 + i * 4096, value + static_cast<int>(i), 4096);
  }
  bool holds(int value, std::uint32_t pages) const {
    for (std::uint32_t i = 0; i < pages * 4096; ++i)
      if (memory.bytes[0x10000 + i] != std::byte(value + static_cast<int>(i / 4096))) return false;
    return true;
  }
  void start(DimmSsd::Operation operation) {
    completed_at.reset();
    ssd.command(time, static_cast<std::uint32_t>(operation), descriptor);
  }
  // Handles the next event; false when there is none.
  bool step() {
    const auto next = ssd.next_event();
    if (!next) return false;
    time = std::max(time, *next);
    ssd.advance_to(time);
    return true;
  }
  void run() {
    while (step()) {
    }
  }
  DimmSsd::Error execute(DimmSsd::Operation operation, const std::string& name, std::uint64_t version,
                         std::uint32_t pages) {
    describe(name, version, pages);
    start(operation);
    while (!completed_at && step()) {
    }
    EXPECT_TRUE(completed_at);
    return ssd.error();
  }
  DimmSsd::Error checkpoint(std::uint64_t version, int value, std::uint32_t pages = 6) {
    fill(value, pages);
    return execute(DimmSsd::Operation::checkpoint, "cg", version, pages);
  }
  DimmSsd::Error restore(std::uint64_t version, std::uint32_t pages = 6) {
    return execute(DimmSsd::Operation::restore, "cg", version, pages);
  }
  std::optional<std::uint64_t> newest(std::uint64_t limit = ~0ull) {
    if (execute(DimmSsd::Operation::find, "cg", limit, 0) != DimmSsd::Error::none) return std::nullopt;
    return ssd.result_version();
  }
};

using Error = DimmSsd::Error;

TEST(DimmSsd, ACheckpointComesBackWhole) {
  Bench bench;
  EXPECT_EQ(bench.checkpoint(7, 0x20), Error::none);
  bench.fill(0x60, 6);
  EXPECT_EQ(bench.newest(), 7u);
  EXPECT_EQ(bench.ssd.result_pages(), 0u + 6);
  EXPECT_EQ(bench.restore(7), Error::none);
  EXPECT_TRUE(bench.holds(0x20, 6));
}

// The descriptor of 96 bytes is read in 2 lines, the 4 pages in 256 lines. Then the data, their metadata, and
// the root are transferred and programmed; both copies of the root are programmed at the same time.
TEST(DimmSsd, ACheckpointOfOneFlashPageTakesItsTime) {
  Bench bench;
  const Picoseconds start = bench.time;
  bench.checkpoint(1, 0, 4);
  const Picoseconds bus = transfer_time(16_KiB, 400_MBps);
  EXPECT_EQ(*bench.completed_at - start, (2 + 256) * 50_ns + 3 * (bus + 660_us) + bus);
}

TEST(DimmSsd, CopyingWaitsForAPageBuffer) {
  Bench bench;
  const Picoseconds start = bench.time;
  bench.checkpoint(1, 0, 32);
  // Eight packages work in parallel. After the first buffer is filled, the channel limits the rate; the last
  // package's program operation follows.
  const Picoseconds bus = transfer_time(16_KiB, 400_MBps);
  const Picoseconds descriptor = 5 * 50_ns, fill = 256 * 50_ns;
  const Picoseconds commit = 2 * (bus + 660_us) + bus;
  EXPECT_EQ(*bench.completed_at - start, descriptor + fill + 8 * bus + 660_us + commit);
}

TEST(DimmSsd, FindsTheNewestVersionUpToALimit) {
  Bench bench;
  EXPECT_EQ(bench.newest(), std::nullopt);
  bench.checkpoint(3, 0);
  bench.checkpoint(5, 0);
  EXPECT_EQ(bench.newest(), 5u);
  EXPECT_EQ(bench.newest(4), 3u);
  EXPECT_EQ(bench.newest(2), std::nullopt);
}

TEST(DimmSsd, KeepsTheConfiguredNumberOfVersionsAndErasesTheRest) {
  Bench bench;
  for (int version = 1; version <= 12; ++version) ASSERT_EQ(bench.checkpoint(version, version), Error::none);
  bench.run();
  EXPECT_EQ(bench.ssd.checkpoints(), 2u);
  EXPECT_EQ(bench.restore(11), Error::none);
  EXPECT_TRUE(bench.holds(11, 6));
  EXPECT_EQ(bench.restore(10), Error::not_found);
}

TEST(DimmSsd, ADiscardedCheckpointIsGone) {
  Bench bench;
  bench.checkpoint(1, 0);
  EXPECT_EQ(bench.execute(DimmSsd::Operation::discard, "cg", 1, 0), Error::none);
  EXPECT_EQ(bench.newest(), std::nullopt);
}

// A version that does not restore every line of the list is not a checkpoint, whatever the log holds.
TEST(DimmSsd, ARestoreWithHolesIsNotReportedAsGood) {
  Bench bench;
  CheckpointLog& log = bench.ssd.checkpointer().log();
  const auto handle = log.open("cg", 6, true);
  const CheckpointLog::Entry entry{handle, 3, 0xff};
  log.write(bench.time, {&entry, 1}, std::vector<std::byte>(8 * 64), 1);
  log.close(bench.time, handle, 1);
  bench.run();
  EXPECT_EQ(bench.newest(), 1u);
  EXPECT_EQ(bench.restore(1), Error::uncorrectable);
}

TEST(DimmSsd, CheckpointsSurviveAPowerLoss) {
  Bench bench;
  bench.checkpoint(1, 0x30);
  bench.fail_power();
  bench.power_up();
  EXPECT_EQ(bench.restore(1), Error::none);
  EXPECT_TRUE(bench.holds(0x30, 6));
}

TEST(DimmSsd, ACommandDuringRecoveryWaitsForIt) {
  Bench bench;
  bench.checkpoint(1, 0);
  bench.fail_power();
  bench.ssd.power_up(bench.time);
  EXPECT_EQ(bench.newest(), 1u);
}

struct BadDescriptor {
  const char* what;
  std::uint32_t operation;
  std::uint64_t descriptor, page;
  std::uint32_t pages;
  const char* name;
  Error error;
};

TEST(DimmSsd, RefusesWhatItCannotDo) {
  using enum DimmSsd::Error;
  for (const BadDescriptor& bad : std::initializer_list<BadDescriptor>{
           {"unknown operation", 9, 0x1000, 0x10000, 1, "cg", bad_descriptor},
           {"odd descriptor", 1, 0x1004, 0x10000, 1, "cg", bad_descriptor},
           {"no name", 1, 0x1000, 0x10000, 1, "", bad_descriptor},
           {"name too long", 1, 0x1000, 0x10000, 1, "0123456789abcdef0123456789abcdef", bad_descriptor},
           {"no pages", 1, 0x1000, 0x10000, 0, "cg", bad_descriptor},
           {"too many pages", 1, 0x1000, 0x10000, 1'000'000'000, "cg", bad_descriptor},
           {"page not aligned", 1, 0x1000, 0x10008, 1, "cg", bad_descriptor},
           {"page outside memory", 1, 0x1000, 0x100000, 1, "cg", bad_descriptor},
           {"a hole", 1, 0x1000, 0, 1, "cg", bad_descriptor},
           {"descriptor outside memory", 1, ~0ull - 7, 0x10000, 1, "cg", bus_error},
           {"restore of the unknown", 3, 0x1000, 0x10000, 1, "cg", not_found},
       }) {
    Bench bench;
    bench.describe(bad.name, 1, 1);
    std::memcpy(&bench.memory.bytes[0x1028], &bad.pages, 4);
    std::memcpy(&bench.memory.bytes[0x1030], &bad.page, 8);
    bench.ssd.command(bench.time, bad.operation, Address(bad.descriptor));
    EXPECT_FALSE(bench.completed_at) << "the completion must be reported when time advances";
    bench.run();
    EXPECT_TRUE(bench.completed_at) << bad.what;
    EXPECT_EQ(bench.ssd.error(), bad.error) << bad.what;
    EXPECT_EQ(bench.checkpoint(1, 5), none) << "after: " << bad.what;
  }
}

TEST(DimmSsd, NamesTheFirstPageThatItRefuses) {
  Bench bench;
  for (const std::uint64_t page : {0x0ull, 0x12345ull, 0x100000ull, 0x11000ull /* the first one again */}) {
    bench.describe("cg", 1, 3);  // 0x12000, 0x11000, 0x10000
    std::memcpy(&bench.memory.bytes[0x1030 + 8 * 2], &page, 8);
    bench.start(DimmSsd::Operation::checkpoint);
    bench.run();
    EXPECT_EQ(bench.ssd.error(), Error::bad_descriptor);
    EXPECT_EQ(bench.ssd.bad_index(), 2u) << page;
  }
  EXPECT_EQ(bench.execute(DimmSsd::Operation::checkpoint, "", 1, 3), Error::bad_descriptor);
  EXPECT_EQ(bench.ssd.bad_index(), DimmSsd::no_index);
}

TEST(DimmSsd, RefusesShadowMemoryThatDoesNotFit) {
  struct Shadow {
    const char* what;
    std::uint64_t first;
    std::uint32_t pages;
    Error error;
  };
  for (const Shadow& shadow : std::initializer_list<Shadow>{
           {"without end", 0x13000, 0xFFFFFFFF, Error::bad_descriptor},
           {"behind memory", 0x100000, 1, Error::bad_descriptor},
           {"its end behind memory", 0xFF000, 2, Error::bad_descriptor},
           {"not aligned", 0x13040, 1, Error::bad_descriptor},
           {"over the list", 0xF000, 2, Error::bad_descriptor},
           {"none", 0x10040, 0, Error::none},
           {"around the list", 0x13000, 4, Error::none},
       }) {
    Bench bench;
    bench.ssd.set_shadow(Address(shadow.first), shadow.pages);
    EXPECT_EQ(bench.checkpoint(1, 5, 3), shadow.error) << shadow.what;
    EXPECT_EQ(bench.ssd.bad_index(), DimmSsd::no_index);
    bench.ssd.set_shadow(Address(0x20000), 1);
    EXPECT_EQ(bench.checkpoint(1, 5, 3), Error::none) << "after: " << shadow.what;
  }
}

TEST(DimmSsd, RefusesAnUnknownMethod) {
  Bench bench;
  bench.describe("cg", 1, 3, 9);
  bench.start(DimmSsd::Operation::checkpoint);
  bench.run();
  EXPECT_EQ(bench.ssd.error(), Error::bad_descriptor);
}

TEST(DimmSsd, APageThatFailsHalfWayLeavesTheCheckpointBefore) {
  Bench bench;
  bench.checkpoint(1, 0x11, 20);
  bench.memory.silent = Address(0x10000);
  EXPECT_EQ(bench.checkpoint(2, 0x22, 20), Error::bus_error);
  bench.memory.silent.reset();
  EXPECT_EQ(bench.newest(), 1u);
  EXPECT_EQ(bench.restore(1, 20), Error::none);
  EXPECT_TRUE(bench.holds(0x11, 20));
}

TEST(DimmSsd, ASecondCommandIsRefusedAndTheFirstContinues) {
  Bench bench;
  bench.describe("cg", 1, 4);
  bench.start(DimmSsd::Operation::checkpoint);
  EXPECT_FALSE(bench.ssd.refused());
  bench.ssd.command(bench.time, 1, Bench::descriptor);
  EXPECT_TRUE(bench.ssd.refused());
  bench.run();
  EXPECT_TRUE(bench.ssd.refused()) << "the refusal must not depend on when the other command ends";
  EXPECT_EQ(bench.ssd.error(), Error::none);
  EXPECT_EQ(bench.newest(), 1u);
  EXPECT_FALSE(bench.ssd.refused());
}

TEST(DimmSsd, ReportsAFullFlash) {
  Bench bench;
  int held = 0;
  const auto next = [&] {
    return bench.execute(DimmSsd::Operation::checkpoint, "n" + std::to_string(held), 1, 64);
  };
  while (next() == Error::none) ASSERT_LT(++held, 100);
  EXPECT_EQ(bench.ssd.error(), Error::no_space);
  EXPECT_EQ(bench.ssd.checkpoints(), static_cast<std::uint32_t>(held));
  EXPECT_EQ(bench.execute(DimmSsd::Operation::discard, "n0", 1, 0), Error::none);
  EXPECT_EQ(next(), Error::none);
}

constexpr std::uint32_t late = 6;

// A device that observes the writes of others, after version 1 of six pages has become durable.
struct TrackingBench : Bench {
  TrackingBench() {
    memory.sees_writes = true;
    checkpoint(1, 0x10);
    run();
  }
  Error hand_over(std::uint64_t version, std::uint32_t pages = 6, const std::string& name = "cg") {
    describe(name, version, pages, late);
    start(DimmSsd::Operation::checkpoint);
    while (!completed_at && step()) {
    }
    return ssd.error();
  }
};

TEST(DimmSsd, HandsOverACheckpointAndReportsLaterThatItIsDurable) {
  TrackingBench bench;
  bench.durable_versions.clear();
  const Address page(0x11000);
  EXPECT_TRUE(bench.ssd.write(bench.time, page, 1).ready);
  bench.memory.bytes[page.value()] = std::byte{0x77};
  EXPECT_EQ(bench.hand_over(2), Error::none);
  EXPECT_TRUE(bench.durable_versions.empty());
  EXPECT_EQ(bench.ssd.open(), 1u);
  EXPECT_FALSE(bench.ssd.write(bench.time, page, 1).ready);
  EXPECT_TRUE(bench.ssd.write(bench.time, Address(0x12000), 1).ready);
  bench.run();
  EXPECT_EQ(bench.released_pages, std::vector{page});
  EXPECT_EQ(bench.durable_versions, std::vector<std::uint64_t>{2});
  EXPECT_EQ(bench.ssd.durable_version(), 2u);
  EXPECT_EQ(bench.ssd.open(), 0u);
}

TEST(DimmSsd, ACheckpointOfTheSameListIsAnIncrement) {
  TrackingBench bench;
  bench.checkpoint(2, 0x10);
  EXPECT_FALSE(bench.ssd.checkpointer().log().find("cg", 2)->full);
  bench.checkpoint(3, 0x10, 5);
  EXPECT_TRUE(bench.ssd.checkpointer().log().find("cg", 3)->full);
}

TEST(DimmSsd, ACheckpointIsFullIfWritesAreNotObserved) {
  Bench bench;
  bench.checkpoint(1, 0x10);
  bench.describe("cg", 2, 6, late);
  bench.start(DimmSsd::Operation::checkpoint);
  bench.run();
  EXPECT_TRUE(bench.ssd.checkpointer().log().find("cg", 2)->full);
  EXPECT_EQ(bench.completed_at, bench.durable_at) << "software must stop until the version is durable";
}

TEST(DimmSsd, AnotherListOrARestoreIsBusyWhileAVersionIsNotDurable) {
  TrackingBench bench;
  bench.ssd.write(bench.time, Address(0x11000), 1);
  EXPECT_EQ(bench.hand_over(2), Error::none);
  EXPECT_EQ(bench.hand_over(1, 6, "other"), Error::busy);
  EXPECT_EQ(bench.restore(1), Error::busy);
  EXPECT_EQ(bench.hand_over(3), Error::none);
  bench.run();
  EXPECT_EQ(bench.newest(), 3u);
  EXPECT_EQ(bench.restore(3), Error::none);
  EXPECT_FALSE(bench.ssd.tracking());
}

TEST(DimmSsd, AbortAbandonsWhatWasHandedOver) {
  TrackingBench bench;
  bench.ssd.write(bench.time, Address(0x11000), 1);
  bench.hand_over(2);
  bench.start(DimmSsd::Operation::abort);
  bench.run();
  EXPECT_EQ(bench.ssd.error(), Error::none);
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Error::aborted)}));
  EXPECT_EQ(bench.ssd.failed_version(), 2u);
  EXPECT_EQ(bench.newest(), 1u);
}

TEST(DimmSsd, AbortEndsACommandThatIsUnderWay) {
  for (const auto operation : {DimmSsd::Operation::checkpoint, DimmSsd::Operation::restore}) {
    Bench bench;
    bench.checkpoint(1, 0x10);
    bench.describe("cg", operation == DimmSsd::Operation::restore ? 1 : 2, 6);
    bench.start(operation);
    for (int i = 0; i < 6; ++i) bench.step();
    EXPECT_FALSE(bench.completed_at);
    bench.ssd.command(bench.time, 5, Address(0));
    bench.run();
    EXPECT_TRUE(bench.completed_at);
    EXPECT_EQ(bench.ssd.error(), Error::aborted);
    EXPECT_TRUE(bench.failures.empty());
    EXPECT_EQ(bench.newest(), 1u);
    EXPECT_EQ(bench.restore(1), Error::none);
  }
}

TEST(DimmSsd, ReportsAVersionThatFailsAfterItWasHandedOver) {
  TrackingBench bench;
  bench.ssd.write(bench.time, Address(0x11000), 1);
  bench.memory.silent = Address(0x11000);
  EXPECT_EQ(bench.hand_over(2), Error::none);
  bench.run();
  EXPECT_EQ(bench.failures, (std::vector{std::pair(std::uint64_t{2}, Error::bus_error)}));
  EXPECT_EQ(bench.ssd.failed_error(), Error::bus_error);
  EXPECT_EQ(bench.newest(), 1u);
}

// Lets the power fail after each event of a checkpoint that replaces an older one, and again after up to four
// events of the recovery. What is found must be wholly the older or wholly the newer one, and the device must
// accept another checkpoint.
TEST(DimmSsd, APowerFailureAtAnyEventLeavesACompleteCheckpoint) {
  int older = 0, newer = 0;
  for (int failure = 0;; ++failure) {
    Bench bench;
    for (int version = 1; version <= 3; ++version) bench.checkpoint(version, 0x10 * version, 20);
    bench.describe("cg", 4, 20);
    bench.fill(0x40, 20);
    bench.start(DimmSsd::Operation::checkpoint);
    bool finished = false;
    for (int i = 0; i < failure && !finished; ++i) finished = !bench.step();
    bench.fail_power();
    bench.ssd.power_up(bench.time);
    for (int i = 0; i < failure % 5; ++i) bench.step();
    bench.fail_power();
    bench.power_up();

    const auto version = bench.newest();
    ASSERT_TRUE(version == 3u || version == 4u) << "failure " << failure;
    ++(version == 3u ? older : newer);
    ASSERT_EQ(bench.restore(*version, 20), Error::none) << "failure " << failure;
    ASSERT_TRUE(bench.holds(0x10 * static_cast<int>(*version), 20)) << "failure " << failure;
    ASSERT_EQ(bench.checkpoint(5, 0x50, 20), Error::none) << "failure " << failure;
    ASSERT_EQ(bench.newest(), 5u);
    if (finished) break;
  }
  EXPECT_GT(older, 30);
  EXPECT_GT(newer, 0);
}

}  // namespace
}  // namespace asterism
