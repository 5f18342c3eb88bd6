// The energy of DRAM by command counts, from the currents of its data sheet (the IDD method, as in Micron's
// TN-41-01).
//
// Simplified: an idle rank is always in standby (no power-down, no self-refresh), an auto-precharge ends
// active standby at its command, and termination and the data bus outside the chips are left out.
#pragma once

#include <cstdint>

#include "base/statistics.h"
#include "memory/dram_part.h"

namespace asterism {

// Energies of all chips together, in pJ.
struct DramEnergy {
  double activate = 0, read = 0, write = 0, refresh = 0, background = 0;
  double total() const { return activate + read + write + refresh + background; }
};

// The commands issued to all ranks together, and times in clocks of the part.
struct DramActivity {
  std::uint64_t activates = 0, reads = 0, writes = 0, refreshes = 0;
  bool by_banks = false;                          // the refreshes
  std::uint64_t open_clocks = 0, all_clocks = 0;  // summed over all ranks: with a row open, and in total
};

DramEnergy dram_energy(const DramPart& part, const DramActivity& activity);

void report(Statistics& statistics, const DramEnergy& energy);

}  // namespace asterism
