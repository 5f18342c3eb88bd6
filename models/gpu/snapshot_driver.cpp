#include "gpu/snapshot_driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace asterism {

SnapshotDriver::SnapshotDriver(Gpu& gpu, PreservationBuffer& buffer, Picoseconds one_way,
                               Picoseconds hint_interval, Sink& sink)
    : gpu_(gpu), buffer_(buffer), one_way_(one_way), hint_interval_(hint_interval), sink_(sink) {}

// ---- begin and end ----

std::uint32_t SnapshotDriver::zones_in_use() const {
  const GpuConfig& config = gpu_.config();
  const std::uint64_t round = (config.zone * config.channels).count();
  return static_cast<std::uint32_t>((gpu_.allocated().count() + round - 1) / round) * config.channels;
}

SnapshotDriver::Begun SnapshotDriver::snapshot(Picoseconds now, const SnapshotConfig& how,
                                               Picoseconds& begun_at) {
  if (busy()) return Begun::refused;
  SnapshotKind kind = how.kind;
  if (needs_full_ || gpu_.refusal(kind) == Gpu::Refusal::needs_full) kind = SnapshotKind::full;
  if (gpu_.refusal(kind) != Gpu::Refusal::none) return Begun::refused;
  auto extent = buffer_.open(kind == SnapshotKind::full, zones_in_use());
  if (!extent && kind == SnapshotKind::increment) {
    kind = SnapshotKind::full;
    extent = buffer_.open(true, zones_in_use());
  }
  if (!extent) {
    ++counts_.no_space;
    return Begun::no_space;
  }
  const Offloader by = how.device_side ? Offloader::device : Offloader::driver;
  begun_at = now + gpu_.begin_snapshot(now, kind, by, *extent);
  if (kind != how.kind) ++counts_.in_place_of_increments;
  doing_ = how.device_side ? Doing::watching : Doing::copying;
  open_ = {};
  open_.kind = kind;
  open_.hints = how.hints;
  if (!how.device_side)
    open_.begins = begun_at + (kind == SnapshotKind::increment ? table_time_ : Picoseconds{});
  return Begun::yes;
}

void SnapshotDriver::snapshot_taken(Picoseconds at) {
  if (!buffer_.is_open()) return;
  ++(open_.kind == SnapshotKind::full ? counts_.full : counts_.increments);
  buffer_.complete();
  needs_full_ = false;
  doing_ = Doing::nothing;
  open_ = {};
  sink_.taken(at);
}

void SnapshotDriver::snapshot_failed(Picoseconds at, Gpu::Failure why) {
  if (!busy()) return;
  ++counts_.failed;
  reset();
  sink_.failed(at, why);
}

void SnapshotDriver::reset() {
  buffer_.give_up();
  needs_full_ = true;
  doing_ = Doing::nothing;
  open_ = {};
  image_.clear();
}

// ---- zones to the host ----

void SnapshotDriver::arrived(Picoseconds at, std::span<const Zone> zones) {
  if (!buffer_.is_open()) return;
  buffer_.arrived(zones);
  if (doing_ != Doing::copying) return;
  if (gpu_.may_finish()) {
    open_.next_hint.reset();
    open_.finishes = at + one_way_;
    return;
  }
  if (open_.hints) {
    open_.unreported.insert(open_.unreported.end(), zones.begin(), zones.end());
    const bool is_waited_for = std::ranges::any_of(zones, [&](Zone zone) {
      return std::ranges::find(open_.waited_for, zone) != open_.waited_for.end();
    });
    const Picoseconds due = open_.last_report ? std::max(at, *open_.last_report + hint_interval_) : at;
    if (is_waited_for || due == at)
      report_arrived(at);
    else
      open_.next_hint = due;
  }
  copy_next(at);
}

void SnapshotDriver::copy_next(Picoseconds now) {
  if (gpu_.copying()) return;
  std::vector<Zone> zones = zones_with_waiting_writes();
  if (zones.empty()) zones = zones_in_order();
  if (!zones.empty())
    gpu_.copy_out(now, zones);
  else if (gpu_.may_finish() && !open_.finishes)
    open_.finishes = now + one_way_;
}

// No further zone fits into a transfer.
bool SnapshotDriver::is_full(const std::vector<Zone>& zones) const {
  return gpu_.config().zone * (zones.size() + 1) > gpu_.config().transfer;
}

std::vector<Zone> SnapshotDriver::zones_with_waiting_writes() {
  std::vector<Zone> zones;
  for (const Zone zone : open_.waited_for) {
    if (!gpu_.awaits_copy(zone)) continue;
    zones.push_back(zone);
    if (!gathers_ || is_full(zones)) break;
  }
  counts_.preferred += zones.size();
  return zones;
}

