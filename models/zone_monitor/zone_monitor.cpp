#include "zone_monitor/zone_monitor.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/fields.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {

namespace {

constexpr Bytes line_size = ZoneMonitor::sector * 2;

std::uint32_t lines_of(const ZoneMonitorConfig& config) {
  return static_cast<std::uint32_t>(config.cache / line_size);
}

bool has_ways(const ZoneMonitorConfig& config) {
  return std::has_single_bit(config.ways) && config.ways <= lines_of(config);
}

std::uint32_t checked(const ZoneMonitorConfig& config, std::uint32_t zones) {
  if (zones == 0 || zones > ZoneMonitor::max_zones)
    throw std::invalid_argument("a zone monitor has 1 to 2^24 zones, got " + std::to_string(zones));
  if (!std::has_single_bit(config.cache.count()) || !has_ways(config))
    throw std::invalid_argument(
        "the cache of a zone monitor is a power of two of lines of 64 bytes, and its ways are a power of two "
        "of these");
  return zones;
}

}  // namespace

static_assert(member_count<ZoneMonitorConfig>() == 2);
void describe(Fields& f, ZoneMonitorConfig& c) {
  f("cache", c.cache,
    "The cache of the zone table for a channel, without tags. A smaller one fetches sectors of the table "
    "more often.",
    within(line_size, 64_KiB));
  f("ways", c.ways, "The number of lines of a set. With fewer of them, sectors evict each other earlier.",
    within(1, 1024));
  f.check([&] { return std::has_single_bit(c.cache.count()); }, "cache", "is a power of two");
  f.check([&] { return has_ways(c); }, "ways",
          "is a power of two and at most the lines of 64 bytes of the cache");
}

ZoneMonitor::Counts& ZoneMonitor::Counts::operator+=(const Counts& other) {
  writes += other.writes;
  unchecked += other.unchecked;
  first_stalls += other.first_stalls;
  stalls += other.stalls;
  previous.hits += other.previous.hits;
  previous.misses += other.previous.misses;
  next.hits += other.next.hits;
  next.misses += other.next.misses;
  fetches += other.fetches;
  writebacks += other.writebacks;
  return *this;
}

void ZoneMonitor::Counts::report(Statistics& statistics) const {
  statistics.add("writes", writes);
  statistics.add("unchecked", unchecked);
  statistics.add("first_stalls", first_stalls);
  statistics.add("stalls", stalls);
  statistics.add("previous_hits", previous.hits);
  statistics.add("previous_misses", previous.misses);
  statistics.add("next_hits", next.hits);
  statistics.add("next_misses", next.misses);
  statistics.add("fetches", fetches);
  statistics.add("writebacks", writebacks);
}

ZoneMonitor::ZoneMonitor(const ZoneMonitorConfig& config, std::uint32_t zones)
    : zones_(checked(config, zones)),
      set_mask_(lines_of(config) / config.ways - 1),
      previous_((std::size_t{zones} + zones_per_sector - 1) / zones_per_sector * words_per_sector),
      next_(previous_.size()),
      tags_(set_mask_ + 1, config.ways),
      cached_(tags_.slots()) {}

Bytes ZoneMonitor::table_size() const { return Bytes(8 * (previous_.size() + next_.size())); }

// ---- the cache ----

inline std::size_t ZoneMonitor::line_of(std::uint32_t zone, std::uint32_t& sectors) {
  if (tags_.tag(newest_) == tag_of(zone)) return newest_;
  std::size_t line = tags_.find_and_use(set_of(zone), tag_of(zone));
  if (line == Tags::no_slot) {
    line = tags_.victim(set_of(zone));
    if ((tags_.flags(line) & changed) != 0) {
      ++counts_.writebacks;
      ++sectors;
    }
    tags_.replace(line, tag_of(zone));
  }
  return newest_ = line;
}

// The zone's bit of `previous`, in a line that has it.
bool ZoneMonitor::is_set(std::size_t line, std::uint32_t zone) const {
  return (cached_[line][zone / 64 % words_per_sector] & bit(zone)) != 0;
}

// The same, fetched if necessary.
inline bool ZoneMonitor::previous_of(std::size_t line, std::uint32_t zone, std::uint32_t& sectors) {
  if ((tags_.flags(line) & has_previous) != 0) {
    ++counts_.previous.hits;
  } else {
    ++counts_.previous.misses;
    ++counts_.fetches;
    ++sectors;
    std::copy_n(&previous_[std::size_t{zone} / zones_per_sector * words_per_sector], words_per_sector,
                cached_[line].begin());
    tags_.set_flags(line, has_previous);
  }
  return is_set(line, zone);
}

