// Stores, reads and power failures of PCRAM that is memory.
#include "pcram/pcram_memory.h"

#include <cstring>

#include "pcram/pcram_rig.h"

namespace asterism {
namespace {

struct StoreRig {
  static constexpr std::size_t buffer = 8;  // lines, of which six stay
  PcramMemory memory;
  Picoseconds now;

  explicit StoreRig(const PcramPart& part = {})
      : memory(PcramArray(part, std::make_unique<DimmTiming>(part, 1, Bandwidth(64'000'000'000)), true),
               buffer) {}
  void store(std::uint64_t at, std::uint64_t value) {
    memory.advance_to(now);
    now = memory.write(now, Bytes(at), std::as_bytes(std::span(&value, 1)));
  }
  void store_line(std::uint64_t number, std::uint64_t value) {
    for (std::uint64_t i = 0; i < 8; ++i) store(64 * number + 8 * i, value + i);
  }
  struct Loaded {
    std::uint64_t value;
    bool is_lost;
  };
  Loaded load(std::uint64_t at) {
    std::uint64_t value = 0;
    memory.advance_to(now);
    const PcramMemory::Read read = memory.read(now, Bytes(at), std::as_writable_bytes(std::span(&value, 1)));
    now = read.end;
    return {value, read.is_lost};
  }
  const PcramArray::Counts& counts() const { return memory.array().counts(); }
  void pass(Picoseconds time) { memory.advance_to(now += time); }
};
struct PcramMemoryTest : testing::Test, StoreRig {};

TEST_F(PcramMemoryTest, StoresToALineBecomeOneWrite) {
  for (std::uint64_t number = 0; number < 100; ++number) store_line(number, 1000 * number);
  EXPECT_EQ(counts().lines_written, 94u);
  EXPECT_EQ(counts().lines_read, 0u);  // all are whole
  for (std::uint64_t number = 0; number < 100; ++number)
    EXPECT_EQ(load(64 * number + 56).value, 1000 * number + 7);
  EXPECT_EQ(counts().lines_read, 94u);
}

TEST_F(PcramMemoryTest, LoadsOfALineReadTheCellsOnce) {
  store_line(0, 10);
  for (std::uint64_t number = 1; number < 10; ++number) store_line(number, 1);
  pass(1_us);
  const Picoseconds begin = now;
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(load(8 * i).value, 10 + i);
  EXPECT_EQ(now, begin + 19_ns);
  store(8, 5);
  EXPECT_EQ(load(8).value, 5u);
  EXPECT_EQ(load(16).value, 12u);
  for (std::uint64_t number = 20; number < 30; ++number) store_line(number, 1);
  EXPECT_EQ(load(8).value, 5u);
}

TEST_F(PcramMemoryTest, ALineThatIsNotWholeIsReadBeforeItIsWritten) {
  store_line(3, 10);
  for (std::uint64_t number = 10; number < 20; ++number) store_line(number, 1);
  store(3 * 64 + 8, 99);
  EXPECT_EQ(load(3 * 64 + 8).value, 99u);   // from the buffer
  EXPECT_EQ(load(3 * 64 + 16).value, 12u);  // from the cells
  for (std::uint64_t number = 20; number < 30; ++number) store_line(number, 1);
  EXPECT_EQ(load(3 * 64).value, 10u);
  EXPECT_EQ(load(3 * 64 + 8).value, 99u);
}

TEST_F(PcramMemoryTest, BytesAreStoredAlone) {
  store(0, 0x1111'1111'1111'1111);
  const std::byte one{0xab};
  memory.write(now, Bytes(3), std::span(&one, 1));
  EXPECT_EQ(load(0).value, 0x1111'1111'ab11'1111u);
}

// A line leaves behind the read of the line before the write, 18 ns, and a burst of the bus.
TEST_F(PcramMemoryTest, AStoreWaitsOnlyIfThereIsNoSpace) {
  for (std::uint64_t number = 0; number < 8; ++number) store_line(18 * number, 1);
  EXPECT_EQ(now, 0_ps);
  store_line(18 * 8, 1);
  EXPECT_EQ(now, 19_ns);
  EXPECT_EQ(load(18 * 8 * 64).value, 1u);
  EXPECT_EQ(now, 19_ns);
}

TEST_F(PcramMemoryTest, AReadTakesTheTimeOfTheCellsAndTheBus) {
  load(640);
  EXPECT_EQ(now, 19_ns);
}

TEST(PcramMemoryPowerTest, WhatWasStoredSurvivesAPowerFailureAtAnyTime) {
  const auto address = [](std::uint64_t number) { return 64 * number + 8 * (number % 8); };
  for (const std::uint64_t after : {0, 1, 20, 60, 110, 1000}) {
    StoreRig rig;
    for (std::uint64_t number = 0; number < 40; ++number) rig.store(address(number), number + 1);
    rig.pass(1_ns * after);
    rig.memory.lose_power(rig.now, true);
    for (std::uint64_t number = 0; number < 40; ++number) {
      const StoreRig::Loaded loaded = rig.load(address(number));
      EXPECT_EQ(loaded.value, number + 1) << after;
      EXPECT_FALSE(loaded.is_lost);
    }
    EXPECT_EQ(rig.counts().lines_torn, 0u);
  }
}

TEST_F(PcramMemoryTest, WithoutEnergyTheBufferIsLost) {
  store_line(0, 1);
  for (std::uint64_t number = 1; number < 8; ++number) store_line(number, 1);
  pass(1_us);
  store_line(0, 100);
  memory.lose_power(now, false);
  EXPECT_EQ(load(0).value, 1u);
  EXPECT_EQ(load(7 * 64).value, 0u);
}

TEST_F(PcramMemoryTest, WithoutEnergyLinesThatAreWrittenAreTorn) {
  for (std::uint64_t number = 0; number < 8; ++number) store_line(number, ~std::uint64_t{0} - number);
  pass(60_ns);
  memory.lose_power(now, false);
  EXPECT_EQ(counts().lines_torn, 2u);
  EXPECT_TRUE(load(0).is_lost);
  // Until all of the line has been written.
  store(0, 1);
  for (std::uint64_t number = 10; number < 20; ++number) store_line(number, 1);
  EXPECT_TRUE(load(0).is_lost);
  store_line(0, 5);
  for (std::uint64_t number = 10; number < 20; ++number) store_line(number, 1);
  EXPECT_FALSE(load(8).is_lost);
  EXPECT_EQ(load(8).value, 6u);
}

TEST(PcramMemoryWearTest, AWornLineIsLost) {
  PcramPart part;
  part.endurance = 3;
  StoreRig rig(part);
  std::vector<Bytes> worn;
  rig.memory.on_worn = [&](Bytes offset) { worn.push_back(offset); };
  for (std::uint64_t value = 1; value <= 4; ++value) {
    rig.store_line(5, value);
    for (std::uint64_t number = 10; number < 18; ++number) rig.store_line(number, 1);
    EXPECT_EQ(rig.load(5 * 64).is_lost, value == 4);
  }
  EXPECT_EQ(worn, std::vector{Bytes(5 * 64)});
  EXPECT_EQ(rig.memory.array().cells().max_wear(), 3u);
}

TEST_F(PcramMemoryTest, DebuggersSeeAndChangeWhatIsStored) {
  store(64, 7);
  std::uint64_t value = 0;
  const auto bytes = std::as_writable_bytes(std::span(&value, 1));
  memory.peek(Bytes(64), bytes);
  EXPECT_EQ(value, 7u);
  value = 8;
  memory.poke(Bytes(64), bytes);
  memory.poke(Bytes(72), bytes);
  EXPECT_EQ(load(64).value, 8u);
  EXPECT_EQ(load(72).value, 8u);
  EXPECT_EQ(counts().lines_written, 0u);
}

// Against an array of bytes.
TEST_F(PcramMemoryTest, AnyAccessesFindWhatWasStored) {
  constexpr std::uint64_t size = 64 * 40;
  std::vector<std::byte> truth(size);
  Random random(9);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t at = random.below(size), left = 64 - at % 64;
    std::array<std::byte, 64> bytes;
    const std::span data = std::span(bytes).first(1 + random.below(left));
    pass(Picoseconds(random.below(20'000)));
    if (random.below(2) != 0) {
      for (std::byte& byte : data) byte = static_cast<std::byte>(random.next());
      now = memory.write(now, Bytes(at), data);
      std::ranges::copy(data, truth.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      EXPECT_FALSE(memory.read(now, Bytes(at), data).is_lost);
      ASSERT_EQ(std::memcmp(data.data(), truth.data() + at, data.size()), 0);
    }
    if (random.below(1000) == 0) memory.lose_power(now, true);
  }
}

}  // namespace
}  // namespace asterism
