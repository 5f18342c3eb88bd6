// What a snapshot trial is made of, all of it drawn from its seed: tiny devices, extreme settings.
#pragma once

#include "base/random.h"
#include "gpu/gpu_config.h"
#include "gpu/host_link.h"
#include "gpu/truth/snapshot_trial.h"

namespace asterism {

// Of one GPU with its program and driver.
struct TrialSetup {
  GpuConfig gpu;
  Bytes allocated;
  SnapshotChoice choice;       // mixed, or a name
  std::uint32_t buffer_zones;  // of the preservation buffer
  Picoseconds one_way, hint_interval;
  Picoseconds lateness;           // of the driver, at most
  std::uint32_t refuses_once_in;  // transfers to and from the host's memory; 0: never
  std::uint32_t busy;             // accesses of a kernel, about
  Picoseconds gap;                // between those of a pipeline, at most
  bool is_aimed = false;          // at copies that gather zones
};

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high);
bool one_in(Random& random, std::uint32_t n);

HostLinkConfig any_link(Random& random);
TrialSetup any_setup(const SnapshotTrialConfig& config, Random& random);
// Small zones, several of which fit into a transfer, and writes that soon wait for many of them.
TrialSetup aimed_setup(Random& random);
SnapshotConfig any_snapshot(const TrialSetup& setup, Random& random);

}  // namespace asterism