std::vector<Zone> SnapshotDriver::zones_in_order() {
  std::vector<Zone> zones;
  while (const auto zone = gpu_.next_unpreserved(open_.position)) {
    open_.position = zone->index * gpu_.config().channels + zone->channel + 1;
    if (!gpu_.awaits_copy(*zone)) continue;
    zones.push_back(*zone);
    if (is_full(zones)) break;
  }
  return zones;
}

// ---- hints ----

void SnapshotDriver::zone_waits(Picoseconds at, Zone zone) {
  if (doing_ == Doing::copying && open_.hints) open_.reports.push_back({at + one_way_, zone});
}

void SnapshotDriver::learn(Picoseconds now, Zone zone) {
  if (std::ranges::find(open_.unreported, zone) != open_.unreported.end()) {
    report_arrived(now);
  } else if (!gpu_.may_preserve(zone)) {
    open_.waited_for.push_back(zone);
    copy_next(now);
  }
}

void SnapshotDriver::report_arrived(Picoseconds now) {
  if (open_.finishes) return;
  std::erase_if(open_.waited_for, [&](Zone zone) { return gpu_.may_preserve(zone); });
  ++counts_.hints;
  open_.on_the_way.push_back({now + one_way_, std::exchange(open_.unreported, {})});
  open_.last_report = now;
  open_.next_hint.reset();
}

// ---- time ----

std::optional<Picoseconds> SnapshotDriver::next_event() const {
  auto next = earlier(earlier(open_.begins, open_.next_hint), open_.finishes);
  if (!open_.reports.empty()) next = earlier(next, open_.reports.front().at);
  if (!open_.on_the_way.empty()) next = earlier(next, open_.on_the_way.front().at);
  return next;
}

// Does one of the actions that are due at that time.
void SnapshotDriver::act(Picoseconds due, Picoseconds now) {
  if (open_.begins == due) {
    open_.begins.reset();
    copy_next(now);
  } else if (!open_.on_the_way.empty() && open_.on_the_way.front().at == due) {
    const std::vector<Zone> zones = std::move(open_.on_the_way.front().zones);
    open_.on_the_way.pop_front();
    gpu_.preserve(now, zones);
  } else if (!open_.reports.empty() && open_.reports.front().at == due) {
    const Zone zone = open_.reports.front().zone;
    open_.reports.pop_front();
    learn(now, zone);
  } else if (open_.finishes == due) {
    open_.finishes.reset();
    gpu_.finish_snapshot(now);
  } else {
    report_arrived(now);
  }
}

void SnapshotDriver::advance_to(Picoseconds now) {
  for (auto due = next_event(); due && *due <= now; due = next_event()) act(*due, now);
}

// ---- back into the GPU ----

void SnapshotDriver::restore(Picoseconds now) {
  if (busy()) throw std::logic_error("a GPU is restored while something is in progress");
  if (buffer_.snapshots() == 0) throw std::logic_error("a GPU is restored without a snapshot");
  doing_ = Doing::restoring;
  image_ = buffer_.image();
  restored_ = 0;
  restore_next(now);
}

// Copies what is contiguous in the host's memory, up to the size of a transfer.
void SnapshotDriver::restore_next(Picoseconds now) {
  const Bytes zone = gpu_.config().zone;
  const Address from = image_[restored_].at;
  std::vector<Zone> zones;
  do zones.push_back(image_[restored_++].zone);
  while (restored_ < image_.size() && image_[restored_].at == from + zone * zones.size() &&
         zone * (zones.size() + 1) <= gpu_.config().transfer);
  gpu_.copy_in(now, zones, from);
}

void SnapshotDriver::copied_in(Picoseconds at) {
  if (doing_ != Doing::restoring) return;
  if (restored_ < image_.size()) {
    restore_next(at);
    return;
  }
  ++counts_.restores;
  doing_ = Doing::nothing;
  image_.clear();
  sink_.restored(at);
}

void SnapshotDriver::report(Statistics& statistics) const {
  statistics.add("full", counts_.full);
  statistics.add("increments", counts_.increments);
  statistics.add("full_in_place_of_increments", counts_.in_place_of_increments);
  statistics.add("failed", counts_.failed);
  statistics.add("no_space", counts_.no_space);
  statistics.add("hints", counts_.hints);
  statistics.add("zones_preferred", counts_.preferred);
  statistics.add("restores", counts_.restores);
}

}  // namespace asterism
