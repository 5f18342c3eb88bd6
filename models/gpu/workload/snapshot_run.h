// What a snapshot costs the program whose GPU it is taken of, without cores.
//
// The GPU is one of so many on a processor's link. The others are not simulated and move bytes all the time:
// they take their snapshots, too. The run:
//
//   - all memory in use is saved, while no kernel runs: the full blocking snapshot that others are compared
//     with
//   - two iterations of the program: after the first all zones are dirty that ever will be, in the second
//     every kernel's own time is measured
//   - the snapshot, in the way that is asked for; kernels go on, at once or, if it blocks them, when it has
//     been taken
//
// Kernels go on until it has been taken, or until two iterations have passed and in the last no write has
// waited: as kernels do the same again and again, everything that they write to is preserved then. The rest
// of the snapshot passes without them, and costs the program what it would have at the pace of that
// iteration.
//
// Source: lee2019 sections 5.1 (a snapshot at saturation; bandwidth by the GPUs of a processor), 6.1. That
// kernels after the writes' last wait are not simulated is this project's.
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
};

// As if the GPU were smaller by this factor, for a program of which only so much is simulated: L2 and
// transfer buffer, not its memory, its bandwidth or what is constant of every transfer.
GpuConfig scaled(const GpuConfig& gpu, double factor);

struct SnapshotRunResult {
  bool stopped = false;  // as was asked for; nothing else is told then
  std::optional<Gpu::Failure> failure;

  Picoseconds full;           // what the full blocking snapshot took
  Picoseconds taken;          // until the snapshot was in the host's memory
  Picoseconds iteration;      // of the program, alone
  std::uint64_t kernels = 0;  // that ran while it was taken

  // Of the program's time.
  struct Lost {
    Picoseconds stopped;    // kernels wait: for the L2 to be written back; if it blocks them, for all of it
    Picoseconds waited;     // kernels in which writes wait for their zones take longer
    Picoseconds bandwidth;  // others take longer: copies use the channels
    Picoseconds all() const { return stopped + waited + bandwidth; }
  } lost;

  std::uint32_t zones = 0, zones_in_use = 0;  // that were taken
  Bytes to_host{};
  std::uint64_t transfers = 0;
  std::uint64_t duplicates = 0;         // zones copied in the device because a write waited
  std::uint64_t waits = 0, stalls = 0;  // zones for which writes waited; checks by which one had to
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
  bool write(Picoseconds, Address, Bytes, std::span<const std::byte>) override { return true; }
  bool read(Picoseconds, Address, Bytes, std::span<std::byte>) override { return true; }
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

  Picoseconds now_, begun_;                   // kernels may go on
  std::optional<Picoseconds> taken_, ended_;  // of what is under way
  std::uint64_t kernel_ = 0, steps_ = 0;
  std::vector<Picoseconds> alone_;  // of an iteration
  SnapshotRunResult result_;
};

}  // namespace asterism