// Returns whether the zone had been noted before.
inline bool ZoneMonitor::note(std::size_t line, std::uint32_t zone, std::uint32_t& sectors) {
  if ((tags_.flags(line) & has_next) != 0) {
    ++counts_.next.hits;
  } else {
    ++counts_.next.misses;
    ++counts_.fetches;
    ++sectors;
    tags_.set_flags(line, has_next);
  }
  std::uint64_t& word = next_[zone / 64];
  if ((word & bit(zone)) != 0) return true;
  word |= bit(zone);
  tags_.set_flags(line, changed);
  return false;
}

// ---- writes ----

ZoneMonitor::Check ZoneMonitor::check(std::uint32_t zone) {
  ++counts_.writes;
  if (!open_ && !tracking_) {
    ++counts_.unchecked;
    return {Answer::proceed, 0};
  }
  std::uint32_t sectors = 0;
  const std::size_t line = line_of(zone, sectors);
  Answer answer = Answer::proceed;
  if (open_ && previous_of(line, zone, sectors)) {
    const bool noted = note(line, zone, sectors);
    ++(noted ? counts_.stalls : counts_.first_stalls);
    answer = noted ? Answer::stall : Answer::first_stall;
  } else if (tracking_) {
    note(line, zone, sectors);
  }
  return {answer, static_cast<std::uint8_t>(sectors)};
}

ZoneMonitor::Check ZoneMonitor::write_with_hook(std::uint32_t zone) {
  Check result = check(zone);
  hook_->write(zone, result);
  return result;
}

ZoneMonitor::Answer ZoneMonitor::peek(std::uint32_t zone) const {
  if (!open_) return Answer::proceed;
  const std::size_t line = tags_.find(set_of(zone), tag_of(zone));
  const bool is_cached = line != Tags::no_slot && (tags_.flags(line) & has_previous) != 0;
  const bool unpreserved = is_cached ? is_set(line, zone) : is_unpreserved(zone);
  if (!unpreserved) return Answer::proceed;
  return is_dirty(zone) ? Answer::stall : Answer::first_stall;
}

// ---- snapshots ----

void ZoneMonitor::track(bool on) {
  if (on != tracking_) {
    tracking_ = on;
    std::ranges::fill(next_, 0);
    tags_.clear_flags(has_next | changed);
  }
  if (hook_ != nullptr) hook_->track(on);
}

void ZoneMonitor::expose(std::uint32_t zone) {
  if (!open_ && !is_unpreserved(zone)) {
    previous_[zone / 64] |= bit(zone);
    ++unpreserved_;
  }
  if (hook_ != nullptr) hook_->expose(zone);
}

std::uint32_t ZoneMonitor::begin() {
  std::uint32_t sectors = 0;
  if (!open_) {
    for (std::size_t line = 0; line < tags_.slots(); ++line) sectors += (tags_.flags(line) & changed) != 0;
    counts_.writebacks += sectors;
    tags_.clear();
    for (std::size_t i = 0; i < next_.size(); ++i) {
      if (tracking_) previous_[i] |= next_[i];
      next_[i] = 0;
    }
    unpreserved_ = 0;
    for (const std::uint64_t word : previous_)
      unpreserved_ += static_cast<std::uint32_t>(std::popcount(word));
    open_ = true;
  }
  if (hook_ != nullptr) hook_->begin(sectors);
  return sectors;
}

void ZoneMonitor::preserve(std::uint32_t zone) {
  if (is_unpreserved(zone)) {
    previous_[zone / 64] &= ~bit(zone);
    --unpreserved_;
  }
  if (hook_ != nullptr) hook_->preserve(zone);
}

void ZoneMonitor::refresh() {
  tags_.clear_flags(has_previous);
  if (hook_ != nullptr) hook_->refresh();
}

void ZoneMonitor::complete() {
  std::ranges::fill(previous_, 0);
  unpreserved_ = 0;
  open_ = false;
  if (hook_ != nullptr) hook_->complete();
}

std::optional<std::uint32_t> ZoneMonitor::next_unpreserved(std::uint32_t from) const {
  if (from >= zones_ || unpreserved_ == 0) return std::nullopt;
  std::size_t at = from / 64;
  std::uint64_t word = previous_[at] & ~std::uint64_t{0} << from % 64;
  while (word == 0) {
    if (++at == previous_.size()) return std::nullopt;
    word = previous_[at];
  }
  return static_cast<std::uint32_t>(64 * at) + static_cast<std::uint32_t>(std::countr_zero(word));
}

void ZoneMonitor::reset(Reset kind) {
  std::ranges::fill(previous_, 0);
  std::ranges::fill(next_, 0);
  tags_.clear();
  tracking_ = open_ = false;
  unpreserved_ = 0;
  if (hook_ != nullptr) hook_->reset(kind);
}

}  // namespace asterism
