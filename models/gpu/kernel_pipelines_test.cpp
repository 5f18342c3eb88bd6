#include "gpu/kernel_pipelines.h"

#include <gtest/gtest.h>

#include <bit>
#include <stdexcept>

#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

using Lists = std::vector<std::vector<DeviceAccess>>;

struct Pipelines : ::testing::Test {
  explicit Pipelines(Picoseconds latency = {}) {
    config.latency = latency;
    channels.emplace_back(config, 0, memory, stalls, errors);
    pipelines.emplace(config, channels);
  }
  void launch(Lists lists, Picoseconds at = 0_ns) {
    kernel.emplace(std::move(lists));
    pipelines->launch(at, *kernel, 1, 64_KiB);
  }
  void run() {
    while (pipelines->next_event()) pipelines->run_slice();
  }
  std::optional<Picoseconds> end_of(Lists lists, Picoseconds at = 0_ns) {
    launch(std::move(lists), at);
    run();
    return pipelines->take_end();
  }
  void begin_snapshot_of(std::initializer_list<std::uint32_t> zones) {
    for (const std::uint32_t zone : zones) channels[0].monitor().expose(zone);
    channels[0].monitor().begin();
  }
  void preserve(Picoseconds at, std::uint32_t zone) {
    channels[0].monitor().preserve(zone);
    channels[0].monitor().refresh();
    channels[0].release(at, zone);
    pipelines->retry(at, 0);
  }

  std::uint64_t word_in_memory(std::uint64_t offset) const {
    std::array<std::byte, 8> bytes;
    memory.read({0, offset}, bytes);
    return std::bit_cast<std::uint64_t>(bytes);
  }

  GpuConfig config = small_gpu();
  DeviceMemory memory{1, 64_KiB, MemoryContents::bytes};
  std::vector<Stall> stalls;
  std::vector<MemoryError> errors;
  std::vector<DeviceChannel> channels;
  std::optional<KernelPipelines> pipelines;
  std::optional<ListedKernel> kernel;
};

TEST_F(Pipelines, AccessesAreAGapApart) {
  EXPECT_EQ(end_of({{load(0, 10_ns), load(0, 5_ns), load(128, 100_ns)}}, 3_us), 3_us + 115_ns + 32_ns);
}

TEST_F(Pipelines, AKernelWithoutAccessesEndsAtOnce) { EXPECT_EQ(end_of({{}, {}}, 7_us), 7_us); }

TEST_F(Pipelines, TheEndIsReportedOnce) {
  end_of({{load(0)}});
  EXPECT_EQ(pipelines->take_end(), std::nullopt);
  EXPECT_TRUE(pipelines->running());
}

TEST_F(Pipelines, AChannelMovesOneAccessAfterTheOther) {
  EXPECT_EQ(end_of({{load(0, 0_ns, 128)}, {load(1024, 0_ns, 256)}}), 128_ns + 256_ns);
}

