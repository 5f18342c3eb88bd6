// A checkpoint on a neighbour's PCRAM (dong2011 Table XI, the global media of DIMM+DIMM and 3D+3D): rank 0
// dumps pages to its own PCRAM, reads them back, sends them by its NIC, and rank 1 stores them in its PCRAM;
// then everything is sent back.
#pragma once

#include <stdint.h>

#include "boot/exit_status.h"

// Runs on two whole nodes of a cluster whose PCRAM has been found. Prints the time of each direction and
// writes it to result.txt of rank 0.
ExitStatus neighbour_dump(uint64_t* first, uint32_t pages);
