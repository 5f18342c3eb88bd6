#include "cosim/rtl_recorder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "base/random.h"
#include "cosim/test_blocks.h"

namespace asterism {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct RtlRecorderTest : testing::Test {
  TemporaryFolder folder;
  RtlInstance arbiter{test_block("correct"), "node.arbiter"};
  RtlPort request = arbiter.port("request");
  Picoseconds now;

  RtlRecorderTest() { arbiter.reset(); }
  void cycle(RtlRecorder& recorder, std::uint64_t requests) {
    now += 1_ns;
    request.set(requests);
    recorder.record(now);
    arbiter.settle();
    arbiter.edge();
  }
  std::vector<std::string> window(const RtlRecorder& recorder, Picoseconds window) const {
    recorder.write(folder / "a.fst", window);
    return lines_of(folder / "a.fst");
  }
};

TEST_F(RtlRecorderTest, TracesWhatWasFed) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_ns});
  cycle(recorder, 0b0011);
  cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 10_ns), ElementsAre("500 0 3 1", "1000 1 3 2", "1500 0 3 2", "2000 1 3 1"));
}

TEST_F(RtlRecorderTest, TracesTheWindowOnly) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_ns});
  for (int i = 0; i < 5; ++i) cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 1_ns), ElementsAre("3500 0 3 2", "4000 1 3 1", "4500 0 3 1", "5000 1 3 2"));
}

// These tests compare a window from far into a run with a trace from the start.
TEST_F(RtlRecorderTest, ResumesFromEitherSnapshot) {
  Random random(3);
  RtlInstance traced(arbiter.shared_library(), "traced");
  traced.reset();
  traced.trace_open(folder / "all.fst");
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 20_ns, .fewest = 8});
  for (int i = 0; i < 999; ++i) {
    cycle(recorder, random.below(16));
    traced.port("request").set(request.get());
    traced.settle();
    traced.trace(now.count() - 500);
    traced.edge();
    traced.trace(now.count());
    if (i % 7 != 0) continue;
    const std::vector<std::string> last = window(recorder, 20_ns);
    ASSERT_THAT(last, SizeIs(std::min(2 * (i + 1), 42)));
    traced.trace_close();
    const std::vector<std::string> all = lines_of(folder / "all.fst");
    std::filesystem::remove(folder / "all.fst");
    const std::size_t common = std::min(all.size(), last.size());
    ASSERT_TRUE(std::equal(all.end() - static_cast<std::ptrdiff_t>(common), all.end(),
                           last.end() - static_cast<std::ptrdiff_t>(common)));
    traced.trace_open(folder / "all.fst");
  }
}

TEST_F(RtlRecorderTest, KeepsLittleMoreThanTwoWindows) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 20_ns, .fewest = 8});
  for (int i = 0; i < 1'000; ++i) cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 1_us), SizeIs(testing::AllOf(testing::Ge(2 * 20u), testing::Le(2 * 42u))));
}

TEST_F(RtlRecorderTest, MemoryIsBounded) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 1_s, .memory = 1_KiB});
  for (int i = 0; i < 10'000; ++i) cycle(recorder, 0b0011);
  const std::size_t traced = window(recorder, 1_s).size();
  EXPECT_GE(traced, 2u * 16);  // half of 1 KiB holds 16 cycles of 4 words
  EXPECT_LE(traced, 2u * 32);
}

TEST_F(RtlRecorderTest, OfALongRunTheFirstAndTheLastCycleShow) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_us});
  cycle(recorder, 0b1111);
  request.set(0b0011);
  recorder.record(2_ns, 999);
  arbiter.run(999);
  now = 1'000_ns;
  cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 10_us),
              ElementsAre("500 0 f 1", "1000 1 f 2", "1500 0 3 2", "2000 1 3 1", "999500 0 3 2",
                          "1000000 1 3 1", "1000500 0 3 1", "1001000 1 3 2"));
}

TEST_F(RtlRecorderTest, InputsThatChangeWithoutACycleShow) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_us});
  cycle(recorder, 0b0011);
  request.set(0);
  recorder.record(1'500_ps, 0);
  now = 9_ns;
  cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 10_us),
              ElementsAre("500 0 3 1", "1000 1 3 2", "1500 0 0 0", "9500 0 3 2", "10000 1 3 1"));
}

TEST_F(RtlRecorderTest, EndsWhereTheBlockEndsItself) {
  RtlInstance failing(test_block("fails"), "node.arbiter");
  failing.reset();
  RtlRecorder recorder(failing, {.period = 1_ns, .window = 10_us});
  for (const std::uint64_t requests : {0b1001u, 0b1000u}) {
    failing.port("request").set(requests);
    recorder.record(now += 1_ns);
    if (requests == 0b1000)
      EXPECT_THROW(failing.settle(), RtlError);
    else
      failing.run(1);
  }
  EXPECT_THAT(window(recorder, 10_us), ElementsAre("500 0 9 1", "1000 1 9 8", "1500 0 8 8"));
}

TEST_F(RtlRecorderTest, StartsAnew) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_ns});
  cycle(recorder, 0b0011);
  arbiter.reset();
  recorder.restart();
  EXPECT_THROW(window(recorder, 10_ns), RtlError);
  cycle(recorder, 0b0011);
  EXPECT_THAT(window(recorder, 10_ns), ElementsAre("1500 0 3 1", "2000 1 3 2"));
}

TEST_F(RtlRecorderTest, LeavesNothingHalfWritten) {
  RtlRecorder recorder(arbiter, {.period = 1_ns, .window = 10_ns});
  cycle(recorder, 0b0011);
  std::filesystem::create_directory(folder / "a.fst");
  EXPECT_THROW(recorder.write(folder / "a.fst", 10_ns), RtlError);
  EXPECT_THAT(names_in(folder), ElementsAre("a.fst"));
  EXPECT_THROW(recorder.write(folder / "none" / "a.fst", 10_ns), RtlError);
}

}  // namespace
}  // namespace asterism
