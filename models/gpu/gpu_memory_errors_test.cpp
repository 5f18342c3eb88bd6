#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

#include "gpu/gpu_rig.h"

namespace asterism {
namespace {

using Shape = GpuMemoryShape;

GpuConfig with_code(SectorCode code) {
  GpuConfig config = small_gpu();
  config.ecc = code;
  config.spare_zones = 2;
  return config;
}

struct ErrorRig final : GpuRig {
  using GpuRig::GpuRig;
  struct Found {
    Zone zone;
    std::uint32_t offset;
    GpuReader by;
    bool operator==(const Found&) const = default;
  };
  std::vector<Found> found;
  std::vector<Zone> stops;
  void kernel_stopped(Picoseconds at, Zone zone) override {
    stops.push_back(zone);
    kernel_ended(at);
  }
  void zone_contained(Picoseconds, Zone zone, std::uint32_t offset, GpuReader by) override {
    found.push_back({zone, offset, by});
  }
  std::uint64_t word(std::uint64_t address) const {
    std::array<std::byte, 8> bytes{};
    gpu.peek(address, bytes);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

ListedKernel accesses(std::vector<DeviceAccess> list) {
  return ListedKernel(std::vector<std::vector<DeviceAccess>>{std::move(list)});
}

TEST(GpuMemoryErrors, ACorrectedErrorChangesNothing) {
  ErrorRig rig(with_code(SectorCode::symbol)), sound(with_code(SectorCode::symbol));
  ListedKernel kernel = accesses({store(0x1000, 10_ns), load(0x2000, 10_ns)});
  rig.gpu.inject({.shape = Shape::word, .address = 0x1000, .bit = 40});
  for (ErrorRig* each : {&rig, &sound}) each->run(kernel, 1);
  EXPECT_EQ(rig.word(0x1000), sound.word(0x1000));
  EXPECT_EQ(rig.gpu.corrected(), 1u);
  EXPECT_EQ(rig.kernels_ended, sound.kernels_ended);
  EXPECT_TRUE(rig.found.empty());
}

TEST(GpuMemoryErrors, WithoutACodeAWrongBitGetsIntoTheResult) {
  ErrorRig rig(with_code(SectorCode::none)), sound(with_code(SectorCode::none));
  ListedKernel kernel = accesses({store(0x1000, 10_ns)});
  rig.gpu.inject({.shape = Shape::bit, .address = 0x1008, .bit = 70});
  for (ErrorRig* each : {&rig, &sound}) each->run(kernel, 1);
  EXPECT_EQ(rig.word(0x1000), sound.word(0x1000));
  EXPECT_NE(rig.word(0x1008), sound.word(0x1008));
  EXPECT_EQ(rig.gpu.uncorrectable(), 0u);
}

// Two bits of a beat, which SECDED detects and the symbol code corrects.
TEST(GpuMemoryErrors, AnUncorrectableErrorStopsTheKernelAndContainsItsZone) {
  ErrorRig rig(with_code(SectorCode::secded));
  for (const unsigned bit : {3u, 9u}) rig.gpu.inject({.shape = Shape::bit, .address = 0x2040, .bit = bit});
  ListedKernel kernel = accesses({load(0x1000, 10_ns), load(0x2040, 10_ns), load(0x3000, 10_us)});
  rig.run(kernel, 1);
  EXPECT_EQ(rig.stops, (std::vector{Zone{0, 2}}));
  EXPECT_EQ(rig.found, (std::vector<ErrorRig::Found>{{Zone{0, 2}, 0x40, GpuReader::kernel}}));
  EXPECT_LT(rig.kernels_ended[0], 1_us);
  rig.run_until(20_us);
  EXPECT_EQ(rig.kernels_ended.size(), 1u);
  EXPECT_TRUE(rig.gpu.is_contained({0, 2}));

  ErrorRig corrects(with_code(SectorCode::symbol));
  for (const unsigned bit : {3u, 9u})
    corrects.gpu.inject({.shape = Shape::bit, .address = 0x2040, .bit = bit});
  corrects.run(kernel, 1);
  EXPECT_TRUE(corrects.stops.empty());
}

TEST(GpuMemoryErrors, AKernelWhoseLastAccessFailsEndsOnce) {
  ErrorRig rig(with_code(SectorCode::symbol));
  rig.gpu.inject({.shape = Shape::row, .address = 0x2000});
  ListedKernel kernel = accesses({load(0x2000, 10_ns)});
  rig.run(kernel, 1);
  rig.run_until(20_us);
  EXPECT_EQ(rig.stops.size(), 1u);
  EXPECT_EQ(rig.kernels_ended, (std::vector{10_ns}));
}

TEST(GpuMemoryErrors, AContainedZoneStopsEveryKernelUntilItIsRetired) {
  ErrorRig rig(with_code(SectorCode::symbol));
  rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = true});
  ListedKernel first = accesses({load(0x2000)}), second = accesses({store(0x2800)});
  rig.run(first, 1);
  rig.run(second, 2);
  EXPECT_EQ(rig.stops.size(), 2u);
  EXPECT_EQ(rig.found.size(), 1u);
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::done);
  EXPECT_EQ(rig.gpu.spare_zones(), 1u);
  rig.run(second, 3);
  rig.run(first, 4);
  EXPECT_EQ(rig.stops.size(), 2u);
  EXPECT_EQ(rig.word(0x2800), kernel_word(0, 3, 0x2800));
}

TEST(GpuMemoryErrors, ASoundZoneThatIsRetiredKeepsItsContents) {
  ErrorRig rig(with_code(SectorCode::symbol));
  ListedKernel kernel = accesses({store(0x2000)});
  rig.run(kernel, 1);
  const std::uint64_t before = rig.word(0x2000);
  rig.gpu.inject({.shape = Shape::word, .address = 0x2000, .stuck = true});
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::done);
  EXPECT_EQ(rig.word(0x2000), before);
}

