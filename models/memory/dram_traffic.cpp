#include "memory/dram_traffic.h"

#include <algorithm>

namespace asterism {
DramPatternSource::DramPatternSource(const DramPatternSettings& settings)
    : settings_(settings),
      write_limit_(static_cast<std::uint64_t>(settings.writes * 0x1p53)),
      places_(settings.seed),
      kinds_(~settings.seed) {}

std::uint64_t DramPatternSource::next_block() {
  switch (settings_.pattern) {
    case DramPattern::random:
      return places_.below(settings_.blocks);
    case DramPattern::sequential:
      return made_ % settings_.blocks;
    case DramPattern::stride:
      if (made_ != 0) block_ = (block_ + settings_.stride) % settings_.blocks;
      return block_;
    case DramPattern::copy:
      if (made_ % settings_.page_blocks == 0)
        block_ = places_.below(settings_.blocks / settings_.page_blocks) * settings_.page_blocks;
      return block_ + made_ % settings_.page_blocks;
  }
  return 0;
}

std::optional<DramAccess> DramPatternSource::next() {
  if (made_ == settings_.requests) return std::nullopt;
  const std::uint64_t block = next_block();
  ++made_;
  const bool is_write = write_limit_ != 0 && (kinds_.next() >> 11) < write_limit_;
  return DramAccess{block, is_write, 0_ps};
}

DramTraffic::DramTraffic(DramSystem& system, std::uint32_t outstanding, Picoseconds turnaround)
    : system_(system), turnaround_(turnaround), reads_(outstanding), free_(outstanding) {
  for (std::uint32_t slot = 0; slot < outstanding; ++slot) free_.push_back({0_ps, slot});
}

void DramTraffic::completed(std::uint64_t id, Picoseconds at) {
  if (id >= reads_.size()) {
    const auto place = static_cast<std::uint32_t>(id - reads_.size());
    result_.extra_read_time += at - extra_began_[place];
    extra_free_.push_back(place);
    return;
  }
  const auto slot = static_cast<std::uint32_t>(id);
  at += after_read;
  if (on_read) on_read(reads_[slot].access, at - reads_[slot].began);
  free_.push_back({at + turnaround_, slot});
  result_.elapsed = std::max(result_.elapsed, at);
}

void DramTraffic::pass_event() {
  now_ = std::max(now_, *system_.next_event());
  system_.advance_to(now_, *this);
}

void DramTraffic::submit(const DramAccess& access, std::uint64_t number) {
  const BlockLocation location = system_.mapping().locate(access.block);
  for (std::optional<Picoseconds> wanted;;) {
    while (free_.empty()) pass_event();
    const Picoseconds at = std::max({now_, free_.front().from, access.earliest});
    // Events until then, and at the same time, come first.
    if (const auto event = system_.next_event(); event && *event <= at) {
      pass_event();
      continue;
    }
    now_ = at;
    if (!wanted) wanted = at;
    const std::uint32_t slot = free_.front().slot;
    if (!system_.submit(now_, {slot, location, access.is_write})) {
      pass_event();
      continue;
    }
    free_.pop_front();
    ++(access.is_write ? result_.writes : result_.reads);
    if (!access.is_write) {
      reads_[slot] = {*wanted, number};
      break;
    }
    free_.push_back({now_ + turnaround_, slot});
    if (on_write) on_write(number, now_ - *wanted);
    break;
  }
  if (extra_of) extra_of(location, access.is_write, extra_);
}

void DramTraffic::submit_extra() {
  for (DramRequest& request : extra_) {
    if (!request.is_write) {
      if (extra_free_.empty()) {
        extra_free_.push_back(static_cast<std::uint32_t>(extra_began_.size()));
        extra_began_.emplace_back();
      }
      const std::uint32_t place = extra_free_.back();
      extra_free_.pop_back();
      extra_began_[place] = now_;
      request.id = reads_.size() + place;
    }
    while (!system_.submit(now_, request)) pass_event();
    ++(request.is_write ? result_.extra_writes : result_.extra_reads);
  }
  extra_.clear();
}

DramTrafficResult DramTraffic::run(DramAccessSource& source) {
  constexpr std::uint64_t asking = 1 << 16;
  result_ = {};
  std::uint64_t made = 0;
  for (std::optional<DramAccess> access = source.next(); access; access = source.next()) {
    if ((made + 1) % asking == 0 && stop && stop()) break;
    submit(*access, made++);
    if (!extra_.empty()) submit_extra();
    result_.elapsed = std::max(result_.elapsed, now_);
  }
  while (free_.size() < reads_.size() || extra_free_.size() < extra_began_.size()) pass_event();
  return result_;
}

}  // namespace asterism
