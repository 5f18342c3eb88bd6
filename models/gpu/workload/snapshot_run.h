// What a snapshot costs the program on the GPU, simulated without cores.
//
// The GPU is one of several on a processor's link. The others are not simulated and move bytes all the time,
// since they take snapshots, too. The run:
//
//   - all memory in use is saved, while no kernel runs: the full blocking snapshot to which others are
//     compared
//   - two iterations of the program: in the first, all zones become dirty that ever will; in the second,
//     every kernel's own time is measured
//   - if the snapshot is taken earlier than at saturation: another full snapshot, and some kernels
//   - the snapshot, in the requested way; kernels run again at once or, if it blocks them, when it has been
//     taken
//
// A snapshot costs fixed times, too. The driver learns of the end of the last kernel and sends its command: a
// round trip in which the GPU is idle. For a full snapshot it writes the zone table, one bit for each zone in
// use, before the command (section 4.1.3, b1). For an increment that it copies itself it reads as many bits
// before the first copy. Both are a transfer over the link.
//
// Kernels run until it has been taken, or until two iterations have passed and no write has waited in the
// last one: since kernels repeat the same accesses, everything that they write is preserved then. The rest of
// the snapshot passes without them, and is assumed to cost the program what it would have at the pace of that
// iteration.
//
// Source: lee2019 sections 5.1 (a snapshot at saturation; bandwidth by the GPUs of a processor), 6.1. That
// kernels after the last waiting write are not simulated is this project's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gpu/gpu.h"
#include "gpu/preservation_buffer.h"
#include "gpu/snapshot_config.h"
#include "gpu/snapshot_driver.h"
#include "gpu/workload/kernel_program.h"

namespace asterism {

struct SnapshotRunConfig {
  GpuConfig gpu = {};
  HostLinkConfig link = {};
  SnapshotConfig how = {};
  std::uint32_t gpus_per_cpu = 16;
  Picoseconds hint_interval = 100_us;  // assumed
  bool gather_waiting = true;          // of the driver: zones with waiting writes are copied together
  // The GPUs, this one included, whose kernels have to end before the snapshot begins (section 4, a2). The
  // paper leaves their synchronisation out; so does 1.
  std::uint32_t synchronised_gpus = 1;
  // The kernels since the snapshot before; nullopt: as many as make all zones dirty that ever will be.
  std::optional<std::uint32_t> interval_kernels = {};
};

// A GPU that is smaller by this factor, for a program of which only that share is simulated. It scales the L2
// and the transfer buffer, but not its memory, its bandwidth or the fixed costs of a transfer.
GpuConfig scaled(const GpuConfig& gpu, double factor);

// The mean time for which a GPU is idle until as many of them, each at any point of its own iteration of
// these kernels, have ended the kernel that they are in. If all kernels take t it is t (n / (n + 1) - 1 / 2).
Picoseconds synchronisation(std::vector<Picoseconds> kernels, std::uint32_t gpus);

struct SnapshotRunResult {
  bool stopped = false;  // on request; no other member is set then
  std::optional<Gpu::Failure> failure;

  Picoseconds full;           // the duration of the full blocking snapshot
  Picoseconds taken;          // until the snapshot was in the host's memory
  Picoseconds iteration;      // of the program, alone
  std::uint64_t kernels = 0;  // that ran while it was taken

  // The parts of the time that the program loses.
  struct Lost {
    // Kernels wait: for the write-back of the L2 or, if the snapshot blocks them, for all of it.
    Picoseconds stopped;
    Picoseconds synchronised;  // the GPU is idle until kernels of others have ended; part of `full`, too
    Picoseconds waited;        // kernels take longer because writes wait for their zones
    Picoseconds bandwidth;     // other kernels take longer because copies use the channels
    Picoseconds all() const { return stopped + synchronised + waited + bandwidth; }
  } lost;

  std::uint32_t zones = 0, zones_in_use = 0;  // those that were saved
  Bytes to_host{};
  std::uint64_t transfers = 0;
  std::uint64_t duplicates = 0;         // zones copied in the device because a write waited
  std::uint64_t waits = 0, stalls = 0;  // zones for which writes waited; checks by which a write had to wait
  ZoneMonitor::Lookups previous, next;  // of the whole run
};

class SnapshotRun final : private Gpu::Sink, private Gpu::HostMemory, private SnapshotDriver::Sink {
 public:
  // The program's footprint is at most the GPU's memory.
  SnapshotRun(const SnapshotRunConfig& config, KernelProgram& program);

  SnapshotRunResult run(const std::function<bool()>& stop = nullptr);

  void report(Statistics& statistics) const;

 private:
  using Difference = std::int64_t;  // of times, in picoseconds

  bool step();
  bool step_while(const std::function<bool()>& condition);
  Picoseconds table_time() const;
  void take(const SnapshotConfig& how);
  Picoseconds run_kernel();
  void run_beside();
  void pass_rest(Picoseconds time, Picoseconds alone);
  ZoneMonitor::Counts monitored() const;
  void count(const ZoneMonitor::Counts& before);

  void kernel_ended(Picoseconds at) override;
  void zone_waits(Picoseconds at, Zone zone) override { driver_.zone_waits(at, zone); }
  void arrived(Picoseconds at, std::span<const Zone> zones) override;
  void snapshot_taken(Picoseconds at) override { driver_.snapshot_taken(at); }
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override { driver_.snapshot_failed(at, why); }
  void copied_in(Picoseconds at) override { driver_.copied_in(at); }
  void write(Picoseconds now, Address, std::span<const std::byte>, OnAccessEnd ended) override {
    ended({now});
  }
  void read(Picoseconds now, Address, Bytes, OnAccessEnd ended) override { ended({now}); }
  void taken(Picoseconds at) override { taken_ = at; }
  void failed(Picoseconds, Gpu::Failure why) override { result_.failure = why; }
  void restored(Picoseconds) override {}

  SnapshotRunConfig config_;
  KernelProgram& program_;
  HostLink link_;
  Gpu gpu_;
  PreservationBuffer buffer_;
  SnapshotDriver driver_;
  std::function<bool()> stop_;

  Picoseconds now_, begun_;                   // from which kernels may run
  std::optional<Picoseconds> taken_, ended_;  // of the snapshot in progress
  std::uint64_t kernel_ = 0, steps_ = 0;
  std::vector<Picoseconds> alone_;  // of an iteration
  SnapshotRunResult result_;
};

}  // namespace asterism
