// Snapshots of small GPUs in random interleavings, and the properties that every one of them must have.
//
// A trial builds one to three GPUs of random sizes and speeds on one link, each with a program of random
// kernels (streams, random accesses, writes to a few zones), a driver and a preservation buffer, and runs
// them: kernels are launched at random instants, snapshots are taken while kernels of others run, drivers are
// late. After any event, disturbances are mixed in: snapshots that are aborted, the loss of a GPU, drivers
// that fall silent, host memory that refuses accesses, preservation buffers that are too small, watchdogs
// that are too short for the snapshot. Each snapshot that has begun counts as one interleaving. The
// properties are:
//
//   - a snapshot that was taken, with the chain that it builds on, is the memory as it was when it was begun,
//     byte for byte
//   - it remains so until a newer one is complete, whatever happens to that one
//   - after each kernel memory has the result of its writes: none is lost, none is done twice or by the wrong
//     kernel
//   - a GPU that was lost is restored to its newest snapshot; its kernels, run again, leave the same memory
//   - no write waits longer than the watchdog, even if no driver ever reports anything; in the end everything
//     is idle
//
// A seed gives the same trial on every machine.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "base/enum_names.h"
#include "gpu/snapshot_config.h"

namespace asterism {

class Fields;

// One of snapshot_config_names, or:
enum class SnapshotChoice : std::uint8_t { any, mixed };
constexpr auto enum_names(SnapshotChoice) {
  std::array<EnumName<SnapshotChoice>, 2 + snapshot_config_names.size()> names{};
  names[0] = {SnapshotChoice::any, "any", "a trial takes one of these by its seed"};
  names[1] = {SnapshotChoice::mixed, "mixed", "a different one for each snapshot"};
  for (std::size_t i = 2; i < names.size(); ++i)
    names[i] = {SnapshotChoice(static_cast<std::uint8_t>(i)), snapshot_config_names[i - 2], ""};
  return names;
}

// Faults of the trial itself, which the trials must find.
enum class SnapshotMutant : std::uint8_t {
  none,
  write_proceeds,
  stalled_write_not_noted,
  preserved_too_early,
  extent_reused,
  zone_not_stored,
  write_lost,
  no_watchdog,
  one_zone_too_many
};
constexpr auto enum_names(SnapshotMutant) {
  using enum SnapshotMutant;
  return std::to_array<EnumName<SnapshotMutant>>(
      {{none, "none"},
       {write_proceeds, "write_proceeds", "some writes proceed although their zone is not preserved"},
       {stalled_write_not_noted, "stalled_write_not_noted",
        "a zone whose only write had to wait is not in the next increment"},
       {preserved_too_early, "preserved_too_early",
        "the zone that the device copies counts as preserved before its copy is complete"},
       {extent_reused, "extent_reused", "a new extent overlaps one that is still needed"},
       {zone_not_stored, "zone_not_stored", "the host's memory loses a zone now and then"},
       {write_lost, "write_lost", "a kernel that runs while zones are copied does one write fewer"},
       {no_watchdog, "no_watchdog", "the GPU never aborts a snapshot"},
       {one_zone_too_many, "one_zone_too_many",
        "when zones were copied together, the next one counts as preserved, too"}});
}

struct SnapshotTrialConfig {
  SnapshotChoice config = SnapshotChoice::any;
  std::uint32_t gpus = 0;  // if 0, by the seed
  std::uint32_t snapshots = 20;
  SnapshotMutant mutant = SnapshotMutant::none;
};
void describe(Fields& f, SnapshotTrialConfig& config);

// What a trial has encountered.
struct SnapshotTrialCounts {
  std::uint64_t snapshots = 0;  // snapshots that were begun: interleavings
  std::uint64_t taken_full = 0, taken_increments = 0;
  std::uint64_t aborted = 0, timed_out = 0, host_refused = 0;  // of the snapshots
  std::uint64_t in_place_of_increments = 0;  // full ones, because of the buffer or of a previous failure
  std::uint64_t no_space = 0;                // not begun
  std::uint64_t with_kernels = 0;            // a kernel ran before the snapshot ended
  std::uint64_t losses = 0, lost_in_snapshot = 0, lost_in_restore = 0;
  std::uint64_t restored = 0;                              // from a chain
  std::uint64_t restored_increments = 0;                   // with an increment in it
  std::uint64_t silent_drivers = 0, timed_out_silent = 0;  // of those timed out, with a silent driver
  std::uint64_t kernels = 0;
  std::uint64_t stalled_writes = 0, stopped_pipelines = 0;
  std::uint64_t duplicates = 0, hints = 0, preferred_zones = 0;
  std::uint64_t table_writebacks = 0;  // of sectors of the zone table
  std::uint64_t images = 0;            // the number that was compared

  SnapshotTrialCounts& operator+=(const SnapshotTrialCounts& other);
  bool operator==(const SnapshotTrialCounts&) const = default;
};

struct SnapshotTrialFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws SnapshotTrialFailure, also for inconsistencies that the models themselves detect (std::logic_error).
SnapshotTrialCounts run_snapshot_trial(const SnapshotTrialConfig& config, std::uint64_t seed);

// The same, aimed: drivers copy zones with waiting writes together, and disturbances come during such a copy.
class SnapshotStates;
SnapshotTrialCounts run_aimed_snapshot_trial(SnapshotMutant mutant, std::uint64_t seed,
                                             SnapshotStates& states);

}  // namespace asterism
