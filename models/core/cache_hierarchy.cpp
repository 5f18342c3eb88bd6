#include "core/cache_hierarchy.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

namespace asterism {
namespace {

constexpr std::uint64_t number_of(Address address) { return address.value() / CacheHierarchy::line.count(); }
constexpr Address address_of(std::uint64_t number) { return Address(number * CacheHierarchy::line.count()); }

// The number of accesses that a core has made after a time, if its accesses since the first one, up to its
// own time, were evenly spread.
std::uint64_t uses_after(std::uint64_t uses, Picoseconds first, Picoseconds now, Picoseconds time_of_core) {
  if (time_of_core <= now) return 0;
  const Picoseconds between =
      std::max((time_of_core - first) / std::max<std::uint64_t>(uses, 1), Picoseconds(1));
  return std::min(uses, (time_of_core - now) / between + 1);
}

}  // namespace

// How many copies of a line the caches for data have that not all cores share; more, if it shares its counter
// with another line. With it, an access finds out that no other cache has its line without asking each.
class CacheHierarchy::Copies {
 public:
  // For caches of so many lines in all.
  explicit Copies(std::size_t lines) : counts_(std::bit_ceil(4 * lines + 1)) {}
  // Arrays often begin at addresses whose lowest bits are the same.
  std::uint16_t& of(std::uint64_t number) {
    return counts_[(number * 0x9e37'79b9'7f4a'7c15 >> 32) & (counts_.size() - 1)];
  }
  void clear() { std::ranges::fill(counts_, std::uint16_t{0}); }

 private:
  std::vector<std::uint16_t> counts_;
};

// ---- one cache ----

class CacheHierarchy::Cache {
 public:
  static constexpr std::size_t no_slot = SetAssociative<std::uint64_t>::no_slot;

  struct Parameters {
    std::string name;
    Bytes size;
    std::uint32_t ways;
    Picoseconds latency;
    Replacement replacement;
    Inclusion inclusion;
    Cache* next;           // nullptr: memory
    Copies* copies;        // nullptr: its lines are not counted
    LineDigests* digests;  // of the caches of its level; nullptr: there are few others
    std::size_t index;     // among these
  };
  explicit Cache(const Parameters& parameters)
      : parameters_(parameters),
        set_mask_(parameters.size / line / parameters.ways - 1),
        tags_(set_mask_ + 1, parameters.ways, parameters.replacement) {
    if (next()) next()->front_.push_back(this);
  }

  Cache* next() const { return parameters_.next; }
  const std::vector<Cache*>& front() const { return front_; }
  Picoseconds latency() const { return parameters_.latency; }
  Inclusion inclusion() const { return parameters_.inclusion; }
  const std::string& name() const { return parameters_.name; }
  bool counts_copies() const { return parameters_.copies; }
  std::optional<unsigned> core, fetching_core;  // of an L1 for data, for instructions

  std::uint32_t set_of(std::uint64_t number) const { return static_cast<std::uint32_t>(number & set_mask_); }
  std::size_t find(std::uint64_t number) const { return tags_.find(number & set_mask_, tag_of(number)); }
  std::uint64_t number(std::size_t slot) const { return tags_.tag(slot) / line.count(); }
  bool is_present(std::size_t slot) const { return tags_.is_present(slot); }
  bool is_dirty(std::size_t slot) const { return (tags_.flags(slot) & dirty) != 0; }
  // Returns whether it was dirty.
  bool clean(std::size_t slot) {
    const bool was_dirty = is_dirty(slot);
    tags_.clear_flags(slot, dirty);
    return was_dirty;
  }
  void make_dirty(std::size_t slot) { tags_.set_flags(slot, dirty); }
  // A line that was prefetched and not asked for since.
  void mark_prefetched(std::size_t slot) { tags_.set_flags(slot, prefetched); }
  bool is_prefetched(std::size_t slot) const { return (tags_.flags(slot) & prefetched) != 0; }
  void clear_prefetched(std::size_t slot) { tags_.clear_flags(slot, prefetched); }
  void use(std::size_t slot) { tags_.use(slot); }
  std::size_t victim(std::uint64_t number) { return tags_.victim(number & set_mask_); }
  void replace(std::size_t slot, std::uint64_t number) {
    if (Copies* const copies = parameters_.copies) {
      if (is_present(slot)) --copies->of(this->number(slot));
      ++copies->of(number);
    }
    tags_.replace(slot, tag_of(number));
    if (parameters_.digests) parameters_.digests->set(set_of(number), place_of(slot), number);
  }
  void drop(std::size_t slot) {
    if (parameters_.copies && is_present(slot)) --parameters_.copies->of(number(slot));
    tags_.drop(slot);
    if (parameters_.digests) parameters_.digests->empty(tags_.set_of(slot), place_of(slot));
  }
  std::size_t slot_at(std::size_t set, std::uint32_t way) const {
    return tags_.slot_at(set & set_mask_, way % tags_.ways());
  }
  std::size_t sets() const { return tags_.sets(); }
  std::size_t slots() const { return tags_.slots(); }
  void clear() { tags_.clear(); }  // but not its digests

  struct Counts {
    std::array<std::uint64_t, 3> hits{}, misses{};  // by kind
    std::uint64_t evictions = 0, write_backs = 0, invalidations = 0;
    std::uint64_t prefetched = 0, prefetched_and_used = 0, prefetched_late = 0;
    std::uint64_t all() const { return sum(hits) + sum(misses); }
  };
  static std::uint64_t sum(const std::array<std::uint64_t, 3>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  Counts counts;
  // `filtered`: hits that are not in its counts; `instructions`: of the cores in front of it.
  void report(Statistics& statistics, std::uint64_t filtered, std::uint64_t instructions) const {
    const auto& [hits, misses, evictions, write_backs, invalidations, prefetched, used, late] = counts;
    statistics.add("hits", sum(hits) + filtered);
    statistics.add("missed_loads", misses[0]);
    statistics.add("missed_stores", misses[1]);
    statistics.add("missed_fetches", misses[2]);
    if (instructions != 0)
      statistics.add("misses_per_million_instructions", sum(misses) * 1'000'000 / instructions);
    statistics.add("evictions", evictions);
    statistics.add("write_backs", write_backs);
    statistics.add("invalidations", invalidations);
    if (buffers.empty()) return;
    statistics.add("prefetched", prefetched);
    statistics.add("prefetched_and_used", used);
    statistics.add("prefetched_late", late);
  }

  // Lines that are being prefetched.
  struct Buffer {
    std::uint64_t number = 0;
    Picoseconds until{};
  };
  std::vector<Buffer> buffers;

 private:
  static constexpr std::uint64_t dirty = 1, prefetched = 2;  // flags
  static std::uint64_t tag_of(std::uint64_t number) { return number * line.count(); }
  // Of a way, among those of the caches of its level.
  std::size_t place_of(std::size_t slot) const {
    return parameters_.index * tags_.ways() + slot - tags_.slot_at(tags_.set_of(slot), 0);
  }

  Parameters parameters_;
  std::uint64_t set_mask_;
  SetAssociative<std::uint64_t, 6> tags_;  // addresses, with flags
  std::vector<Cache*> front_;
};

// ---- the tree ----

// The caches for data of one level, which have the same shape.
class CacheHierarchy::Level {
 public:
  template <class Config>
  Level(const Config& config, std::size_t count)
      : ways_(config.ways), digests_(count > few ? config.size / line / ways_ : 0, count * ways_) {}
  // nullptr: there are few caches, which are asked one by one.
  LineDigests* digests() { return digests_.sets() != 0 ? &digests_ : nullptr; }
  std::vector<Cache*> caches = {};

  // f(cache, slot) for each of them that has the line.
  template <class F>
  void for_caches_with(std::uint64_t number, F f) const {
    const auto ask = [&](Cache& cache) {
      if (const std::size_t slot = cache.find(number); slot != Cache::no_slot) f(cache, slot);
    };
    if (digests_.sets() == 0) {
      for (Cache* const cache : caches) ask(*cache);
      return;
    }
    std::size_t asked = caches.size();
    digests_.for_candidates(caches[0]->set_of(number), number, [&](std::size_t place) {
      if (const std::size_t cache = place / ways_; cache != asked) ask(*caches[asked = cache]);
    });
  }

 private:
  static constexpr std::size_t few = 8;
  std::uint32_t ways_;
  LineDigests digests_;
};

CacheHierarchy::CacheHierarchy(const CachesConfig& config, unsigned cores)
    : config_(config), uses_(cores), last_access_(cores), of_core_(cores), lines_of_core_(cores) {
  const unsigned sharing =
      config.l2 && config.l2->cores != 0 ? std::min<unsigned>(config.l2->cores, cores) : cores;
  const bool has_several_l2s = config.l2 && sharing < cores;
  copies_ = std::make_unique<Copies>(
      cores == 1 ? 0
                 : cores * (config.l1d.size / line) +
                       (has_several_l2s ? (cores + sharing - 1) / sharing * (config.l2->size / line) : 0));
  const auto add_level = [&](const auto& c, std::size_t count) {
    return levels_.emplace_back(std::make_unique<Level>(c, count)).get();
  };
  Level* const of_last = config.llc ? add_level(*config.llc, 1) : nullptr;
  Level* const of_l2 = config.l2 ? add_level(*config.l2, (cores + sharing - 1) / sharing) : nullptr;
  Level* const of_l1 = add_level(config.l1d, cores);
  const auto add = [&](std::string name, const auto& c, Inclusion inclusion, Cache* next, Copies* copies,
                       Level* level) {
    Cache* const cache = caches_
                             .emplace_back(std::make_unique<Cache>(Cache::Parameters{
                                 std::move(name), c.size, c.ways, c.latency, c.replacement, inclusion, next,
                                 cores == 1 ? nullptr : copies, level ? level->digests() : nullptr,
                                 level ? level->caches.size() : 0}))
                             .get();
    if (level) level->caches.push_back(cache);
    return cache;
  };
  Cache* const last =
      config.llc ? add("llc", *config.llc, config.llc->inclusion, nullptr, nullptr, of_last) : nullptr;
  std::vector<Cache*> l2s;
  if (config.l2)
    for (unsigned first = 0; first < cores; first += sharing)
      l2s.push_back(add(has_several_l2s ? "l2_" + std::to_string(first / sharing) : "l2", *config.l2,
                        config.l2->inclusion, last, has_several_l2s ? copies_.get() : nullptr, of_l2));
  for (unsigned core = 0; core < cores; ++core) {
    Cache* const next = config.l2 ? l2s[core / sharing] : last;
    const std::string number = std::to_string(core);
    if (config.l1i)
      l1i_.push_back(add("core" + number + "_l1i", *config.l1i, Inclusion::none, next, nullptr, nullptr));
    l1d_.push_back(add("core" + number + "_l1d", config.l1d, Inclusion::none, next, copies_.get(), of_l1));
    l1d_[core]->core = core;
    if (config.l1i) l1i_[core]->fetching_core = core;
    uses_[core].resize(l1d_[core]->slots());
    filters_.push_back(std::make_unique<LineFilter>(l1d_[core]->sets()));
    if (config.prefetch) prefetchers_.emplace_back(*config.prefetch);
  }
  if (config.prefetch)
    for (Cache* const l2 : l2s) l2->buffers.resize(config.prefetch->buffers);
}

CacheHierarchy::~CacheHierarchy() = default;

// f(cache, slot) for each cache for data that has the line.
template <class F>
void CacheHierarchy::for_caches_with(std::uint64_t number, F f) {
  for (const auto& level : levels_)
    level->for_caches_with(number, [&](Cache& cache, std::size_t slot) {
      count_filtered_hits_of(cache, number);
      f(cache, slot);
    });
}

// Takes what the engine has filtered in a set.
void CacheHierarchy::count_filtered_hits(unsigned core, const LineFilter::HitsOfSet& hits) {
  for (const LineFilter::Hits& of_line : {hits.first, hits.behind}) {
    if (of_line.count == 0) continue;
    l1d_[core]->counts.hits[0] += of_line.count;
    of_core_[core].l1_accesses += of_line.count;
    uses_[core][of_line.slot].count += of_line.count;
  }
  if (hits.behind_is_last) l1d_[core]->use(hits.behind.slot);
}

void CacheHierarchy::count_filtered_hits_of(const Cache& cache, std::uint64_t number) {
  if (cache.core) count_filtered_hits(*cache.core, filters_[*cache.core]->drop(cache.set_of(number)));
}

// The cache, or the next one, that may have a line beside those in front of it.
CacheHierarchy::Cache* CacheHierarchy::for_copies(Cache* cache) {
  while (cache && cache->inclusion() == Inclusion::exclusive) cache = cache->next();
  return cache;
}

// ---- an access ----

const CacheHierarchy::Traffic& CacheHierarchy::access(unsigned core, Address address, Kind kind,
                                                      Picoseconds now) {
  access_.core = core, access_.kind = kind, access_.now = now, access_.lookup = Picoseconds(0);
  Traffic& traffic = access_.traffic;
  traffic.clear();
  last_access_[core] = now;
  kind == Kind::fetch ? fetch(number_of(address), access_) : load_or_store(number_of(address), access_);
  traffic.wait += access_.lookup;
  of_core_[core].memory_accesses += traffic.written_back.size() + traffic.is_filled;
  return traffic;
}

void CacheHierarchy::fetch(std::uint64_t number, InProgress& access) {
  Cache& l1 = *l1i_[access.core];
  const std::size_t slot = l1.find(number);
  count(l1, slot != Cache::no_slot, access.kind);
  slot != Cache::no_slot ? l1.use(slot) : void(fill(l1, number, access));
  access.traffic.filter = {.set = l1.set_of(number), .loads = true};
}

void CacheHierarchy::load_or_store(std::uint64_t number, InProgress& access) {
  const unsigned core = access.core;
  Cache& l1 = *l1d_[core];
  count_filtered_hits(core, filters_[core]->leave(l1.set_of(number)));
  ++of_core_[core].l1_accesses;
  const bool is_store = access.kind == Kind::store;
  std::size_t slot = l1.find(number);
  const bool is_there = slot != Cache::no_slot;
  const bool hits = is_there && !find_contended(uses_[core][slot], access);
  count(l1, hits, access.kind);
  Contention others;
  if (!is_there || (is_store && !l1.is_dirty(slot))) others = snoop(number, access);
  // The core's own copy becomes the dirty one. Where it misses, take_from() does that.
  const bool is_written_through = is_store && config_.l1d.write == WritePolicy::through;
  if (is_written_through || (is_store && is_there && !l1.is_dirty(slot))) clean_from(l1.next(), number);
  if (is_written_through) {
    if (is_there) l1.use(slot);
    return store_through(l1, number, access);
  }
  if (!is_there) {
    ++of_core_[core].l1_refills;
    slot = fill(l1, number, access);
    uses_[core][slot] = {.first = access.now};
  } else if (others.had_it && hits) {
    access.traffic.wait += config_.snoop;
  }
  if (is_store) l1.make_dirty(slot);
  l1.use(slot);
  Use& use = uses_[core][slot];
  ++use.count;
  use.contended = std::max(use.contended, others.accesses);
  use.contended_until = std::max(use.contended_until, others.until);
  if (!is_there && !prefetchers_.empty()) prefetch(number, access);
  const bool is_alone = use.contended == 0;
  access.traffic.filter = {l1.set_of(number), static_cast<std::uint32_t>(slot), is_alone,
                           is_alone && l1.is_dirty(slot)};
}

void CacheHierarchy::count(Cache& cache, bool hits, Kind kind) {
  ++(hits ? cache.counts.hits : cache.counts.misses)[static_cast<std::size_t>(kind)];
}

// Whether a hit counts as a miss because the line is contended: an access of another core is assumed before
// it.
bool CacheHierarchy::find_contended(Use& use, InProgress& access) {
  if (access.now >= use.contended_until) use.contended = 0;
  if (use.contended == 0) return false;
  --use.contended;
  ++lines_of_core_[access.core].taken;
  ++of_core_[access.core].l1_refills;
  if (Cache* const next = l1d_[access.core]->next()) {
    ++of_core_[access.core].l2_accesses;
    count(*next, true, access.kind);
  }
  access.traffic.wait += 2 * config_.snoop;
  return true;
}

// Brings a line that is not there into the cache, and returns its slot.
std::size_t CacheHierarchy::fill(Cache& cache, std::uint64_t number, InProgress& access) {
  const bool is_dirty = take_from(cache.next(), number, access);
  return insert(cache, number, is_dirty, access.traffic.written_back);
}

// Finds a line for the caches in front of `cache`, and fills it there on the way. Returns whether it comes
// from an exclusive cache in which it was dirty.
bool CacheHierarchy::take_from(Cache* cache, std::uint64_t number, InProgress& access) {
  if (!cache) {
    access.traffic.is_filled = true;
    return false;
  }
  const Cache& l1 = access.kind == Kind::fetch ? *l1i_[access.core] : *l1d_[access.core];
  access.lookup = std::max(cache->latency(), l1.latency()) - l1.latency();
  const std::size_t slot = cache->find(number);
  count(*cache, slot != Cache::no_slot, access.kind);
  if (cache == l1.next() && access.kind != Kind::fetch) {
    ++of_core_[access.core].l2_accesses;
    of_core_[access.core].l2_refills += slot == Cache::no_slot;
  }
  const bool is_exclusive = cache->inclusion() == Inclusion::exclusive;
  if (slot == Cache::no_slot) {
    if (is_exclusive) return take_from(cache->next(), number, access);
    fill(*cache, number, access);
    return false;
  }
  if (cache->is_prefetched(slot)) use_prefetched(*cache, slot, access);
  if (access.kind == Kind::store) {
    cache->clean(slot);
    clean_from(cache->next(), number);
  }
  if (!is_exclusive) {
    cache->use(slot);
    return false;
  }
  const bool was_dirty = cache->clean(slot);
  cache->drop(slot);
  return was_dirty;
}

// Makes the line clean in a cache and in those behind it.
void CacheHierarchy::clean_from(Cache* cache, std::uint64_t number) {
  for (; cache; cache = cache->next())
    if (const std::size_t slot = cache->find(number); slot != Cache::no_slot) cache->clean(slot);
}

// ---- prefetches ----

// After a miss of an L1 for data.
void CacheHierarchy::prefetch(std::uint64_t number, InProgress& access) {
  Cache& l2 = *l1d_[access.core]->next();
  for (const std::uint64_t line : prefetchers_[access.core].asked_for(number)) {
    const bool is_here = l2.find(line) != Cache::no_slot || l1d_[access.core]->find(line) != Cache::no_slot;
    if (is_here || may_replace(l2, line, number) || is_elsewhere(line, access.core)) continue;
    auto buffer = std::ranges::find(l2.buffers, line, &Cache::Buffer::number);
    if (buffer == l2.buffers.end())
      buffer = std::ranges::find_if(l2.buffers, [&](const auto& each) { return each.until <= access.now; });
    if (buffer == l2.buffers.end()) return;
    InProgress of_line{.core = access.core, .kind = Kind::load, .now = access.now};
    const bool is_dirty = take_from(l2.next(), line, of_line);
    l2.mark_prefetched(insert(l2, line, is_dirty, of_line.traffic.written_back));
    ++l2.counts.prefetched;
    for (const Address each : of_line.traffic.written_back) access.traffic.written_back.push_back(each);
    if (of_line.traffic.is_filled) access.traffic.prefetched.push_back(address_of(line));
    *buffer = {line, access.now + of_line.lookup};
  }
}

void CacheHierarchy::prefetched(unsigned core, Address address, Picoseconds at) {
  Cache& l2 = *l1d_[core]->next();
  const auto buffer = std::ranges::find(l2.buffers, number_of(address), &Cache::Buffer::number);
  if (buffer != l2.buffers.end()) buffer->until = at;
}

// Whether a line that is filled into the cache may take the place of another one, there or behind it.
bool CacheHierarchy::may_replace(const Cache& cache, std::uint64_t number, std::uint64_t other) {
  return cache.set_of(number) == cache.set_of(other) ||
         (cache.next() && may_replace(*cache.next(), number, other));
}

// In a cache that is not on the core's path.
bool CacheHierarchy::is_elsewhere(std::uint64_t number, unsigned core) const {
  bool is_there = false;
  if (uses_.size() > 1 && copies_->of(number) != 0)
    for (const auto& level : levels_)
      level->for_caches_with(number,
                             [&](const Cache& cache, std::size_t) { is_there |= !is_on_path(cache, core); });
  return is_there;
}

// A line that was prefetched is asked for the first time.
void CacheHierarchy::use_prefetched(Cache& cache, std::size_t slot, InProgress& access) {
  cache.clear_prefetched(slot);
  ++cache.counts.prefetched_and_used;
  const auto buffer = std::ranges::find(cache.buffers, cache.number(slot), &Cache::Buffer::number);
  if (buffer == cache.buffers.end() || buffer->until <= access.now + access.lookup) return;
  ++cache.counts.prefetched_late;
  access.traffic.not_before = buffer->until;
}

// ---- lines in caches ----

// Inserts a line that is not present, and evicts another one.
std::size_t CacheHierarchy::insert(Cache& cache, std::uint64_t number, bool is_dirty, Lines& written_back) {
  const std::size_t slot = cache.victim(number);
  const bool evicts = cache.is_present(slot);
  const std::uint64_t evicted = evicts ? cache.number(slot) : 0;
  bool was_dirty = evicts && cache.is_dirty(slot);
  if (evicts) {
    if (cache.core) filters_[*cache.core]->evict(static_cast<std::uint32_t>(slot));
    if (cache.inclusion() == Inclusion::inclusive) was_dirty |= drop_in_front_of(cache, evicted);
    ++cache.counts.evictions;
    if (was_dirty) ++cache.counts.write_backs;
  }
  cache.replace(slot, number);
  if (is_dirty) cache.make_dirty(slot);
  const bool goes_on = was_dirty || (cache.next() && cache.next()->inclusion() == Inclusion::exclusive);
  if (evicts && goes_on) write_to(cache.next(), evicted, was_dirty, written_back);
  return slot;
}

// Gives a line to a cache, or to memory.
void CacheHierarchy::write_to(Cache* cache, std::uint64_t number, bool is_dirty, Lines& written_back) {
  if (!cache) {
    if (is_dirty) written_back.push_back(address_of(number));
    return;
  }
  const std::size_t slot = cache->find(number);
  if (slot == Cache::no_slot) return void(insert(*cache, number, is_dirty, written_back));
  if (is_dirty) cache->make_dirty(slot);
  cache->use(slot);
}

// Returns whether one of the copies was dirty.
bool CacheHierarchy::drop_in_front_of(Cache& cache, std::uint64_t number) {
  bool was_dirty = false;
  for (Cache* const front : cache.front()) {
    was_dirty |= drop_in_front_of(*front, number);
    const std::size_t slot = front->find(number);
    if (slot == Cache::no_slot) continue;
    count_filtered_hits_of(*front, number);
    was_dirty |= front->clean(slot);
    front->drop(slot);
    forget_fetched(*front, {address_of(number), line});
    ++front->counts.invalidations;
  }
  return was_dirty;
}

void CacheHierarchy::forget_fetched(const Cache& l1i, AddressRange range) {
  if (l1i.fetching_core && fetched_line_left) fetched_line_left(*l1i.fetching_core, range);
}

// A store makes the copy in the next cache dirty, or goes on to memory.
void CacheHierarchy::store_through(Cache& l1, std::uint64_t number, InProgress& access) {
  Cache* const next = l1.next();
  if (next && next->find(number) == Cache::no_slot) fill(*next, number, access);
  write_to(next, number, true, access.traffic.written_back);
}

// Looks for a line in the caches that are not on the core's path, of which a store takes it.
CacheHierarchy::Contention CacheHierarchy::snoop(std::uint64_t number, InProgress& access) {
  Contention found;
  if (uses_.size() == 1) return found;
  std::uint16_t elsewhere = copies_->of(number);
  for (const Cache* at = l1d_[access.core]; at && elsewhere != 0; at = at->next())
    if (at->counts_copies() && at->find(number) != Cache::no_slot) --elsewhere;
  if (elsewhere != 0)
    for_caches_with(number, [&](Cache& cache, std::size_t slot) {
      if (!is_on_path(cache, access.core)) take_from_other(cache, slot, access, found);
    });
  return found;
}

bool CacheHierarchy::is_on_path(const Cache& cache, unsigned core) const {
  const Cache* at = l1d_[core];
  while (at && at != &cache) at = at->next();
  return at;
}

void CacheHierarchy::take_from_other(Cache& cache, std::size_t slot, InProgress& access, Contention& found) {
  const bool is_store = access.kind == Kind::store;
  const std::uint64_t number = cache.number(slot);
  found.had_it = true;
  const bool was_dirty = cache.clean(slot);
  if (cache.core && (was_dirty || is_store)) {
    const Use& use = uses_[*cache.core][slot];
    found.accesses += uses_after(use.count, use.first, access.now, time(*cache.core));
    found.until = std::max(found.until, time(*cache.core));
  }
  if (was_dirty) {
    access.traffic.wait += config_.snoop;
    ++lines_of_core_[access.core].taken;
    Cache* shared = cache.next();
    while (shared && !is_on_path(*shared, access.core)) shared = shared->next();
    write_to(for_copies(shared), number, true, access.traffic.written_back);
  }
  if (!is_store) return;
  if (cache.core) ++lines_of_core_[*cache.core].invalidated;
  ++cache.counts.invalidations;
  cache.drop(slot);
}

// ---- maintenance, and other masters ----

CacheHierarchy::Lines CacheHierarchy::maintain(unsigned core, const CacheMaintenance& what) {
  using enum CacheMaintenance::Kind;
  Lines written_back;
  LineCounts& counts = lines_of_core_[core];
  Cache* at = l1d_[core];
  for (unsigned level = 0; what.by_set && level < what.level && at; ++level) at = at->next();
  if (what.by_set) {  // cleans to the next level
    const std::size_t slot = at ? at->slot_at(what.set, what.way) : Cache::no_slot;
    if (slot == Cache::no_slot || !at->is_present(slot)) return written_back;
    const std::uint64_t number = at->number(slot);
    count_filtered_hits_of(*at, number);
    bool was_dirty = at->clean(slot);
    if (what.kind == clean_and_invalidate) {
      if (at->inclusion() == Inclusion::inclusive) was_dirty |= drop_in_front_of(*at, number);
      ++counts.dropped;
      at->drop(slot);
    }
    if (was_dirty) ++counts.cleaned, write_to(for_copies(at->next()), number, true, written_back);
  } else {
    const std::uint64_t number = number_of(what.address);
    bool was_dirty = false;
    for_caches_with(number, [&](Cache& cache, std::size_t slot) {
      if (what.kind == clean_to_l2 && !cache.core) return;
      const bool is_cleaned = cache.clean(slot);
      was_dirty |= is_cleaned;
      if (what.kind == clean_to_l2 && is_cleaned)
        write_to(for_copies(cache.next()), number, true, written_back);
      if (what.kind == clean_and_invalidate) ++counts.dropped, cache.drop(slot);
    });
    if (was_dirty) ++counts.cleaned;
    if (was_dirty && what.kind != clean_to_l2) write_to(nullptr, number, true, written_back);
  }
  of_core_[core].memory_accesses += written_back.size();
  return written_back;
}

void CacheHierarchy::invalidate_fetched(AddressRange range) {
  if (range.size == Bytes(0)) return;
  for (Cache* const l1 : l1i_) {
    const auto invalidate = [&](std::size_t slot) {
      l1->drop(slot);
      ++l1->counts.invalidations;
    };
    if (range.size > line) {
      for (std::size_t slot = 0; slot < l1->slots(); ++slot)
        if (l1->is_present(slot) && range.contains(address_of(l1->number(slot)))) invalidate(slot);
    } else if (const std::size_t slot = l1->find(number_of(range.first)); slot != Cache::no_slot) {
      invalidate(slot);
    }
    forget_fetched(*l1, range);
  }
}

std::optional<bool> CacheHierarchy::is_dirty(std::string_view cache, Address address) const {
  for (const auto& each : caches_)
    if (const std::size_t slot = each->find(number_of(address));
        each->name() == cache && slot != Cache::no_slot)
      return each->is_dirty(slot);
  return std::nullopt;
}

std::vector<Address> CacheHierarchy::dirty() const {
  std::vector<Address> dirty;
  for (const auto& cache : caches_)
    for (std::size_t slot = 0; slot < cache->slots(); ++slot)
      if (cache->is_dirty(slot)) dirty.push_back(address_of(cache->number(slot)));
  std::ranges::sort(dirty);
  dirty.erase(std::unique(dirty.begin(), dirty.end()), dirty.end());
  return dirty;
}

void CacheHierarchy::clean(std::span<const Address> lines) {
  for (const Address address : lines) {
    ++flushed_;
    for_caches_with(number_of(address), [](Cache& cache, std::size_t slot) { cache.clean(slot); });
  }
}

void CacheHierarchy::drop(AddressRange range) {
  if (range.size == Bytes(0)) return;
  for (std::uint64_t number = number_of(range.first); number <= number_of(range.last()); ++number)
    for_caches_with(number, [&](Cache& cache, std::size_t slot) {
      ++dropped_;
      cache.drop(slot);
    });
}

void CacheHierarchy::reset(Reset kind) {
  for (const auto& cache : caches_) {
    for (std::uint32_t set = 0; cache->core && set < cache->sets(); ++set)
      count_filtered_hits(*cache->core, filters_[*cache->core]->drop(set));
    cache->clear();
    std::ranges::fill(cache->buffers, Cache::Buffer{});
    forget_fetched(*cache, {Address(0), Bytes(~std::uint64_t{0})});
    if (kind == Reset::cold) cache->counts = {};
  }
  for (const auto& level : levels_)
    if (LineDigests* const digests = level->digests()) digests->clear();
  copies_->clear();
  for (StridePrefetcher& each : prefetchers_) each.reset();
  if (kind != Reset::cold) return;
  flushed_ = dropped_ = 0;
  std::ranges::fill(lines_of_core_, LineCounts{});
}

// ---- statistics ----

CacheCounts CacheHierarchy::counts(unsigned core) const {
  CacheCounts counts = of_core_[core];
  counts.l1_accesses += filters_[core]->hits();
  return counts;
}

Picoseconds CacheHierarchy::time_to_last_cache() const {
  const Cache* last = l1d_[0];
  while (last->next()) last = last->next();
  return std::max(last->latency(), l1d_[0]->latency()) - l1d_[0]->latency();
}

void CacheHierarchy::report(Statistics& statistics, std::span<const std::uint64_t> instructions) const {
  std::map<const Cache*, std::uint64_t> instructions_of;  // of the cores in front of each cache
  for (std::size_t core = 0; core < l1d_.size(); ++core) {
    for (const Cache* at = l1d_[core]; at; at = at->next()) instructions_of[at] += instructions[core];
    if (!l1i_.empty()) instructions_of[l1i_[core]] += instructions[core];
  }
  for (const auto& cache : caches_) {
    const std::uint64_t executed = instructions_of[cache.get()];
    const std::uint64_t filtered = cache->core            ? filters_[*cache->core]->hits()
                                   : cache->fetching_core ? executed - std::min(executed, cache->counts.all())
                                                          : 0;
    cache->report(statistics.group(cache->name()), filtered, executed);
  }
  statistics.add("flushed", flushed_);
  statistics.add("dropped", dropped_);
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
