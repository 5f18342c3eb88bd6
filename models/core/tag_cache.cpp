#include "core/tag_cache.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/fields.h"

namespace asterism {
namespace {

constexpr std::uint64_t number_of(Address address) { return address.value() / TagCache::line.count(); }
constexpr Address address_of(std::uint64_t number) { return Address(number * TagCache::line.count()); }

// The number of accesses to a line that a core has made after a time, if its accesses were evenly spread.
std::uint64_t uses_after(const TagCache::Line& line, Picoseconds now) {
  if (line.last <= now) return 0;
  const Picoseconds between = std::max((line.last - line.first) / std::max(line.uses, 1u), Picoseconds(1));
  return std::min<std::uint64_t>(line.uses, (line.last - now) / between + 1);
}

bool divides(Bytes size, std::uint32_t ways) {
  const std::uint64_t way = ways * TagCache::line.count();
  return size.count() % way == 0 && std::has_single_bit(size.count() / way);
}

}  // namespace

static_assert(member_count<TagCacheConfig>() == 6);
void describe(Fields& f, TagCacheConfig& c) {
  f("caches", c.model,
    "What is between the cores and memory. With tags, memory gets fills and write-backs instead of loads and "
    "stores, and the simulator loses most of its speed (docs/checkpoints.md).",
    one_of<CacheModel>());
  f.when("caches", c.model, CacheModel::tags, [&] {
    f("l1", c.l1, "The size of each core's data cache. A larger cache has fewer misses.",
      within(1_KiB, 1_MiB));
    f("l1_ways", c.l1_ways, "The associativity of the L1: the number of lines in a set.", within(1, 64));
    f("l2", c.l2, "The size of the cache that all cores share. A larger cache writes lines back later.",
      within(4_KiB, 256_MiB));
    f("l2_ways", c.l2_ways, "The associativity of the L2: the number of lines in a set.", within(1, 64));
    f("l2_latency", c.l2_latency,
      "The time that an L1 miss adds to a load or store. A line that is dirty in another L1 adds it twice.",
      within(0_ps, 1_us));
  });
  f.check(divides(c.l1, c.l1_ways), "l1",
          "has a number of sets (of l1_ways lines of 64 bytes) that is a power of two");
  f.check(divides(c.l2, c.l2_ways), "l2",
          "has a number of sets (of l2_ways lines of 64 bytes) that is a power of two");
}

// ---- one cache ----

TagCache::TagCache(Bytes size, std::uint32_t ways)
    : ways_(ways), set_mask_(size / line / ways - 1), lines_(size / line) {}

std::optional<std::uint64_t> TagCache::insert(std::uint64_t number, bool dirty) {
  const std::span<Line> set(set_of(number), ways_);
  Line& oldest = *std::ranges::min_element(
      set, [](const Line& a, const Line& b) { return a.valid != b.valid ? !a.valid : a.used < b.used; });
  const auto displaced = oldest.valid && oldest.dirty ? std::optional(oldest.number) : std::nullopt;
  oldest = {.number = number, .used = ++uses_, .valid = true, .dirty = dirty};
  return displaced;
}

void TagCache::clear() { std::ranges::fill(lines_, Line{}); }

// ---- all of them ----

TagCaches::TagCaches(const TagCacheConfig& config, unsigned cores)
    : l1_(cores, TagCache(config.l1, config.l1_ways)),
      l2_(config.l2, config.l2_ways),
      of_core_(cores),
      lines_of_core_(cores) {}

template <class F>
void TagCaches::for_caches(F f) {
  for (TagCache& l1 : l1_) f(l1);
  f(l2_);
}

TagCaches::Traffic TagCaches::access(unsigned core, Address address, bool is_store, Picoseconds now) {
  const std::uint64_t number = number_of(address);
  Traffic traffic{Level::l1, {}};
  CacheCounts& of_core = of_core_[core];
  ++of_core.l1_accesses;
  TagCache::Line* line = l1_[core].find(number);
  const bool was_there = line && !find_contended(core, *line, now, traffic);
  ++(was_there ? counts_.l1_hits : counts_.l1_misses);
  if (!was_there) ++of_core.l1_refills, ++of_core.l2_accesses, ++traffic.l2_accesses;
  Others others;
  if (!line || (is_store && !line->dirty)) others = take_from_others(core, number, is_store, now, traffic);
  if (!line) {
    fill(core, number, traffic);
    line = l1_[core].find(number);
    line->first = now;
  } else if (others.had_it && was_there) {
    ++traffic.l2_accesses;
  }
  line->dirty |= is_store;
  line->last = now;
  ++line->uses;
  line->contended = std::max(line->contended, others.contended);
  line->contended_until = std::max(line->contended_until, others.contended_until);
  l1_[core].use(*line);
  of_core.memory_accesses += traffic.written_back.size();
  return traffic;
}

// Whether a hit counts as a miss because the line is contended: an access of another core is assumed before
// it.
bool TagCaches::find_contended(unsigned core, TagCache::Line& line, Picoseconds now, Traffic& traffic) {
  if (now >= line.contended_until) line.contended = 0;
  if (line.contended == 0) return false;
  --line.contended;
  ++counts_.l2_hits;
  ++lines_of_core_[core].taken;
  traffic.found = Level::l2;
  ++traffic.l2_accesses;  // the other L1 writes it there
  return true;
}

// Fills the line into the L2, unless it is there, and into the core's L1.
void TagCaches::fill(unsigned core, std::uint64_t number, Traffic& traffic) {
  if (TagCache::Line* line = l2_.find(number)) {
    ++counts_.l2_hits;
    traffic.found = Level::l2;
    l2_.use(*line);
  } else {
    ++counts_.l2_misses;
    ++of_core_[core].l2_refills, ++of_core_[core].memory_accesses;
    traffic.found = Level::memory;
    evict(l2_.insert(number, false), traffic);
  }
  if (const auto displaced = l1_[core].insert(number, false)) write_to_l2(*displaced, traffic);
}

// A store invalidates the line in other L1s and makes it clean in the L2, because the core's own copy becomes
// the dirty one.
TagCaches::Others TagCaches::take_from_others(unsigned core, std::uint64_t number, bool is_store,
                                              Picoseconds now, Traffic& traffic) {
  Others others;
  for (std::size_t other = 0; other < l1_.size(); ++other) {
    TagCache::Line* line = other == core ? nullptr : l1_[other].find(number);
    if (!line) continue;
    others.had_it = true;
    if (line->dirty || is_store) {
      others.contended += uses_after(*line, now);
      others.contended_until = std::max(others.contended_until, line->last);
    }
    if (line->dirty) {
      ++traffic.l2_accesses;
      ++lines_of_core_[core].taken;
      write_to_l2(number, traffic);
    }
    line->dirty = false;
    if (is_store) {
      ++lines_of_core_[other].invalidated;
      *line = {};
    }
  }
  if (TagCache::Line* line = is_store ? l2_.find(number) : nullptr) line->dirty = false;
  return others;
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

boost::container::static_vector<Address, 2> TagCaches::maintain(unsigned core, const CacheMaintenance& what) {
  Traffic traffic{Level::l1, {}};
  if (what.by_set)
    maintain_by_set(core, what, traffic);
  else
    maintain_by_address(core, what.kind, number_of(what.address), traffic);
  of_core_[core].memory_accesses += traffic.written_back.size();
  return traffic.written_back;
}

void TagCaches::maintain_by_address(unsigned core, CacheMaintenance::Kind kind, std::uint64_t number,
                                    Traffic& traffic) {
  using enum CacheMaintenance::Kind;
  LineCounts& counts = lines_of_core_[core];
  bool was_dirty = false;
  for_caches([&](TagCache& cache) {
    TagCache::Line* line = cache.find(number);
    if (!line || (kind == clean_to_l2 && &cache == &l2_)) return;
    was_dirty |= std::exchange(line->dirty, false);
    if (kind != clean_and_invalidate) return;
    ++counts.dropped;
    *line = {};
  });
  if (!was_dirty) return;
  ++counts.cleaned;
  kind == clean_to_l2 ? write_to_l2(number, traffic) : evict(number, traffic);
}

// Cleans to the next level.
void TagCaches::maintain_by_set(unsigned core, const CacheMaintenance& what, Traffic& traffic) {
  TagCache::Line& line = (what.level == 0 ? l1_[core] : l2_).at(what.set, what.way);
  if (!line.valid) return;
  const std::uint64_t number = line.number;
  const bool was_dirty = std::exchange(line.dirty, false);
  if (what.kind == CacheMaintenance::Kind::clean_and_invalidate) {
    ++lines_of_core_[core].dropped;
    line = {};
  }
  if (!was_dirty) return;
  ++lines_of_core_[core].cleaned;
  what.level == 0 ? write_to_l2(number, traffic) : evict(number, traffic);
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
  if (kind != Reset::cold) return;
  counts_ = {};
  std::ranges::fill(lines_of_core_, LineCounts{});
}

void TagCaches::report(Statistics& statistics) const {
  statistics.add("l1_hits", counts_.l1_hits);
  statistics.add("l1_misses", counts_.l1_misses);
  statistics.add("l2_hits", counts_.l2_hits);
  statistics.add("l2_misses", counts_.l2_misses);
  statistics.add("write_backs", counts_.write_backs);
  statistics.add("flushed", counts_.flushed);
  statistics.add("dropped", counts_.dropped);
  for (std::size_t core = 0; core < lines_of_core_.size(); ++core) {
    const LineCounts& lines = lines_of_core_[core];
    Statistics& of_core = statistics.group("core" + std::to_string(core));
    of_core.add("lines_taken", lines.taken);
    of_core.add("lines_invalidated", lines.invalidated);
    of_core.add("lines_cleaned", lines.cleaned);
    of_core.add("lines_dropped", lines.dropped);
    of_core.add("uncached_accesses", lines.uncached);
  }
}

}  // namespace asterism