TEST(GpuMemoryErrors, AZoneThatTurnsOutToBeUncorrectableIsContainedAndNotRetired) {
  ErrorRig rig(with_code(SectorCode::symbol));
  ListedKernel kernel = accesses({store(0x2000)});
  rig.run(kernel, 1);
  rig.gpu.inject({.shape = Shape::sector, .address = 0x2040, .stuck = true});
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::uncorrectable);
  EXPECT_TRUE(rig.gpu.is_contained({0, 2}));
  EXPECT_EQ(rig.gpu.spare_zones(), 2u);
  rig.run_until(rig.now + 1_us);
  EXPECT_EQ(rig.found, (std::vector<ErrorRig::Found>{{Zone{0, 2}, 0x40, GpuReader::copy}}));
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::done);
  EXPECT_EQ(rig.word(0x2000), 0u);
  EXPECT_EQ(rig.gpu.spare_zones(), 1u);
}

TEST(GpuMemoryErrors, SilentErrorsStayInAZoneThatIsRetired) {
  ErrorRig rig(with_code(SectorCode::none));
  rig.gpu.poke(0x2040, std::array{std::byte{0x55}});
  const std::uint64_t before = rig.word(0x2040);
  rig.gpu.inject({.shape = Shape::bit, .address = 0x2040, .bit = 9, .stuck = true});
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::done);
  EXPECT_EQ(rig.word(0x2040), before ^ 1u << 9);
  ListedKernel kernel = accesses({load(0x2040)});
  rig.run(kernel, 1);
  EXPECT_EQ(rig.word(0x2040), before ^ 1u << 9);
}

// A pin is wrong in spare zones, too: what was read through it stays so.
TEST(GpuMemoryErrors, ABrokenPinDoesNotHealInASpareZone) {
  ErrorRig rig(with_code(SectorCode::none));
  ListedKernel kernel = accesses({load(0x2040)});
  rig.gpu.inject({.shape = Shape::pin, .address = 0x2040, .bit = 9});
  rig.run(kernel, 1);
  const std::uint64_t before = rig.word(0x2040);
  EXPECT_EQ(rig.gpu.retire(rig.now, {0, 2}), Gpu::Retirement::done);
  ListedKernel other = accesses({load(0x1000)});  // evicts the line
  rig.run(other, 2);
  rig.run(kernel, 3);
  EXPECT_EQ(rig.word(0x2040), before);
}

