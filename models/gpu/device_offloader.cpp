#include "gpu/device_offloader.h"

#include <utility>

namespace asterism {

DeviceOffloader::DeviceOffloader(const GpuConfig& config, DeviceChannel& channel)
    : zone_size_(config.zone),
      transfer_(config.transfer),
      channel_(channel),
      buffer_(config.buffer / config.channels, config.zone),
      latency_(config.latency) {}

std::optional<Picoseconds> DeviceOffloader::take_up(Picoseconds now, std::uint32_t zone) {
  zone_ = zone;
  reads_first_ = latency_ != 0_ps;
  if (reads_first_) return now + latency_;
  return move_.start(channel_, now, zone_size_, 2);
}

std::optional<Picoseconds> DeviceOffloader::start(Picoseconds now) {
  const ZoneMonitor& monitor = channel_.monitor();
  while (!wanted_.empty() && !monitor.is_unpreserved(wanted_.front())) wanted_.pop_front();
  if (!wanted_.empty()) {
    if (!buffer_.has_room()) return std::nullopt;
    const std::uint32_t zone = wanted_.front();
    wanted_.pop_front();
    ++counts_.duplicates;
    return take_up(now, zone);
  }
  if (!buffer_.has_space_in_half()) return std::nullopt;
  const auto zone = monitor.next_unpreserved(in_order_);
  in_order_ = zone ? *zone : monitor.zones();
  return zone ? take_up(now, *zone) : std::nullopt;
}

std::optional<Picoseconds> DeviceOffloader::resume(Picoseconds now, std::optional<std::uint32_t>& copied) {
  if (std::exchange(reads_first_, false)) return move_.start(channel_, now, zone_size_, 2);
  if (const auto next = move_.resume(channel_, now)) return next;
  copied = zone_;
  ++counts_.zones;
  const std::uint64_t at = std::uint64_t{zone_} * zone_size_.count();
  std::vector<std::byte> contents(channel_.is_untouched(at, zone_size_) ? 0 : zone_size_.count());
  channel_.copy_out(now, at, contents);
  buffer_.put(zone_, std::move(contents));
  return std::nullopt;
}

bool DeviceOffloader::ready() const {
  const Bytes filled = buffer_.filled();
  return filled != 0_B && (filled >= transfer_ || !busy());
}

void DeviceOffloader::clear() {
  wanted_.clear();
  buffer_.clear();
  in_order_ = 0;
  reads_first_ = false;
  move_.stop();
}

}  // namespace asterism
