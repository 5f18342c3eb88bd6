// One GPU of a snapshot trial: it runs its program, takes snapshots, and checks the results.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <optional>
#include <vector>

#include "gpu/snapshot_driver.h"
#include "gpu/truth/trial_host.h"
#include "gpu/truth/trial_program.h"

namespace asterism {

class TrialGpu final : private Gpu::Sink, private SnapshotDriver::Sink {
 public:
  TrialGpu(const TrialSetup& setup, SnapshotMutant mutant, std::uint32_t number, HostLink& link,
           std::uint32_t snapshots, std::uint64_t seed, SnapshotStates& states);

  // All snapshots are taken or have failed, and nothing is in progress.
  bool is_at_rest() const;

  std::optional<Picoseconds> next_event() const;
  void transferred(Picoseconds now) {
    now_ = now;
    gpu_.transferred(now);
    gathered_.observe(gpu_);
  }
  CopyUnderWay copy() const { return gathered_.copy(); }
  void advance_to(Picoseconds now);
  // Injects a disturbance.
  void disturb(Picoseconds now);

  // Including the counts of the GPU and its driver.
  SnapshotTrialCounts counts() const;

 private:
  struct Kept {
    TrialProgram::State state;  // the state of the program at the snapshot
    bool exists = false;
  };

  // ---- the program ----
  bool is_finished() const { return snapshots_ == 0; }
  void resume(Picoseconds now);
  void begin_snapshot(Picoseconds now);
  void launch(Picoseconds now);
  void recover(Picoseconds now);
  void wake_soon(Picoseconds now);
  Picoseconds any_delay();

  // ---- disturbances ----
  void lose(Picoseconds now);
  void start_memory();
  void silence(Picoseconds now);
  void replace_driver(Picoseconds now);
  void snapshot_ended(Picoseconds at);

  // ---- checks ----
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw SnapshotTrialFailure(fmt::format("GPU {}, {}, at {} ps: ", number_, to_text(how_), now_.count()) +
                               fmt::format(format, std::forward<Args>(args)...));
  }
  void check_memory(const char* when);
  void check_image(const char* when);
  void check_zone(const PreservationBuffer::Copy& copy, const char* when);
  void check_waits() const;

  void kernel_ended(Picoseconds at) override;
  void zone_waits(Picoseconds at, Zone zone) override;
  void arrived(Picoseconds at, std::span<const Zone> zones) override;
  void snapshot_taken(Picoseconds at) override;
  void snapshot_failed(Picoseconds at, Gpu::Failure why) override;
  void copied_in(Picoseconds at) override;
  void taken(Picoseconds at) override;
  void failed(Picoseconds at, Gpu::Failure why) override;
  void restored(Picoseconds at) override;

  TrialSetup setup_;
  SnapshotMutant mutant_;
  std::uint32_t number_;
  std::uint32_t snapshots_;  // the number of snapshots still to be taken
  Random random_;
  Picoseconds now_{};

  TrialProgram program_;
  TrialHost host_;
  Gpu gpu_;
  PreservationBuffer buffer_;
  SnapshotDriver driver_;
  Offloader by_ = Offloader::driver;
  GatheredWatch gathered_;
  std::deque<TrialWatch> watches_;  // one for each monitor

  SnapshotConfig how_;
  std::optional<ListedKernel> kernel_;
  Kept kept_, pending_;
  std::size_t chain_ = 0;  // the number of snapshots
  bool is_lost_ = false;   // nothing of the program is in the GPU
  bool is_silent_ = false;
  bool ran_kernel_ = false;  // while the open snapshot was in progress
  std::optional<Picoseconds> wakes_, driver_sleeps_until_, replaces_driver_;
  SnapshotTrialCounts counts_;
};

}  // namespace asterism
