// Direct access around faults, silent corruption, and a hook in place of the codec.
#include <algorithm>

#include "base/random.h"
#include "ecc/fault_pattern.h"
#include "memory/ecc_memory_test.h"

namespace asterism {
namespace {

using enum MemoryFaultKind;
using enum Persistence;

constexpr BlockLocation place{0, 0, 2, 5, 3};
constexpr AddressRange all_of_it{Address(0), 2_MiB};

AddressRange page_of(std::uint64_t block) { return {Address(block / 64 * 4096), 4_KiB}; }

EccConfig all_strong() {
  EccConfig config;
  config.mode = EccMode::strong;
  return config;
}

struct EccMemoryDirectTest : testing::Test {
  SmallEccMemory small;
  const std::uint64_t block = small.block(place);
  const Bytes page{block / 64 * 4096};
};

TEST_F(EccMemoryDirectTest, ASoundMemoryIsOneRange) {
  EXPECT_EQ(small.memory.direct(page), DirectAccess::unmonitored);
  EXPECT_EQ(small.memory.uniform_range(page), all_of_it);
  EXPECT_TRUE(small.changes.empty());
}

TEST_F(EccMemoryDirectTest, ACorrectableFaultShowsItsPageOnly) {
  small.memory.inject(0_ps, fault_at(bit, place));
  EXPECT_EQ(small.changes, std::vector{page_of(block)});
  EXPECT_EQ(small.memory.direct(page), DirectAccess::monitored);
  EXPECT_EQ(small.memory.uniform_range(page), page_of(block));
  EXPECT_EQ(small.memory.direct(page - 4_KiB), DirectAccess::unmonitored);
  EXPECT_EQ(small.memory.uniform_range(0_B), (AddressRange{Address(0), page}));
  const Bytes behind = page + 4_KiB;
  EXPECT_EQ(small.memory.uniform_range(2_MiB - 4_KiB),
            (AddressRange{Address(behind.count()), 2_MiB - behind}));
}

TEST_F(EccMemoryDirectTest, HealingTheLastErrorOfAPageMakesItUnseenAgain) {
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  small.memory.inject(0_ps, fault_at(bit, {0, 0, 2, 5, 4}, 3, transient));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::monitored);
  small.changes.clear();
  small.write(block, 1);
  EXPECT_TRUE(small.changes.empty());
  small.write(block + 1, 1);
  EXPECT_EQ(small.changes, std::vector{page_of(block)});
  EXPECT_EQ(small.memory.direct(page), DirectAccess::unmonitored);
  EXPECT_EQ(small.memory.uniform_range(page), all_of_it);
}

TEST_F(EccMemoryDirectTest, ADeadChipIsRefusedInNormalModeAndLeavesTheOtherRankAlone) {
  small.memory.inject(0_ps, fault_at(chip, place));
  EXPECT_EQ(small.changes, std::vector{AddressRange{}});
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);
  EXPECT_EQ(small.memory.uniform_range(page), page_of(block));
  // Rank 1 has every second 64 KiB.
  EXPECT_EQ(small.memory.uniform_range(64_KiB), (AddressRange{Address(0x1'0000), 64_KiB}));
}

TEST_F(EccMemoryDirectTest, AContiguousRankIsOneRange) {
  SmallEccMemory by_rank({}, "RaRoBaCoCh");
  by_rank.memory.inject(0_ps, fault_at(chip, place));
  EXPECT_EQ(by_rank.memory.uniform_range(1_MiB), (AddressRange{Address(0x10'0000), 1_MiB}));
  EXPECT_EQ(by_rank.memory.direct(1_MiB - 4_KiB), DirectAccess::refused);
}

TEST_F(EccMemoryDirectTest, TheChipProfileAndStrongModeShowADeadChip) {
  EccConfig config;
  config.profile = EccProfile::chip;
  SmallEccMemory further(config);
  config = {};
  config.mode = EccMode::strong;
  SmallEccMemory strong(config);
  for (SmallEccMemory* each : {&further, &strong}) {
    each->memory.inject(0_ps, fault_at(chip, place));
    EXPECT_EQ(each->memory.direct(page), DirectAccess::monitored);
  }
  strong.memory.inject(0_ps, fault_at(chip, {0, 1, 0, 0, 0}));
  EXPECT_EQ(strong.changes.size(), 2u);
  EXPECT_EQ(strong.memory.direct(page), DirectAccess::refused);
}

TEST_F(EccMemoryDirectTest, HealingOfParityShowsThePagesThatNeedIt) {
  SmallEccMemory strong(all_strong());
  strong.memory.inject(0_ps, fault_at(chip, place));
  strong.memory.inject(0_ps, fault_at(MemoryFaultKind::row, {0, 1, 2, 16, 0}, 3, transient));
  EXPECT_EQ(strong.memory.direct(page), DirectAccess::refused);
  strong.changes.clear();
  for (std::uint64_t each = block / 64 * 64; each < block / 64 * 64 + 64; ++each) strong.write(each, 1);
  EXPECT_EQ(strong.changes, std::vector(4, AddressRange{}));  // one change for each of four parity blocks
  EXPECT_EQ(strong.memory.direct(page), DirectAccess::monitored);
}

TEST_F(EccMemoryDirectTest, AStrongRangeMakesADeadChipMonitoredOnceItIsWritten) {
  small.memory.inject(0_ps, fault_at(chip, place));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);
  small.set_strong(page, 4_KiB);
  EXPECT_EQ(small.changes.back(), page_of(block));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);  // its contents are lost
  small.changes.clear();
  for (std::uint64_t each = block / 64 * 64; each < block / 64 * 64 + 64; ++each) small.write(each, 1);
  EXPECT_EQ(small.changes, std::vector{page_of(block)});
  EXPECT_EQ(small.memory.direct(page), DirectAccess::monitored);
}

// A transient error may hide a stuck one in the same cell.
TEST_F(EccMemoryDirectTest, HealingThatUncoversAnUncorrectableBlockIsSeen) {
  const BlockLocation behind{0, 0, 2, 5, 9};
  small.memory.inject(0_ps, fault_at(bit, place, 3, stuck));
  small.memory.inject(0_ps, fault_at(bit, place, 5, stuck));
  small.memory.inject(0_ps, fault_at(MemoryFaultKind::column, place, 5, transient));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::monitored);
  for (const std::uint32_t on : {3u, 5u}) small.memory.inject(0_ps, fault_at(bit, behind, on, transient));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);
  small.write(block, 1);
  small.write(small.block(behind), 1);
  EXPECT_TRUE(small.read(block).poisoned);
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);
}

// After any writes in any order, a page must have the same class as in a memory that classifies it for the
// first time.
TEST_F(EccMemoryDirectTest, PagesAreClassifiedEquallyHoweverTheyWereHealed) {
  Random random(1);
  std::array<int, 3> seen{};
  for (int trial = 0; trial < 100; ++trial) {
    SmallEccMemory watched, unwatched;
    const auto inject = [&](const MemoryFault& fault) {
      for (SmallEccMemory* each : {&watched, &unwatched}) each->memory.inject(0_ps, fault);
    };
    for (std::uint64_t faults = random.below(6); faults > 0; --faults) {
      const auto column = static_cast<std::uint32_t>(random.below(64));
      const auto on = static_cast<std::uint32_t>(random.below(3));
      inject(fault_at(random.below(2) ? bit : word, {0, 0, 2, 5, column}, on,
                      random.below(4) ? transient : stuck, static_cast<std::uint32_t>(random.below(32))));
    }
    inject(fault_at(MemoryFaultKind::row, place, 7, transient));
    for (std::uint64_t writes = random.below(400); writes > 0; --writes) {
      watched.memory.direct(page);
      const std::uint64_t written = block / 64 * 64 + random.below(64);
      for (SmallEccMemory* each : {&watched, &unwatched}) each->write(written, 1);
    }
    ASSERT_EQ(watched.memory.direct(page), unwatched.memory.direct(page));
    ++seen[static_cast<int>(watched.memory.direct(page))];
  }
  for (const int times : seen) EXPECT_GT(times, 0);
}

TEST_F(EccMemoryDirectTest, APowerLossGivesBackWhatTransientFaultsTook) {
  small.memory.inject(0_ps, fault_at(chip, place, 3, transient));
  EXPECT_EQ(small.memory.direct(page), DirectAccess::refused);
  small.changes.clear();
  small.memory.reset(Reset::power_loss);
  EXPECT_EQ(small.changes, std::vector{AddressRange{}});
  EXPECT_EQ(small.memory.direct(page), DirectAccess::unmonitored);
}

TEST_F(EccMemoryDirectTest, MonitoredAccessesCountCostAndHealAsOthersDo) {
  small.write(block, 0x55);
  small.memory.inject(0_ps, fault_at(bit, place, 3, transient));
  small.memory.inject(0_ps, fault_at(bit, {0, 0, 2, 5, 4}, 3, stuck));
  EXPECT_EQ(small.memory.observe(1_us, small.at(block) + 8_B, 8, false).decoding, 950_ps);
  EXPECT_EQ(small.memory.observe(1_us, small.at(block) + 8_B, 8, false).decoding, 480_ps);
  const BlockAccess write = small.memory.observe(1_us, small.at(block + 1) + 8_B, 8, true);
  EXPECT_EQ(write.decoding, 950_ps);
  EXPECT_EQ(write.extra.size(), 1u);
  EXPECT_EQ(small.count("corrected"), 2u);
  EXPECT_EQ(small.count("reads"), 2u);
  EXPECT_EQ(small.count("writes"), 2u);
  EXPECT_TRUE(small.holds(block, 0x55));
}

TEST_F(EccMemoryDirectTest, AHotLoopOverAStuckFaultIsCountedAndLoggedOnce) {
  small.memory.inject(0_ps, fault_at(bit, place));
  for (int i = 0; i < 10'000; ++i) small.memory.observe(1_us, small.at(block), 8, false);
  EXPECT_EQ(small.count("corrected"), 10'000u);
  EXPECT_EQ(small.memory.log().oldest()->count, 10'000u);
  EXPECT_EQ(small.memory.log().lost(), 0u);
}

// Searches for three wrong bits in one codeword of RS(19,16) that the decoder takes for a correctable error.
std::vector<MemoryFault> miscorrected(Persistence persistence) {
  const DualModeCodec codec(EccProfile::thesis);
  for (std::uint32_t bits = 0; bits < 512; ++bits) {
    std::vector<MemoryFault> faults;
    MemoryBlock pattern;
    for (std::uint32_t i = 0; i < 3; ++i) {
      faults.push_back(fault_at(bit, place, 2 + 3 * i, persistence, bits >> 3 * i & 7));
      pattern ^= chip_errors(faults.back().chip, 1u << faults.back().bit);
    }
    if (codec.decode(EccMode::strong, pattern).outcome == DecodeResult::Outcome::corrected) return faults;
  }
  return {};
}

TEST(SilentCorruption, IsDeliveredCountedAndRefusedDirectly) {
  SmallEccMemory small(all_strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x55);
  const auto faults = miscorrected(stuck);
  ASSERT_EQ(faults.size(), 3u);
  for (const MemoryFault& fault : faults) small.memory.inject(0_ps, fault);
  EXPECT_EQ(small.memory.direct(small.at(block)), DirectAccess::refused);
  std::array<std::byte, block_bytes> data, expected;
  expected.fill(std::byte(0x55));
  const BlockAccess access = small.read(block, data);
  EXPECT_TRUE(access.silent);
  EXPECT_FALSE(access.poisoned);
  EXPECT_NE(data, expected);
  EXPECT_EQ(small.count("silent"), 1u);
  EXPECT_EQ(small.count("corrected"), 1u);  // the decoder reports a correction
  std::array<std::byte, block_bytes> again;
  EXPECT_TRUE(small.read(block, again).silent);  // the fault is stuck
  EXPECT_EQ(again, data);
}

TEST(SilentCorruption, ThatIsScrubbedIsWhatTheMemoryHoldsFromThenOn) {
  SmallEccMemory small(all_strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x55);
  for (const MemoryFault& fault : miscorrected(transient)) small.memory.inject(0_ps, fault);
  std::array<std::byte, block_bytes> first, second;
  EXPECT_TRUE(small.read(block, first).silent);
  const BlockAccess later = small.read(block, second);
  EXPECT_FALSE(later.silent);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::memcmp(first.data(), small.cells.data() + block * block_bytes, block_bytes), 0);
  EXPECT_EQ(small.count("silent"), 1u);
  EXPECT_TRUE(small.memory.faults().empty());
}

TEST(SilentCorruption, APartialWriteKeepsItsOwnBytes) {
  SmallEccMemory small(all_strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x55);
  for (const MemoryFault& fault : miscorrected(transient)) small.memory.inject(0_ps, fault);
  small.write(block, 0x66, 1, 1);  // the wrong bit of chip 2 is in byte 1
  std::array<std::byte, block_bytes> data;
  EXPECT_FALSE(small.read(block, data).silent);
  EXPECT_EQ(data[1], std::byte(0x66));
  EXPECT_EQ(block_bytes - std::ranges::count(data, std::byte(0x55)), 3);  // two are from the other chips
}

TEST(SilentCorruption, AStoreThatWasObservedLaterKeepsItsBytesToo) {
  SmallEccMemory small(all_strong());
  const std::uint64_t block = small.block(place);
  small.write(block, 0x55);
  for (const MemoryFault& fault : miscorrected(transient)) small.memory.inject(0_ps, fault);
  small.cells.data()[block * block_bytes + 1] = std::byte(0x66);  // uses a grant from before the faults
  small.memory.observe(1_us, small.at(block) + 1_B, 1, true);
  std::array<std::byte, block_bytes> data;
  small.read(block, data);
  EXPECT_EQ(data[1], std::byte(0x66));
  EXPECT_EQ(block_bytes - std::ranges::count(data, std::byte(0x55)), 3);
}

// --- The codec hook

struct RecordingHook final : CodecHook {
  unsigned encoded = 0, decoded = 0;
  std::vector<Reset> resets;
  bool breaks_parity = false;
  void encode(Picoseconds, EccMode, MemoryBlock& block) override {
    ++encoded;
    if (breaks_parity) block.parity[0] ^= 1;
  }
  void decode(Picoseconds, EccMode mode, const MemoryBlock& received, MemoryBlock& decoded_block,
              DecodeResult& result) override {
    ++decoded;
    MemoryBlock again = received;
    EXPECT_EQ(DualModeCodec(EccProfile::thesis).decode(mode, again), result);
    EXPECT_EQ(again, decoded_block);
  }
  void reset(Reset kind) override { resets.push_back(kind); }
};

TEST(CodecHookOfMemory, SeesEveryAccessFaultsOrNot) {
  SmallEccMemory small;
  RecordingHook hook;
  small.memory.attach_hook(&hook);
  small.write(5, 0x55);
  EXPECT_EQ(hook.encoded, 1u);
  EXPECT_EQ(hook.decoded, 0u);
  EXPECT_TRUE(small.holds(5, 0x55));
  EXPECT_EQ(hook.decoded, 1u);
  small.write(5, 0x66, 8, 8);  // a partial write reads first
  EXPECT_EQ(hook.decoded, 2u);
  small.memory.observe(1_us, small.at(5), 8, false);
  EXPECT_EQ(hook.decoded, 3u);
  small.memory.reset(Reset::warm);
  EXPECT_EQ(hook.resets, std::vector{Reset::warm});
  small.memory.attach_hook(static_cast<CodecHook*>(nullptr));
  small.read(5);
  EXPECT_EQ(hook.decoded, 3u);
}

TEST(CodecHookOfMemory, DecodesParityAndWhatItGives) {
  SmallEccMemory small(all_strong());
  RecordingHook hook;
  small.memory.attach_hook(&hook);
  small.memory.inject(0_ps, fault_at(chip, place));
  EXPECT_FALSE(small.read(small.block(place)).poisoned);
  EXPECT_EQ(hook.decoded, 2u);  // the parity block and the block
}

TEST(CodecHookOfMemory, WhatItEncodesIsWhatIsStored) {
  SmallEccMemory small;
  RecordingHook hook;
  hook.breaks_parity = true;
  small.memory.attach_hook(&hook);
  small.write(5, 0x55);
  EXPECT_TRUE(small.holds(5, 0x55));
  EXPECT_EQ(small.count("corrected"), 1u);
  EXPECT_EQ(small.errors.at(0).result.chips, 1u << 16);
}

}  // namespace
}  // namespace asterism
