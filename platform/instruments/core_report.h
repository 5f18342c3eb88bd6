// What a core was doing when a run ended: its state, its registers, and the functions that it was in.
//
// The callers of a function are found by frame pointers (x29), as gcc and clang for AArch64 keep them; x30
// names the caller of a function that has no frame of its own. The memory may be in any state: a frame that
// is misaligned, not above the one before, or not in DRAM ends the list, as does the 32nd.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

class CoreModule;
class FunctionSymbols;

struct CoreReport {
  std::string name = {};     // "core 0"; in a cluster "node1: core 0"
  std::string state = {};    // "running, pc heat_step+0x14 (0x40200a08) at heat.c:41"
  std::string callers = {};  // "called by solve+0x30, main+0x58"; "" if there are none, or the core is off
  // A fault from which the core has not returned: "data abort by a store: permission fault, level 3, address
  // 0x8, pc heat_step+0x14 (0x40200a08) at heat.c:41"; "" if there is none.
  std::string fault = {};
  std::string fault_callers = {};
  std::string details = {};  // for cores.txt: registers and callers in several lines
};

// Has no effect on the core. `dram` is where frames may be. `why_no_interrupt` says why no interrupt could
// wake the core, as a clause; "" if there is no such reason.
CoreReport report_core(CoreModule& core, const FunctionSymbols& symbols, AddressRange dram,
                       const std::string& why_no_interrupt);

}  // namespace asterism
