#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "auxiliary/test_node.h"

namespace {

constexpr std::uint32_t chunks = 23;  // seven blocks of three, and one of two

struct AuxiliaryTest : testing::Test {
  AuxiliaryTest() { node.reset(); }

  void initialize(const char* text, unsigned buffers = 4) {
    const Chain chain = chain_of(text);
    ASSERT_EQ(auxiliary_initialize(&chain, buffers, 3), nullptr);
    pages.clear();
    add(first);
    add(second);
    use_pages();
  }
  void add(TestImage& image) {
    for (std::uint32_t i = 0; i < image.chunks(); ++i)
      pages.push_back(reinterpret_cast<std::uintptr_t>(image.chunk(i)));
  }
  void use_pages(std::uint64_t name = 17) {
    ASSERT_TRUE(auxiliary_use_pages(name, pages.data(), static_cast<std::uint32_t>(pages.size())));
  }
  // The first region changes with each version, the second one never does.
  void change(std::uint64_t version) {
    for (std::uint32_t i = 0; i < first.chunks(); ++i) first.fill(i, 1000 * version + i);
    for (std::uint32_t i = 0; i < second.chunks(); ++i) second.fill(i, i);
  }
  void run(std::uint64_t versions) {
    auxiliary_start();
    for (std::uint64_t version = 1; version <= versions; ++version) {
      change(version);
      auxiliary_write(version);
    }
    auxiliary_finish();
  }
  void expect_restored(AuxiliarySource source, std::uint64_t wanted) {
    change(wanted);
    const auto first_wanted = first.copy(), second_wanted = second.copy();
    change(9999);
    second.fill(0, 77);
    std::uint64_t version = 0;
    AuxiliarySource from;
    ASSERT_TRUE(auxiliary_restore(source, &version, &from));
    EXPECT_EQ(version, wanted);
    EXPECT_EQ(first.copy(), first_wanted);
    EXPECT_EQ(second.copy(), second_wanted);
  }
  bool restores() {
    std::uint64_t version;
    AuxiliarySource from;
    return auxiliary_restore(auxiliary_any, &version, &from);
  }

