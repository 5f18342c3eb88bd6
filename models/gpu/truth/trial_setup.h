// The parameters of a snapshot trial, all of them drawn from its seed: tiny devices, extreme settings.
#pragma once

#include "base/random.h"
#include "gpu/gpu_config.h"
#include "gpu/host_link.h"
#include "gpu/truth/snapshot_trial.h"

namespace asterism {

// The parameters of one GPU with its program and driver.
struct TrialSetup {
  GpuConfig gpu;
  Bytes allocated;
  SnapshotChoice choice;       // mixed, or a name
  std::uint32_t buffer_zones;  // the size of the preservation buffer in zones
  Picoseconds one_way, hint_interval;
  Picoseconds lateness;           // the maximum lateness of the driver
  std::uint32_t refuses_once_in;  // transfers to and from the host's memory; 0: never
  std::uint32_t busy;             // the approximate number of accesses of a kernel
  Picoseconds gap;                // the maximum between those of a pipeline
  bool is_aimed = false;          // aims at copies that gather zones
};

std::uint32_t between(Random& random, std::uint32_t low, std::uint32_t high);
bool one_in(Random& random, std::uint32_t n);

HostLinkConfig any_link(Random& random);
TrialSetup any_setup(const SnapshotTrialConfig& config, Random& random);
// Small zones, several of which fit into a transfer, and writes that soon wait for many of them.
TrialSetup aimed_setup(Random& random);
SnapshotConfig any_snapshot(const TrialSetup& setup, Random& random);

}  // namespace asterism
