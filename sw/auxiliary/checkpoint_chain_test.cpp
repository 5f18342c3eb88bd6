// The checkpoint library with auxiliary cores in place of the DIMM-SSD.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "auxiliary/test_node.h"

extern "C" {
#include "auxiliary/checkpoint_chain.h"
#include "boot/guarded_copy.h"
#include "boot/memory.h"
#include "drivers/cxl.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"
}

// The functions that the library needs of devices not used here, and of memory under strong ECC: the last
// pages of an array.
namespace {
alignas(chunk_bytes) std::array<std::uint8_t, std::size_t{64} * chunk_bytes> dram;
bool has_strong_memory = false;
}  // namespace

extern "C" {
DimmSsdProgress dimm_ssd_progress() { return {}; }
void dimm_ssd_await_progress() {}
bool dimm_ssd_stops_software(DimmSsdMethod) { return true; }
void dimm_ssd_use_shadow(void*, std::uint32_t) {}
std::uint64_t dimm_ssd_rated() { return 0; }
std::uint64_t dimm_ssd_written() { return 0; }
std::uint32_t pcram_copied() { return 0; }
std::uint32_t pcram_place_of(const void*, std::uint32_t) { return 0; }
bool cxl_probe(CxlMemory*) { return false; }
std::uint32_t cxl_poisoned() { return 0; }
unsigned cxl_clear_poison(std::uint64_t, std::uint64_t) { return 0; }
bool memory_controller_probe() { return has_strong_memory; }
std::uint32_t memory_controller_uncorrectable() { return 0; }
EccRange memory_controller_range(unsigned) { return {}; }
RangeProblem memory_controller_set_range(unsigned, EccRange) { return range_ok; }
bool memory_copy_guarded(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  return true;
}
std::uint64_t memory_end() { return reinterpret_cast<std::uintptr_t>(dram.data() + dram.size()); }
void memory_keep_from(std::uint64_t) {}
bool power_probe() { return false; }
void power_checkpoint_located(std::uint64_t, CheckpointLocated, unsigned) {}
std::uint64_t generic_timer_frequency() { return 1'000'000'000; }
}

namespace {

// Two regions: one of whole pages, and one that begins and ends within a page, whose rest is not part of a
// checkpoint.
struct CheckpointChainTest : testing::Test {
  CheckpointChainTest() {
    node.reset();
    dram.fill(0);
    has_strong_memory = false;
  }
  ~CheckpointChainTest() override { checkpoint_initialize(); }  // ends the auxiliary cores

  void initialize(const char* text = "columns,dedup,pcram,drain") {
    checkpoint_initialize();
    const Chain chain = chain_of(text);
    ASSERT_EQ(checkpoint_use_chain(&chain, 4, 3), nullptr);
    protect();
  }
  void protect() {
    ASSERT_EQ(checkpoint_protect(0, cells.chunk(0), std::size_t{cells.chunks()} * chunk_bytes),
              checkpoint_ok);
    ASSERT_EQ(checkpoint_protect(1, state(), state_words * 8), checkpoint_ok);
  }
  std::uint64_t* state() { return page.chunk(0) + 100; }
  void change(std::uint64_t version) {
    for (std::uint32_t i = 0; i < cells.chunks(); ++i) cells.fill(i, i < constant ? i : 1000 * version + i);
    page.fill(0, version);
    std::iota(state(), state() + state_words, version);
  }
  // The state as version left it; the bytes beside the state must not have changed.
  void expect_is(std::uint64_t version) {
    const auto is = cells.copy();
    const std::vector<std::uint64_t> state_is(state(), state() + state_words);
    change(version);
    EXPECT_EQ(is, cells.copy()) << version;
    EXPECT_EQ(state_is, std::vector<std::uint64_t>(state(), state() + state_words)) << version;
  }
  CheckpointStatus restore(std::uint64_t version) {
    change(9999);
    const std::uint64_t before = page.chunk(0)[99], behind = state()[state_words];
    const CheckpointStatus status = checkpoint_restore("app", version);
    EXPECT_EQ(page.chunk(0)[99], before);
    EXPECT_EQ(state()[state_words], behind);
    return status;
  }
  std::uint64_t newest(const char* name = "app", std::uint64_t limit = checkpoint_any_version) {
    std::uint64_t version = 0;
    const CheckpointStatus status = checkpoint_find_newest(name, limit, &version);
    EXPECT_TRUE(status == checkpoint_ok || status == checkpoint_not_found) << checkpoint_text(status);
    return status == checkpoint_ok ? version : 0;
  }

  static constexpr std::uint32_t constant = 6, state_words = 300;
  TestImage cells{17}, page{1};
};

TEST_F(CheckpointChainTest, RestoresEveryByteFromTheStoreAndFromTheDrain) {
  for (const unsigned x : {0u, 1u, 2u, 4u}) {
    SCOPED_TRACE(x);
    node.reset();
    node.auxiliary = x;
    initialize("columns,big_endian,dedup,pcram,drain");
    for (std::uint64_t version = 1; version <= 5; ++version) {
      change(version);
      ASSERT_EQ(checkpoint_begin("app", version), checkpoint_ok);
      EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_not_asked);
      EXPECT_EQ(checkpoint_level_status(checkpoint_chain), x == 0 ? checkpoint_ok : checkpoint_pending);
    }
    EXPECT_EQ(checkpoint_wait(checkpoint_any_version), checkpoint_ok);
    EXPECT_EQ(checkpoint_test(5), checkpoint_ok);
    EXPECT_EQ(newest(), 5u);
    for (const AuxiliarySource source : {auxiliary_from_store, auxiliary_from_drain}) {
      checkpoint_chain_ask(source);
      EXPECT_EQ(restore(5), checkpoint_ok);
      EXPECT_EQ(checkpoint_chain_source(), source);
      expect_is(5);
    }
  }
}

// The program continues: what it writes after checkpoint_begin belongs to the next version.
TEST_F(CheckpointChainTest, HoldsTheContentsOfMemoryAtItsBegin) {
  node.auxiliary = 1;
  initialize();
  change(1);
  ASSERT_EQ(checkpoint_begin("app", 1), checkpoint_ok);
  change(7);
  EXPECT_EQ(checkpoint_wait(1), checkpoint_ok);
  EXPECT_EQ(restore(1), checkpoint_ok);
  expect_is(1);
}

TEST_F(CheckpointChainTest, EqualPagesOfTwoVersionsAreStoredOnce) {
  for (const unsigned x : {0u, 1u}) {
    node.reset();
    node.auxiliary = x;
    initialize("dedup,pcram");
    const ChunkStoreCounts before = chunk_store_counts();
    for (std::uint64_t version = 1; version <= 3; ++version) {
      change(version);
      ASSERT_EQ(checkpoint_write("app", version), checkpoint_ok);
    }
    // The constant pages are duplicates in two of three versions. All other pages, those of the state and the
    // header, were stored.
    EXPECT_EQ(chunk_store_counts().duplicates - before.duplicates, 2 * constant);
    EXPECT_EQ(chunk_store_counts().stored - before.stored, 3 * checkpoint_pages() - 2 * constant);
    EXPECT_EQ(restore(3), checkpoint_ok);
    expect_is(3);
  }
}

TEST_F(CheckpointChainTest, TheDrainRestoresWhatPcramHasLost) {
  node.auxiliary = 2;
  initialize();
  change(3);
  ASSERT_EQ(checkpoint_write("app", 3), checkpoint_ok);
  checkpoint_chain_finish();
  for (auto& one : node.pcram) one[5] ^= 1;
  initialize();
  EXPECT_EQ(newest(), 3u);
  EXPECT_EQ(restore(3), checkpoint_ok);
  EXPECT_EQ(checkpoint_chain_source(), auxiliary_from_drain);
  expect_is(3);
}

TEST_F(CheckpointChainTest, TheNextRunDrainsWhatAPowerLossLeftUndrained) {
  for (const unsigned x : {0u, 1u}) {
    node.reset();
    initialize("pcram");
    change(3);
    ASSERT_EQ(checkpoint_write("app", 3), checkpoint_ok);
    node.auxiliary = x;
    initialize("pcram,drain");
    EXPECT_EQ(restore(3), checkpoint_ok);
    EXPECT_TRUE(node.flash.empty());
    checkpoint_chain_finish();
    checkpoint_chain_ask(auxiliary_from_drain);
    EXPECT_EQ(restore(3), checkpoint_ok);
    expect_is(3);
  }
}

// Whenever the power fails, a complete checkpoint is found: the last one or the one before.
TEST_F(CheckpointChainTest, APowerLossLeavesTheCheckpointBefore) {
  unsigned went_back = 0;
  for (std::uint64_t pages = 0; pages < 20; ++pages) {
    SCOPED_TRACE(pages);
    node.reset();
    node.auxiliary = 1;
    initialize("dedup,pcram");
    change(1);
    ASSERT_EQ(checkpoint_write("app", 1), checkpoint_ok);
    node.pages_until_power_failure = pages;
    change(2);
    checkpoint_write("app", 2);
    const bool was_cut = node.power_failed;
    node.pages_until_power_failure = UINT64_MAX;
    node.power_failed = false;
    initialize("dedup,pcram");
    const std::uint64_t found = newest();
    // The second half of a page may be empty, so that half of it suffices.
    EXPECT_GE(found, was_cut ? 1u : 2u);
    went_back += found == 1;
    ASSERT_EQ(restore(found), checkpoint_ok);
    expect_is(found);
  }
  EXPECT_GE(went_back, 10u);
}

TEST_F(CheckpointChainTest, AFailureIsReportedOnceAndTheCheckpointBeforeIsKept) {
  for (const unsigned x : {0u, 1u}) {
    SCOPED_TRACE(x);
    node.reset();
    node.auxiliary = x;
    initialize("dedup,pcram");
    change(1);
    ASSERT_EQ(checkpoint_write("app", 1), checkpoint_ok);
    node.worn_out = true;
    change(2);
    EXPECT_EQ(checkpoint_write("app", 2), checkpoint_not_stored);
    EXPECT_EQ(checkpoint_test(2), checkpoint_not_stored);
    if (x != 0) {
      EXPECT_EQ(checkpoint_begin("app", 3), checkpoint_ok);  // its failure is reported later
      checkpoint_chain_finish();
      EXPECT_EQ(checkpoint_begin("app", 4),
                checkpoint_not_stored);  // the failure of version 3; nothing was begun
      EXPECT_EQ(checkpoint_test(4), checkpoint_not_found);
    }
    node.worn_out = false;
    EXPECT_EQ(newest(), 1u);
    EXPECT_EQ(restore(1), checkpoint_ok);
    expect_is(1);
    change(5);
    EXPECT_EQ(checkpoint_write("app", 5), checkpoint_ok);
    EXPECT_EQ(newest(), 5u);
  }
}

TEST_F(CheckpointChainTest, NamesAndVersionsAreKeptApart) {
  node.auxiliary = 1;
  initialize("columns,dedup,pcram");
  change(4);
  ASSERT_EQ(checkpoint_write("app", 4), checkpoint_ok);
  change(5);
  ASSERT_EQ(checkpoint_write("app", 5), checkpoint_ok);
  EXPECT_EQ(newest("other"), 0u);
  EXPECT_EQ(newest("app", 4), 4u);
  EXPECT_EQ(checkpoint_restore("other", 5), checkpoint_not_found);
  EXPECT_EQ(restore(3), checkpoint_not_found);
  EXPECT_EQ(restore(4), checkpoint_ok);
  expect_is(4);
  EXPECT_EQ(checkpoint_discard("app", 5), checkpoint_ok);
  EXPECT_EQ(newest(), 4u);
  EXPECT_EQ(checkpoint_discard("app", 5), checkpoint_not_found);
}

TEST_F(CheckpointChainTest, RefusesAnotherChainsBytesAndOtherRegions) {
  initialize("columns,pcram");
  change(1);
  ASSERT_EQ(checkpoint_write("app", 1), checkpoint_ok);
  initialize("big_endian,pcram");
  EXPECT_EQ(restore(1), checkpoint_other_regions);
  initialize("columns,pcram");
  checkpoint_protect(1, state(), 8);  // the same number of pages
  EXPECT_EQ(checkpoint_restore("app", 1), checkpoint_other_regions);
  initialize("columns,pcram");
  EXPECT_EQ(restore(1), checkpoint_ok);
  expect_is(1);
}

TEST_F(CheckpointChainTest, HashesDetectDamage) {
  initialize("pcram");
  change(1);
  ASSERT_EQ(checkpoint_write("app", 1), checkpoint_ok);
  std::uint64_t first_word = cells.chunk(9)[0];
  for (auto& one : node.pcram)
    if (one[0] == first_word) one[0] ^= 1;
  EXPECT_EQ(restore(1), checkpoint_unreadable);
}

TEST_F(CheckpointChainTest, IsLevelTwoAfterMemory) {
  has_strong_memory = true;
  node.auxiliary = 1;
  initialize("columns,dedup,pcram");
  ASSERT_EQ(checkpoint_use_memory((std::size_t{cells.chunks()} + 1) * chunk_bytes, 2), checkpoint_ok);
  for (std::uint64_t version = 1; version <= 3; ++version) {
    change(version);
    ASSERT_EQ(checkpoint_write("app", version), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
    EXPECT_EQ(checkpoint_level_status(checkpoint_chain), version == 2 ? checkpoint_ok : checkpoint_not_asked);
  }
  EXPECT_EQ(newest(), 3u);
  EXPECT_EQ(restore(3), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_memory), checkpoint_ok);
  expect_is(3);
  initialize("columns,dedup,pcram");  // memory is lost, too
  EXPECT_EQ(newest(), 2u);
  EXPECT_EQ(restore(2), checkpoint_ok);
  expect_is(2);
}

TEST_F(CheckpointChainTest, ReplacesOnlyTheDimmSsd) {
  initialize();
  EXPECT_EQ(checkpoint_use_pcram(0, false), checkpoint_bad_argument);
  EXPECT_EQ(checkpoint_use_ratio(10), checkpoint_bad_argument);
  const CheckpointPolicy policy = {};
  EXPECT_EQ(checkpoint_use_controller(&policy), checkpoint_bad_argument);
  checkpoint_initialize();
  ASSERT_EQ(checkpoint_use_pcram(0, false), checkpoint_ok);
  const Chain chain = chain_of("ssd");
  EXPECT_STREQ(checkpoint_use_chain(&chain, 4, 3),
               "PCRAM, a ratio or the controller of the checkpoint library is in use");
}

TEST_F(CheckpointChainTest, ReportsWhatIsMissingAndLeavesTheLibraryUnchanged) {
  node.has_pcram = false;
  checkpoint_initialize();
  const Chain chain = chain_of("pcram");
  EXPECT_STREQ(checkpoint_use_chain(&chain, 4, 3), "this machine has no PCRAM");
  protect();
  change(1);
  ASSERT_EQ(checkpoint_write("app", 1), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_dimm_ssd), checkpoint_ok);
  EXPECT_EQ(checkpoint_level_status(checkpoint_chain), checkpoint_not_asked);
}

TEST_F(CheckpointChainTest, RefusesMoreThanTheChainTakes) {
  initialize();
  TestImage large(checkpoint_chunk_limit);
  checkpoint_protect(2, large.chunk(0), std::size_t{checkpoint_chunk_limit} * chunk_bytes);
  EXPECT_EQ(checkpoint_write("app", 1), checkpoint_too_large);
}

}  // namespace
