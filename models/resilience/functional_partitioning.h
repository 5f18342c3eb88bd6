// Functional partitioning (li2010): of the Y cores of a node, X do not compute but run auxiliary applications
// in the background of the program's writes; FP(X, Y). This is the part of it that is arithmetic: how many
// nodes may share an SSD, what a run gains by where its checkpoints go, and at which rate checkpoints pass
// cores that look for duplicates. The store itself, chunk by chunk, is aggregate_store.h.
//
// Sizes are in bytes, bandwidths in bytes a second, life in days.
//
// Range of validity, in which each of them is arithmetic and exact:
//
//   sharing     Wear is spread over all blocks and an erase frees only old data: a flash whose collection
//               moves live data lasts shorter by that write amplification. Checkpoints of all nodes have one
//               size and one interval. C2 keeps one of each; a checkpoint that must not be lost while the
//               next is written takes two.
//   run_time    Computing and writing alternate, and the store gives each node its whole bandwidth: no
//               queues, no overlap.
//   rates       Chunks are many and alike, and hashing costs the same for a duplicate and for a new chunk.
//               The copy into the store, which bounds the gain of a second core, is left out:
//               aggregate_store.h has it, and README.md has both beside the published rates.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "resilience/seconds.h"

namespace asterism {

// Table I: the nodes that may share an SSD. 28.8 checkpoints a day, one in 50 minutes, is not stated; it
// gives all the integers of the table (XGC1's 920 MB a node read as 16 times its 120 MB a core).
struct SharedSsd {
  Bytes capacity = Bytes(32'000'000'000);
  double erase_cycles = 1e5;
  double life_days = 5 * 365;
  double checkpoints_a_day = 28.8;
};

// C1, the number of nodes with which the SSD lasts: capacity times cycles over what a node writes in its life
// (Eq. 1, perfect wear leveling). C2, the number of nodes of which it holds a checkpoint each. Both throw
// std::invalid_argument unless every number is above 0, and if the result does not fit into 64 bits.
std::uint64_t nodes_by_lifetime(const SharedSsd& ssd, Bytes node_checkpoint);
std::uint64_t nodes_by_capacity(const SharedSsd& ssd, Bytes node_checkpoint);

// Figure 4: a run computes and then writes data from each node, and its time depends on where it writes. The
// two parameters express two measured times; the paper does not say what in the program determines them.
struct PartitionedRun {
  Seconds compute;  // T_c
  Bytes data;       // D, of a node
};
// Throws std::invalid_argument unless the bandwidth is above 0 and the time is 0 or more.
Seconds run_time(const PartitionedRun& run, Bandwidth store);

// The bytes of a checkpoint per second that pass a node's FP cores if a share of `duplicates` is found by its
// hash and not written. A single core hashes a chunk and then writes it; of two cores, one hashes while the
// other writes. They throw std::invalid_argument unless the bandwidths are above 0 and the share is within 0
// and 1.
double rate_of_one_core(Bandwidth hash, Bandwidth store, double duplicates);   // FP(1, Y): bytes a second
double rate_of_two_cores(Bandwidth hash, Bandwidth store, double duplicates);  // FP(2, Y)

}  // namespace asterism
