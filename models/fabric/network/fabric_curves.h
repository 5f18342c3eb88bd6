// What packets of a contended fabric wait for at the links on their way, as a few numbers that are fitted to
// the flit engine (link_load.h has the formula; traffic/fabric_fit.h fits them). Those of each kind of
// topology are in configs/fabric_curves, with the errors that remain where they have been measured.
#pragma once

#include <string>

#include "fabric/fabric_config.h"
#include "fabric/network/link_load.h"

namespace asterism {

class Fields;

// Of the loads that were fitted, and of others (held out): the mean of the absolute errors and the largest,
// as fractions. Below the knee, where an access takes less than twice its time without load, the error is
// that of the mean latency of an access, and above it that of the throughput.
struct FabricCurveErrors {
  double latency_mean = 0, latency_worst = 0, throughput_mean = 0, throughput_worst = 0;
};
void describe(Fields& f, FabricCurveErrors& errors);

struct FabricCurves {
  TopologyKind topology = TopologyKind::mesh;
  LinkCurve injection{.contention = 1, .knee = 1}, channel{.contention = 1.2, .knee = 0.8},
      ejection{.contention = 1, .knee = 0.9};
  FabricCurveErrors fitted = {}, held_out = {};
};
void describe(Fields& f, FabricCurves& curves);

// The name of the curves that a contended fabric uses: that of its topology, unless it has the key.
std::string curves_name(const FabricConfig& config);
// What is wrong with its curves: they are those of another topology. "" if nothing is.
std::string curves_problem(const FabricConfig& config, const FabricCurves& curves);

}  // namespace asterism
