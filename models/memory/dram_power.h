// Energy of DRAM by command counts, from the currents of its data sheet (the IDD method, as in Micron's TN-41-01).
//
// Simplified: a rank is in standby whenever it does nothing (no power-down, no self-refresh), an auto-precharge ends
// active standby at its command, termination and the data bus outside the chips are left out.
#pragma once

#include "base/statistics.h"
#include "memory/dram_channel.h"
#include "memory/dram_part.h"

namespace asterism {

// In pJ, of all chips together.
struct DramEnergy {
  double activate = 0, read = 0, write = 0, refresh = 0, background = 0;
  double total() const { return activate + read + write + refresh + background; }
};

// `ranks` of them for `elapsed` clocks, the counts being of all of them.
DramEnergy dram_energy(const DramPart& part, const DramCounts& counts, std::uint64_t ranks, Tick elapsed);

void report(Statistics& statistics, const DramEnergy& energy);

}  // namespace asterism
