// The files that a run writes at its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cosim/lockstep.h"
#include "cosim/rtl_options.h"
#include "platform/host/run_directory.h"
#include "platform/run/run_outcome.h"
#include "platform/system/simulated_system.h"

namespace asterism {

// stats.json and host.json.
void write_statistics(const RunOutcome& outcome, const SimulatedSystem& system,
                      const RunDirectory& directory);

// cores.txt: what each core was doing.
void write_core_reports(const RunOutcome& outcome, const RunDirectory& directory);

// The instances whose RTL is traced on demand, but of which no cycle was simulated in the window of the
// trace.
std::vector<std::string> instances_without_trace(const RtlOptions& options);

// The first mismatches of `all` between RTL and models, one after the other, with the paths that their traces
// will have when the run is over.
std::string text_of(std::vector<Lockstep::Mismatch> first, std::uint64_t all, const RunDirectory& directory);

}  // namespace asterism
