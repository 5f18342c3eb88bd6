// The memory of a CXL SSD as a level of the checkpoint library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "checkpoint/test_machine.h"
#include "checkpoint/two_regions.h"

extern "C" {
#include "checkpoint/cxl_ssd_store.h"
}

namespace {

constexpr std::size_t flash_page = 16'384, ssd_pages = 256, ssd_bytes = ssd_pages * flash_page;
alignas(flash_page) std::uint8_t ssd_memory[ssd_bytes];

// Flash pages are programmed one after the other, as far as none of their lines is poisoned.
struct Ssd {
  std::vector<std::uint8_t> flash = std::vector<std::uint8_t>(ssd_bytes, 0);
  bool is_protected = false, is_descending = false, has_lost = false;
  int programs_until_power_failure = -1;
  unsigned flushes = 0;

  bool is_poisoned(std::size_t page) const {
    const auto first = machine.poisoned.lower_bound(TestMachine::block_of(ssd_memory + flash_page * page));
    return first != machine.poisoned.end() &&
           *first <= TestMachine::block_of(ssd_memory + flash_page * (page + 1) - 1);
  }
  bool flush() {
    ++flushes;
    bool ok = true;
    for (std::size_t i = 0; i < ssd_pages; ++i) {
      const std::size_t at = flash_page * (is_descending ? ssd_pages - 1 - i : i);
      if (std::memcmp(&flash[at], ssd_memory + at, flash_page) == 0) continue;
      if (is_poisoned(at / flash_page)) {
        has_lost = true;
        ok = false;
        continue;
      }
      if (programs_until_power_failure == 0) throw PowerLoss();
      if (programs_until_power_failure > 0) --programs_until_power_failure;
      std::memcpy(&flash[at], ssd_memory + at, flash_page);
    }
    return ok;
  }
};
Ssd ssd;

}  // namespace

extern "C" {
bool cxl_ssd_probe(CxlSsd* found) {
  *found = {.first = reinterpret_cast<std::uintptr_t>(ssd_memory),
            .bytes = ssd_bytes,
            .cache_bytes = ssd_bytes,
            .page_bytes = flash_page,
            .is_protected = ssd.is_protected};
  return true;
}
void cxl_ssd_clean(const void*, std::size_t) {}
bool cxl_ssd_flush(const void*, std::size_t) { return ssd.flush(); }
bool cxl_ssd_has_lost() { return std::exchange(ssd.has_lost, false); }
}

namespace {

class CxlSsdStoreTest : public testing::Test, protected TwoRegions<1500> {
 protected:
  void SetUp() override {
    machine.reset();
    machine.stores_clear_poison = true;
    ssd = {};
    std::memset(ssd_memory, 0, ssd_bytes);
    start();
  }
  void start() {
    ASSERT_EQ(checkpoint_initialize(), checkpoint_ok);
    protect();
    ASSERT_EQ(checkpoint_use_cxl_ssd(20'000), checkpoint_ok);
  }
  void lose_power() {
    machine.power_loss();
    ssd.programs_until_power_failure = -1;
    std::memcpy(ssd_memory, ssd.flash.data(), ssd_bytes);
    start();
  }
  // A page of flash that holds this word of the second region cannot be read any more.
  static void lose_page_with(std::uint64_t word) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&word);
    const auto* const at = std::search(ssd_memory, ssd_memory + ssd_bytes, bytes, bytes + sizeof word);
    ASSERT_NE(at, ssd_memory + ssd_bytes);
    const std::size_t page = static_cast<std::size_t>(at - ssd_memory) / flash_page * flash_page;
    for (std::size_t line = 0; line < flash_page; line += 64) machine.poison(ssd_memory + page + line);
  }
};

TEST_F(CxlSsdStoreTest, KeepsTheTwoNewestCheckpointsThroughALossOfPower) {
  for (std::uint64_t version = 1; version <= 3; ++version) ASSERT_EQ(write(version), checkpoint_ok);
  EXPECT_EQ(ssd.flushes, 9u);
  lose_power();
  EXPECT_EQ(newest(), 3u);
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_ok);
  EXPECT_TRUE(holds(2));
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_not_found);
}

TEST_F(CxlSsdStoreTest, ALostPageCostsOneCheckpointAndIsWrittenAgain) {
  ASSERT_EQ(write(1), checkpoint_ok);
  ASSERT_EQ(write(2), checkpoint_ok);
  lose_page_with(1000 + 700);
  EXPECT_EQ(write(3), checkpoint_ok);
  EXPECT_EQ(write(4), checkpoint_ok);
  lose_power();
  for (const std::uint64_t version : {3, 4}) {
    EXPECT_EQ(checkpoint_restore("a", version), checkpoint_ok);
    EXPECT_TRUE(holds(version));
  }
}

TEST_F(CxlSsdStoreTest, AProtectedCacheIsWrittenAgainAsWell) {
  ssd.is_protected = true;
  start();
  ASSERT_EQ(write(1), checkpoint_ok);
  lose_page_with(1000 + 700);
  ssd.has_lost = true;
  EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_unreadable);
  EXPECT_EQ(write(2), checkpoint_ok);
  EXPECT_TRUE(machine.poisoned.empty());
  EXPECT_EQ(checkpoint_restore("a", 2), checkpoint_ok);
  EXPECT_TRUE(holds(2));
  EXPECT_EQ(ssd.flushes, 0u);
}

// Whichever of its pages are programmed first.
TEST_F(CxlSsdStoreTest, AVersionThatIsWrittenAgainIsNeverMissing) {
  unsigned interrupted = 0;
  for (const bool is_descending : {false, true})
    for (int programs = 0; programs < 12; ++programs) {
      SetUp();
      ASSERT_EQ(write(1), checkpoint_ok);
      ssd.is_descending = is_descending;
      ssd.programs_until_power_failure = programs;
      try {
        ASSERT_EQ(write(1), checkpoint_ok);
      } catch (const PowerLoss&) {
        ++interrupted;
      }
      lose_power();
      ASSERT_EQ(newest(), 1u) << programs;
      EXPECT_EQ(checkpoint_restore("a", 1), checkpoint_ok);
      EXPECT_TRUE(holds(1));
    }
  EXPECT_GT(interrupted, 5u);
}

TEST_F(CxlSsdStoreTest, ADiscardIsDurable) {
  ASSERT_EQ(write(1), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_discard("a", 1), checkpoint_not_found);
  lose_power();
  std::uint64_t version = 0;
  EXPECT_EQ(checkpoint_find_newest("a", checkpoint_any_version, &version), checkpoint_not_found);
}

}  // namespace
