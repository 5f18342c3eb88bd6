#include "pcram/pcram_copier.h"

#include "base/broken_rule.h"
#include "base/fields.h"
#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

using Error = PcramCopier::Error;

constexpr std::uint64_t page_bytes = 4096;
const Address base(0x4000'0000);

PcramConfig dimm() { return {.kind = PcramKind::dimm, .suppress = false}; }
PcramConfig stack() { return {.kind = PcramKind::stack, .layers = 2, .suppress = false}; }

// A memory of 32 MiB, which takes 300 ns for a page if it is not on the same dies, and its copier.
struct Rig final : MemoryPort, PcramCopier::Sink {
  explicit Rig(const PcramConfig& config, PcramPart part = {})
      : copier(config, config.kind == PcramKind::stack ? stack_part() : part, {base, 32_MiB}, *this, *this,
               "pcram", events) {}

  void read(Picoseconds from, Address page, Bytes size, OnAccessEnd ended) override {
    if (page == broken) return ended({from, false});
    ended({end_of_access(from), true, std::span(memory).subspan((page - base).count(), size.count())});
  }
  void write(Picoseconds from, Address page, std::span<const std::byte> data, OnAccessEnd ended) override {
    if (page == broken) return ended({from, false});
    std::ranges::copy(data, memory.begin() + static_cast<std::ptrdiff_t>((page - base).count()));
    ended({end_of_access(from)});
  }
  Picoseconds end_of_access(Picoseconds from) {
    return free_at = std::max(free_at, from) + (copier.layer_pages() != 0 ? 0_ns : 300_ns);
  }
  void completed(Picoseconds at) override { ended = at; }

  // Returns how long the command took.
  Picoseconds run(std::uint32_t operation, std::uint64_t page, std::uint64_t place, std::uint32_t pages,
                  bool incremental = false) {
    const Picoseconds begin = now;
    ended.reset();
    copier.command(now, {operation, base + 4_KiB * page, place, pages, incremental});
    while (const auto next = copier.next_event()) copier.advance_to(now = *next);
    EXPECT_TRUE(ended);
    return ended.value_or(begin) - begin;
  }
  Picoseconds save(std::uint64_t page, std::uint64_t place, std::uint32_t pages, bool incremental = false) {
    return run(1, page, place, pages, incremental);
  }
  Picoseconds load(std::uint64_t page, std::uint64_t place, std::uint32_t pages) {
    return run(2, page, place, pages);
  }
  void fill(std::uint64_t page, std::uint64_t pages, std::uint64_t seed) {
    const auto bytes = noise(pages * 64, seed);
    std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(page * page_bytes));
    for (std::uint64_t i = 0; i < pages; ++i) copier.written(base + 4_KiB * (page + i));
  }
  bool holds(std::uint64_t page, std::uint64_t pages, std::uint64_t seed) const {
    const auto bytes = noise(pages * 64, seed);
    return std::equal(bytes.begin(), bytes.end(),
                      memory.begin() + static_cast<std::ptrdiff_t>(page * page_bytes));
  }

  std::vector<std::byte> memory = std::vector<std::byte>(32 << 20);
  Address broken;
  Picoseconds free_at;  // when memory has ended the accesses that were begun
  NoEventLog events;
  PcramCopier copier;
  Picoseconds now;
  std::optional<Picoseconds> ended;
};

TEST(PcramCopierTest, DescribesEveryMember) { EXPECT_EQ(description_problem<PcramConfig>(), ""); }

TEST(PcramCopierTest, BringsBackWhatWasSavedAnywhere) {
  Rig rig(dimm());
  rig.fill(5, 40, 1);
  rig.save(5, 1000, 40);
  rig.fill(5, 40, 2);
  rig.load(100, 1000, 40);
  EXPECT_TRUE(rig.holds(100, 40, 1));
  EXPECT_TRUE(rig.holds(5, 40, 2));
  EXPECT_EQ(rig.copier.copied(), 40u);
}

// The bus takes 64 * 6 ns for a page and memory 300 ns, so that the bus is never idle after the first page.
TEST(PcramCopierTest, FetchesAPageWhileTheOneBeforeIsWritten) {
  Rig rig(dimm());
  rig.fill(0, 100, 1);
  EXPECT_EQ(rig.save(0, 0, 100), 300_ns + 100 * 64 * 6_ns + 106_ns);
}

