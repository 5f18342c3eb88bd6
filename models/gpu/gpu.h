// A GPU: pipelines that run kernels, an L2 cache, memory of many channels with a zone monitor each
// (zone_monitor.h), a copy engine on the host's link, and the device-side offloaders that put zones into a
// transfer buffer.
//
//   gpu.allocate(bytes)                    [0, bytes) is in use: what a full snapshot takes
//   gpu.launch(now, source, kernel)        ... Sink::kernel_ended
//   gpu.begin_snapshot(now, kind, ...)     the memory as it is now is the snapshot; no kernel may run
//   gpu.launch(...)                        goes on at once; writes to zones that are not preserved wait
//   Sink::snapshot_taken                   every zone is in the host's memory
//
// Kernels. A pipeline issues its accesses (kernel_source.h) in order, each `gap` after the one before or as
// soon as the memory takes it: a channel moves its bytes one access after the other, and a pipeline does not
// run ahead of it by more than a microsecond. Accesses go through the L2 (write back, lines of 128 bytes,
// least recently used out): what it displaces is checked by the monitor of its channel. A write that has to
// wait takes a place in the channel's queue; when all are taken, the pipeline that needs one stands still, in
// order of arrival with others. So a kernel feels waiting writes only when the buffers are full. A kernel has
// ended when all pipelines have; the L2 keeps its lines, dirty or not. A write makes each 8-byte word w of
// the bytes that it covers kernel_word(w, kernel, address): what a kernel leaves depends on what it found.
//
// Snapshots. begin_snapshot() writes all dirty lines of the L2 to memory first; the time that takes passes
// before anything else goes on. `full` takes all zones in use, `increment` those written to since the
// snapshot before; an increment needs that one to be taken, and every one before it since the last full one.
//   by the driver   it learns what is to be taken (unpreserved()), has zones copied (copy_out), and says when
//                   writes to them may go on (preserve): that is a hint, given late or never it costs time
//                   only. finish_snapshot() ends it.
//   by the device   in each channel an offloader copies zones into its part of the transfer buffer: first
//                   those with waiting writes (duplicate-on-write), then the others in order, these only
//                   while half of the part is free. Copies take the channel's time twice (read and write),
//                   and the zone is preserved at once. Parts with `transfer` bytes, or to which nothing can
//                   be added, go to the host one after the other, first those for whose want of room a
//                   write waits. The snapshot ends with its last zone's arrival.
// A transfer reaches the host's memory, or is read from it, in its pieces, each when the link has moved it and the one before
// is done; while one waits for that, the link holds the transfer. The transfer ends when its last piece is done.
// With each zone that is preserved, the monitors' caches are updated with the table: no write waits in vain.
// Either way zones go to the host's memory one behind the other from `extent` on, in the order of
// Sink::arrived.
//
// A write that waits longer than `watchdog` gives the snapshot up, as abort_snapshot() does: all writes go
// on, and the next snapshot has to be full. So does memory of the host that refuses what is written to it.
//
// The sink is called while a method runs; it may call back any but advance_to() and reset().
//
// reset: warm ends kernels and snapshot, empties the L2 (what was dirty in it is lost), keeps memory; cold
// and power_loss also empty memory. Every kind makes the next snapshot a full one.
//
// Source: lee2019 sections 4.1 to 4.3, 5.1; rates and sizes in gpu_config.h. The model of pipelines and
// queues is this project's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/engine.h"
#include "base/statistics.h"
#include "gpu/gpu_config.h"
#include "gpu/host_link.h"
#include "gpu/kernel_source.h"

namespace asterism {

enum class SnapshotKind : std::uint8_t { full, increment };
enum class Offloader : std::uint8_t { driver, device };

class Gpu {
 public:
  enum class Failure : std::uint8_t { watchdog, host_memory, aborted };