// A kernel that runs ahead has found the error already, which is reported when its time comes.
TEST(GpuMemoryErrors, AResetReportsContainmentThatIsStillToBeReported) {
  for (const Reset kind : {Reset::warm, Reset::cold, Reset::power_loss}) {
    ErrorRig rig(with_code(SectorCode::symbol));
    rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = true});
    ListedKernel kernel = accesses({load(0x1000, 10_ns), load(0x2000, 50_ns)});
    rig.gpu.launch(0_ns, kernel, 1);
    rig.run_until(20_ns);
    ASSERT_TRUE(rig.gpu.is_contained({0, 2}));
    ASSERT_TRUE(rig.found.empty());
    rig.gpu.reset(kind);
    EXPECT_EQ(rig.found.size(), kind == Reset::power_loss ? 0u : 1u);
    EXPECT_EQ(rig.gpu.is_contained({0, 2}), kind != Reset::power_loss);
    rig.run_until(1_us);
    EXPECT_EQ(rig.found.size(), kind == Reset::power_loss ? 0u : 1u);
    EXPECT_TRUE(rig.stops.empty());
  }
}

TEST(GpuMemoryErrors, OnlyAsManyZonesAsThereAreSparesAreRetired) {
  ErrorRig rig(with_code(SectorCode::symbol));
  EXPECT_EQ(rig.gpu.retire(0_ns, {0, 1}), Gpu::Retirement::done);
  EXPECT_EQ(rig.gpu.retire(0_ns, {0, 2}), Gpu::Retirement::done);
  EXPECT_EQ(rig.gpu.retire(0_ns, {0, 3}), Gpu::Retirement::no_spare);
  rig.gpu.reset(Reset::power_loss);
  EXPECT_EQ(rig.gpu.retire(0_ns, {0, 3}), Gpu::Retirement::no_spare);
}

TEST(GpuMemoryErrors, ASnapshotThatCopiesAContainedZoneIsGivenUp) {
  for (const Offloader by : {Offloader::driver, Offloader::device}) {
    ErrorRig rig(with_code(SectorCode::symbol));
    rig.gpu.inject({.shape = Shape::sector, .address = 0x2020});
    rig.gpu.begin_snapshot(0_ns, SnapshotKind::full, by, Address(0));
    const Zone zone{0, 2};
    if (by == Offloader::driver) rig.gpu.copy_out(0_ns, {&zone, 1});
    rig.run_until(1_ms);
    ASSERT_EQ(rig.failed.size(), 1u);
    EXPECT_EQ(rig.failed[0].second, Gpu::Failure::memory_error);
    EXPECT_EQ(rig.found, (std::vector<ErrorRig::Found>{{zone, 0x20, GpuReader::copy}}));
    EXPECT_FALSE(rig.gpu.snapshot_open());
  }
}

TEST(GpuMemoryErrors, ATransientFaultEndsWhenTheZoneIsCopiedIn) {
  ErrorRig rig(with_code(SectorCode::symbol));
  const Zone zone{0, 2};
  ListedKernel kernel = accesses({load(0x2000)});
  for (const bool stuck : {false, true}) {
    rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = stuck});
    rig.host.zones[0] = std::vector<std::byte>(4096);
    rig.gpu.copy_in(rig.now, {&zone, 1}, Address(0));
    rig.run_while_not([&] { return rig.copied_in_at.size() == (stuck ? 2u : 1u); });
    rig.run(kernel, 1);
    EXPECT_EQ(rig.stops.size(), stuck ? 1u : 0u);
  }
}

TEST(GpuMemoryErrors, OnlyAPowerLossEndsContainmentAndStuckCellsFailAgain) {
  ErrorRig rig(with_code(SectorCode::symbol));
  rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = true});
  ListedKernel kernel = accesses({load(0x2000)});
  rig.run(kernel, 1);
  for (const Reset kind : {Reset::warm, Reset::cold}) {
    rig.gpu.reset(kind);
    EXPECT_TRUE(rig.gpu.is_contained({0, 2}));
  }
  rig.gpu.reset(Reset::power_loss);
  EXPECT_FALSE(rig.gpu.is_contained({0, 2}));
  rig.gpu.allocate(rig.gpu.config().memory);
  rig.run(kernel, 2);
  EXPECT_TRUE(rig.gpu.is_contained({0, 2}));
}

