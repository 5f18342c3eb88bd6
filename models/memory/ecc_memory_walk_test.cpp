// In random walks, whatever happens to a memory, data that it delivers as correct must be what was written
// last.
#include <map>
#include <utility>

#include "base/random.h"
#include "memory/ecc_memory_test.h"
#include "memory/patrol_scrubber.h"

namespace asterism {
namespace {

struct Walk {
  SmallEccMemory small;
  PatrolScrubber scrubber{small.memory, 10_ns};
  Random random;
  Picoseconds now;
  std::vector<std::byte> written;
  static constexpr std::uint64_t blocks = 256;  // accesses and faults meet in the first pages
  // The blocks that were found uncorrectable, with a bit for each byte that was written since.
  std::map<std::uint64_t, std::uint64_t> bad;
  std::uint64_t silent = 0;
  unsigned wrong = 0, clean = 0, poisoned = 0, monitored = 0, refused = 0;

  Walk(EccMode mode, EccProfile profile, std::uint64_t seed) : small(config(mode, profile)), random(seed) {
    take_cells();
  }
  static EccConfig config(EccMode mode, EccProfile profile) {
    EccConfig config;
    config.mode = mode;
    config.profile = profile;
    config.cache = 1_KiB;
    config.cache_ways = 2;
    return config;
  }
  void take_cells() { written.assign(small.cells.data(), small.cells.data() + blocks * block_bytes); }

  void step() {
    // Data that were delivered wrongly may have been written back.
    if (const std::uint64_t count = small.count("silent"); count != std::exchange(silent, count))
      take_cells();
    now += Picoseconds(random.below(20'000));
    scrubber.advance_to(now);
    const std::uint64_t what = random.below(1000);
    if (what < 450) return read();
    if (what < 900) return write();
    if (what < 960) return inject_fault();
    if (what < 990) return change_range();
    const bool is_warm = random.below(2) != 0;
    if (!is_warm) small.cells.reset(Reset::power_loss);
    small.memory.reset(is_warm ? Reset::warm : Reset::power_loss);
    if (!is_warm) take_cells(), bad.clear();
    scrubber.reset(Reset::warm);
    scrubber.set_interval(now, 10_ns);
  }
  void read() {
    const std::uint64_t block = random.below(blocks);
    const DirectAccess direct = small.memory.direct(small.at(block));
    std::array<std::byte, block_bytes> data;
    const BlockAccess access = small.memory.read(now, small.at(block), data);
    const bool is_right = std::memcmp(data.data(), &written[block * block_bytes], block_bytes) == 0;
    // A poisoned block may have errors in its parity only.
    EXPECT_TRUE(access.poisoned || is_right != access.silent);
    EXPECT_TRUE(is_right || direct == DirectAccess::refused);
    monitored += direct == DirectAccess::monitored;
    refused += direct == DirectAccess::refused;
    // Only writes make an uncorrectable block readable again.
    EXPECT_TRUE(access.poisoned || !bad.contains(block)) << block;
    if (access.poisoned) bad.try_emplace(block, 0);
    ++(access.poisoned ? poisoned : access.silent ? wrong : clean);
  }
  void write() {
    const std::uint64_t block = random.below(blocks), first = random.below(2) * random.below(64);
    const std::uint64_t count = first ? 1 + random.below(64 - first) : 64;
    std::array<std::byte, block_bytes> data;
    for (std::byte& byte : data) byte = std::byte(random.next() & 0xff);
    const Bytes offset = small.at(block) + Bytes(first);
    small.memory.write(now, offset, std::span(data).first(count));
    std::memcpy(&written[offset.count()], data.data(), count);
    const auto known = bad.find(block);
    if (known == bad.end()) return;
    known->second |= count == 64 ? ~std::uint64_t{0} : ((std::uint64_t{1} << count) - 1) << first;
    if (known->second == ~std::uint64_t{0}) bad.erase(known);
  }
  void inject_fault() {
    constexpr std::array kinds{MemoryFaultKind::bit,  MemoryFaultKind::bit,    MemoryFaultKind::bit,
                               MemoryFaultKind::word, MemoryFaultKind::column, MemoryFaultKind::pin,
                               MemoryFaultKind::row,  MemoryFaultKind::chip};
    BlockLocation at = small.mapping.locate(random.below(blocks));
    if (random.below(4) == 0) at = parity_place(small_geometry, at).block;
    small.memory.inject(
        now, fault_at(kinds[random.below(kinds.size())], at, static_cast<std::uint32_t>(random.below(18)),
                      random.below(8) ? Persistence::transient : Persistence::stuck,
                      static_cast<std::uint32_t>(random.below(32))));
  }
  void change_range() {
    const EccRange range{{Address(random.below(4) * 4096), Bytes((1 + random.below(2)) * 4096)},
                         random.below(2) ? EccMode::strong : EccMode::normal};
    small.memory.set_range(now, static_cast<unsigned>(random.below(3)),
                           random.below(3) ? std::optional(range) : std::nullopt);
  }
};

TEST(EccMemoryWalk, DeliversWhatWasWrittenOrReportsThatItCannot) {
  for (const EccMode mode : {EccMode::normal, EccMode::strong})
    for (const EccProfile profile : {EccProfile::strict, EccProfile::chip}) {
      unsigned clean = 0, poisoned = 0, monitored = 0, refused = 0;
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Walk walk(mode, profile, seed);
        for (int i = 0; i < 3000; ++i) walk.step();
        clean += walk.clean, poisoned += walk.poisoned, monitored += walk.monitored, refused += walk.refused;
      }
      for (const unsigned seen : {clean, poisoned, monitored, refused}) EXPECT_GT(seen, 50u);
    }
}

}  // namespace
}  // namespace asterism