TEST_F(Pipelines, APipelineRunsAheadOfTheMemoryByAMicrosecond) {
  // Each access takes 512 ns; the fourth is issued when 1 us is left of the three before.
  EXPECT_EQ(end_of({{load(0, 0_ns, 512), load(512, 0_ns, 512), load(1024, 0_ns, 512), load(1536 - 32)}}),
            1536_ns);
  pipelines->reset();
  channels[0].reset(Reset::warm);
  launch({{load(0, 0_ns, 512), load(512, 0_ns, 512), load(1024, 0_ns, 512), load(1536 - 32, 2_us)}});
  run();
  // The fourth access hits, so that nothing is moved, and its gap counts from 512 ns - 488 ns on.
  EXPECT_EQ(pipelines->take_end(), 2'024_ns);
}

TEST_F(Pipelines, OfEqualTimesTheLowerNumberIsFirst) {
  // Each store evicts the line of the one before, and nothing evicts the last.
  end_of({{store(0)}, {store(128)}, {store(256)}});
  EXPECT_EQ(channels[0].counts().misses, 3u);
  EXPECT_NE(word_in_memory(128), 0u);
  EXPECT_EQ(word_in_memory(256), 0u);  // the word is still in the L2
}

TEST_F(Pipelines, APipelineWithoutAQueueEntryForAWriteStalls) {
  begin_snapshot_of({0, 1});
  // The first pipeline takes the queue entry, and the second finds none; hits proceed.
  launch({{store(0), load(8192, 10_ns)}, {store(4096, 20_ns), load(8320, 10_ns), load(8320, 10_ns)}});
  run();
  EXPECT_EQ(pipelines->stopped(), 1u);
  EXPECT_EQ(pipelines->take_end(), std::nullopt);
  ASSERT_EQ(stalls.size(), 2u);
  EXPECT_EQ(stalls[0].at, 10_ns);
  EXPECT_EQ(stalls[0].zone, (Zone{0, 0}));
  EXPECT_EQ(stalls[1].at, 30_ns);
  EXPECT_EQ(stalls[1].zone, (Zone{0, 1}));

  preserve(500_ns, 0);
  EXPECT_EQ(pipelines->stopped(), 0u);  // the stalled write now has the entry
  run();
  EXPECT_EQ(pipelines->counts().stops, 1u);
  EXPECT_EQ(pipelines->counts().stopped, 470_ns);
  EXPECT_EQ(channels[0].queue().oldest(), 30_ns);
  // At 500 ns a sector was written, one of the zone table was fetched, and one was read.
  EXPECT_EQ(pipelines->take_end(), 500_ns + 3 * 32_ns);
}

struct PipelinesWithLatency : Pipelines {
  PipelinesWithLatency() : Pipelines(400_ns) {}
};

TEST_F(PipelinesWithLatency, AStalledPipelineContinuesALatencyAfterItsWriteIsAccepted) {
  begin_snapshot_of({0, 1});
  launch({{store(0), load(8192, 10_ns)}, {store(4096, 20_ns), load(8320, 10_ns), load(8320, 10_ns)}});
  run();
  preserve(500_ns, 0);
  run();
  EXPECT_EQ(pipelines->counts().stopped, 470_ns + 400_ns);
  // The load that was stalled has its answer at 900 ns; the next one hits.
  EXPECT_EQ(pipelines->take_end(), 900_ns + 10_ns);
}

TEST_F(Pipelines, StalledPipelinesResumeInOrderOfArrival) {
  begin_snapshot_of({0, 1});
  // The accesses of the first two pipelines have to evict the line of zone 1.
  launch({{store(8192 + 128, 40_ns)}, {store(8192, 30_ns)}, {store(0), store(4096, 10_ns)}});
  run();
  EXPECT_EQ(pipelines->stopped(), 2u);
  preserve(1_us, 0);
  EXPECT_EQ(pipelines->stopped(), 0u);
  EXPECT_EQ(pipelines->counts().stopped, 970_ns + 960_ns);
  // The other pipeline's access evicted the line that came at 30 ns.
  EXPECT_NE(word_in_memory(8192), 0u);
  EXPECT_EQ(word_in_memory(8192 + 128), 0u);
}

TEST_F(Pipelines, AnAccessOfManyLinesResumesWhereItStopped) {
  begin_snapshot_of({0, 2});
  launch({{store(0), store(8192, 10_ns, 512)}});
  run();
  EXPECT_EQ(pipelines->stopped(), 1u);  // its first line evicts that of zone 0, its second line the first
  preserve(1_us, 0);
  EXPECT_EQ(pipelines->stopped(), 1u);
  preserve(2_us, 2);
  EXPECT_EQ(pipelines->stopped(), 0u);
  EXPECT_EQ(pipelines->counts().writes, 2u);
  for (const std::uint64_t address : {8192u, 8192u + 128, 8192u + 256})
    EXPECT_EQ(word_in_memory(address), kernel_word(0, 1, address));
}

TEST_F(Pipelines, RefusesWhatNoKernelMayDo) {
  EXPECT_THROW(launch({{}, {}, {}, {}, {}}), std::logic_error);
  EXPECT_THROW(launch({{load(65536)}}), std::logic_error);
  EXPECT_THROW(launch({{load(16)}}), std::logic_error);
  EXPECT_THROW(launch({{load(0, 0_ns, 48)}}), std::logic_error);
  EXPECT_THROW(launch({{load(0, 0_ns, 0)}}), std::logic_error);
  EXPECT_THROW(launch({{load(256, 0_ns, 512)}}), std::logic_error);
}

}  // namespace
}  // namespace asterism