// ---- the code of REACH ----

// One of the statistics of memory errors.
std::uint64_t figure(const ErrorRig& rig, std::string_view name) {
  Statistics statistics;
  rig.gpu.report(statistics);
  const auto of = [](const Statistics& group, std::string_view key) -> const Statistics::Value& {
    return std::ranges::find(group.entries(), key, &std::pair<std::string, Statistics::Value>::first)->second;
  };
  return std::get<std::uint64_t>(
      of(*std::get<std::unique_ptr<Statistics>>(of(statistics, "memory_errors")), name));
}

// A word of two bytes is more than the inner code corrects.
TEST(GpuReach, AFlaggedSectorIsRebuiltFromItsSpan) {
  ErrorRig rig(with_code(SectorCode::reach)), sound(with_code(SectorCode::reach));
  ListedKernel kernel = accesses({store(0x1000, 10_ns), load(0x2000, 10_ns)});
  for (const std::uint64_t address : {0x2000, 0x2020, 0x2400})
    rig.gpu.inject({.shape = Shape::sector, .address = address});
  for (ErrorRig* each : {&rig, &sound}) each->run(kernel, 1);
  EXPECT_EQ(rig.word(0x2000), sound.word(0x2000));
  EXPECT_EQ(figure(rig, "rebuilt"), 1u);
  EXPECT_EQ(figure(rig, "corrected"), 1u);
  EXPECT_TRUE(rig.found.empty());
  // The span: 72 chunks of 36 bytes in transfers of 32.
  EXPECT_EQ(figure(rig, "code_traffic_bytes"), figure(sound, "code_traffic_bytes") + 81 * 32);
  EXPECT_EQ(rig.kernels_ended[0], sound.kernels_ended[0] + 81 * 32_ns);
}

TEST(GpuReach, NineFlaggedSectorsOfASpanAreUncorrectable) {
  for (const unsigned sectors : {8u, 9u}) {
    ErrorRig rig(with_code(SectorCode::reach));
    for (unsigned i = 0; i < sectors; ++i)
      rig.gpu.inject({.shape = Shape::sector, .address = 0x2000 + 32 * i});
    ListedKernel kernel = accesses({load(0x2000, 10_ns)});
    rig.run(kernel, 1);
    EXPECT_EQ(rig.stops.size(), sectors == 9 ? 1u : 0u);
    EXPECT_EQ(figure(rig, "rebuilt"), sectors == 9 ? 0u : 1u);
  }
}

// A chunk is in two transfers of 32 bytes. A write moves it and the parity, nine transfers, twice.
TEST(GpuReach, WritesAtRandomMoveOldDataAndParityTwice) {
  const auto traffic = [](std::vector<DeviceAccess> list) {
    ErrorRig rig(with_code(SectorCode::reach));
    ListedKernel kernel = accesses(std::move(list));
    rig.run(kernel, 1);
    return figure(rig, "code_traffic_bytes");
  };
  EXPECT_EQ(traffic({load(0x1000)}), 32u);
  EXPECT_EQ(traffic({load(0x1000, 0_ns, 128)}), 32u);  // 144 bytes are five transfers
  // Each access evicts the line before it.
  EXPECT_EQ(traffic({store(0x1000), load(0x2000)}), 32u * (2 * (2 + 9) - 1 + 1));
  // A stream moves the parity once.
  EXPECT_EQ(traffic({store(0x1000), store(0x1100), store(0x1200), load(0x2000)}),
            32u * (2 * (3 * 2 + 9) - 3 + 1));
}

