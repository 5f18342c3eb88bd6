// Which decoded blocks are kept, and how much memory they take.
#include "core/a64/block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "base/sanitizers.h"
#include "core/a64/a64_test.h"

namespace asterism::a64 {
namespace {

constexpr std::uint64_t page_size = 4096;

struct BlockCacheTest : testing::Test {
  Options options;
  BlockCache cache{options};
  // Three pages are filled with: nop; nop; nop; b .
  std::vector<std::uint32_t> words;
  BlockCacheTest() {
    for (std::uint64_t at = 0; at < 3 * page_size; at += 16)
      words.insert(words.end(), {0xd503201f, 0xd503201f, 0xd503201f, 0x14000000});
  }
  Block* make(std::uint64_t physical) {
    return cache.make({physical, physical, {}, reinterpret_cast<const std::uint8_t*>(&words[physical / 4])});
  }
  bool is_kept(std::uint64_t physical) { return cache.find(physical, physical, {}) != nullptr; }
};

TEST_F(BlockCacheTest, ARangeInsideAPageDropsTheBlocksThatItTouches) {
  for (const std::uint64_t at : {0, 16, 32, 4096}) make(at);
  EXPECT_TRUE(cache.drop(28, 31));
  EXPECT_TRUE(is_kept(0));
  EXPECT_FALSE(is_kept(16));
  EXPECT_TRUE(is_kept(32));
  EXPECT_TRUE(is_kept(4096));
  EXPECT_FALSE(cache.drop(16, 31));
  EXPECT_FALSE(cache.drop(2 * page_size, 2 * page_size + 63));
  EXPECT_EQ(cache.code_lines(0), 1u);
}

TEST_F(BlockCacheTest, WithTimesAWordDropsTheBlocksOfItsLineAndOfThoseBesideIt) {
  options.timing = std::make_shared<CoreTiming>();
  for (const std::uint64_t at : {0, 48, 64, 112, 128, 176, 192, 240}) make(at);
  EXPECT_TRUE(cache.drop(144, 147));
  EXPECT_TRUE(is_kept(0));
  EXPECT_TRUE(is_kept(48));
  for (const std::uint64_t at : {64, 112, 128, 176, 192, 240}) EXPECT_FALSE(is_kept(at)) << at;
}

TEST_F(BlockCacheTest, WithTimesAWordDropsNoBlocksOfOtherPages) {
  options.timing = std::make_shared<CoreTiming>();
  for (const std::uint64_t at : {4080, 4096, 8176, 8192}) make(at);
  EXPECT_TRUE(cache.drop(4096, 4099));
  EXPECT_TRUE(is_kept(4080));
  EXPECT_FALSE(is_kept(4096));
  EXPECT_TRUE(is_kept(8176));
  EXPECT_TRUE(cache.drop(8188, 8191));
  EXPECT_FALSE(is_kept(8176));
  EXPECT_TRUE(is_kept(8192));
}

TEST_F(BlockCacheTest, ARangeOfPagesDropsNoneOutsideIt) {
  for (const std::uint64_t at : {0, 4080, 4096, 8192, 8208}) make(at);
  EXPECT_TRUE(cache.drop(4092, 8192));
  EXPECT_TRUE(is_kept(0));
  EXPECT_FALSE(is_kept(4080));
  EXPECT_FALSE(is_kept(4096));
  EXPECT_FALSE(is_kept(8192));
  EXPECT_TRUE(is_kept(8208));
}

TEST_F(BlockCacheTest, CountsTheBytesOfItsBlocks) {
  EXPECT_EQ(cache.bytes(), 0u);
  make(0);
  const std::size_t one = cache.bytes();
  EXPECT_GE(one, sizeof(Block) + 5 * sizeof(Operation));
  make(16);
  EXPECT_EQ(cache.bytes(), 2 * one);
  EXPECT_TRUE(cache.drop(0, ~std::uint64_t{0}));
  EXPECT_EQ(cache.bytes(), 0u);
  EXPECT_EQ(cache.code_lines(0), 0u);
}

// ---- all cores of a large platform ----

std::size_t resident_bytes() {
  std::size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * page_size;
}

// Runs of 0 to 9 instructions, each followed by a branch to the next one; WFI ends the last.
std::vector<std::uint32_t> short_blocks(std::size_t count) {
  std::vector<std::uint32_t> words;
  for (unsigned run = 0; words.size() < count; ++run) {
    words.insert(words.end(), run % 10, 0x91000421);  // add x1, x1, #1
    words.push_back(0x14000001);                      // b .+4
  }
  words.push_back(0xd503207f);  // wfi
  return words;
}

// With a translator fewer, which take code in addition.
TEST(FootprintTest, ManyEnginesThatHaveRunMoreThanTheyKeepStayBelowAGibibyte) {
  if (is_sanitized) GTEST_SKIP() << "the measured memory would include the sanitizer's own";
  // These are nearly twice as many instructions as an engine keeps, so that at the end all engines are full
  // for the second time.
  constexpr std::size_t instructions = 48'000;
  const bool translates = usual_translation.after != 0;
  const std::size_t engines = translates ? 16 : 552;
  const std::size_t most = (std::size_t{1} << 30) / 552 + (translates ? 2 * usual_translation.code_bytes : 0);
  IssTestHost host;
  const auto words = short_blocks(instructions);
  std::vector<std::unique_ptr<NativeIss>> cores;
  const std::size_t before = resident_bytes();
  for (std::size_t at = 0; at < engines; ++at) {
    cores.push_back(make_native_iss(host, static_cast<unsigned>(at)));
    host.core = cores.back().get();
    const std::uint64_t entry = code_base + at * page_size;  // each engine has an address of its own
    host.place(entry, words);
    host.core->start(Address(entry), 0);
    ASSERT_EQ(host.core->run(), Iss::Stop::wait_for_interrupt);
    ASSERT_EQ(host.core->instructions(), words.size());
  }
  const std::size_t taken = resident_bytes() - before;
  EXPECT_LT(taken, engines * most);
  EXPECT_GT(taken, engines * most / 2);  // the engines do keep blocks
  RecordProperty("bytes_of_an_engine", std::to_string(taken / engines));
}

}  // namespace
}  // namespace asterism::a64
