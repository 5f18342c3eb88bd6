// Converts a trace of transactions to FST, for wave viewers (GTKWave, Surfer).
//
// Each master has a scope, for example "node.core0". It contains scopes "0", "1", ... for transactions that
// overlap (those of a core never do) with the signals
//   busy        1 while a transaction is in progress
//   command     a text: read, write, ignore
//   address     64 bits
//   bytes       32 bits
//   response    a text, from the end of the transaction on
// Time is simulated time in picoseconds. The bytes of the file depend only on the trace.
#pragma once

#include <filesystem>

#include "platform/instruments/transaction_trace.h"

namespace asterism {

// Throws TransactionTraceError if the file cannot be written.
void write_fst(const TransactionTrace& trace, const std::filesystem::path& file);

}  // namespace asterism
