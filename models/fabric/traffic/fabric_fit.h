// Fits the curves of a topology (fabric_curves.h) to the flit engine, under masters in closed loops
// (fabric_masters.h).
//
// Loads: from few masters that use one target, as the cores of a node do, to half of the nodes that use the
// other half with up to 30 accesses in flight each, without pauses to nearly unloaded. The held-out loads
// have other numbers of all of these. The parameters are changed one after the other by smaller and smaller
// factors, as long as the sum of the errors and of their squares falls: deterministic, and local.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fabric/network/fabric_curves.h"
#include "fabric/topology/topology.h"

namespace asterism {

// The configuration of a topology to which its curves are fitted, unless it is a graph.
FabricConfig fabric_to_fit(TopologyKind topology);

// Those of one kind: one, or several graphs.
using FabricsToFit = std::vector<std::shared_ptr<const Topology>>;

struct FabricFitSettings {
  unsigned rounds = 4;  // over all parameters
  bool coarse = false;  // a few of the loads
};

// Continues from the values of `start`, whose topology and digest are kept. Progress, from 0 to 1, is
// reported if wanted, at least once for each load and each change of a parameter.
FabricCurves fit_fabric_curves(const FabricsToFit& fabrics, const FlitParameters& flit,
                               const FabricCurves& start, const FabricFitSettings& settings = {},
                               const std::function<void(double)>& progress = {});

// The errors of curves on the loads that are fitted, or on those that are held out.
CurveErrors fabric_curve_errors(const FabricsToFit& fabrics, const FlitParameters& flit,
                                const FabricCurves& curves, bool held_out,
                                const FabricFitSettings& settings = {});

}  // namespace asterism
