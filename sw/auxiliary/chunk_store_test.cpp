#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "auxiliary/test_node.h"

namespace {

constexpr std::uint32_t chunks = 10, block_chunks = 4;

struct ChunkStoreTest : testing::Test {
  ChunkStoreTest() {
    node.reset();
    EXPECT_EQ(chunk_store_prepare(), nullptr);
    before = chunk_store_counts();
    for (std::uint32_t i = 0; i < chunks; ++i) image.fill(i, i);
  }

  Block block_at(TestImage& of, std::uint32_t first, bool hashed = true) {
    Block block = {.first = first,
                   .chunks = std::min(block_chunks, of.chunks() - first),
                   .hashed = false,
                   .hash = {},
                   .words = of.chunk(first),
                   .scratch = nullptr};
    if (hashed) deduplication_plug_in.write(nullptr, &block);
    return block;
  }
  CheckpointFile file(std::uint64_t version, TestImage& of) const {
    return {version, of.chunks(), block_chunks, 5, name};
  }

  bool write(std::uint64_t version, TestImage& of, bool hashed = true) {
    const CheckpointFile one = file(version, of);
    if (!chunk_store_begin(&one)) return false;
    for (std::uint32_t first = 0; first < of.chunks(); first += block_chunks) {
      Block block = block_at(of, first, hashed);
      if (!chunk_store_write(&one, &block)) return false;
    }
    return chunk_store_commit(&one);
  }
  bool write(std::uint64_t version, bool hashed = true) { return write(version, image, hashed); }

  bool read(std::uint64_t version, TestImage& to) {
    CheckpointFile one;
    if (!chunk_store_open(name, version, &one)) return false;
    EXPECT_EQ(one.chunks, to.chunks());
    EXPECT_EQ(one.conversions, 5u);
    for (std::uint32_t first = 0; first < one.chunks; first += block_chunks) {
      Block block = block_at(to, first, false);
      if (!chunk_store_read(&one, &block)) return false;
    }
    return true;
  }
  std::uint64_t newest() {
    std::uint64_t version = 0;
    return chunk_store_find(name, UINT64_MAX, &version) ? version : 0;
  }
  std::uint64_t stored() const { return chunk_store_counts().stored - before.stored; }
  std::uint64_t duplicates() const { return chunk_store_counts().duplicates - before.duplicates; }