// A copy moves a zone of 128 sectors in 162 transfers: into the buffer of the device twice, and out of it.
TEST(GpuReach, CopiesMoveTheCodeOfWholeSpans) {
  const Zone zone{0, 2};
  for (const Offloader by : {Offloader::driver, Offloader::device}) {
    ErrorRig rig(with_code(SectorCode::reach));
    rig.gpu.begin_snapshot(0_ns, SnapshotKind::full, by, Address(0));
    if (by == Offloader::driver) rig.gpu.copy_out(0_ns, {&zone, 1});
    rig.run_until(1_ms);
    EXPECT_EQ(figure(rig, "code_traffic_bytes"), (by == Offloader::driver ? 1 : 3 * 16) * 34 * 32u);
  }
  ErrorRig rig(with_code(SectorCode::reach));
  EXPECT_EQ(rig.gpu.retire(0_ns, zone), Gpu::Retirement::done);
  EXPECT_EQ(figure(rig, "code_traffic_bytes"), 2 * 34 * 32u);
}

TEST(GpuReach, ACopyInBesideAKernelMovesTheCodeToo) {
  GpuConfig config = with_code(SectorCode::reach);
  config.copy_in_beside_kernels = true;
  ErrorRig rig(config);
  const Zone zone{0, 2};
  rig.host.zones[0] = std::vector<std::byte>(4096);
  ListedKernel kernel = accesses({load(0x1000, 100_us)});
  rig.gpu.launch(0_ns, kernel, 1);
  rig.gpu.copy_in(0_ns, {&zone, 1}, Address(0));
  rig.run_until(200_us);
  EXPECT_EQ(figure(rig, "code_traffic_bytes"), (34 + 1) * 32u);
}

// What a scrub writes back is one chunk, two transfers, whose parity does not change.
TEST(GpuReach, AScrubMovesTheCodeOfItsZoneAndOfWhatItCorrects) {
  GpuConfig config = with_code(SectorCode::reach);
  config.scrub = 160_us;
  ErrorRig rig(config);
  ListedKernel kernel = accesses({load(0x1000, 10_ns)});
  rig.run(kernel, 1);
  rig.gpu.inject({.shape = Shape::bit, .address = 0x2000, .bit = 3});
  rig.run_until(35_us);
  EXPECT_EQ(figure(rig, "zones_scrubbed"), 3u);
  EXPECT_EQ(figure(rig, "scrub_corrected"), 1u);
  EXPECT_EQ(figure(rig, "code_traffic_bytes"), (1 + 3 * 34 + 1) * 32u);
}

// ---- scrubbing ----

TEST(GpuScrubbing, LatentErrorsAreCorrectedBeforeTheyPair) {
  for (const bool scrubs : {false, true}) {
    GpuConfig config = with_code(SectorCode::symbol);
    if (scrubs) config.scrub = 160_us;
    ErrorRig rig(config);
    ListedKernel first = accesses({store(0x1000, 10_ns)}), second = accesses({load(0x2040, 10_ns)});
    rig.run(first, 1);
    rig.gpu.inject({.shape = Shape::word, .address = 0x2040, .bit = 16});
    rig.run_until(400_us);
    rig.gpu.inject({.shape = Shape::word, .address = 0x2040, .bit = 100});
    rig.run(second, 2);
    EXPECT_EQ(rig.stops.size(), scrubs ? 0u : 1u);
    if (!scrubs) continue;
    EXPECT_EQ(figure(rig, "scrub_corrected"), 1u);
    EXPECT_GE(figure(rig, "zones_scrubbed"), 32u);
  }
}

// The stack of HBM3 scrubs without taking bandwidth or informing software, and leaves what it cannot correct.
TEST(GpuScrubbing, AScrubOnTheDieIsNotSeenFromOutside) {
  for (const bool on_die : {false, true}) {
    GpuConfig config = with_code(SectorCode::symbol);
    config.scrub = 160_us;
    config.scrub_on_die = on_die;
    ErrorRig rig(config);
    ListedKernel first = accesses({store(0x1000, 10_ns)}), second = accesses({load(0x2040, 10_ns)});
    rig.run(first, 1);
    const std::uint64_t corrected = figure(rig, "corrected");
    rig.gpu.inject({.shape = Shape::word, .address = 0x2040, .bit = 16});
    rig.run_until(400_us);
    EXPECT_EQ(figure(rig, "scrub_corrected"), 1u);
    EXPECT_EQ(figure(rig, "corrected") - corrected, on_die ? 0u : 1u);
    rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = true});
    for (const unsigned passes : {1u, 2u}) {
      rig.run_until(400_us + 160_us * passes);
      EXPECT_EQ(figure(rig, "scrub_uncorrectable"), on_die ? passes * SectorFaults::row_sectors : 1);
    }
    EXPECT_EQ(rig.found.empty(), on_die);
    rig.run(second, 2);
    EXPECT_EQ(rig.stops.size(), 1u);
  }
}