  TestImage first{chunks - 6}, second{6};
  std::vector<std::uint64_t> pages;
};

TEST_F(AuxiliaryTest, AnyPartitionKeepsEveryByte) {
  for (unsigned x = 0; x <= 4; ++x)
    for (const unsigned y : {1u, 3u})
      for (const unsigned buffers : {1u, 2u, 32u}) {
        SCOPED_TRACE("FP(" + std::to_string(x) + "," + std::to_string(y) + ") " + std::to_string(buffers));
        node.reset();
        node.auxiliary = x;
        node.compute = y;
        initialize("columns,big_endian,dedup,pcram,drain", buffers);
        run(5);
        const AuxiliaryCounts counts = auxiliary_counts();
        EXPECT_EQ(counts.written, 5u);
        EXPECT_EQ(counts.failed, 0u);
        EXPECT_EQ(counts.bytes, 5u * chunks * chunk_bytes);
        expect_restored(auxiliary_from_store, 5);
        expect_restored(auxiliary_from_drain, 5);
      }
}

TEST_F(AuxiliaryTest, TheDimmSsdAloneIsAStore) {
  for (const unsigned x : {0u, 1u, 2u}) {
    node.reset();
    node.auxiliary = x;
    initialize("columns,ssd");
    run(4);
    EXPECT_EQ(auxiliary_counts().written, 4u);
    EXPECT_EQ(node.flash.size(), 2u);  // the newest two
    expect_restored(auxiliary_any, 4);
  }
}

TEST_F(AuxiliaryTest, FindsWhatTheProgramOnlyReads) {
  node.auxiliary = 1;
  const auto before = chunk_store_counts();
  initialize("dedup,pcram");
  run(3);
  EXPECT_EQ(chunk_store_counts().duplicates - before.duplicates, 2 * second.chunks());
  EXPECT_EQ(chunk_store_counts().stored - before.stored, 3u * chunks - 2 * second.chunks());
}

TEST_F(AuxiliaryTest, InLineEveryCheckpointIsDrainedBeforeTheProgramContinues) {
  initialize("dedup,pcram,drain");
  const DrainCounts before = drain_counts();
  run(4);
  EXPECT_EQ(drain_counts().checkpoints - before.checkpoints, 4u);
  EXPECT_EQ(drain_counts().bytes - before.bytes, 4u * chunks * chunk_bytes);
}

TEST_F(AuxiliaryTest, TheNewestIsDrainedWhenAllIsFinished) {
  node.auxiliary = 2;
  initialize("dedup,pcram,drain");
  run(6);
  EXPECT_EQ(node.flash.rbegin()->first, 6u);
  EXPECT_LE(node.flash.size(), 2u);
}

TEST_F(AuxiliaryTest, ConvertedDataHasTheLayoutOfTheConversion) {
  initialize("columns,big_endian,ssd");
  run(1);
  change(1);
  const auto& pages = node.flash.at(1);  // a header, then the chunks
  for (std::uint32_t record = 0; record < chunk_words; ++record)
    for (std::uint32_t field = 0; field < 3; ++field)
      ASSERT_EQ(__builtin_bswap64(pages[1 + field][record]), first.chunk(0)[3 * record + field]);
}

TEST_F(AuxiliaryTest, TheDrainKeepsWhatPcramHasLost) {
  node.auxiliary = 1;
  initialize("columns,dedup,pcram,drain");
  run(3);
  for (auto& page : node.pcram) page[5] ^= 1;
  initialize("columns,dedup,pcram,drain");
  expect_restored(auxiliary_any, 3);
}

TEST_F(AuxiliaryTest, RestoresNothingOfAnotherConversionOrSize) {
  initialize("columns,pcram");
  run(1);
  initialize("big_endian,pcram");
  EXPECT_FALSE(restores());
  initialize("columns,pcram");
  TestImage third(1);
  add(third);
  use_pages();
  EXPECT_FALSE(restores());
  initialize("columns,dedup,pcram");
  expect_restored(auxiliary_any, 1);
  use_pages(18);  // another name
  EXPECT_FALSE(restores());
}

TEST_F(AuxiliaryTest, AFailureOfTheStoreIsCountedAndTheCheckpointBeforeIsKept) {
  for (const unsigned x : {0u, 1u, 3u}) {
    node.reset();
    node.auxiliary = x;
    initialize("dedup,pcram,drain");
    run(1);
    auxiliary_start();
    node.worn_out = true;
    change(2);
    EXPECT_EQ(auxiliary_write(2), x != 0);
    auxiliary_finish();
    node.worn_out = false;
    EXPECT_EQ(auxiliary_counts().failed, 1u);
    expect_restored(auxiliary_any, 1);
  }
}

TEST_F(AuxiliaryTest, AFailureOfTheDrainIsCountedAndTheStoreKeepsAll) {
  node.flash_fails = true;
  node.auxiliary = 1;
  initialize("dedup,pcram,drain");
  const DrainCounts before = drain_counts();
  run(2);
  EXPECT_GE(drain_counts().failed - before.failed, 1u);
  EXPECT_EQ(drain_counts().checkpoints, before.checkpoints);
  EXPECT_EQ(auxiliary_counts().failed, 0u);
  expect_restored(auxiliary_from_store, 2);
}

TEST_F(AuxiliaryTest, RefusesMoreThanACheckpointHolds) {
  initialize("pcram");
  EXPECT_TRUE(auxiliary_use_pages(1, pages.data(), checkpoint_chunk_limit));
  EXPECT_FALSE(auxiliary_use_pages(1, pages.data(), checkpoint_chunk_limit + 1));
}

TEST_F(AuxiliaryTest, ReportsWhatIsMissing) {
  const Chain chain = chain_of("pcram,drain");
  node.has_dimm_ssd = false;
  EXPECT_STREQ(auxiliary_initialize(&chain, 1, 1), "this machine has no DIMM-SSD");
  node.has_pcram = false;
  EXPECT_STREQ(auxiliary_initialize(&chain, 1, 1), "this machine has no PCRAM");
  const Chain remote = chain_of("benefactors");
  EXPECT_STREQ(auxiliary_initialize(&remote, 1, 1), "this machine is no client of a store of benefactors");
}

}  // namespace