  TestImage image{chunks};
  ChunkStoreCounts before;
  std::uint64_t name = 17;
};

TEST_F(ChunkStoreTest, FindsCheckpointsOnlyUnderTheirName) {
  ASSERT_TRUE(write(3));
  name = 18;
  EXPECT_EQ(newest(), 0u);
  EXPECT_FALSE(read(3, image));
  ASSERT_TRUE(write(2));
  EXPECT_EQ(newest(), 2u);
  name = 17;
  EXPECT_EQ(newest(), 3u);
}

TEST_F(ChunkStoreTest, ADiscardedCheckpointStaysDiscardedAfterARestart) {
  ASSERT_TRUE(write(3));
  ASSERT_TRUE(write(4));
  EXPECT_FALSE(chunk_store_discard(name, 5));
  EXPECT_TRUE(chunk_store_discard(name, 4));
  EXPECT_EQ(newest(), 3u);
  ASSERT_EQ(chunk_store_prepare(), nullptr);
  EXPECT_EQ(newest(), 3u);
  EXPECT_TRUE(read(3, image));
}

TEST_F(ChunkStoreTest, ReadsACheckpointAfterARestart) {
  ASSERT_TRUE(write(3));
  const auto wanted = image.copy();
  EXPECT_EQ(chunk_store_prepare(), nullptr);
  EXPECT_EQ(newest(), 3u);
  TestImage back(chunks);
  ASSERT_TRUE(read(3, back));
  EXPECT_EQ(back.copy(), wanted);
}

TEST_F(ChunkStoreTest, StoresEqualChunksOnce) {
  ASSERT_TRUE(write(1));
  EXPECT_EQ(stored(), 10u);
  image.fill(2, 100);
  image.fill(9, 101);
  ASSERT_TRUE(write(2));
  EXPECT_EQ(stored(), 12u);
  EXPECT_EQ(duplicates(), 8u);
  TestImage back(chunks);
  ASSERT_TRUE(read(2, back));
  EXPECT_EQ(back.copy(), image.copy());
}

TEST_F(ChunkStoreTest, FindsAChunkOfAnEarlierBlock) {
  image.fill(9, 1);  // equals chunk 1
  ASSERT_TRUE(write(1));
  EXPECT_EQ(stored(), 9u);
  TestImage back(chunks);
  ASSERT_TRUE(read(1, back));
  EXPECT_EQ(back.copy(), image.copy());
}

TEST_F(ChunkStoreTest, SearchesNoDuplicatesUnlessAPlugInHasHashed) {
  ASSERT_TRUE(write(1, false));
  ASSERT_TRUE(write(2, false));
  EXPECT_EQ(stored(), 20u);
  EXPECT_EQ(duplicates(), 0u);
}

// Lane 0 of XXH64 takes words 0 and 4: a change of word 0 can be compensated by word 4.
void collide(std::uint64_t* words) {
  constexpr std::uint64_t prime_1 = 0x9e3779b185ebca87, prime_2 = 0xc2b2ae3d27d4eb4f;
  const auto after = [](std::uint64_t word) {
    const std::uint64_t sum = prime_1 + prime_2 + word * prime_2;
    return (sum << 31 | sum >> 33) * prime_1;
  };
  std::uint64_t inverse = prime_2;
  for (int i = 0; i < 6; ++i) inverse *= 2 - prime_2 * inverse;
  words[4] += (after(words[0]) - after(words[0] + 1)) * inverse;
  ++words[0];
}

TEST_F(ChunkStoreTest, LosesNoDataToACollision) {
  ASSERT_TRUE(write(1));
  const std::uint64_t hash = chunk_hash(image.chunk(3), chunk_words);
  collide(image.chunk(3));
  ASSERT_EQ(chunk_hash(image.chunk(3), chunk_words), hash);
  ASSERT_TRUE(write(2));
  EXPECT_EQ(stored(), 11u);
  EXPECT_EQ(chunk_store_counts().collisions - before.collisions, 1u);
  TestImage back(chunks);
  ASSERT_TRUE(read(2, back));
  EXPECT_EQ(back.copy(), image.copy());
  ASSERT_TRUE(write(3));  // each finds its own duplicate when both are stored
  EXPECT_EQ(stored(), 11u);
  ASSERT_TRUE(read(3, back));
  EXPECT_EQ(back.copy(), image.copy());
}

// All chunks of the newest checkpoint are found again, but in damaged places, and are therefore stored again.
TEST_F(ChunkStoreTest, ABadPlaceIsNoDuplicate) {
  ASSERT_TRUE(write(1));
  for (auto& page : node.pcram) page[17] ^= 1;
  ASSERT_TRUE(write(2));
  EXPECT_EQ(duplicates(), 0u);
  TestImage back(chunks);
  ASSERT_TRUE(read(2, back));
  EXPECT_EQ(back.copy(), image.copy());
}

TEST_F(ChunkStoreTest, RefusesAChunkThatIsNotWhatWasStored) {
  ASSERT_TRUE(write(1));
  for (auto& page : node.pcram)
    if (page == [&] {
          TestNode::Page wanted;
          std::copy_n(image.chunk(6), chunk_words, wanted.begin());
          return wanted;
        }())
      page[0] ^= 1;
  TestImage back(chunks);
  EXPECT_FALSE(read(1, back));
}

TEST_F(ChunkStoreTest, KeepsTheNewestWhenTheNextIsAbandoned) {
  ASSERT_TRUE(write(1));
  const auto wanted = image.copy();
  for (std::uint32_t i = 0; i < chunks; ++i) image.fill(i, 50 + i);
  node.worn_out = true;
  EXPECT_FALSE(write(2));
  node.worn_out = false;
  EXPECT_EQ(newest(), 1u);
  TestImage back(chunks);
  ASSERT_TRUE(read(1, back));
  EXPECT_EQ(back.copy(), wanted);
  ASSERT_TRUE(write(3));
  ASSERT_TRUE(read(3, back));
  EXPECT_EQ(back.copy(), image.copy());
}

// Six checkpoints, in each of which some chunks change; the power fails at each page that is saved.
TEST_F(ChunkStoreTest, APowerFailureAtAnyPageLeavesTheCheckpointBefore) {
  for (std::uint64_t pages = 0;; ++pages) {
    node.reset();
    ASSERT_EQ(chunk_store_prepare(), nullptr);
    node.pages_until_power_failure = pages;
    std::map<std::uint64_t, std::vector<std::uint64_t>> written;
    std::uint64_t committed = 0;
    for (std::uint64_t version = 1; version <= 6; ++version) {
      for (std::uint32_t i = 0; i < chunks; ++i) image.fill(i, i % 3 == 0 ? i : 100 * version + i);
      written[version] = image.copy();
      write(version);
      if (!node.power_failed) committed = version;
    }
    const bool whole = !node.power_failed;
    ASSERT_EQ(chunk_store_prepare(), nullptr);
    ASSERT_GE(newest(), committed) << pages;
    ASSERT_LE(newest(), committed + 1) << pages;
    TestImage back(chunks);
    if (newest() != 0) {
      ASSERT_TRUE(read(newest(), back)) << pages;
      ASSERT_EQ(back.copy(), written[newest()]) << pages;
    }
    if (!whole) continue;
    EXPECT_GT(pages, 40u);
    break;
  }
}

TEST_F(ChunkStoreTest, RefusesMoreChunksThanItHasPlacesForTwice) {
  TestImage large(checkpoint_chunk_limit);
  node.pcram.resize(2 * checkpoint_chunk_limit + 9);  // one place is missing after the two maps of five pages
  ASSERT_EQ(chunk_store_prepare(), nullptr);
  EXPECT_FALSE(write(1, large));
  node.pcram.resize(2 * checkpoint_chunk_limit + 10);
  ASSERT_EQ(chunk_store_prepare(), nullptr);
  for (std::uint64_t version = 1; version <= 3; ++version) {
    for (std::uint32_t i = 0; i < large.chunks(); ++i) large.fill(i, 10000 * version + i);
    ASSERT_TRUE(write(version, large));
  }
  TestImage back(checkpoint_chunk_limit);
  ASSERT_TRUE(read(3, back));
  EXPECT_EQ(back.copy(), large.copy());
  const CheckpointFile too_large = {4, checkpoint_chunk_limit + 1, block_chunks, 0, name};
  EXPECT_FALSE(chunk_store_begin(&too_large));
}

TEST_F(ChunkStoreTest, ReportsWhatIsMissing) {
  node.has_pcram = false;
  EXPECT_STREQ(chunk_store_prepare(), "this machine has no PCRAM");
  node.has_pcram = node.is_stack = true;
  EXPECT_STREQ(chunk_store_prepare(), "the PCRAM is a stack, which has no free places for chunks");
  node.is_stack = false;
  node.pcram.resize(10);
  EXPECT_STREQ(chunk_store_prepare(), "the PCRAM is too small");
}

}  // namespace
