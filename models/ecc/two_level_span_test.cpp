#include "ecc/two_level_span.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace asterism {
namespace {

struct TwoLevelSpanTest : testing::Test {
  using Chunk = TwoLevelSpan::Chunk;
  using Level = TwoLevelSpan::Outcome;
  Random random{3};
  TwoLevelSpan span{{}};
  std::vector<Chunk> data = std::vector<Chunk>(64);

  TwoLevelSpanTest() {
    for (Chunk& chunk : data) chunk = any();
    span.write(data);
  }
  Chunk any() {
    Chunk chunk;
    for (std::uint8_t& byte : chunk) byte = static_cast<std::uint8_t>(random.next());
    return chunk;
  }
  // Makes the first bytes of a chunk wrong.
  void spoil(unsigned chunk, unsigned bytes) {
    for (unsigned byte = 0; byte < bytes; ++byte)
      span.flip(8 * (std::uint64_t{TwoLevelSpan::chunk_bytes} * chunk + byte) + random.below(8));
  }
  void expect_read(unsigned chunk, Level outcome) {
    Chunk got{};
    EXPECT_EQ(span.read(chunk, got), outcome);
    if (outcome == Level::uncorrectable) return;
    EXPECT_EQ(got, data[chunk]);
  }
};

TEST_F(TwoLevelSpanTest, OneWrongByteIsCorrectedInItsChunk) {
  spoil(5, 1);
  const std::uint64_t before = span.transfers().read;
  expect_read(5, Level::corrected);
  EXPECT_EQ(span.transfers().read - before, 2u);
  expect_read(6, Level::clean);
}

TEST_F(TwoLevelSpanTest, AFlaggedChunkIsRebuiltFromItsSpan) {
  spoil(5, 3);
  const std::uint64_t before = span.transfers().read;
  expect_read(5, Level::rebuilt);
  EXPECT_EQ(span.transfers().read - before, 81u);
}

// Zeros in the place of all flagged chunks would be a codeword.
TEST_F(TwoLevelSpanTest, MoreFlaggedChunksThanParityAreUncorrectableInZeros) {
  std::ranges::fill(data, Chunk{});
  span.write(data);
  for (unsigned chunk = 0; chunk < 9; ++chunk) spoil(chunk, 2);
  expect_read(0, Level::uncorrectable);
}

TEST_F(TwoLevelSpanTest, AsManyChunksAsThereIsParityAreRebuilt) {
  for (unsigned chunk = 0; chunk < 7; ++chunk) spoil(9 * chunk, 2);
  spoil(70, 2);
  std::vector<Chunk> got(64);
  EXPECT_EQ(span.read(got), Level::rebuilt);
  EXPECT_EQ(got, data);
  spoil(1, 2);
  expect_read(0, Level::uncorrectable);
}

TEST_F(TwoLevelSpanTest, AWriteChangesTheParityByItsDifference) {
  const TwoLevelSpan::Transfers before = span.transfers();
  data[9] = any();
  EXPECT_EQ(span.write(9, data[9]), Level::clean);
  EXPECT_EQ(span.transfers().read - before.read, 11u);
  EXPECT_EQ(span.transfers().written - before.written, 11u);
  for (unsigned chunk = 5; chunk < 13; ++chunk) spoil(chunk, 2);
  std::vector<Chunk> got(64);
  EXPECT_EQ(span.read(got), Level::rebuilt);
  EXPECT_EQ(got, data);
}

TEST_F(TwoLevelSpanTest, AWriteRepairsWhatItNeeds) {
  spoil(9, 2);
  spoil(66, 2);
  const std::uint64_t before = span.transfers().read;
  data[9] = any();
  EXPECT_EQ(span.write(9, data[9]), Level::rebuilt);
  EXPECT_EQ(span.transfers().read - before, 81u);
  expect_read(9, Level::clean);
  for (unsigned chunk = 20; chunk < 28; ++chunk) spoil(chunk, 2);
  std::vector<Chunk> got(64);
  EXPECT_EQ(span.read(got), Level::rebuilt);
  EXPECT_EQ(got, data);
}

// The span is read once, whichever of its chunks is flagged.
TEST_F(TwoLevelSpanTest, AFlaggedChunkOfTheParityIsRebuiltFromItsSpan) {
  spoil(66, 2);
  const std::uint64_t before = span.transfers().read;
  data[9] = any();
  EXPECT_EQ(span.write(9, data[9]), Level::rebuilt);
  EXPECT_EQ(span.transfers().read - before, 81u);
}

}  // namespace
}  // namespace asterism
