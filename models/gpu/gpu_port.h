// A GPU of a node as software on the host's cores sees it: commands, lists of zones in the host's memory, and
// events since software last looked.
//
// A list contains 32-bit little-endian numbers of zones (gpu_config.h). A command first reads its list, or
// its kernel, and is busy() meanwhile; if something is wrong, error() says so and the command has no
// effect:
//
//   allocate   [0, size) of the GPU's memory is in use; writes are noted for increments from then on
//   launch     a RegionKernel, described by 64 bytes: u64 first, bytes, seed, number of the kernel, accesses
//              of each pipeline; u32 pattern (0 sequential, 1 random), writes (permille), gap (ns), 0
//   begin      a snapshot into the extent; the numbers of its zones go to `arrivals`, in the order of the
//              extent, before an event says that they have arrived
//   scan       the numbers of unpreserved zones, from `from` on and up to `count` of them, go to the list
//   copy_out, preserve, finish   for snapshots by the driver (gpu.h)
//   abort      aborts the snapshot
//   copy_in    copies the zones of the list, which are stored contiguously from the extent on, into the GPU
//   restart    empties the memory, ends everything, and puts a lost GPU back into use
//   retire     spare memory replaces the zone `from`; what a contained zone held is lost
//
// preserve and finish take half of the link's round trip to reach the GPU, as zone_waits does to reach the
// host; a scan takes the whole round trip. Accesses to lists and kernels take the time of memory. Everything
// else is immediate.
//
// A lost GPU has lost its memory and does nothing until it is restarted. reset: that of the GPU; messages in
// transit are dropped, and a lost GPU is back in use.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/activity_log.h"
#include "base/enum_names.h"
#include "base/event_log.h"
#include "gpu/gpu.h"
#include "gpu/region_kernel.h"

namespace asterism {

class GpuPort final : private Gpu::Sink {
 public:
  enum class Command : std::uint8_t {
    allocate = 1,
    launch = 2,
    begin = 3,
    scan = 4,
    copy_out = 5,
    preserve = 6,
    finish = 7,
    abort = 8,
    copy_in = 9,
    restart = 10,
    retire = 11
  };
  enum class Error : std::uint8_t {
    none,
    no_command,
    bad_descriptor,  // an invalid kernel or size, an empty list, or one with more zones than exist
    bus_error,       // reading the list or the kernel failed
    // A zone that does not exist, is listed twice, or is not in the state that the command requires.
    bad_zone,
    running,  // a kernel is running
    open,     // a snapshot is open
    copying,  // zones are being copied, out or in
    needs_full,
    nothing_allocated,
    no_snapshot,  // none is open that the driver takes; for abort, none at all
    incomplete,   // finish: zones have not arrived
    lost,
    no_spare,     // retire: no spare zone is left
    memory_error  // retire: the zone has an uncorrectable error, and is contained from now on
  };
  enum Happened : std::uint32_t {
    kernel_end = 1,
    arrival = 2,
    waiting = 4,
    scan_end = 8,
    taken = 16,
    failure = 32,
    copied = 64,
    loss = 128,
    containment = 256
  };
  struct Arguments {
    Address list{}, extent{}, arrivals{};  // 0 if there are no arrivals
    std::uint32_t count = 0;               // of the list; the maximum of a scan
    std::uint32_t from = 0;
    Bytes size{};
    SnapshotKind kind = SnapshotKind::full;
    Offloader by = Offloader::driver;
  };

  GpuPort(const GpuConfig& config, std::uint32_t number, HostLink& link, Picoseconds round_trip,
          Gpu::HostMemory& memory, MemoryPort& lists, std::string name, EventLog& events);

  void command(Picoseconds now, std::uint32_t command, const Arguments& arguments);
  Error error() const { return error_; }
  void lose(Picoseconds now);
  // From now on the clock has this much of its speed.
  void set_clock(Picoseconds now, std::uint32_t percent);
  bool lost() const { return lost_; }

  // Whether the command still reads its list or kernel. The next one must not be given yet.
  bool busy() const { return command_.has_value(); }

  // The events since the last call.
  std::uint32_t take_happened() { return std::exchange(happened_, 0); }
  std::optional<Gpu::Failure> failed() const { return failed_; }  // of the last snapshot or copy in
  std::uint32_t arrived() const { return arrived_; }              // zones of the last snapshot
  std::uint32_t scanned() const { return scanned_; }
  std::optional<std::uint32_t> waiting_zone() const;  // the number of the oldest one that was not dropped
  void drop_waiting_zone() { waits_.pop_front(); }
  bool snapshot_open() const { return gpu_.snapshot_open() || is_taken_; }
  std::uint32_t zones_in_use() const;
  // Of the contained zone with the lowest number: what has found its error, and the sector's offset in it.
  struct Contained {
    std::uint32_t zone, offset;
    GpuReader by;
  };
  std::optional<Contained> contained() const;
  // Whether a contained zone has stopped the last kernel.
  bool kernel_was_stopped() const { return kernel_was_stopped_; }
  // Of memory, from now on. A lost GPU has no memory that could fail.
  void inject(Picoseconds now, const GpuMemoryFault& fault);
  const Gpu& gpu() const { return gpu_; }
  Gpu& gpu() { return gpu_; }

