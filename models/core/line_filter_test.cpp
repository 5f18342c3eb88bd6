#include "core/line_filter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "core/cache_hierarchy.h"

namespace asterism {
namespace {

using Kind = CacheHierarchy::Kind;
constexpr Bytes line = CacheHierarchy::line;

// Makes accesses as an engine does: by the filter where it permits them, and by the caches otherwise.
class Engine {
 public:
  Engine(CacheHierarchy& caches, unsigned core) : caches_(caches), core_(core) {}

  // nullopt: filtered.
  std::optional<CacheHierarchy::Traffic> access(std::uint64_t address, bool is_store, Picoseconds now) {
    LineFilter& filter = caches_.filter(core_);
    if (filter.find(level_, address, is_store ? Kind::store : Kind::load)) {
      ++filtered_;
      return std::nullopt;
    }
    const Address physical(address ^ scramble);
    const CacheHierarchy::Traffic traffic =
        caches_.access(core_, physical, is_store ? Kind::store : Kind::load, now);
    if (traffic.filter.loads) filter.install(level_, address, traffic.filter, nullptr, nullptr);
    return traffic;
  }
  void change_level() { level_ ^= 1; }
  void flush() { caches_.filter(core_).clear(); }
  std::uint64_t filtered() const { return filtered_; }
  static constexpr std::uint64_t scramble = 0xabc'0000;  // virtual to physical address

 private:
  CacheHierarchy& caches_;
  unsigned core_, level_ = 1;
  std::uint64_t filtered_ = 0;
};

void print(const Statistics& statistics, std::string& text) {
  for (const auto& [name, value] : statistics.entries()) {
    text += name + " ";
    if (const auto* count = std::get_if<std::uint64_t>(&value)) text += std::to_string(*count) + "\n";
    if (const auto* group = std::get_if<std::unique_ptr<Statistics>>(&value)) print(**group, text);
  }
}
std::string all_statistics(const CacheHierarchy& caches, unsigned cores) {
  Statistics statistics;
  caches.report(statistics, std::vector<std::uint64_t>(cores));
  std::string text;
  print(statistics, text);
  for (unsigned core = 0; core < cores; ++core) {
    const CacheCounts counts = caches.counts(core);
    for (const std::uint64_t count : {counts.l1_accesses, counts.l1_refills, counts.l2_accesses,
                                      counts.l2_refills, counts.memory_accesses})
      text += std::to_string(count) + " ";
  }
  return text;
}

struct Shape {
  CachesConfig caches;
  unsigned cores;
};

// Where a stream goes next: near the last access, along an array, to another one whose lines are in the same
// sets, to lines that all cores use, or anywhere.
class Stream {
 public:
  explicit Stream(unsigned seed) : random_(seed) {}
  std::mt19937& random() { return random_; }
  std::uint64_t next(unsigned core) {
    switch (random_() % 8) {
      case 0:
        return last_[core] = random_() % (1 << 20) & ~7u;
      case 1:
        return last_[core] = random_() % 4 * 0x1'0040 + random_() % 256;
      case 2:
      case 3:
        return last_[core] += 16;
      case 4:
      case 5:
        return last_[core] ^= 0x1'0000;
      default:
        return last_[core] ^= random_() % 64 & ~7u;
    }
  }