TEST(PcramCopierTest, LoadsAtTheRateOfTheBus) {
  Rig rig(dimm());
  EXPECT_EQ(rig.load(0, 0, 100), 18_ns + 100 * 64 * 6_ns + 300_ns);
}

TEST(PcramCopierTest, AStackCopiesAllItsMatsInTheTimeOfOne) {
  Rig rig(stack());
  rig.fill(0, 8192, 1);
  EXPECT_EQ(rig.save(0, 0, 8192), (512 * 64 + 3) * Picoseconds(25'600));  // 0.8389 ms
  EXPECT_EQ(rig.copier.copied(), 8192u);
}

TEST(PcramCopierTest, AnIncrementTakesDirtyPagesAlone) {
  Rig rig(stack());
  rig.fill(0, 8192, 1);
  rig.save(0, 0, 8192, true);
  EXPECT_EQ(rig.copier.copied(), 8192u);
  rig.fill(7, 16, 2);
  EXPECT_EQ(rig.save(0, 0, 8192, true), 67 * Picoseconds(25'600));
  EXPECT_EQ(rig.copier.copied(), 16u);
  EXPECT_EQ(rig.save(0, 0, 8192, true), 0_ps);
  EXPECT_EQ(rig.copier.copied(), 0u);
}

TEST(PcramCopierTest, EachLayerHasItsOwnDirtyBits) {
  Rig rig(stack());
  rig.fill(3, 1, 1);
  rig.save(3, 3, 1, true);
  rig.save(3, 8192 + 3, 1, true);
  EXPECT_EQ(rig.copier.copied(), 1u);
  rig.fill(3, 1, 2);
  rig.save(3, 3, 1, true);
  EXPECT_EQ(rig.copier.copied(), 1u);
  rig.load(3, 8192 + 3, 1);
  EXPECT_TRUE(rig.holds(3, 1, 1));
  rig.save(3, 8192 + 3, 1, true);
  EXPECT_EQ(rig.copier.copied(), 0u);
  rig.save(3, 3, 1, true);
  EXPECT_EQ(rig.copier.copied(), 1u);
}

TEST(PcramCopierTest, AfterAResetEveryPageIsDirty) {
  Rig rig(stack());
  rig.save(0, 0, 16, true);
  rig.copier.reset(Reset::power_loss);
  rig.save(0, 0, 16, true);
  EXPECT_EQ(rig.copier.copied(), 16u);
}

TEST(PcramCopierTest, RefusesWhatIsNotThere) {
  Rig rig(dimm());
  const auto error = [&](std::uint32_t operation, std::uint64_t page, std::uint64_t place,
                         std::uint32_t pages) {
    rig.run(operation, page, place, pages);
    return rig.copier.error();
  };
  EXPECT_EQ(error(0, 0, 0, 1), Error::bad_argument);
  EXPECT_EQ(error(3, 0, 0, 1), Error::bad_argument);
  EXPECT_EQ(error(1, 0, 0, 0), Error::bad_argument);
  EXPECT_EQ(error(1, 8192, 0, 1), Error::bad_argument);
  EXPECT_EQ(error(1, 8191, 0, 2), Error::bad_argument);
  EXPECT_EQ(error(1, 0, rig.copier.pages(), 1), Error::bad_argument);
  EXPECT_EQ(error(1, 0, rig.copier.pages() - 1, 2), Error::bad_argument);
  EXPECT_EQ(error(1, 0, 0, ~0u), Error::bad_argument);
  EXPECT_EQ(error(1, 8191, rig.copier.pages() - 1, 1), Error::none);
  rig.copier.command(rig.now, {1, base + 1_KiB, 0, 1, false});
  rig.copier.advance_to(rig.now);
  EXPECT_EQ(rig.copier.error(), Error::bad_argument);
}

TEST(PcramCopierTest, APageOfAStackGoesAboveItself) {
  Rig rig(stack());
  rig.save(7, 8, 1);
  EXPECT_EQ(rig.copier.error(), Error::bad_argument);
  rig.save(7, 8192 + 7, 1);
  EXPECT_EQ(rig.copier.error(), Error::none);
}

TEST(PcramCopierTest, RefusesACommandWhileAnotherIsUnderWay) {
  Rig rig(dimm());
  rig.fill(0, 2, 1);
  rig.copier.command(0_ps, {1, base, 0, 2, false});
  rig.copier.command(0_ps, {2, base, 0, 2, false});
  EXPECT_TRUE(rig.copier.refused());
  while (const auto next = rig.copier.next_event()) rig.copier.advance_to(rig.now = *next);
  rig.fill(0, 2, 2);
  rig.load(0, 0, 2);
  EXPECT_FALSE(rig.copier.refused());
  EXPECT_TRUE(rig.holds(0, 2, 1));
}

TEST(PcramCopierTest, ReportsThePageThatMemoryDidNotDeliver) {
  Rig rig(dimm());
  rig.broken = base + 4_KiB * 9;
  for (const std::uint32_t operation : {1u, 2u}) {
    rig.run(operation, 0, 0, 20);
    EXPECT_EQ(rig.copier.error(), Error::bus_error);
    EXPECT_EQ(rig.copier.bad_index(), 9u);
    EXPECT_FALSE(rig.copier.busy());
  }
}

TEST(PcramCopierTest, ReportsThePageThatIsWornOut) {
  PcramPart part;
  part.endurance = 2;
  Rig rig(dimm(), part);
  for (std::uint64_t round = 0; round < 2; ++round) {
    rig.fill(0, 4, round);
    rig.save(0, 3, 1);
  }
  rig.fill(0, 8, 5);
  rig.save(0, 0, 8);
  EXPECT_EQ(rig.copier.error(), Error::worn_out);
  EXPECT_EQ(rig.copier.bad_index(), 3u);
}

TEST(PcramCopierTest, ReportsThePageThatCannotBeRead) {
  Rig rig(dimm());
  rig.fill(0, 8, 1);
  rig.save(0, 0, 8);
  rig.fill(0, 8, 2);
  rig.copier.command(rig.now, {1, base + 4_KiB * 2, 2, 1, false});
  rig.copier.advance_to(rig.now + 400_ns);  // some of its lines are being written
  rig.copier.reset(Reset::power_loss);
  EXPECT_FALSE(rig.copier.busy());
  rig.now += 1_us;
  rig.load(0, 0, 8);
  EXPECT_EQ(rig.copier.error(), Error::uncorrectable);
  EXPECT_EQ(rig.copier.bad_index(), 2u);
}

TEST(PcramCopierTest, SaysWhatPartANodeCannotHave) {
  EXPECT_EQ(pcram_problem(dimm(), PcramPart{}, 32_MiB), "");
  EXPECT_EQ(pcram_problem(stack(), stack_part(), 64_MiB), "");
  EXPECT_EQ(pcram_problem(stack(), PcramPart{}, 64_MiB),
            "dong2011_45nm_4bank is a chip: a stack is made of a part of the form stack");
  EXPECT_EQ(pcram_problem(dimm(), stack_part(), 64_MiB),
            "dong2011_45nm_4bank is a stack: modules are made of a part of the form chip");
  EXPECT_EQ(pcram_problem(stack(), stack_part(), 48_MiB),
            "dong2011_45nm_4bank has banks of 32MiB: memory.size is a whole number of them");
}

// Saves to two slots alternately and notes each save that has completed. After a power failure, the newest
// one of these must be loaded.
void check_slots(const PcramConfig& config, std::uint64_t seed) {
  Rig rig(config);
  Random random(seed);
  const std::uint32_t pages = 12;
  std::uint64_t newest = 0, slot = 0;
  for (std::uint64_t version = 1; version <= 20; ++version) {
    rig.fill(0, pages, version);
    rig.copier.command(rig.now, {1, base, (1 - slot) * 8192, pages, random.below(2) == 0});
    const Picoseconds failed_at = rig.now + Picoseconds(random.below(12'000'000));
    rig.ended.reset();
    rig.copier.advance_to(failed_at);
    if (rig.ended) {
      newest = version;
      slot = 1 - slot;
    }
    rig.copier.reset(Reset::power_loss);
    rig.now = failed_at + 1_us;
    if (newest == 0) continue;
    rig.fill(0, pages, 99);
    rig.load(0, slot * 8192, pages);
    ASSERT_EQ(rig.copier.error(), Error::none);
    ASSERT_TRUE(rig.holds(0, pages, newest)) << version;
  }
  EXPECT_GT(newest, 0u);
}

TEST(PcramCopierTest, ASlotThatIsNotWrittenSurvivesAnyPowerFailure) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    check_slots(dimm(), seed);
    check_slots(stack(), seed);
  }
}

}  // namespace
}  // namespace asterism
