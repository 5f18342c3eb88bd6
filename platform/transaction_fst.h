// A trace of transactions as FST, for wave viewers (GTKWave, Surfer).
//
// A scope for each master, "node.core0". In it, as often as its transactions overlap (a core's never do), a scope "0", "1", ... with
//   busy        1 while a transaction is under way
//   command     text: read, write, ignore
//   address     64 bits
//   bytes       32 bits
//   response    text, from the transaction's end on
// Time is simulated, in picoseconds. The file's bytes depend on the trace only.
#pragma once

#include <filesystem>

#include "platform/transaction_trace.h"

namespace asterism {

// Throws TransactionTraceError when the file cannot be made.
void write_fst(const TransactionTrace& trace, const std::filesystem::path& file);

}  // namespace asterism
