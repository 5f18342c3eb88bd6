// A checkpoint contains what every master of a node wrote: devices, masters that do not know about
// checkpoints, and debuggers.
#include <array>

#include "writes_rig.h"

namespace asterism {
namespace {

struct CheckpointsOfWritesTest : WritesRig {
  bool writes = false;
  unsigned writers = 0, running = 0, done = 0, refused = 0;

  explicit CheckpointsOfWritesTest(const Parts& parts) : WritesRig(parts) {}

  // Writes some bytes at random places in the pages at random times until the simulation ends.
  template <class Write>
  void write_now_and_then(Write write) {
    ++writers, ++running;
    sc_core::sc_spawn([this, write, random = Random(writers)]() mutable {
      for (;;) {
        wait_for(Picoseconds(1 + random.below(150'000'000)));
        if (!writes) continue;
        std::array<unsigned char, 300> data;
        for (unsigned char& byte : data) byte = static_cast<unsigned char>(random.next());
        const std::uint64_t size = 1 + random.below(data.size());
        const std::uint64_t at = random.below(Guarded::pages * page_size - size);
        --running;
        const bool ok = write(at, std::span(data).first(size));
        ++running;
        ++(ok ? done : refused);
      }
    });
  }
  void begin_to_write(Guarded& into) {
    write_now_and_then([this, &into](std::uint64_t at, std::span<unsigned char> data) {
      return foreign.write(into.address(at), {data.begin(), data.end()}) == tlm::TLM_OK_RESPONSE;
    });
    write_now_and_then([&into](std::uint64_t at, std::span<unsigned char> data) {
      into.device.access(tlm::TLM_WRITE_COMMAND, into.address(at) - into.base, data.data(),
                         static_cast<unsigned>(data.size()));
      into.device.delay = sc_core::SC_ZERO_TIME;
      return into.device.status == tlm::TLM_OK_RESPONSE;
    });
    write_now_and_then([&into](std::uint64_t at, std::span<unsigned char> data) {
      return into.device.debug(tlm::TLM_WRITE_COMMAND, into.address(at) - into.base, data.data(),
                               static_cast<unsigned>(data.size())) != 0;
    });
  }
  // Takes five versions while all write, and restores each of them.
  void expect_versions_by(CheckpointMethod method, std::uint64_t number) {
    constexpr std::uint64_t versions = 5;
    std::vector<Guarded*> all = {&first};
    if (second) all.push_back(&*second);
    writes = true;
    for (std::uint64_t i = 0; i < versions; ++i) {
      for (Guarded* each : all) ASSERT_EQ(each->checkpoint(number + i, method), 0u) << to_text(method);
      wait_for(2_ms);
    }
    writes = false;
    for (Guarded* each : all) each->wait_until_durable();
    while (running != writers) wait_for(100_us);
    wait_for(1_ms);
    for (std::uint64_t i = 0; i < versions; ++i)
      for (Guarded* each : all)
        EXPECT_TRUE(each->is_right(number + i)) << to_text(method) << " " << i << " of " << each->base;
  }
  void expect_versions_by_every_method() {
    begin_to_write(first);
    if (second) begin_to_write(*second);
    std::uint64_t number = 1;
    for (const auto& method : enum_names(CheckpointMethod{}))
      expect_versions_by(method.value, std::exchange(number, number + 10));
    EXPECT_GT(done, 500u);
    EXPECT_GT(refused, 0u);  // debug writes, which cannot wait
  }
  // Whether a version has what a foreign master has written since the one before.
  bool has_foreign_write() {
    EXPECT_EQ(first.checkpoint(1, CheckpointMethod::stop_and_copy), 0u);
    foreign.write32(first.address(3 * page_size + 100), 0x1234'5678);
    EXPECT_EQ(first.checkpoint(2, CheckpointMethod::stop_and_copy), 0u);
    return first.is_right(2);
  }
};

template <MemoryFidelity of_memory, CacheModel in_front>
struct Written : CheckpointsOfWritesTest {
  Written() : CheckpointsOfWritesTest({.fidelity = of_memory, .caches = {.model = in_front}}) {}
};
using WrittenByLines = Written<MemoryFidelity::loose, CacheModel::none>;
using WrittenByLinesExactly = Written<MemoryFidelity::exact, CacheModel::none>;
using WrittenByCaches = Written<MemoryFidelity::loose, CacheModel::tags>;
using WrittenByCachesExactly = Written<MemoryFidelity::exact, CacheModel::tags>;

SYSTEMC_TEST_F(WrittenByLines, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(WrittenByLinesExactly, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(WrittenByCaches, WhatForeignMastersWriteComesBack) { expect_versions_by_every_method(); }
SYSTEMC_TEST_F(WrittenByCachesExactly, WhatForeignMastersWriteComesBack) {
  expect_versions_by_every_method();
}

// A core whose two caches hold one line each stores to a line of each of six pages in turn. Each store
// therefore has an earlier line written back.
struct ReportsOfWriteBacks : CheckpointsOfWritesTest, WriteObserver {
  std::uint64_t reported = 0;

  ReportsOfWriteBacks()
      : CheckpointsOfWritesTest({.caches = {.model = CacheModel::tags,
                                            .l1d = {.size = 64_B, .ways = 1},
                                            .l2 = SharedCacheConfig{.size = 64_B, .ways = 1}}}) {
    first.memory.writes().add(*this);
  }
  void written(const MemoryWrite& write) override { reported += is_core(write.master) ? 1 : 0; }
};

SYSTEMC_TEST_F(ReportsOfWriteBacks, AreMadeOnceThoughTheEndOfAnIntervalMeetsThem) {
  place(dram + 0x8'0000, {
                             0xaa0003e1,  // again: mov x1, x0
                             0xd28000c2,  // mov x2, #6
                             0xf9000022,  // loop: str x2, [x1]
                             0x91400421,  // add x1, x1, #4096
                             0xf1000442,  // subs x2, x2, #1
                             0x54ffffa1,  // b.ne loop
                             0x17fffffa,  // b again
                         });
  cores.start(Address(dram + 0x8'0000), first.address(0));
  for (std::uint64_t version = 1; version <= 20; ++version)
    ASSERT_EQ(first.checkpoint(version, CheckpointMethod::late), 0u);
  EXPECT_GT(first.get(first.map.writes_held), 20u);
  EXPECT_GT(reported, 100u);
  Statistics statistics;
  first.memory.report(statistics);
  for (const auto& [name, value] : statistics.entries()) {
    const auto* const written = std::get_if<std::uint64_t>(&value);
    if (name != "writes" || !written) continue;
    EXPECT_NEAR(static_cast<double>(*written), static_cast<double>(reported), 6) << "some are on their way";
  }
}

struct TwoMemoriesTest : CheckpointsOfWritesTest {
  TwoMemoriesTest() : CheckpointsOfWritesTest({.has_second_memory = true}) {}
};
SYSTEMC_TEST_F(TwoMemoriesTest, EachIsGuardedByItsOwnDimmSsd) { expect_versions_by_every_method(); }

SYSTEMC_TEST_F(WrittenByLines, AForeignWriteWithinAnIntervalIsInItsVersion) {
  EXPECT_TRUE(has_foreign_write());
}

struct UnreportedWritesTest : CheckpointsOfWritesTest {
  UnreportedWritesTest() : CheckpointsOfWritesTest({.reports_to_nobody = true}) {}
};
SYSTEMC_TEST_F(UnreportedWritesTest, AMemoryThatReportsToNobodyLosesIt) { EXPECT_FALSE(has_foreign_write()); }

}  // namespace
}  // namespace asterism
