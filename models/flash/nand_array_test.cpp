// The times of operations, and the state after a power failure.
#include "flash/nand_array.h"

#include "base/activity_lines.h"
#include "flash/nand_recorder.h"

namespace asterism {
namespace {

using State = FlashImage::PageState;

constexpr Picoseconds bus = transfer_time(16_KiB, 400_MBps);  // 40.96 us
constexpr FlashGeometry eight_packages{.blocks = 4};

static_assert(Engine<NandArray, NandArray::Sink>);

TEST(NandArray, AProgramTakesTransferAndProgramTime) {
  NandBench flash(eight_packages);
  const auto tag = flash.program({0, 0, 0});
  flash.run();
  EXPECT_EQ(flash.sink.left_buffer[tag], bus);
  EXPECT_EQ(flash.sink.done[tag], bus + 660_us);
}

TEST(NandArray, AReadReturnsWhatWasProgrammed) {
  NandBench flash(eight_packages);
  flash.program({3, 1, 0}, 9, {.logical = 77, .sequence = 5, .kind = 2});
  flash.run();
  const Picoseconds start = flash.now;
  const auto tag = flash.read({3, 1, 0});
  flash.run();
  EXPECT_EQ(flash.sink.done[tag], start + 45_us + bus);
  EXPECT_EQ(flash.sink.data[tag], flash.page(9));
  EXPECT_EQ(flash.sink.reads[tag].spare, (PageSpare{77, 5, 2}));
}

TEST(NandArray, ASpareComesWithoutTimeOnTheChannel) {
  NandBench flash(eight_packages);
  flash.program({3, 1, 0}, 9, {.logical = 77, .sequence = 5, .kind = 2});
  flash.run();
  const Picoseconds start = flash.now;
  const auto tag = flash.read_spare({3, 1, 0});
  flash.run();
  EXPECT_EQ(flash.sink.done[tag], start + 45_us);
  EXPECT_EQ(flash.sink.reads[tag].spare, (PageSpare{77, 5, 2}));
  EXPECT_TRUE(flash.sink.reads[tag].is_readable);
  EXPECT_TRUE(flash.sink.reads[tag].data.empty());
}

TEST(NandArray, AnEraseTakesItsTimeAndClearsTheBlock) {
  NandBench flash(eight_packages);
  flash.program({0, 2, 0}, 9);
  const auto tag = flash.erase({0, 2});
  flash.run();
  EXPECT_EQ(flash.sink.done[tag], bus + 660_us + 3500_us);
  EXPECT_EQ(flash.image.state({0, 2, 0}), State::erased);
  EXPECT_EQ(flash.image.erase_count({0, 2}), 1u);
  EXPECT_TRUE(flash.reads({0, 2, 0}).is_erased);
}

TEST(NandArray, AChannelAndADieAreRecordedWithTheFlowsOfAProgram) {
  ActivityLines activity;
  NandBench flash(eight_packages);
  flash.array.record_in(activity, "ssd");
  const std::array<ActivityLog::Flow, 2> flows = {7, 9};
  flash.array.program(flash.now, {1, 2, 0}, flash.page(3), {}, 0, flows);
  flash.run();
  flash.reads({1, 2, 0});
  flash.erases({1, 2});
  EXPECT_EQ(activity.of("ssd.channel0"),
            (std::vector<std::string>{"ssd.channel0 data in 0-40960 plane=1 flow 7 flow 9",
                                      "ssd.channel0 data out 745960-786920 plane=1"}));
  EXPECT_EQ(activity.of("ssd.die1"),
            (std::vector<std::string>{"ssd.die1 program 40960-700960 block=2 page=0 flow 7 flow 9",
                                      "ssd.die1 read 700960-745960 block=2 page=0",
                                      "ssd.die1 erase 786920-4286920 block=2 page=0"}));
}

TEST(NandArray, TheChannelIsBusyUntilTheTimeOfTheReport) {
  NandBench flash(eight_packages);
  flash.program({0, 0, 0});
  const auto busy_at = [&](Picoseconds now) {
    Statistics statistics;
    flash.array.report(statistics, now);
    for (const auto& [name, value] : statistics.entries())
      if (name == "channel_busy_ps") return Picoseconds(std::get<std::uint64_t>(value));
    return Picoseconds();
  };
  EXPECT_EQ(busy_at(10_us), 10_us);
  EXPECT_EQ(busy_at(NandArray::all_begun), bus);
  flash.run();
  EXPECT_EQ(busy_at(flash.now), bus);
}

// The mean time between the ends of 800 programs in turn on all planes, without the first of each plane.
Picoseconds a_page_of(const FlashGeometry& geometry, const FlashPart& part = {}) {
  NandBench flash(geometry, part);
  const std::uint32_t planes = geometry.all_planes(), pages = 800;
  for (std::uint32_t i = 0; i < pages; ++i) flash.program({i % planes, 0, i / planes});
  flash.run();
  return (flash.sink.done[pages - 1] - flash.sink.done[planes - 1]) / (pages - planes);
}

// In the flash of abeyratne2017, chapter 5, eight packages hide each other's program time.
TEST(NandArray, EightPackagesTakeAPageEvery82_5us) { EXPECT_EQ(a_page_of(eight_packages), 82'500_ns); }

TEST(NandArray, WithoutCacheRegisterTransferAndProgramDoNotOverlap) {
  FlashPart part;
  part.cache_register = false;
  EXPECT_EQ(a_page_of(eight_packages, part), (bus + 660_us) / 8);  // 87.62 us
}

TEST(NandArray, DiesOfAPackageWorkIndependently) {
  EXPECT_EQ(a_page_of({.packages = 2, .dies = 4, .blocks = 1}), 82'500_ns);
}

TEST(NandArray, PlanesOfADieProgramTogether) {
  EXPECT_EQ(a_page_of({.packages = 4, .planes = 2, .blocks = 1}), 82'500_ns);
}

TEST(NandArray, AChannelIsTheLimitOfManyPackages) {
  EXPECT_EQ(a_page_of({.packages = 32, .blocks = 1}), bus);
}

TEST(NandArray, ChannelsTransferAtTheSameTime) {
  NandBench flash({.channels = 2, .packages = 2, .blocks = 1});
  const auto here = flash.program({0, 0, 0}), behind = flash.program({1, 0, 0}),
             there = flash.program({2, 0, 0});
  flash.run();
  EXPECT_EQ(flash.sink.left_buffer[here], bus);
  EXPECT_EQ(flash.sink.left_buffer[there], bus);
  EXPECT_EQ(flash.sink.left_buffer[behind], 2 * bus);
}

TEST(NandArray, AChannelServesTheOldestRequestFirst) {
  NandBench flash({.packages = 4, .blocks = 1});
  const auto first = flash.program({3, 0, 0}), second = flash.program({2, 0, 0}),
             third = flash.program({0, 0, 0});
  flash.run();
  EXPECT_EQ(flash.sink.left_buffer[first], bus);
  EXPECT_EQ(flash.sink.left_buffer[second], 2 * bus);
  EXPECT_EQ(flash.sink.left_buffer[third], 3 * bus);
}

struct TwoPlanes : testing::Test, NandBench {
  TwoPlanes() : NandBench({.packages = 1, .planes = 2, .blocks = 2, .pages_per_block = 4}) {}
};

TEST_F(TwoPlanes, TwoProgramsShareTheArrayAndNotTheChannel) {
  const auto a = program({0, 0, 0}), b = program({1, 1, 0});
  run();
  EXPECT_EQ(sink.left_buffer[b], 2 * bus);
  EXPECT_EQ(sink.done[a], 2 * bus + 660_us);
  EXPECT_EQ(sink.done[b], 2 * bus + 660_us);
}

TEST_F(TwoPlanes, AProgramThatComesTooLateIsNextAlone) {
  const auto a = program({0, 0, 0});
  advance(bus);
  const auto b = program({1, 1, 0});
  run();
  EXPECT_EQ(sink.done[a], bus + 660_us);
  EXPECT_EQ(sink.done[b], bus + 2 * 660_us);
}

TEST_F(TwoPlanes, TwoReadsShareTheArrayAndNotTheChannel) {
  const auto a = read({0, 0, 0}), b = read({1, 1, 0});
  run();
  EXPECT_EQ(sink.done[a], 45_us + bus);
  EXPECT_EQ(sink.done[b], 45_us + 2 * bus);
}

TEST_F(TwoPlanes, TwoErasesShareTheArray) {
  const auto a = erase({0, 0}), b = erase({1, 1}), c = erase({1, 0});
  run();
  EXPECT_EQ(sink.done[a], 3500_us);
  EXPECT_EQ(sink.done[b], 3500_us);
  EXPECT_EQ(sink.done[c], 7000_us);
}

TEST_F(TwoPlanes, OperationsOfTwoKindsComeOneAfterTheOtherByAge) {
  const auto a = program({0, 0, 0}), b = erase({1, 0}), c = program({1, 0, 0}), d = program({0, 0, 1});
  run();
  EXPECT_EQ(sink.done[a], bus + 660_us);
  EXPECT_EQ(sink.done[b], sink.done[a] + 3500_us);
  EXPECT_EQ(sink.done[c], sink.done[b] + 2 * bus + 660_us);  // with d, which waits for the older b
  EXPECT_EQ(sink.done[d], sink.done[c]);
}

TEST_F(TwoPlanes, APowerLossTearsBoth) {
  program({0, 0, 0}), program({1, 0, 0});
  advance(2 * bus);
  fail_power();
  EXPECT_EQ(image.state({0, 0, 0}), State::torn);
  EXPECT_EQ(image.state({1, 0, 0}), State::torn);
}

TEST(NandArray, ASinkMayGiveTheNextOperation) {
  struct Chain : NandRecorder {
    NandBench* flash = nullptr;
    void programmed(Picoseconds at, NandArray::Tag tag, NandArray::Outcome outcome) override {
      NandRecorder::programmed(at, tag, outcome);
      flash->now = at;
      if (tag < 9) flash->program({0, 0, static_cast<std::uint32_t>(tag + 1)});
    }
  };
  NandBench flash(eight_packages);
  Chain chain;
  chain.flash = &flash;
  flash.program({0, 0, 0});
  while (auto t = flash.array.next_event()) flash.array.advance_to(*t, chain);
  EXPECT_EQ(chain.done[9], 10 * (bus + 660_us));
}

TEST(NandArray, PowerLossTearsThePageBeingProgrammed) {
  NandBench flash(eight_packages);
  flash.program({0, 0, 0}, 1);
  flash.advance(bus);
  flash.fail_power();
  EXPECT_EQ(flash.array.next_event(), std::nullopt);
  EXPECT_EQ(flash.image.state({0, 0, 0}), State::torn);
  EXPECT_EQ(flash.image.page({0, 0, 0})[0], std::byte(1));
  EXPECT_EQ(flash.image.page({0, 0, 0})[16383], std::byte(0));
  const NandArray::Read& read = flash.reads({0, 0, 0});
  EXPECT_TRUE(!read.is_readable && !read.is_erased && read.data.empty());
}

TEST(NandArray, PowerLossDuringTheTransferLeavesThePageErased) {
  NandBench flash(eight_packages);
  flash.program({0, 0, 0});
  flash.advance(bus - 1_ps);
  flash.fail_power();
  EXPECT_EQ(flash.image.state({0, 0, 0}), State::erased);
}

TEST(NandArray, PowerLossTearsTheBlockBeingErased) {
  NandBench flash(eight_packages);
  flash.program({0, 0, 0}), flash.program({0, 0, 1});
  flash.run();
  flash.erase({0, 0});
  flash.fail_power();
  EXPECT_EQ(flash.image.state({0, 0, 0}), State::torn);
  EXPECT_EQ(flash.image.state({0, 0, 1}), State::torn);
  EXPECT_EQ(flash.image.next_page({0, 0}), 2u);
  EXPECT_EQ(flash.erases({0, 0}), NandArray::Outcome::done);
  EXPECT_EQ(flash.image.next_page({0, 0}), 0u);
}

TEST(NandArray, EveryKindOfResetDropsWhatIsQueued) {
  for (const Reset kind : {Reset::cold, Reset::warm, Reset::power_loss}) {
    NandBench flash(eight_packages);
    flash.program({0, 0, 0}), flash.program({0, 0, 1}), flash.erase({1, 0});
    flash.advance(bus + 660_us);
    flash.array.reset(kind);
    EXPECT_TRUE(flash.array.idle());
    EXPECT_EQ(flash.image.state({0, 0, 0}), State::programmed);
    EXPECT_EQ(flash.image.next_page({0, 0}), 2u);  // the second program was in progress
  }
}

}  // namespace
}  // namespace asterism
