// A GPU: pipelines that run kernels, an L2 cache, memory of many channels with a zone monitor each
// (zone_monitor.h), a copy engine on the host's link, and the device-side offloaders that copy zones into a
// transfer buffer.
//
//   gpu.allocate(bytes)                    [0, bytes) is in use: the content of a full snapshot
//   gpu.launch(now, source, kernel)        ... Sink::kernel_ended
//   gpu.begin_snapshot(now, kind, ...)     the present content of the memory is the snapshot; no kernel may
//                                          run at this time
//   gpu.launch(...)                        runs at once; writes to zones that are not preserved wait
//   Sink::snapshot_taken                   every zone is in the host's memory
//
// Kernels. A pipeline issues its accesses (kernel_source.h) in order, each `gap` after the previous one or as
// soon as the memory accepts it: a channel moves the bytes of one access after the other, and a pipeline does
// not run ahead of it by more than a microsecond. Accesses go through the L2 (write back, lines of 128 bytes,
// least recently used evicted); the monitor of the channel checks what is evicted. A write that has to wait
// takes an entry in the channel's queue; when the queue is full, a pipeline that needs an entry stalls, in
// order of arrival with others. Waiting writes therefore slow down a kernel only when the buffers are full. A
// kernel has ended when all pipelines have; the L2 keeps its lines, dirty or not. A write changes each 8-byte
// word w of the bytes that it covers to kernel_word(w, kernel, address), so that the result of a kernel
// depends on what it found.
//
// Snapshots. begin_snapshot() first writes all dirty lines of the L2 to memory; nothing else proceeds during
// that time. `full` takes all zones in use, `increment` those written since the previous snapshot; an
// increment requires that the previous one was completed, and every one before it back to the last full one.
//
//   by the driver   The driver reads which zones are to be saved (unpreserved()), has zones copied
//                   (copy_out), and reports when writes to them may proceed (preserve). That report is a
//                   hint: a late or missing one only costs time. finish_snapshot() ends the snapshot.
//   by the device   In each channel an offloader copies zones into its part of the transfer buffer: first
//                   those with waiting writes (duplicate-on-write), then the others in order, but the latter
//                   only while half of the part is free. Copies use the channel twice (read and write), and
//                   the zone is preserved at once. Parts with `transfer` bytes, or to which nothing can be
//                   added, go to the host one after the other, first those that lack space for a zone with a
//                   waiting write. The snapshot ends with the arrival of its last zone.
//
// A transfer is written to the host's memory, or read from it, in pieces: each when the link has moved it
// and the accesses for the previous one have ended. While one waits for that, the link holds the transfer.
// The transfer ends with those for its last piece. With each zone that is preserved, the monitors' caches
// are updated with the table, so no write waits longer than necessary. In both modes zones are stored
// contiguously in the host's memory from `extent` on, in the order of Sink::arrived.
//
// A write that waits longer than `watchdog` aborts the snapshot, as abort_snapshot() does: all writes
// proceed, and the next snapshot has to be full. The same happens if an access to the host's memory fails.
//
// Errors of memory (device_channel.h). An uncorrectable error contains its zone, as the page of an A100 is
// taken offline. A kernel that reads it is stopped at once, and ends with Sink::kernel_stopped; a snapshot
// that copies it is given up. A kernel may have read and written ahead by up to a slice of time
// (kernel_pipelines.h). retire() replaces the zone by spare memory, as long as there is any; its contents are
// lost, and the next snapshot has to be full. Zones that were retired stay so. A zone whose containment has
// not been reported when the GPU is reset, is reported by reset().
//
// The sink is called from within methods; it may call any method except advance_to() and reset().
//
// reset: warm ends kernels and the snapshot, empties the L2 (its dirty data are lost), and keeps memory; cold
// and power_loss also empty memory, and end transient faults. After every kind the next snapshot has to be
// full. Contained zones stay so until they are retired or the power fails; retired ones stay retired.
//
// Source: lee2019 sections 4.1 to 4.3, 5.1; rates and sizes in gpu_config.h. The model of pipelines and
// queues is this project's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/engine.h"
#include "base/memory_port.h"
#include "base/statistics.h"
#include "gpu/gpu_config.h"
#include "gpu/gpu_memory_fault.h"
#include "gpu/host_link.h"
#include "gpu/kernel_source.h"

namespace asterism {

enum class SnapshotKind : std::uint8_t { full, increment };
enum class Offloader : std::uint8_t { driver, device };

class Gpu {
 public:
  enum class Failure : std::uint8_t { watchdog, host_memory, aborted, memory_error };

  // The host's memory at the other end of the link. Data are empty if contents are not kept.
  struct HostMemory : MemoryPort {
    // Called for memory that was never written, if contents are kept; a host that does not store zeros need
    // not store anything.
    virtual void write_zeros(Picoseconds now, Address to, Bytes size, OnAccessEnd ended) {
      write(now, to, std::vector<std::byte>(size.count()), std::move(ended));
    }
    // The size of the pieces of a transfer.
    virtual Bytes piece() const { return HostLink::whole; }
  };
  struct Sink {
    virtual ~Sink() = default;
    // A write that is in the L2 may not be in memory yet.
    virtual void kernel_ended(Picoseconds at) = 0;
    // In place of kernel_ended(): it has read this zone, which is contained.
    virtual void kernel_stopped(Picoseconds at, Zone) { kernel_ended(at); }
    // The first uncorrectable error of the zone; `offset` is that of its sector.
    virtual void zone_contained(Picoseconds /*at*/, Zone, std::uint32_t /*offset*/, GpuReader /*by*/) {}
    // The first write to the zone that has to wait; only if the driver takes the snapshot.
    virtual void zone_waits(Picoseconds at, Zone zone) = 0;
    // These zones are now stored contiguously in the open extent.
    virtual void arrived(Picoseconds at, std::span<const Zone> zones) = 0;
    virtual void snapshot_taken(Picoseconds at) = 0;
    virtual void snapshot_failed(Picoseconds at, Failure why) = 0;
    virtual void copied_in(Picoseconds at) = 0;
  };

