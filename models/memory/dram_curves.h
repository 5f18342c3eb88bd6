// What contended accesses to a part of DRAM wait for, as a few parameters that are fitted to the exact engine
// (contended_channel.h has the formulas; dram_fit.h fits them). The values of the parts in configs/dram are
// in configs/dram_curves, with the errors that remain.
#pragma once

#include <string>

#include "base/curve_errors.h"
#include "memory/dram_part.h"

namespace asterism {

class Fields;

struct DramCurves {
  std::string part;    // in configs/dram
  std::string digest;  // curves_digest() of the part as it was fitted
  double channel_residual = 0.45, bank_residual = 0.75;
  double burst_overhead = 0.04, activate_overhead = 0.25,
         rank_switch = 0.65;  // clocks, and a factor on tRTRS
  double write_activate = 1.1, turnaround = 0.7;
  double drain = 1.07, drain_knee = 0.5, row_closing = 1.4;
  double idle_turnaround = 0.5, write_recovery = 0.4;
  CurveErrors fitted, held_out;  // of the loads that were fitted, and of others
};
void describe(Fields& f, DramCurves& curves);

// The digest of what waits depend on: the timing constraints, the banks and the rows. Capacity and currents
// are left out.
std::string curves_digest(const DramPart& part);

}  // namespace asterism