// The code takes a few of the sectors whose bits are random for some with one wrong symbol. What is written
// back is right as far as any later read knows; with stuck faults the same is read before and after.
TEST(GpuScrubbing, AScrubOnTheDieCountsAWrongCorrectionWhereItChangesWhatIsStored) {
  for (const bool stuck : {false, true}) {
    GpuConfig config = with_code(SectorCode::symbol);
    config.scrub = 160_us;
    config.scrub_on_die = true;
    ErrorRig rig(config);
    ListedKernel kernel = accesses({store(0x1000, 10_ns)});
    rig.run(kernel, 1);
    Picoseconds at = 10_us;
    for (unsigned pass = 0; pass < 8; ++pass) {
      for (std::uint64_t row = 0; row < config.memory.count(); row += 1024)
        rig.gpu.inject({.shape = Shape::row, .address = row, .stuck = stuck});
      rig.run_until(at += 160_us);
    }
    const std::uint64_t wrong = figure(rig, "scrub_corrected");
    EXPECT_GT(wrong, 0u);
    EXPECT_EQ(figure(rig, "silent"), stuck ? 0 : wrong);
  }
}

// The last zone of the memory in use is spread over both channels.
TEST(GpuScrubbing, AllThatIsInUseIsScrubbed) {
  GpuConfig config = with_code(SectorCode::symbol);
  config.memory = 128_KiB;
  config.channels = 2;
  config.interleave = 512_B;
  config.l2 = 256_B;
  config.scrub = 160_us;
  ErrorRig rig(config);
  rig.gpu.allocate(12_KiB);
  ListedKernel kernel = accesses({load(0x1000, 10_ns)});
  rig.run(kernel, 1);
  for (std::uint64_t at = 0x2000; at < 0x3000; at += 512)
    rig.gpu.inject({.shape = Shape::word, .address = at, .bit = 16});
  rig.run_until(165_us);
  EXPECT_EQ(figure(rig, "scrub_corrected"), 8u);
  EXPECT_EQ(figure(rig, "zones_scrubbed"), 4u);
}

TEST(GpuScrubbing, AnUncorrectableErrorIsContainedBeforeAKernelReadsIt) {
  GpuConfig config = with_code(SectorCode::symbol);
  config.scrub = 160_us;
  ErrorRig rig(config);
  ListedKernel kernel = accesses({store(0x1000, 10_ns)});
  rig.run(kernel, 1);
  rig.gpu.inject({.shape = Shape::row, .address = 0x2000, .stuck = true});
  rig.run_until(400_us);
  EXPECT_EQ(rig.found, (std::vector<ErrorRig::Found>{{Zone{0, 2}, 0x0, GpuReader::scrub}}));
  EXPECT_EQ(figure(rig, "scrub_uncorrectable"), 1u);
  EXPECT_TRUE(rig.stops.empty());
  rig.gpu.reset(Reset::power_loss);
  EXPECT_FALSE(rig.gpu.next_event());
}

// A stuck bit is corrected at each pass, and stays.
TEST(GpuScrubbing, AStuckBitIsCorrectedAgainInEachPass) {
  GpuConfig config = with_code(SectorCode::secded);
  config.scrub = 160_us;
  ErrorRig rig(config);
  ListedKernel kernel = accesses({store(0x1000, 10_ns)});
  rig.run(kernel, 1);
  rig.gpu.inject({.shape = Shape::bit, .address = 0x3000, .bit = 5, .stuck = true});
  rig.run_until(490_us);
  EXPECT_EQ(figure(rig, "scrub_corrected"), 3u);
}

}  // namespace
}  // namespace asterism
