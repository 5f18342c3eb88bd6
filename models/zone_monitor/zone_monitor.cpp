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
      ways_(config.ways),
      set_mask_(lines_of(config) / config.ways - 1),
      previous_((std::size_t{zones} + zones_per_sector - 1) / zones_per_sector * words_per_sector),
      next_(previous_.size()),
      lines_(lines_of(config)) {}

Bytes ZoneMonitor::table_size() const { return Bytes(8 * (previous_.size() + next_.size())); }

// ---- the cache ----

const ZoneMonitor::Line* ZoneMonitor::find(std::uint32_t tag) const {
  const Line* set = &lines_[std::size_t{tag & set_mask_} * ways_];
  for (std::uint32_t way = 0; way < ways_; ++way)
    if (set[way].tag == tag) return &set[way];
  return nullptr;
}
ZoneMonitor::Line* ZoneMonitor::find(std::uint32_t tag) {
  return const_cast<Line*>(std::as_const(*this).find(tag));
}

ZoneMonitor::Line& ZoneMonitor::line_of(std::uint32_t tag, std::uint32_t& sectors) {
  if (lines_[newest_].tag == tag) return lines_[newest_];
  Line* found = find(tag);
  Line& line = found != nullptr ? *found : displace(tag, sectors);
  line.used = ++uses_;
  newest_ = static_cast<std::uint32_t>(&line - lines_.data());
  return line;
}

ZoneMonitor::Line& ZoneMonitor::displace(std::uint32_t tag, std::uint32_t& sectors) {
  Line* set = &lines_[std::size_t{tag & set_mask_} * ways_];
  std::uint32_t oldest = 0;
  std::uint64_t used = set[0].used;
  for (std::uint32_t way = 1; way < ways_; ++way) {  // without branches, which could not be predicted
    const bool older = set[way].used < used;
    oldest = older ? way : oldest;
    used = older ? set[way].used : used;
  }
  Line& line = set[oldest];
  if (line.changed) {
    ++counts_.writebacks;
    ++sectors;
  }
  line.tag = tag;
  line.has_previous = line.has_next = line.changed = false;
  return line;
}

// The zone's bit as the cache has it.
bool ZoneMonitor::previous_of(Line& line, std::uint32_t zone, std::uint32_t& sectors) {
  if (line.has_previous) {
    ++counts_.previous.hits;
  } else {
    ++counts_.previous.misses;
    ++counts_.fetches;
    ++sectors;
    std::copy_n(&previous_[std::size_t{line.tag} * words_per_sector], words_per_sector,
                line.previous.begin());
    line.has_previous = true;
  }
  return (line.previous[zone / 64 % words_per_sector] & bit(zone)) != 0;
}

// Returns whether the zone had been noted before.
bool ZoneMonitor::note(Line& line, std::uint32_t zone, std::uint32_t& sectors) {
  if (line.has_next) {
    ++counts_.next.hits;
  } else {
    ++counts_.next.misses;
    ++counts_.fetches;
    ++sectors;
    line.has_next = true;
  }
  std::uint64_t& word = next_[zone / 64];
  if ((word & bit(zone)) != 0) return true;
  word |= bit(zone);
  line.changed = true;
  return false;
}

void ZoneMonitor::empty_cache() {
  std::ranges::fill(lines_, Line{});
  newest_ = 0;
}

// ---- writes ----

ZoneMonitor::Check ZoneMonitor::check(std::uint32_t zone) {
  ++counts_.writes;
  if (!open_ && !tracking_) {
    ++counts_.unchecked;
    return {Answer::proceed, 0};
  }
  std::uint32_t sectors = 0;
  Line& line = line_of(zone / zones_per_sector, sectors);
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
  const Line* line = find(zone / zones_per_sector);
  const bool unpreserved = line != nullptr && line->has_previous
                               ? (line->previous[zone / 64 % words_per_sector] & bit(zone)) != 0
                               : is_unpreserved(zone);
  if (!unpreserved) return Answer::proceed;
  return is_dirty(zone) ? Answer::stall : Answer::first_stall;
}

// ---- snapshots ----

void ZoneMonitor::track(bool on) {
  if (on != tracking_) {
    tracking_ = on;
    std::ranges::fill(next_, 0);
    for (Line& line : lines_) line.has_next = line.changed = false;
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
    sectors = static_cast<std::uint32_t>(std::ranges::count(lines_, true, &Line::changed));
    counts_.writebacks += sectors;
    empty_cache();
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
  for (Line& line : lines_) line.has_previous = false;
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
  empty_cache();
  tracking_ = open_ = false;
  unpreserved_ = 0;
  if (hook_ != nullptr) hook_->reset(kind);
}

}  // namespace asterism
