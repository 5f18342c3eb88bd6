// The parts of a Gpu (gpu.h): gpu.cpp runs kernels, gpu_snapshot.cpp takes snapshots.
#pragma once

#include <optional>
#include <vector>

#include "gpu/device_channel.h"
#include "gpu/device_memory.h"
#include "gpu/device_offloader.h"
#include "gpu/event_heap.h"
#include "gpu/gpu.h"
#include "gpu/kernel_pipelines.h"

namespace asterism {

class Gpu::Impl {
 public:
  Impl(const GpuConfig& config, MemoryContents contents, std::uint32_t number, HostLink& link,
       HostMemory& host, Sink& sink);

  // ---- kernels, memory, time: gpu.cpp ----
  void launch(Picoseconds now, KernelSource& source, std::uint64_t kernel);
  void allocate(Bytes size);
  void track(bool on);
  bool may_run_beside_copies() const {
    return transfer.way == Transfer::Way::none || snapshot.open ||
           (transfer.way == Transfer::Way::in && config.copy_in_beside_kernels);
  }
  bool may_copy_in() const { return !kernel_runs || config.copy_in_beside_kernels; }
  void copy_in(Picoseconds now, std::span<const Zone> zones, Address from);
  void peek(std::uint64_t address, std::span<std::byte> data) const;
  void poke(std::uint64_t address, std::span<const std::byte> data);
  void inject(const GpuMemoryFault& fault);
  Retirement retire(Picoseconds now, Zone zone);
  DeviceChannel::Counts errors_counted() const {
    DeviceChannel::Counts sum;
    for (const DeviceChannel& channel : channels) sum += channel.counts();
    return sum;
  }
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  void report(Statistics& statistics) const;

  // ---- snapshots: gpu_snapshot.cpp ----
  Refusal refusal(SnapshotKind kind) const;
  Picoseconds begin_snapshot(Picoseconds now, SnapshotKind kind, Offloader by, Address extent);
  std::optional<Zone> next_unpreserved(std::uint32_t from) const;
  std::uint32_t unpreserved() const;
  bool awaits_copy(Zone zone) const;
  bool may_preserve(Zone zone) const;
  bool may_finish() const;
  void copy_out(Picoseconds now, std::span<const Zone> zones);
  void preserve(Picoseconds now, std::span<const Zone> zones);
  void finish_snapshot(Picoseconds now);
  void give_up(Picoseconds now, Failure why);
  void require_full() { needs_full_ = true; }
  void transferred(Picoseconds now);

  const GpuConfig config;
  const AddressSwizzle swizzle;
  DeviceMemory memory;
  std::vector<Stall> stalls;               // not handled yet
  std::vector<MemoryError> memory_errors;  // not handled yet
  std::vector<DeviceChannel> channels;
  KernelPipelines pipelines;
  Bytes allocated{};

  bool kernel_runs = false;
  std::optional<Zone> stopped_by;  // the zone whose error has stopped the kernel that ends next
  struct ErrorCounts {
    std::uint64_t faults = 0, contained = 0, retired = 0, kernels_stopped = 0, copies_failed = 0;
  } error_counts;
  struct Snapshot {
    bool open = false;
    Offloader by = Offloader::driver;
    Picoseconds begun{};  // nothing proceeds before this time
    Address next{};       // the address of the next zones
    std::uint32_t zones = 0, arrived = 0;
    std::uint64_t number = 0;
    bool tracked = true;  // whether writes were tracked from begin to end, so that an increment may follow
  } snapshot;
  struct Transfer {
    enum class Way { none, out, in } way = Way::none;
    std::vector<Zone> zones;
    std::vector<std::vector<std::byte>> contents;  // of the zones of a device-side transfer
    Address at{};                                  // the address of a transfer in
    Bytes moved{};                                 // the bytes moved by the link
    Bytes taken{};       // of these, the bytes for which accesses to the host's memory have begun
    bool waits = false;  // it waits until these have ended
  } transfer;

 private:
  // Events at the same time are handled in this order.
  enum class Event : std::uint8_t {
    host_memory,
    copy_piece,
    link_piece,
    copied_in,  // as many sectors as the index says
    wake_offloader,
    nothing_to_take,
    watchdog,
    zone_waits,
    zone_contained,
    kernel_ended,
    scrub  // the zones with this index
  };

  bool is_zone(Zone zone) const;
  void act(Picoseconds at, Event event, Zone zone);
  void hear_stalls();
  void hear_memory_errors();
  void report_contained(Picoseconds at, Zone zone);
  void begin_scrubbing(Picoseconds now);
  void scrub(Picoseconds at, std::uint32_t index);
  void look_for_old_waits(Picoseconds now);
  void look_after_pipelines();

  void end_snapshot(Picoseconds now);
  void stop_offloading();
  void release_everything(Picoseconds now);
  void resume_copying(Picoseconds now, std::uint32_t channel);
  void wake(Picoseconds now, std::uint32_t channel);
  void expect_copy(std::uint32_t channel, std::optional<Picoseconds> at);
  void expect_link_piece(std::uint32_t channel, Bytes size, Picoseconds now);
  void transfer_next(Picoseconds now);
  Bytes transfer_size() const { return config.zone * transfer.zones.size(); }
  void start_link(Picoseconds now);
  void pass_on(Picoseconds now);
  void pass_piece(Picoseconds now);
  void pass_out(Picoseconds now, Bytes from, Bytes size);
  void pass_in(Picoseconds now, Bytes from, Bytes size);
  OnAccessEnd begin_access();
  void access_ended(const AccessEnd& end);
  void refuse_transfer(Picoseconds now);
  void transferred_out(Picoseconds now);
  void transferred_in(Picoseconds now);
  void clear_transfer(Picoseconds now);

  std::uint32_t number_;
  HostLink& link_;
  HostMemory& host_;
  Sink& sink_;
  Picoseconds now_{};
  EventHeap<Event> events_;
  std::vector<DeviceOffloader> offloaders_;
  std::vector<PacedMove> link_moves_;  // what the link moves from or to each channel
  std::uint32_t last_sent_ = 0;        // a channel
  struct {
    std::uint32_t under_way = 0;  // accesses whose end is not known
    Picoseconds done{};           // when the others have ended
    bool ok = true;
    bool has_memory_error = false;  // a zone of the transfer is uncorrectable: it is not ok
    bool is_busy(Picoseconds now) const { return under_way != 0 || done > now; }
  } host_accesses_;
  std::vector<std::byte> piece_;  // the piece on its way to the host's memory
  // For snapshots by the driver, by numbers of zones: their copy was begun; it has arrived.
  std::vector<bool> copied_, arrived_;
  std::vector<MemoryError> unreported_;  // of zones that were contained, each with its event
  bool needs_full_ = true;
  bool scrubs_ = false;   // whether a scrub event is pending
  bool watches_ = false;  // whether a watchdog event is pending

  struct Counts {
    std::uint64_t snapshots = 0, failed = 0, zones = 0, transfers = 0;
    Bytes to_host{}, from_host{};
  } counts_;
};

}  // namespace asterism
