#include "dimm_ssd/workload/checkpointed_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "dimm_ssd/workload/exp_minus_one.h"
#include "dimm_ssd/workload/write_trace.h"

namespace asterism {
namespace {

constexpr FlashGeometry geometry{.packages = 2, .blocks = 16, .pages_per_block = 16};

struct Setting {
  CheckpointMethod method = CheckpointMethod::late;
  std::uint32_t write_queue = 1;
  std::uint64_t reads = 0;
  bool shared_read_queue = false;
  std::function<bool(const CheckpointPlaceQuestion&)> on_ssd = nullptr;
  std::uint32_t shadow_frames = 0;
  FlashGeometry flash = geometry;
  Picoseconds interval = 100_ms;  // any checkpoint of a few pages is durable long before the next one
};
CheckpointedRunResult run(const std::string& requests, const Setting& setting) {
  WriteTrace source([&] { return std::make_unique<std::istringstream>(requests); }, "t.txt",
                    setting.interval);
  FlashImage image(setting.flash, FlashImage::Contents::none);
  CheckpointerConfig checkpointer;
  checkpointer.method = setting.method;
  checkpointer.shadow_frames = setting.shadow_frames;
  CheckpointedRunConfig config;
  config.intervals = source.intervals();
  config.reads = setting.reads;
  config.write_queue = setting.write_queue;
  config.shared_read_queue = setting.shared_read_queue;
  config.on_ssd = setting.on_ssd;
  config.elsewhere = 3_ms;
  CheckpointedRun run(config, checkpointer, FlashPart{}, image, source);
  return run.run();
}

using enum CheckpointMethod;

TEST(CheckpointedRunTest, AProgramThatIsNotHeldUpTakesItsOwnTime) {
  const auto result = run("0 0 0\n100ms 1 1\n", {});
  EXPECT_EQ(result.alone, 200_ms);
  EXPECT_EQ(result.time, 200_ms);
  EXPECT_GT(result.durable, 200_ms);
  EXPECT_EQ(result.checkpoints, 2u);
  EXPECT_EQ(result.lag, 0u);
}

TEST(CheckpointedRunTest, SoftwareWaitsUntilACheckpointIsDurable) {
  const auto result = run("0 0 0\n", {.method = stop_and_copy});
  EXPECT_GT(result.lost.stopped, 2 * 660_us);  // a flash page of lines and one of metadata are programmed
  EXPECT_LT(result.lost.stopped, 5 * 700_us);
  EXPECT_EQ(result.time, 100_ms + result.lost.stopped);
  EXPECT_EQ(result.durable, result.time);
}

// At the end of the interval, page 0 is modified; reading its 64 lines takes 320 ns.
TEST(CheckpointedRunTest, AHeldWriteInTheLastPlaceStopsTheProgram) {
  const auto result = run("0 0 0\n100000100ns 0 1\n", {});
  EXPECT_EQ(result.lost.held, 220_ns);
  EXPECT_EQ(result.time, 200_ms + 220_ns);
  EXPECT_EQ(result.writes_held, 1u);
}

TEST(CheckpointedRunTest, AHeldWriteTakesAPlaceOnly) {
  const auto result = run("0 0 0\n100000100ns 0 1\n", {.write_queue = 2});
  EXPECT_EQ(result.writes_held, 1u);
  EXPECT_EQ(result.time, 200_ms);
}

// The ten flash pages of the first interval take longer than the second interval. Page 39 is read as soon as
// there is a buffer for it.
TEST(CheckpointedRunTest, AnIntervalEndsWhenTheQueueIsEmpty) {
  std::string requests;
  for (int page = 0; page < 40; ++page) requests += "0 " + std::to_string(page) + " 0\n";
  const auto result = run(requests + "199us 39 0\n", {.write_queue = 2, .interval = 100_us});
  EXPECT_EQ(result.writes_held, 1u);
  EXPECT_EQ(result.lost.held, 0_ps);
  EXPECT_EQ(result.lost.drained, 24'480_ns);  // until a buffer is free, after three transfers of 40.96 us
  EXPECT_EQ(result.time, 200_us + result.lost.drained);
}

TEST(CheckpointedRunTest, AWriteWaitsForTheCopyToAShadowFrame) {
  const auto result = run("0 0 0\n0 1 0\n100000100ns 1 1\n", {.method = copy_on_write, .shadow_frames = 2});
  EXPECT_EQ(result.lost.copied, 640_ns);  // copies page 1 while page 0 is written to the flash
  EXPECT_EQ(result.traffic.to_frames, 64u);
  EXPECT_EQ(result.traffic.from_frames, 64u);
  EXPECT_EQ(result.traffic.copied, 128u);  // page 0, and page 1 in the second interval
  EXPECT_EQ(result.traffic.extra(), 128u + 3 * 64);
}

// The program uses half of the bus, so that copying takes twice as long, and the program loses half of the
// lines' time.
TEST(CheckpointedRunTest, TheProgramAndCopyingShareTheBus) {
  const auto result = run("0 0 0\n100000100ns 0 1\n", {.reads = 10'000'000});
  EXPECT_EQ(result.lost.held, 640_ns - 100_ns - 160_ns);
  EXPECT_EQ(result.lost.bus, 160_ns);
  EXPECT_EQ(result.traffic.reads, 20'000'000u);
}

// A page takes 320 ns of the bus, and a read comes every 10 ns: the first one waits 310 ns on average.
TEST(CheckpointedRunTest, AReadInTheSameQueueWaitsUntilThePageIsCopied) {
  const auto result = run("0 0 0\n100000100ns 0 1\n", {.reads = 10'000'000, .shared_read_queue = true});
  EXPECT_EQ(result.lost.bus, 310_ns);
  EXPECT_EQ(result.lost.held, 0_ns);  // when the program goes on, the page is copied
  EXPECT_EQ(result.time, 200'000'310_ns);
}

// One read in 320 ns on average: 320 / e of a page, and 640 - 320 * (1 - 1 / e^2) of two in succession.
TEST(CheckpointedRunTest, PagesInSuccessionHoldUpLongerThanPagesApart) {
  const Setting setting{.reads = 312'500, .shared_read_queue = true};
  EXPECT_EQ(run("0 0 0\n100001us 2 0\n", setting).lost.bus, 117'721_ps);
  EXPECT_EQ(run("0 0 0\n0 1 0\n100001us 2 0\n", setting).lost.bus, 363'307_ps);
}

// Three intervals with a page each. The second checkpoint goes to DRAM, and the third has both pages.
TEST(CheckpointedRunTest, ACheckpointElsewhereLeavesItsPagesToTheNext) {
  std::vector<std::uint64_t> flash_pages;
  const auto second_elsewhere = [&](const CheckpointPlaceQuestion& question) {
    flash_pages.push_back(question.flash_pages);
    EXPECT_EQ(question.elapsed, 100_ms * question.interval + question.lost);
    return question.interval != 2;
  };
  const auto result =
      run("0 0 0\n100001us 1 0\n200001us 2 0\n", {.method = consolidate, .on_ssd = second_elsewhere});
  EXPECT_EQ(result.on_ssd, (std::vector{true, false, true}));
  EXPECT_EQ(result.lost.elsewhere, 3_ms);
  EXPECT_EQ(result.time, 300_ms + 3_ms + result.lost.stopped);
  EXPECT_EQ(result.checkpoints, 2u);
  EXPECT_EQ(result.memory_pages, 3u);
  EXPECT_EQ(result.flash_pages, 2u);
  EXPECT_EQ(flash_pages, (std::vector<std::uint64_t>{0, 1, 1}));
}

TEST(CheckpointedRunTest, LinesOfManyPagesShareAFlashPage) {
  const std::string requests = "0 0 0\n0 1 0\n0 2 0\n0 3 0\n0 4 0\n0 4 1\n";
  const auto lines = run(requests, {.method = consolidate});
  EXPECT_EQ(lines.flash_pages, 1u);
  EXPECT_EQ(lines.pages_per_flash_page[5], 1u);
  EXPECT_EQ(lines.traffic.copied, 6u);
  const auto pages = run(requests, {.method = stop_and_copy});
  EXPECT_EQ(pages.flash_pages, 2u);
  EXPECT_EQ(pages.memory_pages, 5u);
  EXPECT_EQ(pages.pages_per_flash_page[4], 1u);
  EXPECT_EQ(pages.traffic.copied, 5u * 64);
}

TEST(ExpMinusOneTest, IsThatOfLibm) {
  EXPECT_EQ(exp_minus_one_of_negative(0), 0);
  EXPECT_EQ(exp_minus_one_of_negative(65), -1);
  for (const double x : {1e-300, 1e-9, 1.0 / 16, 0.0626, 1.0, 64.0, 64.1})
    EXPECT_DOUBLE_EQ(exp_minus_one_of_negative(x), std::expm1(-x)) << x;
  for (int i = 1; i < 6600; ++i)
    EXPECT_DOUBLE_EQ(exp_minus_one_of_negative(i / 100.0), std::expm1(-i / 100.0)) << i;
}

TEST(CheckpointedRunTest, ACopyThatWasTooEarlyIsMadeAgain) {
  std::string requests;
  for (int i = 0; i < 8; ++i) requests += "0 0 " + std::to_string(i) + "\n";
  for (int i = 1; i <= 64; ++i) requests += "1us " + std::to_string(i) + " 0\n";  // evicts page 0
  const auto once = run(requests, {.method = early_late});
  const auto twice = run(requests + "2us 0 9\n", {.method = early_late});
  EXPECT_EQ(once.memory_pages, 65u);
  EXPECT_EQ(twice.memory_pages, 66u);
}

TEST(CheckpointedRunTest, ADeviceThatIsFullEndsTheRun) {
  std::string requests;
  for (int i = 0; i < 1300; ++i) requests += "0 " + std::to_string(i) + " 0\n";
  const auto result = run(requests, {.flash = {.packages = 1, .blocks = 24, .pages_per_block = 16}});
  EXPECT_EQ(result.failure, Checkpointer::Error::no_space);
}

TEST(CheckpointedRunTest, StopsWhenItIsAsked) {
  WriteTrace source([] { return std::make_unique<std::istringstream>("0 0 0\n"); }, "t.txt", 1_ms);
  FlashImage image(geometry, FlashImage::Contents::none);
  CheckpointedRunConfig config;
  config.intervals = 1;
  CheckpointedRun run(config, {}, FlashPart{}, image, source);
  EXPECT_TRUE(run.run([] { return true; }).stopped);
}

}  // namespace
}  // namespace asterism
