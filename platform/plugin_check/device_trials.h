// The trials of a check: what is done to a device, each on a bench of its own.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "platform/plugin_check/check_bench.h"

namespace asterism {

// Any payloads whatever, legal or not, also by debug accesses.
void try_payloads(CheckBench& bench, std::uint64_t seed, unsigned accesses);
// Byte enables, streaming widths and debug writes where the device stores what is written.
void try_storage(CheckBench& bench, std::uint64_t seed);
// Legal accesses, whose answers, lines, transactions and statistics are recorded.
void try_stimulus(CheckBench& bench, std::uint64_t seed, unsigned accesses, Picoseconds quantum,
                  bool has_debug_reads);
// Debug accesses before simulation begins.
void try_debugger_before_run(CheckBench& bench);
void try_direct_memory(CheckBench& bench, std::uint64_t seed);
void try_concurrency(CheckBench& bench, std::uint64_t seed);
void try_reset(CheckBench& bench, std::uint64_t seed, Reset kind, TlmRule rule);

}  // namespace asterism
