#include "core/tag_cache.h"

#include <algorithm>
#include <bit>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr std::uint64_t number_of(Address address) { return address.value() / TagCache::line.count(); }
constexpr Address address_of(std::uint64_t number) { return Address(number * TagCache::line.count()); }

bool divides(Bytes size, std::uint32_t ways) {
  const std::uint64_t way = ways * TagCache::line.count();
  return size.count() % way == 0 && std::has_single_bit(size.count() / way);
}

}  // namespace

static_assert(member_count<TagCacheConfig>() == 6);
void describe(Fields& f, TagCacheConfig& c) {
  f("caches", c.model,
    "What stands between cores and memory. With tags, memory sees fills and write-backs in place of loads "
    "and stores; "
    "showing every access to the tags costs most of the simulator's speed (docs/checkpoints.md)",
    one_of<CacheModel>());
  f.when("caches", c.model, CacheModel::tags, [&] {
    f("l1", c.l1, "Data cache of each core; a larger one misses less", within(1_KiB, 1_MiB));
    f("l1_ways", c.l1_ways, "Its lines in a set", within(1, 64));
    f("l2", c.l2, "Cache of all cores together; a larger one writes back later", within(4_KiB, 256_MiB));
    f("l2_ways", c.l2_ways, "Its lines in a set", within(1, 64));
    f("l2_latency", c.l2_latency,
      "What a load or store takes beyond its instruction when it misses in the L1", within(0_ps, 1_us));
  });
  f.check(divides(c.l1, c.l1_ways), "l1", "is a power of two of sets of l1_ways lines of 64 bytes");
  f.check(divides(c.l2, c.l2_ways), "l2", "is a power of two of sets of l2_ways lines of 64 bytes");
}

// ---- one cache ----

TagCache::TagCache(Bytes size, std::uint32_t ways)
    : ways_(ways), set_mask_(size / line / ways - 1), lines_(size / line) {}

std::optional<std::uint64_t> TagCache::insert(std::uint64_t number, bool dirty) {
  const std::span<Line> set(set_of(number), ways_);
  Line& oldest = *std::ranges::min_element(
      set, [](const Line& a, const Line& b) { return a.valid != b.valid ? !a.valid : a.used < b.used; });
  const auto displaced = oldest.valid && oldest.dirty ? std::optional(oldest.number) : std::nullopt;
  oldest = {number, ++uses_, true, dirty};
  return displaced;
}

void TagCache::clear() { std::ranges::fill(lines_, Line{}); }

// ---- all of them ----

TagCaches::TagCaches(const TagCacheConfig& config, unsigned cores)
    : l1_(cores, TagCache(config.l1, config.l1_ways)), l2_(config.l2, config.l2_ways), of_core_(cores) {}

template <class F>
void TagCaches::for_caches(F f) {
  for (TagCache& l1 : l1_) f(l1);
  f(l2_);
}

TagCaches::Traffic TagCaches::access(unsigned core, Address address, bool is_store) {
  const std::uint64_t number = number_of(address);
  Traffic traffic{Level::l1, {}};
  CacheCounts& of_core = of_core_[core];
  ++of_core.l1_accesses;
  if (TagCache::Line* line = l1_[core].find(number)) {
    ++counts_.l1_hits;
    if (is_store && !line->dirty) take_from_others(core, number, true, traffic);
    line->dirty |= is_store;
    l1_[core].use(*line);
    of_core.memory_accesses += traffic.written_back.size();
    return traffic;
  }
  ++counts_.l1_misses;
  ++of_core.l1_refills, ++of_core.l2_accesses;
  take_from_others(core, number, is_store, traffic);
  if (TagCache::Line* line = l2_.find(number)) {
    ++counts_.l2_hits;
    traffic.found = Level::l2;
    l2_.use(*line);
  } else {
    ++counts_.l2_misses;
    ++of_core.l2_refills, ++of_core.memory_accesses;
    traffic.found = Level::memory;
    evict(l2_.insert(number, false), traffic);
  }
  if (const auto displaced = l1_[core].insert(number, is_store)) write_to_l2(*displaced, traffic);
  of_core.memory_accesses += traffic.written_back.size();
  return traffic;
}

// A store makes the other L1s forget the line, and the L2 that it is dirty: the core's own copy is, in place of theirs.
void TagCaches::take_from_others(unsigned core, std::uint64_t number, bool is_store, Traffic& traffic) {
  for (std::size_t other = 0; other < l1_.size(); ++other) {
    TagCache::Line* line = other == core ? nullptr : l1_[other].find(number);
    if (!line) continue;
    if (line->dirty && !is_store) write_to_l2(number, traffic);
    line->dirty = false;
    if (is_store) *line = {};
  }
  if (TagCache::Line* line = is_store ? l2_.find(number) : nullptr) line->dirty = false;
}

void TagCaches::write_to_l2(std::uint64_t number, Traffic& traffic) {
  if (TagCache::Line* line = l2_.find(number)) {
    line->dirty = true;
    l2_.use(*line);
  } else {
    evict(l2_.insert(number, true), traffic);
  }
}

void TagCaches::evict(std::optional<std::uint64_t> number, Traffic& traffic) {
  if (!number) return;
  ++counts_.write_backs;
  traffic.written_back.push_back(address_of(*number));
}

std::vector<Address> TagCaches::dirty() {
  std::vector<Address> dirty;
  for_caches([&](TagCache& cache) {
    for (const TagCache::Line& line : cache.lines())
      if (line.valid && line.dirty) dirty.push_back(address_of(line.number));
  });
  std::ranges::sort(dirty);
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  return dirty;
}

void TagCaches::clean(std::span<const Address> lines) {
  for (const Address address : lines) {
    ++counts_.flushed;
    for_caches([&](TagCache& cache) {
      if (TagCache::Line* line = cache.find(number_of(address))) line->dirty = false;
    });
  }
}

void TagCaches::drop(AddressRange range) {
  if (range.size == Bytes(0)) return;
  for (std::uint64_t number = number_of(range.first); number <= number_of(range.last()); ++number)
    for_caches([&](TagCache& cache) {
      TagCache::Line* line = cache.find(number);
      if (!line) return;
      ++counts_.dropped;
      *line = {};
    });
}

void TagCaches::reset(Reset kind) {
  for_caches([](TagCache& cache) { cache.clear(); });
  if (kind == Reset::cold) counts_ = {};
}

void TagCaches::report(Statistics& statistics) const {
  statistics.add("l1_hits", counts_.l1_hits);
  statistics.add("l1_misses", counts_.l1_misses);
  statistics.add("l2_hits", counts_.l2_hits);
  statistics.add("l2_misses", counts_.l2_misses);
  statistics.add("write_backs", counts_.write_backs);
  statistics.add("flushed", counts_.flushed);
  statistics.add("dropped", counts_.dropped);
}

}  // namespace asterism
