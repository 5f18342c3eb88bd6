#include <gtest/gtest.h>

#include <vector>

#include "auxiliary/test_node.h"

namespace {

struct TransformsTest : testing::Test {
  explicit TransformsTest(std::uint32_t words = 3) : file{1, 100, words, 0, 0}, data(words), scratch(words) {
    for (std::uint32_t i = 0; i < words; ++i) data.fill(i, i + 7);
    block = {.first = 0,
             .chunks = words,
             .hashed = false,
             .hash = {},
             .words = data.chunk(0),
             .scratch = scratch.chunk(0)};
  }
  std::vector<std::uint64_t> words() const { return {block.words, block.words + block.chunks * chunk_words}; }
  CheckpointFile file;
  TestImage data, scratch;
  Block block;
};

// Record i consists of the words 3 i, 3 i + 1, 3 i + 2; its field f becomes word i of chunk f.
TEST_F(TransformsTest, ColumnsPutsEachFieldIntoAChunk) {
  const auto records = words();
  EXPECT_TRUE(columns_plug_in.write(&file, &block));
  const auto columns = words();
  for (std::uint32_t i = 0; i < chunk_words; ++i)
    for (std::uint32_t field = 0; field < 3; ++field)
      ASSERT_EQ(columns[field * chunk_words + i], records[3 * i + field]) << i << " " << field;
  columns_plug_in.undo(&file, &block);
  EXPECT_EQ(words(), records);
}

TEST_F(TransformsTest, ColumnsLeavesAPartialBlockUnchanged) {
  block.chunks = 2;
  const auto before = words();
  EXPECT_TRUE(columns_plug_in.write(&file, &block));
  EXPECT_EQ(words(), before);
  columns_plug_in.undo(&file, &block);
  EXPECT_EQ(words(), before);
}

TEST_F(TransformsTest, BigEndianReversesTheBytesOfEachWord) {
  data.chunk(0)[0] = 0x0102030405060708;
  data.chunk(2)[chunk_words - 1] = 0xff;
  const auto before = words();
  EXPECT_TRUE(big_endian_plug_in.write(&file, &block));
  EXPECT_EQ(block.words[0], 0x0807060504030201u);
  EXPECT_EQ(block.words[3 * chunk_words - 1], 0xff00000000000000u);
  big_endian_plug_in.undo(&file, &block);
  EXPECT_EQ(words(), before);
}

TEST_F(TransformsTest, DeduplicationHashesEachChunkAndLeavesItAsItIs) {
  const auto before = words();
  EXPECT_TRUE(deduplication_plug_in.write(&file, &block));
  EXPECT_TRUE(block.hashed);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(block.hash[i], chunk_hash(data.chunk(i), chunk_words)) << i;
  EXPECT_EQ(words(), before);
}

// The expected values are those of xxHash's own implementation.
TEST(ChunkHashTest, IsXxh64) {
  EXPECT_EQ(chunk_hash(nullptr, 0), 0xef46db3751d8e999u);
  std::vector<std::uint64_t> words(512);
  for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = i + 1;
  EXPECT_EQ(chunk_hash(words.data(), 1), 0x9f29cb17a2a49995u);
  EXPECT_EQ(chunk_hash(words.data(), 4), 0x73f859a04f669e6du);
  EXPECT_EQ(chunk_hash(words.data(), 7), 0xd636afbb33d3c535u);
  EXPECT_EQ(chunk_hash(words.data(), 512), 0x3e2a2db8e6d61773u);
}

// A change that a sum of products alone would not detect.
TEST(ChunkHashTest, DetectsTwoChangedSigns) {
  TestImage image(1);
  image.fill(0, 1);
  const std::uint64_t before = chunk_hash(image.chunk(0), chunk_words);
  image.chunk(0)[10] ^= std::uint64_t{1} << 63;
  image.chunk(0)[11] ^= std::uint64_t{1} << 63;
  EXPECT_NE(chunk_hash(image.chunk(0), chunk_words), before);
}

}  // namespace
