// The host's driver of a GPU's snapshots, for runs without cores. It does what the firmware's driver (sw/)
// does by registers, with the latencies of the link.
//
//   driver.snapshot(now, how, begun_at)    a full one if there is no snapshot yet for an increment
//   Sink::taken or Sink::failed            ends it
//   driver.restore(now)                    the newest complete snapshot, into a GPU that was reset
//
// Without D the driver copies unpreserved zones in order, `transfer` bytes of them at once. With H it reports
// to the device, at most every `hint_interval`, what has arrived since; the report takes one way of the link.
// It learns of a zone with a waiting write after one way of the link, and copies such zones next, in the
// order in which it has learned of them, together up to `transfer` bytes, since each alone would cost the
// overhead of a transfer. It reports those at once, with anything else there is to report. The final report,
// that the snapshot is complete, takes one way, too. With D it only keeps account.
//
// Blocking: the caller launches kernels, and waits for the sink.
//
// After a snapshot that fails, or a reset, the next one is full. It is full too if the preservation buffer
// has no space for an increment.
//
// Source: lee2019 sections 4.1.3, 4.1.5, 4.3; the interval is this project's.
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
  // The sink may call any method except advance_to() and reset().
  struct Sink {
    virtual ~Sink() = default;
    virtual void taken(Picoseconds at) = 0;
    // For a restore: the host's memory refused the access.
    virtual void failed(Picoseconds at, Gpu::Failure why) = 0;
    virtual void restored(Picoseconds at) = 0;
  };
  // refused: by the GPU, or because something is in progress.
  enum class Begun : std::uint8_t { yes, refused, no_space };

  SnapshotDriver(Gpu& gpu, PreservationBuffer& buffer, Picoseconds one_way, Picoseconds hint_interval,
                 Sink& sink);

  // The time in which it reads the zone table before its first copy of an increment.
  void set_table_time(Picoseconds time) { table_time_ = time; }
  // Whether zones with waiting writes are copied together. Off, each is copied alone.
  void gather_waiting_zones(bool on) { gathers_ = on; }

  // `begun_at`: the time at which kernels may run, if the snapshot does not block them.
  Begun snapshot(Picoseconds now, const SnapshotConfig& how, Picoseconds& begun_at);
  // Memory of the GPU is allocated. Throws std::logic_error if there is no snapshot, or if something is in
  // progress.
  void restore(Picoseconds now);
  bool busy() const { return doing_ != Doing::nothing; }

  // Forwarded by the sink of the GPU.
  void zone_waits(Picoseconds at, Zone zone);
  void arrived(Picoseconds at, std::span<const Zone> zones);
  void snapshot_taken(Picoseconds at);
  void snapshot_failed(Picoseconds at, Gpu::Failure why);
  void copied_in(Picoseconds at);

  std::optional<Picoseconds> next_event() const;
  // A late call delays the driver, as a busy host does.
  void advance_to(Picoseconds now);
  void reset();  // drops work in progress; call it when the GPU is reset or this driver is restarted
  // Snapshots taken, by kind; full ones taken in place of increments; failed and refused ones; hints,
  // preferred zones, restores.
  void report(Statistics& statistics) const;

 private:
  enum class Doing : std::uint8_t { nothing, copying, watching, restoring };
  // A message on its way to the driver, or to the device.
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
    std::optional<Picoseconds> begins, next_hint, finishes;
    std::uint32_t position = 0;  // the number of the next zone of the copies in order
    // Zones with a waiting write, as far as the driver knows, that it has not reported as preserved.
    std::vector<Zone> waited_for;
    std::vector<Zone> unreported;  // zones that have arrived and were not reported
    std::optional<Picoseconds> last_report;
    std::deque<Report> reports;
    std::deque<Hint> on_the_way;
  };

  std::uint32_t zones_in_use() const;
  void copy_next(Picoseconds now);
  bool is_full(const std::vector<Zone>& zones) const;
  std::vector<Zone> zones_with_waiting_writes();
  std::vector<Zone> zones_in_order();
  void learn(Picoseconds now, Zone zone);
  void report_arrived(Picoseconds now);
  void act(Picoseconds due, Picoseconds now);
  void restore_next(Picoseconds now);

  Gpu& gpu_;
  PreservationBuffer& buffer_;
  Picoseconds one_way_, hint_interval_, table_time_{};
  bool gathers_ = true;
  Sink& sink_;

  Doing doing_ = Doing::nothing;
  bool needs_full_ = true;
  Open open_;
  std::vector<PreservationBuffer::Copy> image_;  // being restored
  std::size_t restored_ = 0;  // the number of its zones that were copied or are being copied

  struct Counts {
    std::uint64_t full = 0, increments = 0, in_place_of_increments = 0;
    std::uint64_t failed = 0, no_space = 0, restores = 0;
    std::uint64_t hints = 0, preferred = 0;
  } counts_;
};

}  // namespace asterism
