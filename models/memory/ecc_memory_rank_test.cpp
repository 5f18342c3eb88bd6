// EccMemory with a code of a DDR5 rank.
#include "ecc/on_die_code.h"
#include "memory/ecc_memory_test.h"
#include "memory/memory_config.h"

namespace asterism {
namespace {

using Kind = MemoryFaultKind;

constexpr BlockLocation place{.channel = 0, .rank = 0, .bank = 2, .row = 3, .column = 4};

EccConfig with_rank_code(Ddr5Code code) {
  EccConfig config;
  config.rank_code = code;
  config.demand_scrub = false;
  return config;
}

struct Delivered {
  bool is_right, is_poisoned, is_silent;
  bool operator==(const Delivered&) const = default;
};
constexpr Delivered right{true, false, false}, poisoned{false, true, false};

Delivered after_faults(Ddr5Code code, std::initializer_list<MemoryFault> faults) {
  SmallEccMemory memory(with_rank_code(code));
  const std::uint64_t block = memory.block(place);
  memory.write(block, 0x5A);
  for (const MemoryFault& fault : faults) memory.memory.inject(1_us, fault);
  std::array<std::byte, block_bytes> data, expected;
  expected.fill(std::byte{0x5A});
  const BlockAccess access = memory.read(block, data);
  return {data == expected, access.poisoned, access.silent};
}

TEST(EccMemoryRankTest, CorrectsADeadChipOfTen) {
  for (const Ddr5Code code :
       {Ddr5Code::rs_10_8, Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32, Ddr5Code::chip_guard})
    for (const std::uint32_t chip : {0u, 7u, 8u, 9u})
      EXPECT_EQ(after_faults(code, {fault_at(Kind::chip, place, chip)}), right);
}

TEST(EccMemoryRankTest, ReportsTwoDeadChips) {
  for (const Ddr5Code code : {Ddr5Code::rs_10_8_chip, Ddr5Code::rs_40_32, Ddr5Code::chip_guard})
    EXPECT_EQ(after_faults(code, {fault_at(Kind::chip, place, 1), fault_at(Kind::row, place, 6)}), poisoned);
}

TEST(EccMemoryRankTest, CorrectsPinsOfNineChipsButNoChip) {
  for (const Ddr5Code code : {Ddr5Code::rs_36_32, Ddr5Code::rs_36_32_bounded}) {
    EXPECT_EQ(after_faults(code, {fault_at(Kind::pin, place, 8), fault_at(Kind::column, place, 8)}), right);
    EXPECT_EQ(after_faults(code, {fault_at(Kind::chip, place, 3)}), poisoned);
  }
}

TEST(EccMemoryRankTest, ReachesAllBeatsOfTheBurst) {
  SmallEccMemory memory(with_rank_code(Ddr5Code::chip_guard));
  const auto bit = [](unsigned bit, unsigned chip) {
    return fault_at(Kind::bit, place, chip, Persistence::transient, bit);
  };
  memory.memory.inject(1_us, bit(63, 2));
  const std::uint64_t block = memory.block(place);
  memory.write(memory.block({}), 0);
  EXPECT_EQ(memory.memory.direct(memory.at(block)), DirectAccess::monitored);
  memory.read(block);
  ASSERT_EQ(memory.errors.size(), 1u);
  EXPECT_EQ(memory.errors[0].result.chips, 1u << 2);
  EXPECT_EQ(memory.errors[0].errors.data[61], 0x08) << "beat 15, low nibble of its second byte";
  memory.memory.inject(1_us, bit(0, 3));
  EXPECT_EQ(memory.memory.direct(memory.at(block)), DirectAccess::refused);
  EXPECT_THROW(memory.memory.inject(1_us, bit(64, 2)), std::invalid_argument);
  EXPECT_THROW(memory.memory.inject(1_us, bit(0, 10)), std::invalid_argument);
}

// ---- on-die ECC ----

MemoryFault one_bit(unsigned bit, unsigned chip = 2) {
  return fault_at(Kind::bit, place, chip, Persistence::stuck, bit);
}

EccConfig on_die(Ddr5Code code) {
  EccConfig config = with_rank_code(code);
  config.on_die = true;
  return config;
}

TEST(EccMemoryRankTest, OnDieEccHidesOneBitOfEachChip) {
  SmallEccMemory memory(on_die(Ddr5Code::rs_10_8_chip));
  const std::uint64_t block = memory.block(place);
  memory.write(block, 0x5A);
  for (const unsigned chip : {0u, 4u, 9u}) memory.memory.inject(1_us, one_bit(7, chip));
  EXPECT_TRUE(memory.holds(block, 0x5A)) << "the rank's code alone would find three chips";
  EXPECT_TRUE(memory.errors.empty());
  EXPECT_EQ(memory.count("on_die_corrected"), 3u);
  EXPECT_EQ(memory.count("on_die_miscorrected"), 0u);
  EXPECT_EQ(memory.count("corrected"), 0u);
}

// Two wrong bits in pins 0 and 1 of the first eight beats, which the chip takes for a third one in pin 2.
TEST(EccMemoryRankTest, OnDieEccMayAddAWrongBit) {
  std::optional<std::pair<unsigned, unsigned>> pair;
  for (unsigned a = 0; a < 32 && !pair; a += 4)
    for (unsigned b = 1; b < 32 && !pair; b += 4) {
      OnDieWord word{std::uint64_t{1} << a | std::uint64_t{1} << b, 0, 0};
      const OnDieWord before = word;
      on_die_code.decode(word);
      if (const std::uint64_t third = word.delivered ^ before.delivered; third & 0x4444'4444) pair = {a, b};
    }
  ASSERT_TRUE(pair);
  for (const bool has_on_die : {false, true}) {
    SmallEccMemory memory(has_on_die ? on_die(Ddr5Code::rs_36_32) : with_rank_code(Ddr5Code::rs_36_32));
    memory.memory.inject(1_us, one_bit(pair->first));
    memory.memory.inject(1_us, one_bit(pair->second));
    EXPECT_EQ(memory.read(memory.block(place)).poisoned, has_on_die) << "three pins are too many";
    EXPECT_EQ(memory.memory.direct(memory.at(memory.block(place))),
              has_on_die ? DirectAccess::refused : DirectAccess::monitored);
    if (has_on_die) {
      EXPECT_EQ(memory.count("on_die_miscorrected"), 1u);
    }
  }
}

TEST(EccMemoryRankTest, OnDieEccDoesNotHideADeadChip) {
  SmallEccMemory memory(on_die(Ddr5Code::rs_10_8_chip));
  memory.write(memory.block(place), 0x5A);
  memory.memory.inject(1_us, fault_at(Kind::chip, place, 3));
  EXPECT_TRUE(memory.holds(memory.block(place), 0x5A));
  EXPECT_EQ(memory.count("corrected"), 1u);
}

TEST(EccMemoryRankTest, HasNoStrongPages) {
  SmallEccMemory memory(with_rank_code(Ddr5Code::chip_guard));
  EXPECT_EQ(memory.set_strong(0_B, 4_KiB), RangeProblem::reserved_mode);
}

}  // namespace
}  // namespace asterism
