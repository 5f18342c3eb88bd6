// A GPU of a node as software on the host's cores has it: commands, lists of zones in the host's memory, and what has happened
// since it looked.
//
// A list has 32-bit little-endian numbers of zones (gpu_config.h). A command reads its list, or its kernel, when it is given;
// what is wrong with it is error(), and nothing is done then:
//
//   allocate   [0, size) of the GPU's memory is in use; writes are noted for increments from then on
//   launch     a RegionKernel, described by 64 bytes: u64 first, bytes, seed, number of the kernel, accesses of each pipeline;
//              u32 pattern (0 sequential, 1 random), writes (permille), gap (ns), 0
//   begin      a snapshot into the extent; the numbers of its zones go to `arrivals`, in the order of the extent
//   scan       zones from `from` on that are not preserved, up to `count`: their numbers go to the list
//   copy_out, preserve, finish   by the driver (gpu.h)
//   abort      gives the snapshot up
//   copy_in    zones of the list, which lie one behind the other from the extent on
//   restart    empties the memory, ends everything, and takes a lost GPU back into use
//
// preserve and finish take half of the link's round trip to the GPU, as zone_waits does to the host; a scan takes all of it. All
// else is there at once.
//
// A lost GPU has lost its memory and does nothing before it is restarted. reset: that of the GPU; what is on its way is dropped, a
// lost one is back.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
    restart = 10
  };
  enum class Error : std::uint8_t {
    none,
    no_command,
    bad_descriptor,  // of a kernel, a size, a list that is empty or has more zones than there are
    bus_error,       // of the list or the kernel
    bad_zone,        // which is none, stands twice, or is not in the state that the command wants
    running,         // a kernel
    open,            // a snapshot
    copying,         // zones, out or in
    needs_full,
    nothing_allocated,
    no_snapshot,  // by the driver; of abort, at all
    incomplete,   // finish: zones have not arrived
    lost
  };
  enum Happened : std::uint32_t {
    kernel_end = 1,
    arrival = 2,
    waiting = 4,
    scan_end = 8,
    taken = 16,
    failure = 32,
    copied = 64,
    loss = 128
  };
  struct Arguments {
    Address list{}, extent{}, arrivals{};  // no arrivals: 0
    std::uint32_t count = 0;               // of the list, of a scan at most
    std::uint32_t from = 0;
    Bytes size{};
    SnapshotKind kind = SnapshotKind::full;
    Offloader by = Offloader::driver;
  };

  GpuPort(const GpuConfig& config, std::uint32_t number, HostLink& link, Picoseconds round_trip,
          Gpu::HostMemory& memory, std::string name, EventLog& events);

  void command(Picoseconds now, std::uint32_t command, const Arguments& arguments);
  Error error() const { return error_; }
  void lose(Picoseconds now);
  bool lost() const { return lost_; }

  // Since the last call.
  std::uint32_t take_happened() { return std::exchange(happened_, 0); }
  std::optional<Gpu::Failure> failed() const { return failed_; }  // of the last snapshot or copy in
  std::uint32_t arrived() const { return arrived_; }              // zones of the last snapshot
  std::uint32_t scanned() const { return scanned_; }
  std::optional<std::uint32_t> waiting_zone() const;  // the oldest not dropped, by its number
  void drop_waiting_zone() { waits_.pop_front(); }
  std::uint32_t zones_in_use() const;
  const Gpu& gpu() const { return gpu_; }
  Gpu& gpu() { return gpu_; }

  void transferred(Picoseconds now) { gpu_.transferred(now); }
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics) const;

 private:
  // On its way over the link.
  struct Message {
    enum class What { zone_waits, preserve, finish, scan } what;
    std::vector<Zone> zones;
    Arguments arguments;
  };

  Error execute(Picoseconds now, Command command, const Arguments& arguments);
  Error allocate(Bytes size);
  Error launch(Picoseconds now, Address descriptor);
  Error begin(Picoseconds now, const Arguments& arguments);
  Error copy_out(Picoseconds now, const Arguments& arguments);
  Error preserve(Picoseconds now, const Arguments& arguments);
  Error copy_in(Picoseconds now, const Arguments& arguments);
  Error read_list(Picoseconds now, const Arguments& arguments, std::vector<Zone>& zones);
  bool write_list(Picoseconds now, Address to, std::span<const std::uint32_t> numbers);
  void scan(Picoseconds now, const Arguments& arguments);
  void receive(Picoseconds now, Message message);
  void send(Picoseconds at, Message message) { on_the_way_.emplace(at, std::move(message)); }
  void forget();
  std::uint32_t number_of(Zone zone) const;
  std::vector<std::uint32_t> numbers_of(std::span<const Zone> zones) const;
  Zone zone_of(std::uint32_t number) const;
  bool driven() const { return gpu_.snapshot_open() && by_ == Offloader::driver; }
  void record(Picoseconds at, std::string_view kind, std::initializer_list<EventLog::Detail> details = {});

  void kernel_ended(Picoseconds at) override;
  void zone_waits(Picoseconds at, Zone zone) override;
  void arrived(Picoseconds at, std::span<const Zone> zones) override;
  void snapshot_taken(Picoseconds at) override;
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override;
  void copied_in(Picoseconds at) override;

  const GpuConfig config_;
  const Picoseconds one_way_;
  Gpu::HostMemory& memory_;
  const std::string name_;
  EventLog& events_;
  Gpu gpu_;
  std::optional<RegionKernel> kernel_;

  Error error_ = Error::none;
  std::uint32_t happened_ = 0, arrived_ = 0, scanned_ = 0;
  std::optional<Gpu::Failure> failed_;
  bool lost_ = false, refused_ = false;
  Offloader by_ = Offloader::driver;
  SnapshotKind kind_ = SnapshotKind::full;
  Address arrivals_{};
  std::deque<std::uint32_t> waits_;
  std::multimap<Picoseconds, Message> on_the_way_;
  std::uint64_t losses_ = 0, commands_refused_ = 0;
};

constexpr auto enum_names(Gpu::Failure) {
  return std::to_array<EnumName<Gpu::Failure>>({{Gpu::Failure::watchdog, "watchdog"},
                                                {Gpu::Failure::host_memory, "host_memory"},
                                                {Gpu::Failure::aborted, "aborted"}});
}

}  // namespace asterism
