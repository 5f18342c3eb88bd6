// Energy of DRAM by command counts, from the currents of its data sheet (the IDD method, as in Micron's TN-41-01).
//
// Simplified: a rank is in standby whenever it does nothing (no power-down, no self-refresh), an auto-precharge ends
// active standby at its command, termination and the data bus outside the chips are left out.
#pragma once

#include <cstdint>

#include "base/statistics.h"
#include "memory/dram_part.h"

namespace asterism {

// In pJ, of all chips together.
struct DramEnergy {
  double activate = 0, read = 0, write = 0, refresh = 0, background = 0;
  double total() const { return activate + read + write + refresh + background; }
};

// What was issued to all ranks together, and how long, in clocks of the part.
struct DramActivity {
  std::uint64_t activates = 0, reads = 0, writes = 0, refreshes = 0;
  std::uint64_t open_clocks = 0, all_clocks = 0;  // of all ranks: with a row open, altogether
};

DramEnergy dram_energy(const DramPart& part, const DramActivity& activity);

void report(Statistics& statistics, const DramEnergy& energy);

}  // namespace asterism
