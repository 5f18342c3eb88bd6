#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gpu/gpu_impl.h"

namespace asterism {

namespace {
std::uint32_t number_of(Zone zone, std::uint32_t channels) { return zone.index * channels + zone.channel; }
}  // namespace

// ---- begin and end ----

Gpu::Refusal Gpu::Impl::refusal(SnapshotKind kind) const {
  if (kernel_runs) return Refusal::running;
  if (snapshot.open) return Refusal::open;
  if (transfer.way != Transfer::Way::none) return Refusal::copying;
  if (allocated == 0_B) return Refusal::nothing_allocated;
  if (kind == SnapshotKind::full) return Refusal::none;
  if (!channels[0].monitor().tracking()) return Refusal::not_tracking;
  return needs_full_ ? Refusal::needs_full : Refusal::none;
}

Picoseconds Gpu::Impl::begin_snapshot(Picoseconds now, SnapshotKind kind, Offloader by, Address extent) {
  if (refusal(kind) != Refusal::none) throw std::logic_error("a snapshot is begun that the GPU refuses");
  now_ = now;
  const std::uint64_t round = (config.zone * config.channels).count();
  const auto zones_in_use = static_cast<std::uint32_t>((allocated.count() + round - 1) / round);
  Picoseconds begun = now;
  for (DeviceChannel& channel : channels) {
    ZoneMonitor& monitor = channel.monitor();
    channel.flush(now);
    if (kind == SnapshotKind::full) {
      // What was noted may lie outside of the memory in use.
      const bool tracked = monitor.tracking();
      monitor.track(false);
      monitor.track(tracked);
      for (std::uint32_t zone = 0; zone < zones_in_use; ++zone) monitor.expose(zone);
      const std::uint32_t per_sector = ZoneMonitor::zones_per_sector;
      channel.move_table(now, (zones_in_use + per_sector - 1) / per_sector);
    }
    channel.move_table(now, monitor.begin());
    begun = std::max(begun, channel.busy_until());
  }
  snapshot = {true, by, begun, extent, unpreserved(), 0, snapshot.number + 1};
  needs_full_ = true;
  if (by == Offloader::driver) {
    copied_.assign(config.zones(), false);
    arrived_.assign(config.zones(), false);
  } else if (snapshot.zones == 0) {
    events_.push(begun, Event::nothing_to_take);
  } else {
    for (std::uint32_t channel = 0; channel < config.channels; ++channel)
      events_.push(begun, Event::wake_offloader, {channel, 0});
  }
  return begun - now;
}

void Gpu::Impl::stop_offloading() {
  events_.keep_from(Event::zone_contained);
  watches_ = false;
  for (PacedMove& move : link_moves_) move.stop();
  for (DeviceOffloader& offloader : offloaders_) offloader.clear();
}

void Gpu::Impl::release_everything(Picoseconds now) {
  for (DeviceChannel& channel : channels) {
    channel.monitor().complete();
    channel.release_all(now);
  }
  for (std::uint32_t channel = 0; channel < config.channels; ++channel) pipelines.retry(now, channel);
  look_after_pipelines();
}

// Every zone is in the host's memory.
void Gpu::Impl::end_snapshot(Picoseconds now) {
  ++counts_.snapshots;
  counts_.zones += snapshot.zones;
  needs_full_ = !snapshot.tracked;
  snapshot.open = false;
  stop_offloading();
  release_everything(now);
  sink_.snapshot_taken(now);
}

void Gpu::Impl::finish_snapshot(Picoseconds now) {
  if (!may_finish()) throw std::logic_error("a snapshot is finished before every zone has arrived");
  now_ = now;
  end_snapshot(now);
}

void Gpu::Impl::give_up(Picoseconds now, Failure why) {
  if (!snapshot.open) throw std::logic_error("there is no snapshot to abort");
  now_ = now;
  ++counts_.failed;
  snapshot.open = false;
  clear_transfer(now);
  stop_offloading();
  release_everything(now);
  sink_.snapshot_failed(now, why);
}

std::uint32_t Gpu::Impl::unpreserved() const {
  std::uint32_t zones = 0;
  for (const DeviceChannel& channel : channels) zones += channel.monitor().unpreserved();
  return zones;
}

std::optional<Zone> Gpu::Impl::next_unpreserved(std::uint32_t from) const {
  std::optional<Zone> first;
  for (std::uint32_t channel = 0; channel < config.channels; ++channel) {
    const std::uint32_t index = from / config.channels + (channel < from % config.channels ? 1 : 0);
    const auto found = channels[channel].monitor().next_unpreserved(index);
    if (found && (!first || *found < first->index)) first = Zone{channel, *found};
  }
  return first;
}

// ---- waiting writes ----

void Gpu::Impl::hear_stalls() {
  if (!watches_) events_.push(stalls.front().at + config.watchdog, Event::watchdog);
  watches_ = true;
  for (const Stall& stall : stalls) {
    if (!stall.first) continue;
    if (snapshot.by == Offloader::driver) {
      events_.push(stall.at, Event::zone_waits, stall.zone);
    } else {
      offloaders_[stall.zone.channel].want(stall.zone.index);
      events_.push(stall.at, Event::wake_offloader, {stall.zone.channel, 0});
    }
  }
  stalls.clear();
}

void Gpu::Impl::look_for_old_waits(Picoseconds now) {
  std::optional<Picoseconds> oldest;
  for (const DeviceChannel& channel : channels) oldest = earlier(oldest, channel.queue().oldest());
  watches_ = oldest.has_value();
  if (!oldest) return;
  if (*oldest + config.watchdog <= now)
    give_up(now, Failure::watchdog);
  else
    events_.push(*oldest + config.watchdog, Event::watchdog);
}

// ---- by the driver ----

bool Gpu::Impl::is_zone(Zone zone) const {
  return zone.channel < config.channels && zone.index < config.zones_per_channel();
}

bool Gpu::Impl::awaits_copy(Zone zone) const {
  return snapshot.open && snapshot.by == Offloader::driver && is_zone(zone) &&
         channels[zone.channel].monitor().is_unpreserved(zone.index) &&
         !copied_[number_of(zone, config.channels)];
}

bool Gpu::Impl::may_preserve(Zone zone) const {
  return snapshot.open && snapshot.by == Offloader::driver && is_zone(zone) &&
         arrived_[number_of(zone, config.channels)];
}

bool Gpu::Impl::may_finish() const {
  return snapshot.open && snapshot.by == Offloader::driver && snapshot.arrived == snapshot.zones;
}

void Gpu::Impl::copy_out(Picoseconds now, std::span<const Zone> zones) {
  if (transfer.way != Transfer::Way::none) throw std::logic_error("zones are copied while others are");
  now_ = now;
  for (const Zone zone : zones) {
    if (!awaits_copy(zone))
      throw std::logic_error("a zone is copied out that does not belong to the snapshot");
    copied_[number_of(zone, config.channels)] = true;
  }
  transfer = {.way = Transfer::Way::out, .zones = {zones.begin(), zones.end()}, .contents = {}};
  start_link(now);
  for (const Zone zone : zones) expect_link_piece(zone.channel, config.zone, std::max(now, snapshot.begun));
}

void Gpu::Impl::preserve(Picoseconds now, std::span<const Zone> zones) {
  now_ = now;
  for (const Zone zone : zones) {
    if (!may_preserve(zone)) throw std::logic_error("a zone is preserved before it has arrived");
    channels[zone.channel].monitor().preserve(zone.index);
  }
  // Before a pipeline tries again, the writes that have waited before it have to be in memory.
  for (const Zone zone : zones) {
    channels[zone.channel].monitor().refresh();
    channels[zone.channel].release(now, zone.index);
  }
  for (const Zone zone : zones) pipelines.retry(now, zone.channel);
  look_after_pipelines();
}

// ---- by the device ----

void Gpu::Impl::expect_copy(std::uint32_t channel, std::optional<Picoseconds> at) {
  if (at) events_.push(*at, Event::copy_piece, {channel, 0});
}

void Gpu::Impl::wake(Picoseconds now, std::uint32_t channel) {
  if (offloaders_[channel].busy()) return;
  expect_copy(channel, offloaders_[channel].start(now));
  transfer_next(now);
}

void Gpu::Impl::resume_copying(Picoseconds now, std::uint32_t channel) {
  std::optional<std::uint32_t> copied;
  expect_copy(channel, offloaders_[channel].resume(now, copied));
  if (!memory_errors.empty()) {
    hear_memory_errors();
    ++error_counts.copies_failed;
    return give_up(now, Failure::memory_error);
  }
  if (!copied) return;
  ZoneMonitor& monitor = channels[channel].monitor();
  monitor.preserve(*copied);
  monitor.refresh();
  channels[channel].release(now, *copied);
  pipelines.retry(now, channel);
  look_after_pipelines();
  wake(now, channel);
}

void Gpu::Impl::transfer_next(Picoseconds now) {
  if (transfer.way != Transfer::Way::none) return;
  // In round-robin order; first those in which a write waits because space is lacking.
  std::optional<std::uint32_t> chosen;
  for (std::uint32_t i = 1; i <= config.channels; ++i) {
    const std::uint32_t channel = (last_sent_ + i) % config.channels;
    if (!offloaders_[channel].ready()) continue;
    if (!chosen) chosen = channel;
    if (offloaders_[channel].lacks_space()) {
      chosen = channel;
      break;
    }
  }
  if (!chosen) return;
  last_sent_ = *chosen;
  transfer = {.way = Transfer::Way::out, .zones = {}, .contents = {}};
  offloaders_[*chosen].buffer().take(config.transfer,
                                     [&](std::uint32_t zone, std::vector<std::byte> contents) {
                                       transfer.zones.push_back({*chosen, zone});
                                       transfer.contents.push_back(std::move(contents));
                                     });
  start_link(now);
  expect_link_piece(*chosen, transfer_size(), now);
}

// ---- the link ----

void Gpu::Impl::expect_link_piece(std::uint32_t channel, Bytes size, Picoseconds now) {
  PacedMove& move = link_moves_[channel];
  if (move.busy())
    move.add(size);
  else
    events_.push(move.start(channels[channel], now, size, 1), Event::link_piece, {channel, 0});
}

void Gpu::Impl::clear_transfer(Picoseconds now) {
  if (transfer.way != Transfer::Way::none) link_.cancel(now, number_);
  transfer = {};
  host_.abandon();
  host_accesses_.under_way = 0;
  host_accesses_.ok = true;
  host_accesses_.has_memory_error = false;
}

void Gpu::Impl::start_link(Picoseconds now) {
  link_.start(now, number_, transfer_size(), host_.piece(),
              transfer.way == Transfer::Way::out ? "copy out" : "copy in");
}

void Gpu::Impl::transferred(Picoseconds now) {
  now_ = now;
  if (transfer.way == Transfer::Way::none) return;
  transfer.moved += std::min(host_.piece(), transfer_size() - transfer.moved);
  pass_on(now);
}

// What the link has moved goes to the host's memory, or comes from it, a piece at a time.
void Gpu::Impl::pass_on(Picoseconds now) {
  const auto wait = [&] {
    if (transfer.moved < transfer_size() && transfer.taken < transfer.moved) link_.hold(now, number_);
    if (std::exchange(transfer.waits, true)) return;
    if (host_accesses_.under_way == 0) events_.push(host_accesses_.done, Event::host_memory);
  };
  while (transfer.taken < transfer.moved) {
    if (host_accesses_.is_busy(now)) return wait();
    if (!host_accesses_.ok) return refuse_transfer(now);
    pass_piece(now);
  }
  if (!host_accesses_.is_busy(now) && !host_accesses_.ok) return refuse_transfer(now);
  const bool is_out = transfer.way == Transfer::Way::out;
  if (transfer.moved < transfer_size()) return link_.resume(now, number_);
  if (host_accesses_.is_busy(now)) return wait();
  // The sink may start the next one.
  is_out ? transferred_out(now) : transferred_in(now);
}

void Gpu::Impl::pass_piece(Picoseconds now) {
  const Bytes size = std::min(host_.piece(), transfer.moved - transfer.taken);
  const bool is_out = transfer.way == Transfer::Way::out;
  is_out ? pass_out(now, transfer.taken, size) : pass_in(now, transfer.taken, size);
  transfer.taken += size;
}

OnAccessEnd Gpu::Impl::begin_access() {
  ++host_accesses_.under_way;
  return [this](const AccessEnd& end) { access_ended(end); };
}

void Gpu::Impl::access_ended(const AccessEnd& end) {
  --host_accesses_.under_way;
  host_accesses_.done = std::max(host_accesses_.done, end.at);
  host_accesses_.ok = host_accesses_.ok && end.ok;
  if (host_accesses_.under_way == 0 && transfer.waits) events_.push(host_accesses_.done, Event::host_memory);
}

void Gpu::Impl::refuse_transfer(Picoseconds now) {
  if (transfer.way == Transfer::Way::out)
    return give_up(now, host_accesses_.has_memory_error ? Failure::memory_error : Failure::host_memory);
  clear_transfer(now);
  sink_.snapshot_failed(now, Failure::host_memory);
}

// Passes bytes of the transfer to the host's memory. Adjacent bytes that all have contents, or all have none,
// are passed at once.
void Gpu::Impl::pass_out(Picoseconds now, Bytes from, Bytes size) {
  if (!memory.keeps_contents()) return host_.write(now, snapshot.next + from, {}, begin_access());
  piece_.clear();
  Bytes zeros{};
  const auto flush = [&](Bytes end) {
    const Bytes bytes(piece_.size());
    if (zeros != 0_B)
      host_.write_zeros(now, snapshot.next + (end - zeros), zeros, begin_access());
    else if (bytes != 0_B)
      host_.write(now, snapshot.next + (end - bytes), piece_, begin_access());
    zeros = {};
    piece_.clear();
  };
  for (Bytes at = from; at < from + size;) {
    const std::size_t number = at / config.zone;
    const Bytes offset = at % config.zone, part = std::min(config.zone - offset, from + size - at);
    const Zone zone = transfer.zones[number];
    const ChannelAddress place{zone.channel, (config.zone * zone.index + offset).count()};
    const bool by_device = snapshot.by == Offloader::device;
    const bool is_zero = by_device ? transfer.contents[number].empty()
                                   : channels[zone.channel].is_untouched(place.offset, part);
    if (is_zero != (zeros != 0_B)) flush(at);
    if (is_zero) {
      zeros += part;
    } else {
      piece_.resize(piece_.size() + part.count());
      const std::span<std::byte> bytes = std::span(piece_).last(part.count());
      if (by_device)
        std::ranges::copy(std::span(transfer.contents[number]).subspan(offset.count(), part.count()),
                          bytes.begin());
      else
        channels[zone.channel].copy_out(now, place.offset, bytes);
    }
    at += part;
  }
  flush(from + size);
  if (memory_errors.empty()) return;
  hear_memory_errors();
  ++error_counts.copies_failed;
  host_accesses_.ok = false;
  host_accesses_.has_memory_error = true;
}

void Gpu::Impl::pass_in(Picoseconds now, Bytes from, Bytes size) {
  for (Bytes at = from; at < from + size;) {
    const Bytes offset = at % config.zone, part = std::min(config.zone - offset, from + size - at);
    const Zone zone = transfer.zones[at / config.zone];
    host_.read(now, transfer.at + at, part,
               [this, zone, offset, part, ended = begin_access()](const AccessEnd& end) {
                 if (end.ok) {
                   DeviceChannel& channel = channels[zone.channel];
                   if (offset == 0_B) channel.drop(zone.index);
                   channel.copy_in((config.zone * zone.index + offset).count(), end.data);
                   const auto sectors = static_cast<std::uint32_t>(part / L2Slice::sector);
                   events_.push(std::max(end.at, now_), Event::copied_in, {zone.channel, sectors});
                 }
                 ended(end);
               });
    at += part;
  }
}

void Gpu::Impl::transferred_out(Picoseconds now) {
  const Transfer out = std::exchange(transfer, {});
  const Bytes size = config.zone * out.zones.size();
  const bool by_device = snapshot.by == Offloader::device;
  snapshot.next += size;
  snapshot.arrived += static_cast<std::uint32_t>(out.zones.size());
  ++counts_.transfers;
  counts_.to_host += size;
  if (by_device) {
    const std::uint32_t channel = out.zones.front().channel;
    offloaders_[channel].buffer().sent(size);
    wake(now, channel);
    transfer_next(now);
  } else {
    for (const Zone zone : out.zones) arrived_[number_of(zone, config.channels)] = true;
  }
  const std::uint64_t number = snapshot.number;
  sink_.arrived(now, out.zones);
  if (by_device && snapshot.open && snapshot.number == number && snapshot.arrived == snapshot.zones)
    end_snapshot(now);
}

}  // namespace asterism
