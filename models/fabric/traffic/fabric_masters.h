// Masters that access targets over a fabric in a closed loop, on the flit engine and on the contended one:
// what the curves of a topology are fitted with, and measured by (fabric_fit.h).
//
// Each master has `in_flight` accesses under way, each of which is followed by the next one after a pause.
// An access is a request, the target's own time, and a response; a read's response and a write's request
// carry a line of data. Masters and targets are on nodes of their own, chosen at random.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "fabric/network/fabric_curves.h"
#include "fabric/network/flit_network.h"
#include "fabric/topology/topology.h"

namespace asterism {

struct FabricLoad {
  std::uint32_t masters = 1, targets = 1, in_flight = 1;
  Picoseconds pause = 0_ps;  // mean: from half of it to one and a half
  double writes = 0;         // share
  Picoseconds target_time = 20_ns;
  std::uint64_t seed = 1;
};

struct FabricLoadResult {
  std::uint64_t accesses = 0;  // begun in the measured time
  double latency = 0;          // their mean, in ps
};

// The loads run for `warm_up` and then as long as is measured.
struct FabricLoadTime {
  Picoseconds warm_up = 5_us, measured = 10_us;
};

FabricLoadResult run_flit(const FabricLoad& load, const std::shared_ptr<const Topology>& topology,
                          const FlitParameters& flit, const FabricLoadTime& time = {});
// The masters run one after the other, ahead of each other by up to `quantum`. Without curves, loosely.
FabricLoadResult run_predicted(const FabricLoad& load, const std::shared_ptr<const Topology>& topology,
                               const FlitParameters& flit, const std::optional<FabricCurves>& curves,
                               Picoseconds quantum, const FabricLoadTime& time = {});

}  // namespace asterism
