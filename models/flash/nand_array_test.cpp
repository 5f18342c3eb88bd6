#include "flash/nand_array.h"

#include <gtest/gtest.h>

#include <map>

namespace asterism {
namespace {

struct Recorder : NandArray::Sink {
  std::map<NandArray::Tag, Picoseconds> left_buffer, done;
  std::map<NandArray::Tag, std::vector<std::byte>> data;
  void transferred(Picoseconds at, NandArray::Tag tag) override { left_buffer[tag] = at; }
  void programmed(Picoseconds at, NandArray::Tag tag, NandArray::Outcome) override { done[tag] = at; }
  void erased(Picoseconds at, NandArray::Tag tag, NandArray::Outcome) override { done[tag] = at; }
  void read_done(Picoseconds at, NandArray::Tag tag, const NandArray::Read& read) override {
    done[tag] = at;
    data[tag].assign(read.data.begin(), read.data.end());
  }
};

struct NandArrayTest : testing::Test {
  static constexpr Picoseconds bus = transfer_time(16_KiB, 400_MBps);  // 40.96 us
  FlashGeometry geometry{.blocks = 4};
  FlashPart part;
  FlashImage image{geometry};
  NandArray array{part, image};
  Recorder sink;

  static std::vector<std::byte> page(int fill) { return std::vector<std::byte>(16384, std::byte(fill)); }
  void run() {
    while (auto t = array.next_event()) array.advance_to(*t, sink);
  }
};

static_assert(Engine<NandArray, NandArray::Sink>);

TEST_F(NandArrayTest, AProgramTakesTransferAndProgramTime) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 7);
  run();
  EXPECT_EQ(sink.left_buffer[7], bus);
  EXPECT_EQ(sink.done[7], bus + 660_us);
}

TEST_F(NandArrayTest, AReadReturnsWhatWasProgrammed) {
  array.program(0_ns, {3, 1, 0}, page(9), {}, 1);
  run();
  const Picoseconds start = sink.done[1];
  array.read(start, {3, 1, 0}, 2);
  run();
  EXPECT_EQ(sink.done[2], start + 45_us + bus);
  EXPECT_EQ(sink.data[2], page(9));
}

TEST_F(NandArrayTest, AnEraseTakesItsTimeAndClearsTheBlock) {
  array.program(0_ns, {0, 2, 0}, page(9), {}, 1);
  array.erase(0_ns, {0, 2}, 2);
  run();
  EXPECT_EQ(sink.done[2], bus + 660_us + 3500_us);
  EXPECT_EQ(image.state({0, 2, 0}), FlashImage::PageState::erased);
  EXPECT_EQ(image.erase_count({0, 2}), 1u);
}

// abeyratne2017 §5: eight packages hide each other's program time.
TEST_F(NandArrayTest, EightPackagesSustainAPageEvery82_5us) {
  for (std::uint32_t i = 0; i < 8 * 100; ++i) array.program(0_ns, {i % 8, 0, i / 8}, page(0), {}, i);
  run();
  EXPECT_EQ(sink.done[799] - sink.done[791], 660_us);
  EXPECT_EQ((sink.done[799] - sink.done[7]) / 792, Picoseconds(82'500'000));
}

TEST_F(NandArrayTest, WithoutCacheRegisterTransferAndProgramDoNotOverlap) {
  part.cache_register = false;
  NandArray plain(part, image);
  for (std::uint32_t i = 0; i < 8 * 10; ++i) plain.program(0_ns, {i % 8, 0, i / 8}, page(0), {}, i);
  while (auto t = plain.next_event()) plain.advance_to(*t, sink);
  EXPECT_EQ(sink.done[79] - sink.done[71], bus + 660_us);
}

TEST_F(NandArrayTest, TheChannelCarriesOnePageAtATime) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 0);
  array.program(0_ns, {1, 0, 0}, page(2), {}, 1);
  run();
  EXPECT_EQ(sink.left_buffer[1], 2 * bus);
}

TEST_F(NandArrayTest, PowerLossTearsThePageBeingProgrammed) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 0);
  array.advance_to(bus, sink);
  array.reset(Reset::power_loss);
  EXPECT_EQ(array.next_event(), std::nullopt);
  EXPECT_EQ(image.state({0, 0, 0}), FlashImage::PageState::torn);
  array.read(1_ms, {0, 0, 0}, 5);
  run();
  EXPECT_TRUE(sink.data[5].empty());
}

TEST_F(NandArrayTest, PowerLossDuringTheTransferLeavesThePageErased) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 0);
  array.advance_to(bus - Picoseconds(1), sink);
  array.reset(Reset::power_loss);
  EXPECT_EQ(image.state({0, 0, 0}), FlashImage::PageState::erased);
}

TEST_F(NandArrayTest, PowerLossTearsTheBlockBeingErased) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 0);
  run();
  array.erase(1_ms, {0, 0}, 1);
  array.reset(Reset::power_loss);
  EXPECT_EQ(image.state({0, 0, 0}), FlashImage::PageState::torn);
  EXPECT_EQ(image.next_page({0, 0}), 1u);
}

TEST_F(NandArrayTest, ProgrammingAPageTwiceIsAnErrorOfTheController) {
  array.program(0_ns, {0, 0, 0}, page(1), {}, 0);
  array.program(0_ns, {0, 0, 0}, page(1), {}, 1);
  EXPECT_THROW(run(), std::logic_error);
}

}  // namespace
}  // namespace asterism
