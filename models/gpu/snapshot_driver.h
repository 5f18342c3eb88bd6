// The host's driver of a GPU's snapshots, for runs without cores: does what the firmware's driver (sw/) does
// by registers, with the latencies of the link.
//
//   driver.snapshot(now, how, begun_at)    full, where there is nothing yet that an increment could stand on
//   Sink::taken / failed
//   driver.restore(now)                    the newest complete snapshot, into a GPU that was reset
//
// Without D the driver copies unpreserved zones in order, `transfer` bytes of them at once. With H
// it tells the device, at most every `hint_interval`, what has arrived since; that is one way of the link
// later there. It learns of a zone with a waiting write one way later than it waits, and copies next the
// zones of which it has learnt, in the order in which it has, together up to `transfer` bytes: each alone
// would cost the overhead of a transfer. It tells of those at once, with what else there is to tell. What it
// says last, that the snapshot is complete, takes one way, too. With D it only keeps account.
//
// Blocking: launches are the caller's, who waits for the sink.
//
// A snapshot that fails, or a reset, makes the next one full. So does a preservation buffer without room for
// an increment.
//
// Source: lee2019 sections 4.1.3, 4.1.5, 4.3; interval: this project's.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "gpu/gpu.h"
#include "gpu/preservation_buffer.h"
#include "gpu/snapshot_config.h"

namespace asterism {

class SnapshotDriver {
 public:
  // May call back any but advance_to() and reset().
  struct Sink {
    virtual ~Sink() = default;
    virtual void taken(Picoseconds at) = 0;
    // Of a restore: the host's memory refused.
    virtual void failed(Picoseconds at, Gpu::Failure why) = 0;
    virtual void restored(Picoseconds at) = 0;
  };
  // refused: by the GPU, or something is under way.
  enum class Begun : std::uint8_t { yes, refused, no_room };

  SnapshotDriver(Gpu& gpu, PreservationBuffer& buffer, Picoseconds one_way, Picoseconds hint_interval,
                 Sink& sink);

  // `begun_at`: when kernels may go on, if it does not block them.
  Begun snapshot(Picoseconds now, const SnapshotConfig& how, Picoseconds& begun_at);
  // Memory of the GPU is allocated. Throws std::logic_error when there is no snapshot, or something is under
  // way.
  void restore(Picoseconds now);
  bool busy() const { return doing_ != Doing::nothing; }

  // The GPU's sink hands these on.
  void zone_waits(Picoseconds at, Zone zone);
  void arrived(Picoseconds at, std::span<const Zone> zones);
  void snapshot_taken(Picoseconds at);
  void snapshot_failed(Picoseconds at, Gpu::Failure why);
  void copied_in(Picoseconds at);

  std::optional<Picoseconds> next_event() const;
  // A late call makes the driver late, as a busy host is.
  void advance_to(Picoseconds now);
  void reset();  // forgets what is under way; when the GPU is reset, or this driver is started anew
  // Snapshots taken by kind and in other's stead, failed, refused; hints, zones preferred, restores.
  void report(Statistics& statistics) const;

 private:
  enum class Doing : std::uint8_t { nothing, copying, watching, restoring };
  // On the way to the driver, or to the device.
  struct Report {
    Picoseconds at;
    Zone zone;
  };
  struct Hint {
    Picoseconds at;
    std::vector<Zone> zones;
  };
  struct Open {
    SnapshotKind kind = SnapshotKind::full;
    bool hints = false;
    std::optional<Picoseconds> begins, tells, finishes;
    std::uint32_t position = 0;       // of the copies in order: a number of a zone
    std::vector<Zone> waited_for;     // a write waits, as far as the driver knows, which has not told of them
    std::vector<Zone> untold;         // have arrived
    std::optional<Picoseconds> told;  // last
    std::deque<Report> reports;
    std::deque<Hint> on_the_way;
  };

  std::uint32_t zones_in_use() const;
  void copy_next(Picoseconds now);
  bool is_full(const std::vector<Zone>& zones) const;
  std::vector<Zone> zones_with_waiting_writes();
  std::vector<Zone> zones_in_order();
  void hear(Picoseconds now, Zone zone);
  void tell(Picoseconds now);
  void act(Picoseconds due, Picoseconds now);
  void restore_next(Picoseconds now);

  Gpu& gpu_;
  PreservationBuffer& buffer_;
  Picoseconds one_way_, hint_interval_;
  Sink& sink_;

  Doing doing_ = Doing::nothing;
  bool needs_full_ = true;
  Open open_;
  std::vector<PreservationBuffer::Copy> image_;  // being restored
  std::size_t restored_ = 0;                     // of it, copied or being copied

  struct Counts {
    std::uint64_t full = 0, increments = 0, in_place_of_increments = 0;
    std::uint64_t failed = 0, no_room = 0, restores = 0;
    std::uint64_t hints = 0, preferred = 0;
  } counts_;
};

}  // namespace asterism
