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

// The number of accesses that a core has made after a time, if its accesses since the first one, up to its
// own time, were evenly spread.
std::uint64_t uses_after(std::uint64_t uses, Picoseconds first, Picoseconds now, Picoseconds time_of_core) {
  if (time_of_core <= now) return 0;
  const Picoseconds between =
      std::max((time_of_core - first) / std::max<std::uint64_t>(uses, 1), Picoseconds(1));
  return std::min(uses, (time_of_core - now) / between + 1);
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
    "stores, and the simulator is about four times slower (docs/checkpoints.md).",
    one_of<CacheModel>());
  f.when("caches", c.model, CacheModel::tags, [&] {
    f("l1", c.l1, "The size of each core's data cache. A larger cache has fewer misses.",
      within(1_KiB, 1_MiB));
    f("l1_ways", c.l1_ways, "The associativity of the L1: the number of lines in a set.", within(1, 16));
    f("l2", c.l2, "The size of the cache that all cores share. A larger cache writes lines back later.",
      within(4_KiB, 256_MiB));
    f("l2_ways", c.l2_ways, "The associativity of the L2: the number of lines in a set.", within(1, 16));
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
    : set_mask_(size / line / ways - 1), tags_(size / line / ways, ways) {}

TagCache::Inserted TagCache::insert(std::uint64_t number, bool is_dirty) {
  const std::size_t slot = tags_.victim(number & set_mask_);
  const auto displaced = this->is_dirty(slot) ? std::optional(this->number(slot)) : std::nullopt;
  tags_.replace(slot, tag_of(number));
  if (is_dirty) dirty(slot);
  return {slot, displaced};
}

// ---- all of them ----

TagCaches::TagCaches(const TagCacheConfig& config, unsigned cores)
    : l1_(cores, TagCache(config.l1, config.l1_ways)),
      uses_(cores, std::vector<Use>(l1_[0].slots())),
      last_access_(cores),
      l2_(config.l2, config.l2_ways),
      of_core_(cores),
      lines_of_core_(cores) {
  for (unsigned core = 0; core < cores; ++core)
    filters_.push_back(std::make_unique<LineFilter>(l1_[core].sets()));
}

// f(cache, slot) for each cache that has the line.
template <class F>
void TagCaches::for_caches_with(std::uint64_t number, F f) {
  for (unsigned core = 0; core < l1_.size(); ++core) {
    const std::size_t slot = l1_[core].find(number);
    if (slot == TagCache::no_slot) continue;
    count_filtered_hits(core, l1_[core].set_of(number));
    f(l1_[core], slot);
  }
  if (const std::size_t slot = l2_.find(number); slot != TagCache::no_slot) f(l2_, slot);
}

// Takes what the engine has filtered in a set, which belongs to the last line used.
void TagCaches::count_filtered_hits(unsigned core, std::uint32_t set) {
  const std::uint64_t hits = filters_[core]->drop(set);
  counts_.l1_hits += hits;
  of_core_[core].l1_accesses += hits;
  uses_[core][l1_[core].newest(set)].count += hits;
}

TagCaches::Traffic TagCaches::access(unsigned core, Address address, bool is_store, Picoseconds now) {
  const std::uint64_t number = number_of(address);
  TagCache& l1 = l1_[core];
  count_filtered_hits(core, l1.set_of(number));
  last_access_[core] = now;
  Traffic traffic{Level::l1, {}};
  CacheCounts& of_core = of_core_[core];
  ++of_core.l1_accesses;
  std::size_t slot = l1.find(number);
  const bool is_there = slot != TagCache::no_slot;
  const bool hits = is_there && !find_contended(core, uses_[core][slot], now, traffic);
  ++(hits ? counts_.l1_hits : counts_.l1_misses);
  if (!hits) ++of_core.l1_refills, ++of_core.l2_accesses, ++traffic.l2_accesses;
  Others others;
  if (!is_there || (is_store && !l1.is_dirty(slot)))
    others = take_from_others(core, number, is_store, now, traffic);
  if (!is_there) {
    slot = fill(core, number, traffic);
    uses_[core][slot] = {.first = now};
  } else if (others.had_it && hits) {
    ++traffic.l2_accesses;
  }
  if (is_store) l1.dirty(slot);
  l1.use(slot);
  Use& use = uses_[core][slot];
  ++use.count;
  use.contended = std::max(use.contended, others.contended);
  use.contended_until = std::max(use.contended_until, others.contended_until);
  of_core.memory_accesses += traffic.written_back.size();
  const bool is_alone = use.contended == 0;
  traffic.filter = {l1.set_of(number), is_alone, is_alone && l1.is_dirty(slot)};
  return traffic;
}

// Whether a hit counts as a miss because the line is contended: an access of another core is assumed before
// it.
bool TagCaches::find_contended(unsigned core, Use& use, Picoseconds now, Traffic& traffic) {
  if (now >= use.contended_until) use.contended = 0;
  if (use.contended == 0) return false;
  --use.contended;
  ++counts_.l2_hits;
  ++lines_of_core_[core].taken;
  traffic.found = Level::l2;
  ++traffic.l2_accesses;  // the other L1 writes it there
  return true;
}

// Fills the line into the L2, unless it is there, and into the core's L1.
std::size_t TagCaches::fill(unsigned core, std::uint64_t number, Traffic& traffic) {
  if (const std::size_t found = l2_.find(number); found != TagCache::no_slot) {
    ++counts_.l2_hits;
    traffic.found = Level::l2;
    l2_.use(found);
  } else {
    ++counts_.l2_misses;
    ++of_core_[core].l2_refills, ++of_core_[core].memory_accesses;
    traffic.found = Level::memory;
    evict(l2_.insert(number, false).displaced, traffic);
  }
  const auto [slot, displaced] = l1_[core].insert(number, false);
  if (displaced) write_to_l2(*displaced, traffic);
  return slot;
}

// A store invalidates the line in other L1s and makes it clean in the L2, because the core's own copy becomes
// the dirty one.
TagCaches::Others TagCaches::take_from_others(unsigned core, std::uint64_t number, bool is_store,
                                              Picoseconds now, Traffic& traffic) {
  Others others;
  for (unsigned other = 0; other < l1_.size(); ++other) {
    TagCache& l1 = l1_[other];
    const std::size_t slot = other == core ? TagCache::no_slot : l1.find(number);
    if (slot == TagCache::no_slot) continue;
    others.had_it = true;
    count_filtered_hits(other, l1.set_of(number));
    const bool was_dirty = l1.clean(slot);
    if (was_dirty || is_store) {
      others.contended += uses_after(uses_[other][slot].count, uses_[other][slot].first, now, time(other));
      others.contended_until = std::max(others.contended_until, time(other));
    }
    if (was_dirty) {
      ++traffic.l2_accesses;
      ++lines_of_core_[core].taken;
      write_to_l2(number, traffic);
    }
    if (is_store) {
      ++lines_of_core_[other].invalidated;
      l1.drop(slot);
    }
  }
  if (is_store)
    if (const std::size_t slot = l2_.find(number); slot != TagCache::no_slot) l2_.clean(slot);
  return others;
}

void TagCaches::write_to_l2(std::uint64_t number, Traffic& traffic) {
  if (const std::size_t slot = l2_.find(number); slot != TagCache::no_slot) {
    l2_.dirty(slot);
    l2_.use(slot);
  } else {
    evict(l2_.insert(number, true).displaced, traffic);
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
  for_caches_with(number, [&](TagCache& cache, std::size_t slot) {
    if (kind == clean_to_l2 && &cache == &l2_) return;
    was_dirty |= cache.clean(slot);
    if (kind != clean_and_invalidate) return;
    ++counts.dropped;
    cache.drop(slot);
  });
  if (!was_dirty) return;
  ++counts.cleaned;
  kind == clean_to_l2 ? write_to_l2(number, traffic) : evict(number, traffic);
}

// Cleans to the next level.
void TagCaches::maintain_by_set(unsigned core, const CacheMaintenance& what, Traffic& traffic) {
  TagCache& cache = what.level == 0 ? l1_[core] : l2_;
  const std::size_t slot = cache.slot_at(what.set, what.way);
  if (!cache.is_present(slot)) return;
  const std::uint64_t number = cache.number(slot);
  if (what.level == 0) count_filtered_hits(core, cache.set_of(number));
  const bool was_dirty = cache.clean(slot);
  if (what.kind == CacheMaintenance::Kind::clean_and_invalidate) {
    ++lines_of_core_[core].dropped;
    cache.drop(slot);
  }
  if (!was_dirty) return;
  ++lines_of_core_[core].cleaned;
  what.level == 0 ? write_to_l2(number, traffic) : evict(number, traffic);
}

std::vector<Address> TagCaches::dirty() {
  std::vector<Address> dirty;
  const auto add = [&](const TagCache& cache) {
    for (std::size_t slot = 0; slot < cache.slots(); ++slot)
      if (cache.is_dirty(slot)) dirty.push_back(address_of(cache.number(slot)));
  };
  std::ranges::for_each(l1_, add);
  add(l2_);
  std::ranges::sort(dirty);
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  return dirty;
}

void TagCaches::clean(std::span<const Address> lines) {
  for (const Address address : lines) {
    ++counts_.flushed;
    for_caches_with(number_of(address), [](TagCache& cache, std::size_t slot) { cache.clean(slot); });
  }
}

void TagCaches::drop(AddressRange range) {
  if (range.size == Bytes(0)) return;
  for (std::uint64_t number = number_of(range.first); number <= number_of(range.last()); ++number)
    for_caches_with(number, [&](TagCache& cache, std::size_t slot) {
      ++counts_.dropped;
      cache.drop(slot);
    });
}

CacheCounts TagCaches::counts(unsigned core) const {
  CacheCounts counts = of_core_[core];
  counts.l1_accesses += filters_[core]->hits();
  return counts;
}

void TagCaches::reset(Reset kind) {
  for (unsigned core = 0; core < l1_.size(); ++core) {
    for (std::uint32_t set = 0; set < l1_[core].sets(); ++set) count_filtered_hits(core, set);
    l1_[core].clear();
  }
  l2_.clear();
  if (kind != Reset::cold) return;
  counts_ = {};
  std::ranges::fill(lines_of_core_, LineCounts{});
}

void TagCaches::report(Statistics& statistics) const {
  std::uint64_t filtered = 0;
  for (const auto& filter : filters_) filtered += filter->hits();
  statistics.add("l1_hits", counts_.l1_hits + filtered);
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