  // The host's memory at the other end of the link. Data is empty where contents are not kept. False: it refuses.
  struct HostMemory {
    virtual ~HostMemory() = default;
    virtual bool write(Picoseconds now, Address to, Bytes size, std::span<const std::byte> data) = 0;
    virtual bool read(Picoseconds now, Address from, Bytes size, std::span<std::byte> data) = 0;
    // Of memory that nothing was ever written to, where contents are kept: who does not keep zeros has nothing to keep.
    virtual bool write_zeros(Picoseconds now, Address to, Bytes size) {
      return write(now, to, size, std::vector<std::byte>(size.count()));
    }
    // What of a transfer it is given at a time.
    virtual Bytes piece() const { return HostLink::whole; }
    // When it has done what it was told last. A transfer waits for it.
    virtual Picoseconds done() const { return {}; }
  };
  struct Sink {
    virtual ~Sink() = default;
    // A write that is in the L2 may not be in memory yet.
    virtual void kernel_ended(Picoseconds at) = 0;
    virtual void zone_waits(Picoseconds at,
                            Zone zone) = 0;  // its first write that has to; by the driver only
    // These lie one behind the other in the open extent now.
    virtual void arrived(Picoseconds at, std::span<const Zone> zones) = 0;
    virtual void snapshot_taken(Picoseconds at) = 0;
    virtual void snapshot_failed(Picoseconds at, Failure why) = 0;
    virtual void copied_in(Picoseconds at) = 0;
  };

  // Throws std::invalid_argument, with words for a user, for a config of which no GPU can be built (problem_of()).
  Gpu(const GpuConfig& config, MemoryContents contents, std::uint32_t number, HostLink& link,
      HostMemory& host, Sink& sink);
  ~Gpu();

  const GpuConfig& config() const;

  void allocate(Bytes size);
  Bytes allocated() const;
  // Writes of kernels are noted for increments from now on; off at reset.
  void track(bool on);

  // Throws std::logic_error while a kernel runs. The source must stay until the kernel has ended.
  void launch(Picoseconds now, KernelSource& source, std::uint64_t kernel);
  bool running() const;
  // Of the pipelines of the kernel, those that stand still for a place in a queue.
  std::uint32_t stopped_pipelines() const;

  // Whether begin_snapshot() would be accepted; why not otherwise.
  // not_tracking: of an increment; copying: into memory, or what a snapshot that was given up has left on the
  // link.
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
  // Zones go to the host's memory from `extent` on. Throws std::logic_error when refused. The time until it
  // is begun.
  Picoseconds begin_snapshot(Picoseconds now, SnapshotKind kind, Offloader by, Address extent);
  bool snapshot_open() const;
  std::uint32_t snapshot_zones() const;                            // of the open one, or the last
  std::uint32_t unpreserved() const;                               // zones
  std::optional<Zone> next_unpreserved(std::uint32_t from) const;  // number of a zone; not around

  // By the driver. One copy at a time. Throw std::logic_error where what they say of their zones does not
  // hold.
  bool copying() const;                                         // zones out or in
  bool awaits_copy(Zone zone) const;                            // of the open snapshot, and not copied
  void copy_out(Picoseconds now, std::span<const Zone> zones);  // that await it, each once
  bool may_preserve(Zone zone) const;                           // it has arrived
  void preserve(Picoseconds now, std::span<const Zone> zones);  // that may be; again does nothing
  bool may_finish() const;                                      // every zone has arrived
  void finish_snapshot(Picoseconds now);
  // However it is taken. Sink::snapshot_failed tells of it, too.
  void abort_snapshot(Picoseconds now);

  // From the host's memory, one behind the other; Sink::copied_in, or snapshot_failed when the host's memory
  // refuses. No kernel and no snapshot may be under way. It is not tracked as written: the next snapshot
  // has to be full.
  void copy_in(Picoseconds now, std::span<const Zone> zones, Address from);

  // Contents as kernels see them: L2, waiting writes, memory. Takes no time.
  void peek(std::uint64_t address, std::span<std::byte> data) const;
  // By the host, to memory in use, while nothing runs and no snapshot is open; tracked as written.
  void poke(std::uint64_t address, std::span<const std::byte> data);
  const DeviceMemory& memory() const;
  ZoneMonitor& monitor(std::uint32_t channel);
  const ZoneMonitor& monitor(std::uint32_t channel) const;

  // With those of the link that are this GPU's: who owns the link advances it, and tells of transfers that
  // have ended.
  void transferred(Picoseconds now);
  std::optional<Picoseconds> next_event() const;
  void advance_to(Picoseconds now);
  void reset(Reset kind);
  // Kernels, accesses, L2 hits, writes checked and stalled, time that pipelines stood still, duplicates,
  // bytes to the host, transfers and their size, what the monitors report, added up.
  void report(Statistics& statistics) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace asterism
