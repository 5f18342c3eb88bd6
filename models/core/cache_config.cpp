#include "core/cache_config.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr auto max_ways = SetAssociative<std::uint64_t>::max_ways;

void describe_array(Fields& f, Bytes& size, std::uint32_t& ways, Picoseconds& latency,
                    Replacement& replacement) {
  f("size", size, "The capacity. A larger cache has fewer misses.", within(64_B, 1_GiB));
  f("ways", ways, "The associativity: the number of lines in a set.", within(1u, max_ways));
  f("latency", latency,
    "The time from an access to its data, if the line is found here. An access that goes on to memory takes "
    "that of the last cache, and memory's time in addition.",
    within(0_ps, 1_us));
  f("replacement", replacement, "Which line of a set makes room for another one.", one_of<Replacement>());
  f.check(
      [&] {
        const std::uint64_t way = ways * cache_line.count();
        return size.count() % way == 0 && std::has_single_bit(size.count() / way);
      },
      "size", "has a number of sets (of `ways` lines of 64 bytes) that is a power of two");
  f.check([&] { return replacement != Replacement::tree_plru || std::has_single_bit(ways); }, "ways",
          "is a power of two with tree_plru");
}

}  // namespace

static_assert(member_count<L1Config>() == 5);
void describe(Fields& f, L1Config& c) {
  describe_array(f, c.size, c.ways, c.latency, c.replacement);
  f("write", c.write, "What a store does. A cache for instructions has none.", one_of<WritePolicy>());
}

static_assert(member_count<SharedCacheConfig>() == 6);
void describe(Fields& f, SharedCacheConfig& c) {
  describe_array(f, c.size, c.ways, c.latency, c.replacement);
  f("inclusion", c.inclusion, "What the cache does with the lines of the caches in front of it.",
    one_of<Inclusion>());
  f("cores", c.cores,
    "How many neighbouring cores share one. 1: each core has its own; 0: all cores share it. The last level "
    "is always shared by all.",
    within(0u, 576u));
}

static_assert(member_count<PrefetchConfig>() == 3);
void describe(Fields& f, PrefetchConfig& c) {
  f("streams", c.streams, "How many pages of 4 KiB the prefetcher of a core follows at the same time.",
    within(1u, 64u));
  f("distance", c.distance, "How many strides ahead of a stream lines are prefetched.", within(1u, 63u));
  f("buffers", c.buffers,
    "How many prefetched lines an L2 can wait for at the same time. While all buffers are in use, nothing "
    "is prefetched. Loads and stores do not take them.",
    within(1u, 256u));
}

static_assert(member_count<TlbConfig>() == 3);
void describe(Fields& f, TlbConfig& c) {
  f("entries", c.entries, "How many pages or blocks the TLB holds, of any size.", within(1u, 65536u));
  f("ways", c.ways, "The ways of a set, which are replaced in the order in which they came.",
    within(1u, 64u));
  f("walk", c.walk, "The time that an access waits for a translation that the TLB does not hold.",
    within(0_ps, 10_us));
  f.check(c.ways <= c.entries && c.entries % c.ways == 0, "ways", "divides the entries into whole sets");
}

static_assert(member_count<CachesConfig>() == 8);
void describe(Fields& f, CachesConfig& c) {
  f("model", c.model, "What is between the cores and memory.", one_of<CacheModel>());
  f.when("model", c.model, {CacheModel::tags, CacheModel::checked}, [&] {
    f("l1d", c.l1d, "The data cache of each core.");
    f("l1i", c.l1i, "The instruction cache of each core. Without it, fetches take no time.");
    f("l2", c.l2, "The next cache for data and instructions. null: there is none.");
    f("llc", c.llc, "The last cache, which all cores share. null: there is none.");
    f("prefetch", c.prefetch,
      "What the L2 prefetches for the L1s for data, by the strides of their misses. Without it, nothing.");
    f("tlb", c.tlb, "The TLB of each core, for loads and stores. Without it, translations take no time.");
    f("snoop", c.snoop,
      "The time that an access waits for a line that another core's caches have dirty, or for the "
      "invalidation of its copies.",
      within(0_ps, 1_us));
  });
  const auto& next = c.l2 ? c.l2 : c.llc;
  const auto includes = [](const std::optional<SharedCacheConfig>& cache, Bytes in_front) {
    return !cache || cache->inclusion != Inclusion::inclusive || cache->size >= in_front;
  };
  f.check([&] { return includes(c.l2, std::max(c.l1d.size, c.l1i ? c.l1i->size : 0_B)); }, "l2.size",
          "is not smaller than an L1 that it includes");
  f.check([&] { return includes(c.llc, c.l2 ? c.l2->size : c.l1d.size); }, "llc.size",
          "is not smaller than a cache that it includes");
  f.check([&] { return c.l2 || !c.prefetch; }, "prefetch", "needs an L2");
  f.check([&] { return !c.l2 || c.l2->latency >= c.l1d.latency; }, "l2.latency",
          "is at least that of the L1");
  f.check([&] { return !c.llc || c.llc->latency >= (c.l2 ? c.l2->latency : c.l1d.latency); }, "llc.latency",
          "is at least that of the cache in front of it");
  f.check(
      [&] { return c.l1d.write == WritePolicy::back || !next || next->inclusion != Inclusion::exclusive; },
      "l1d.write", "is back if the next cache is exclusive");
  f.check([&] { return !c.l1i || c.l1i->write == WritePolicy::back; }, "l1i.write",
          "is back, since there are no stores in it");
  f.check([&] { return !c.llc || c.llc->cores == 0; }, "llc.cores", "is 0, since all cores share the cache");
}

}  // namespace asterism
