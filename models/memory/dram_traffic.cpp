#include "memory/dram_traffic.h"

#include <algorithm>

namespace asterism {
namespace {

constexpr std::uint64_t page_blocks = 64;  // 4 KiB

}  // namespace

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
      if (made_ % page_blocks == 0) block_ = places_.below(settings_.blocks / page_blocks) * page_blocks;
      return block_ + made_ % page_blocks;
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
    : system_(system), turnaround_(turnaround), began_(outstanding), free_(outstanding) {
  for (std::uint32_t slot = 0; slot < outstanding; ++slot) free_.push_back({0_ps, slot});
}

void DramTraffic::completed(std::uint64_t id, Picoseconds at) {
  const auto slot = static_cast<std::uint32_t>(id);
  if (on_read) on_read(at - began_[slot]);
  free_.push_back({at + turnaround_, slot});
  result_.elapsed = at;
}

DramTrafficResult DramTraffic::run(DramAccessSource& source) {
  constexpr std::uint64_t asking = 1 << 16;
  result_ = {};
  Picoseconds now;
  std::uint64_t made = 0;
  for (std::optional<DramAccess> access = source.next(); access; access = source.next()) {
    if (++made % asking == 0 && stop && stop()) break;
    const BlockLocation location = system_.mapping().locate(access->block);
    for (std::optional<Picoseconds> wanted;;) {
      const std::optional<Picoseconds> event = system_.next_event();
      if (!free_.empty()) {
        const Picoseconds at = std::max({now, free_.front().from, access->earliest});
        if (!event || at < *event) {
          now = at;
          if (!wanted) wanted = at;
          const std::uint32_t slot = free_.front().slot;
          if (system_.submit(now, {slot, location, access->is_write})) {
            free_.pop_front();
            ++(access->is_write ? result_.writes : result_.reads);
            if (access->is_write)
              free_.push_back({now + turnaround_, slot});
            else
              began_[slot] = *wanted;
            break;
          }
        }
      }
      const std::optional<Picoseconds> next = system_.next_event();
      now = std::max(now, *next);
      system_.advance_to(now, *this);
    }
    result_.elapsed = std::max(result_.elapsed, now);
  }
  while (free_.size() < began_.size()) system_.advance_to(*system_.next_event(), *this);
  return result_;
}

}  // namespace asterism