  void transferred(Picoseconds now) { gpu_.transferred(now); }
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  // A message in transit over the link.
  struct Message {
    enum class What { zone_waits, preserve, finish, scan } what;
    std::vector<Zone> zones;
    Arguments arguments;
  };

  // A command that reads its list or kernel, whose end is known as soon as memory reports it.
  struct Reading {
    Command command;
    Arguments arguments;
    std::optional<Picoseconds> read_at = {};
    bool ok = true;
    std::vector<std::byte> bytes = {};
  };
  // A list that is being written.
  struct Writing {
    enum class What { scan, arrival } what;
    std::uint32_t zones;
    std::optional<Picoseconds> written_at = {};
    bool ok = true;
    bool is_void = false;  // its snapshot was aborted
  };

  // Called again with what was read, if the command begins to read something.
  Error execute(Picoseconds now, const Reading& reading, bool has_read);
  Error allocate(Bytes size);
  Error launch(Picoseconds now, const Reading& reading, bool has_read);
  Error begin(Picoseconds now, const Arguments& arguments);
  Error copy_out(Picoseconds now, const Reading& reading, bool has_read);
  Error preserve(Picoseconds now, const Reading& reading, bool has_read);
  Error copy_in(Picoseconds now, const Reading& reading, bool has_read);
  Error retire(Picoseconds now, std::uint32_t number);
  Error read(Picoseconds now, const Reading& reading, Bytes size);
  Error read_list(Picoseconds now, const Reading& reading);
  Error zones_of(const Reading& reading, std::vector<Zone>& zones) const;
  void finish_command(Error error);
  void end_reading(Picoseconds now);
  void write_list(Picoseconds now, Address to, std::span<const std::uint32_t> numbers, Writing::What what);
  void end_writing(Picoseconds now);
  void end_arrival(Picoseconds now, const Writing& list);
  std::uint32_t arriving() const;  // zones that have arrived, whose lists are still being written
  void report_taken(Picoseconds at);
  void scan(Picoseconds now, const Arguments& arguments);
  std::optional<Picoseconds> next_own_event() const;
  void receive(Picoseconds now, Message message);
  void send(Picoseconds at, Message message) { on_the_way_.emplace(at, std::move(message)); }
  void forget();
  std::uint32_t number_of(Zone zone) const;
  std::vector<std::uint32_t> numbers_of(std::span<const Zone> zones) const;
  Zone zone_of(std::uint32_t number) const;
  bool driven() const { return gpu_.snapshot_open() && by_ == Offloader::driver; }
  void record(Picoseconds at, std::string_view kind, std::initializer_list<EventLog::Detail> details = {});

  void kernel_ended(Picoseconds at) override;
  void kernel_stopped(Picoseconds at, Zone zone) override;
  void zone_contained(Picoseconds at, Zone zone, std::uint32_t offset, GpuReader by) override;
  void zone_waits(Picoseconds at, Zone zone) override;
  void arrived(Picoseconds at, std::span<const Zone> zones) override;
  void snapshot_taken(Picoseconds at) override;
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override;
  void copied_in(Picoseconds at) override;

  const GpuConfig config_;
  const Picoseconds one_way_;
  MemoryPort& lists_;
  const std::string name_;
  EventLog& events_;
  ActivityLog* const activity_;
  Gpu gpu_;
  std::optional<RegionKernel> kernel_;
  Picoseconds kernel_begun_;

  Error error_ = Error::none;
  std::uint32_t happened_ = 0, arrived_ = 0, scanned_ = 0;
  std::optional<Gpu::Failure> failed_;
  bool lost_ = false, refused_ = false, kernel_was_stopped_ = false;
  std::map<std::uint32_t, Contained> contained_;  // by zone
  Offloader by_ = Offloader::driver;
  SnapshotKind kind_ = SnapshotKind::full;
  Address arrivals_{};
  std::deque<std::uint32_t> waits_;
  std::multimap<Picoseconds, Message> on_the_way_;
  std::optional<Reading> command_;
  std::deque<Writing> written_;  // in the order in which memory ends them
  bool is_taken_ = false;        // the snapshot, but lists of its zones are still being written
  std::uint64_t losses_ = 0, commands_refused_ = 0;
};

constexpr auto enum_names(Gpu::Failure) {
  return std::to_array<EnumName<Gpu::Failure>>({{Gpu::Failure::watchdog, "watchdog"},
                                                {Gpu::Failure::host_memory, "host_memory"},
                                                {Gpu::Failure::aborted, "aborted"},
                                                {Gpu::Failure::memory_error, "memory_error"}});
}

}  // namespace asterism