  // Throws std::invalid_argument, with a message for a user, for a config from which no GPU can be built
  // (problem_of()).
  Gpu(const GpuConfig& config, MemoryContents contents, std::uint32_t number, HostLink& link,
      HostMemory& host, Sink& sink);
  ~Gpu();

  const GpuConfig& config() const;

  void allocate(Bytes size);
  Bytes allocated() const;
  // Writes of kernels are noted for increments from now on. Off after a reset.
  void track(bool on);

  // Throws std::logic_error while a kernel runs, and while memory is copied in that excludes it. The source
  // must exist until the kernel has ended.
  void launch(Picoseconds now, KernelSource& source, std::uint64_t kernel);
  bool running() const;
  // Whether nothing that is copied prevents a kernel: memory being copied in, or the rest of an aborted
  // snapshot.
  bool may_run_beside_copies() const;
  bool may_copy_in() const;  // as far as kernels are concerned
  // The number of pipelines of the kernel that are stalled for an entry in a queue.
  std::uint32_t stopped_pipelines() const;

  // Whether begin_snapshot() would be accepted, and why not. not_tracking: for an increment. copying: into
  // memory, or the rest of an aborted snapshot that is still on the link.
  enum class Refusal : std::uint8_t {
    none,
    running,
    open,
    needs_full,
    nothing_allocated,
    not_tracking,
    copying
  };
  Refusal refusal(SnapshotKind kind) const;
  // Zones are stored in the host's memory from `extent` on. Throws std::logic_error if refused. Returns the
  // time at which the snapshot has begun.
  Picoseconds begin_snapshot(Picoseconds now, SnapshotKind kind, Offloader by, Address extent);
  bool snapshot_open() const;
  std::uint32_t snapshot_zones() const;  // of the open snapshot, or of the last one
  std::uint32_t unpreserved() const;     // the number of zones
  // The number of a zone; does not wrap around.
  std::optional<Zone> next_unpreserved(std::uint32_t from) const;

  // For snapshots taken by the driver, with one copy at a time. These throw std::logic_error if the stated
  // conditions on their zones do not hold.
  bool copying() const;               // whether zones are being copied, out or in
  bool awaits_copy(Zone zone) const;  // it belongs to the open snapshot and was not copied
  void copy_out(Picoseconds now, std::span<const Zone> zones);  // zones that await it, each listed once
  bool may_preserve(Zone zone) const;                           // whether it has arrived
  // Zones that may be preserved; repeating it has no effect.
  void preserve(Picoseconds now, std::span<const Zone> zones);
  bool may_finish() const;  // whether every zone has arrived
  void finish_snapshot(Picoseconds now);
  // Aborts a snapshot of either mode, which is also reported by Sink::snapshot_failed.
  void abort_snapshot(Picoseconds now);
  // The last snapshot cannot be used: the next one has to be full.
  void require_full();

  // Copies zones from the host's memory, where they are stored contiguously. Ends with Sink::copied_in, or
  // with snapshot_failed if an access to the host's memory fails. No snapshot may be in progress, and no
  // kernel either, unless config.copy_in_beside_kernels: then both use the channels, and a kernel should not
  // use these zones. The zones are not tracked as written, and the next snapshot has to be full.
  void copy_in(Picoseconds now, std::span<const Zone> zones, Address from);

  // The contents as kernels see them: L2, waiting writes, memory. It takes no time.
  void peek(std::uint64_t address, std::span<std::byte> data) const;
  // A write by the host to memory in use, while nothing runs and no snapshot is open; it is tracked as
  // written.
  void poke(std::uint64_t address, std::span<const std::byte> data);
  const DeviceMemory& memory() const;

  // The clock of the pipelines from now on, in percent of its speed. No reset changes it.
  void set_clock(std::uint32_t percent);
  // A fault of memory whose contents are kept, from now on.
  void inject(const GpuMemoryFault& fault);
  bool is_contained(Zone zone) const;
  std::uint32_t spare_zones() const;  // that are left
  std::uint64_t corrected() const;    // sectors, in all channels
  std::uint64_t uncorrectable() const;
  struct MemoryErrors {  // since the start; errors are reads of sectors
    std::uint64_t faults = 0, corrected = 0, uncorrectable = 0, silent = 0, zones_retired = 0;
  };
  MemoryErrors memory_errors() const;
  enum class Retirement : std::uint8_t { done, busy, no_spare, uncorrectable };
  // A zone that is not contained is copied, as its decoder delivers it. busy: a kernel, a snapshot or a copy
  // is in progress. uncorrectable: an error has been found meanwhile, so that the zone is contained and not
  // yet replaced.
  Retirement retire(Picoseconds now, Zone zone);

  ZoneMonitor& monitor(std::uint32_t channel);
  const ZoneMonitor& monitor(std::uint32_t channel) const;

  // The events of the GPU and of its part of the link. The owner of the link advances the link, and calls
  // this when transfers have ended.
  void transferred(Picoseconds now);
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Kernels, accesses, L2 hits, writes checked and stalled, the time for which pipelines stalled, duplicates,
  // bytes to the host, transfers and their size, and the sums of what the monitors report.
  void report(Statistics& statistics) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace asterism
