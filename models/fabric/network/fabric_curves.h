// What packets of a contended fabric wait for at the links on their way, as a few parameters that are fitted
// to the flit engine (link_load.h has the formula; traffic/fabric_fit.h fits them). Those of each kind of
// topology are in configs/fabric_curves, with the errors that remain.
#pragma once

#include <string>

#include "base/curve_errors.h"
#include "fabric/fabric_config.h"
#include "fabric/network/link_load.h"

namespace asterism {

class Fields;

struct FabricCurves {
  TopologyKind topology = TopologyKind::mesh;
  std::string digest = {};  // curves_digest() of the fabric that was fitted
  LinkCurve injection{.contention = 1, .knee = 1}, channel{.contention = 1.2, .knee = 0.8},
      ejection{.contention = 1, .knee = 0.9};
  CurveErrors fitted = {}, held_out = {};  // of the loads that were fitted, and of others
};
void describe(Fields& f, FabricCurves& curves);

// The name of the curves that a contended fabric uses: that of its topology, unless it has the key.
std::string curves_name(const FabricConfig& config);
// The digest of what waits at links depend on: the kind of the topology, how its routers are connected, and
// their parameters. Curves are for fabrics of any size and graph, and the clocks, the lengths of links and
// the width of channels are in the formula.
std::string curves_digest(const FabricConfig& config);
// What is wrong with its curves: they are those of another topology, or of other routers. "" if nothing is.
std::string curves_problem(const FabricConfig& config, const FabricCurves& curves);

}  // namespace asterism
