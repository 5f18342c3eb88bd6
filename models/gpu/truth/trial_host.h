// The environment of a GPU in a snapshot trial: the host's memory, and an observer of the writes that a
// monitor stalls. Both can be made faulty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "gpu/gpu.h"
#include "gpu/truth/gathered_watch.h"
#include "gpu/truth/snapshot_trial.h"
#include "gpu/truth/trial_setup.h"
#include "zone_monitor/zone_monitor_hook.h"

namespace asterism {

class TrialHost final : public Gpu::HostMemory {
 public:
  static constexpr Address first{0x8000'0000};

  TrialHost(const TrialSetup& setup, SnapshotMutant mutant, std::uint64_t seed)
      : bytes_((setup.gpu.zone * setup.buffer_zones).count()),
        zone_(setup.gpu.zone.count()),
        refuses_once_in_(setup.refuses_once_in),
        // Extents wrap around so early that the full one of the chain is overwritten.
        wraps_at_(mutant == SnapshotMutant::extent_reused ? (setup.gpu.zone * setup.gpu.zones()).count()
                                                          : bytes_.size()),
        forgets_(mutant == SnapshotMutant::zone_not_stored),
        random_(seed) {}

  void write(Picoseconds now, Address to, std::span<const std::byte> data, OnAccessEnd ended) override {
    if (refuses()) return ended({now, false});
    for (std::uint64_t from = 0; from < data.size(); from += zone_) {
      if (forgets_ && one_in(random_, 16)) continue;
      std::ranges::copy(data.subspan(from, zone_), zone_at(to + Bytes(from)).begin());
    }
    ended({now});
  }
  void read(Picoseconds now, Address from, Bytes, OnAccessEnd ended) override {
    if (refuses()) return ended({now, false});
    ended({now, true, zone_at(from)});
  }

  std::span<std::byte> zone_at(Address at) {
    const std::uint64_t offset = at.value() - first.value();
    if (at < first || offset + zone_ > bytes_.size())
      throw SnapshotTrialFailure(
          "a zone is read from or written to an address outside of the preservation buffer");
    return std::span(bytes_).subspan(offset % wraps_at_, zone_);
  }

 private:
  bool refuses() { return refuses_once_in_ != 0 && one_in(random_, refuses_once_in_); }

  std::vector<std::byte> bytes_;
  std::uint64_t zone_;
  std::uint32_t refuses_once_in_;
  std::uint64_t wraps_at_;
  bool forgets_;
  Random random_;
};

class TrialWatch final : public ZoneMonitorHook {
 public:
  // `channel` is one of `channels`.
  TrialWatch(ZoneMonitor& monitor, std::uint32_t channel, std::uint32_t channels, GatheredWatch& gathered,
             const Picoseconds& now, const Offloader& by, SnapshotMutant mutant, std::uint64_t seed)
      : monitor_(monitor),
        channel_(channel),
        channels_(channels),
        gathered_(gathered),
        now_(now),
        by_(by),
        mutant_(mutant),
        random_(seed) {
    monitor.attach_hook(this);
  }
  TrialWatch(const TrialWatch&) = delete;
  TrialWatch& operator=(const TrialWatch&) = delete;
  ~TrialWatch() override { monitor_.attach_hook(nullptr); }

  // The time since which the oldest waiting write waits.
  std::optional<Picoseconds> oldest() const {
    return stalls_.empty() ? std::nullopt : std::optional(stalls_.front().since);
  }

  void track(bool) override {}
  void write(std::uint32_t zone, ZoneMonitor::Check& check) override {
    using enum ZoneMonitor::Answer;
    if (check.answer == first_stall) only_stalled_.insert(zone);
    if (check.answer != proceed && goes_ahead(zone)) check.answer = proceed;
    gathered_.wrote(number_of(zone), check.answer != proceed);
    if (check.answer != proceed)
      stalls_.push_back({now_, zone});
    else
      only_stalled_.erase(zone);
  }
  void expose(std::uint32_t) override { only_stalled_.clear(); }
  void begin(std::uint32_t&) override {
    if (mutant_ == SnapshotMutant::stalled_write_not_noted)
      for (const std::uint32_t zone : only_stalled_) monitor_.preserve(zone);
    only_stalled_.clear();
    stalls_.clear();
  }
  void preserve(std::uint32_t zone) override {
    std::erase_if(stalls_, [&](const Stall& stall) { return stall.zone == zone; });
    gathered_.preserved(number_of(zone));
    if (mutant_ == SnapshotMutant::one_zone_too_many) preserve_another();
  }
  void refresh() override {}
  void complete() override { stalls_.clear(); }
  void reset(Reset) override {
    only_stalled_.clear();
    stalls_.clear();
  }

 private:
  struct Stall {
    Picoseconds since;
    std::uint32_t zone;
  };

  std::uint32_t number_of(std::uint32_t zone) const { return zone * channels_ + channel_; }

  // Of zones that were copied together, all are preserved at once.
  void preserve_another() {
    const bool is_second = std::exchange(preserved_at_, now_) == now_;
    if (!is_second || preserves_another_) return;
    preserves_another_ = true;
    if (const auto zone = monitor_.next_unpreserved(0)) monitor_.preserve(*zone);
    preserves_another_ = false;
  }

  bool goes_ahead(std::uint32_t zone) {
    if (mutant_ == SnapshotMutant::write_proceeds) return one_in(random_, 8);
    // The zone that the device copies in order is the first unpreserved one.
    return mutant_ == SnapshotMutant::preserved_too_early && by_ == Offloader::device &&
           monitor_.next_unpreserved(0) == zone;
  }

  ZoneMonitor& monitor_;
  std::uint32_t channel_, channels_;
  GatheredWatch& gathered_;
  const Picoseconds& now_;
  const Offloader& by_;
  SnapshotMutant mutant_;
  Random random_;
  std::vector<Stall> stalls_;                // in order of time
  std::optional<Picoseconds> preserved_at_;  // the last time
  bool preserves_another_ = false;
  std::set<std::uint32_t> only_stalled_;  // zones to which no write has proceeded since the snapshot
};

}  // namespace asterism