 private:
  std::mt19937 random_;
  std::array<std::uint64_t, 3> last_{};
};

void expect_equal_with_and_without_filter(const Shape& shape, unsigned seed) {
  CacheHierarchy filtered(shape.caches, shape.cores), plain(shape.caches, shape.cores);
  std::array<Picoseconds, 3> time{};
  filtered.time_of = plain.time_of = [&](unsigned core) { return time[core]; };
  std::vector<Engine> engines;
  for (unsigned core = 0; core < shape.cores; ++core) engines.emplace_back(filtered, core);
  Stream stream(seed);
  std::mt19937& random = stream.random();
  unsigned core = 0;
  for (int step = 0; step < 100'000; ++step) {
    if (random() % 64 == 0) core = random() % shape.cores;
    time[core] += Picoseconds(500);
    const std::uint64_t address = stream.next(core);
    const bool is_store = random() % 4 == 0;
    const Address physical(address ^ Engine::scramble);
    const auto mine = engines[core].access(address, is_store, time[core]);
    const auto wanted = plain.access(core, physical, is_store ? Kind::store : Kind::load, time[core]);
    for (const Address each : wanted.prefetched) {
      const Picoseconds there = time[core] + Picoseconds(random() % 8 * 500);
      filtered.prefetched(core, each, there);
      plain.prefetched(core, each, there);
    }
    ASSERT_TRUE(mine ? mine->is_as(wanted) : wanted.is_none()) << step;
    const AddressRange lines{Address(physical.value() & ~63u), line};
    switch (random() % 512) {
      case 0:
        engines[core].flush();
        break;
      case 1:
        engines[core].change_level();
        break;
      case 2:  // another master writes the line
        filtered.drop(lines);
        plain.drop(lines);
        break;
      case 3:
        filtered.clean(std::array{lines.first});
        plain.clean(std::array{lines.first});
        break;
      case 4: {
        const CacheMaintenance what{.kind = CacheMaintenance::Kind::clean_and_invalidate,
                                    .address = physical};
        ASSERT_EQ(filtered.maintain(core, what), plain.maintain(core, what));
        break;
      }
      case 5: {
        const CacheMaintenance what{.kind = random() % 2 == 0 ? CacheMaintenance::Kind::clean
                                                              : CacheMaintenance::Kind::clean_and_invalidate,
                                    .by_set = true,
                                    .level = static_cast<unsigned>(random() % 3),
                                    .set = static_cast<unsigned>(random() % 64),
                                    .way = static_cast<unsigned>(random() % 4)};
        ASSERT_EQ(filtered.maintain(core, what), plain.maintain(core, what));
        break;
      }
      default:
        break;
    }
    if (step % 4096 == 0) {
      ASSERT_EQ(filtered.dirty(), plain.dirty());
      ASSERT_EQ(all_statistics(filtered, shape.cores), all_statistics(plain, shape.cores));
    }
  }
  EXPECT_EQ(all_statistics(filtered, shape.cores), all_statistics(plain, shape.cores));
  EXPECT_GT(engines[0].filtered(), 20'000 / shape.cores);
}

std::vector<Shape> shapes() {
  using enum Replacement;
  const auto l1 = [](Bytes size, std::uint32_t ways, Replacement replacement = lru,
                     WritePolicy write = WritePolicy::back) {
    return L1Config{.size = size, .ways = ways, .replacement = replacement, .write = write};
  };
  const auto shared = [](Bytes size, std::uint32_t ways, std::uint32_t cores = 0,
                         Inclusion inclusion = Inclusion::none, Replacement replacement = lru) {
    return SharedCacheConfig{
        .size = size, .ways = ways, .replacement = replacement, .inclusion = inclusion, .cores = cores};
  };
  return {{{.l1d = l1(32_KiB, 2), .l2 = shared(2_MiB, 8)}, 1},
          {{.l1d = l1(64_KiB, 4), .l2 = shared(256_KiB, 16)}, 3},
          {{.l1d = l1(1_KiB, 1), .l2 = shared(4_KiB, 1)}, 2},
          {{.l1d = l1(1_KiB, 16), .l2 = shared(8_KiB, 2)}, 3},
          {{.l1d = l1(2_KiB, 2), .l2 = {}}, 2},
          {{.l1d = l1(4_KiB, 4, tree_plru),
            .l2 = shared(16_KiB, 8, 1, Inclusion::none, tree_plru),
            .llc = shared(64_KiB, 16)},
           3},
          {{.l1d = l1(4_KiB, 4, random),
            .l2 = shared(16_KiB, 8, 2),
            .llc = shared(64_KiB, 16, 0, Inclusion::exclusive)},
           3},
          {{.l1d = l1(8_KiB, 2),
            .l2 = shared(16_KiB, 4, 1, Inclusion::inclusive),
            .llc = shared(32_KiB, 4, 0, Inclusion::inclusive)},
           3},
          {{.l1d = l1(8_KiB, 2, lru, WritePolicy::through), .l2 = shared(32_KiB, 4)}, 3},
          {{.l1d = l1(4_KiB, 2),
            .l2 = shared(8_KiB, 1, 1, Inclusion::inclusive),
            .llc = shared(64_KiB, 4),
            .prefetch = PrefetchConfig{.streams = 4, .distance = 8, .buffers = 4}},
           3}};
}

class FilteredCaches : public testing::TestWithParam<int> {};

TEST_P(FilteredCaches, HaveTheCountsAndTheTrafficOfOthers) {
  const Shape shape = shapes()[static_cast<std::size_t>(GetParam())];
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_equal_with_and_without_filter(shape, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, FilteredCaches, testing::Range(0, 10));

TEST(LineFilter, RefusesStoresOfTheLinesOfAPageOnly) {
  LineFilter filter(16);
  std::array<std::uint8_t, 128> dirty{};
  filter.install(1, 0, {.set = 0, .loads = true, .stores = true}, nullptr, &dirty[0]);
  filter.install(1, 64, {.set = 1, .loads = true, .stores = true}, nullptr, &dirty[64]);
  filter.refuse_stores(&dirty[64], 64);
  EXPECT_EQ(filter.entries(1)[0].store_line, 0u);
  EXPECT_NE(filter.entries(1)[1].store_line, 64u);
  EXPECT_EQ(filter.entries(1)[1].load_line, 64u);
}

TEST(LineFilter, HasTheLineThatWasUsedBeforeInTheSetToo) {
  LineFilter filter(16);
  constexpr std::uint64_t one = 0x1040, other = 0x5040, third = 0x9040;
  const auto use = [&](std::uint64_t address, std::uint32_t slot) {
    const auto hits = filter.leave(1);
    filter.install(1, address, {.set = 1, .slot = slot, .loads = true}, nullptr, nullptr);
    return hits;
  };
  const auto loads = [&](std::uint64_t address) { return filter.find(1, address, CacheAccess::load); };
  use(one, 4);
  EXPECT_TRUE(loads(one));
  EXPECT_EQ(use(other, 5).first.count, 1u);
  EXPECT_TRUE(loads(one));
  EXPECT_TRUE(loads(other));
  EXPECT_TRUE(loads(other));
  EXPECT_TRUE(loads(one));
  const LineFilter::HitsOfSet hits = use(third, 6);
  EXPECT_EQ(hits.first.count, 2u);
  EXPECT_EQ(hits.first.slot, 5u);
  EXPECT_EQ(hits.behind.count, 2u);
  EXPECT_EQ(hits.behind.slot, 4u);
  EXPECT_TRUE(hits.behind_is_last);
  EXPECT_FALSE(loads(other));
  EXPECT_TRUE(loads(one));
  filter.leave(1);
  filter.evict(4);  // the line that would be behind the next one
  filter.install(1, other, {.set = 1, .slot = 4, .loads = true}, nullptr, nullptr);
  EXPECT_FALSE(loads(one));
}

TEST(LineFilter, DropsTheLinesOfABlockOfAnySizeAndNoOthers) {
  constexpr std::uint32_t sets = 64;
  std::mt19937 random(3);
  for (unsigned span = 5; span <= 40; ++span) {
    LineFilter filter(sets);
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t set = 0; set < sets; ++set) {
      addresses.push_back((random() % 4096 * sets + set) * LineFilter::line);
      filter.install(set % 2, addresses.back(), {.set = set, .loads = true}, nullptr, nullptr);
    }
    const std::uint64_t number = addresses[random() % sets] >> span;
    filter.drop_block(number, span);
    for (std::uint32_t set = 0; set < sets; ++set)
      EXPECT_EQ(filter.find(set % 2, addresses[set], CacheAccess::load), addresses[set] >> span != number);
  }
}

TEST(LineFilter, DropsTheLinesOfAPageOrBlock) {
  LineFilter filter(16);
  std::array<std::uint8_t, 64> dirty{};
  filter.install(1, 0x1040, {.set = 1, .loads = true, .stores = true}, nullptr, dirty.data());
  filter.install(1, 0x2080, {.set = 2, .loads = true}, nullptr, dirty.data());
  filter.install(1, 0xab00'0000'0000'10c0, {.set = 3, .loads = true}, nullptr, dirty.data());
  ASSERT_TRUE(filter.find(1, 0x1040, CacheAccess::store));
  filter.drop_block(1, 12);
  EXPECT_FALSE(filter.find(1, 0x1040, CacheAccess::load));
  EXPECT_FALSE(filter.find(1, 0x1040, CacheAccess::store));
  EXPECT_FALSE(filter.find(1, 0xab00'0000'0000'10c0, CacheAccess::load));
  EXPECT_TRUE(filter.find(1, 0x2080, CacheAccess::load));
  EXPECT_EQ(filter.drop(1).first.count, 1u);  // the hit is not lost
  filter.drop_block(0, 21);
  EXPECT_FALSE(filter.find(1, 0x2080, CacheAccess::load));
}

}  // namespace
}  // namespace asterism
