// Where the nodes of buddy checkpointing keep their checkpoints, and how long a dump and a restart take then: in
// memory, or half or all of them on the node's SSD. ni2012 sections 4.4 and 5.4.
//
// A node's checkpoint is as large as the memory that the program uses, M_a. While the next ones are written a
// node has two of its own and two of its buddy:
//
//   way         memory at its peak, afterwards   SSD holds   SSD takes in an interval
//   in_memory   5 M_a, 3 M_a                     -           -
//   half_ssd    3 M_a, 2 M_a                     2 M_a       M_a, the buddy's
//   full_ssd    M_a, M_a                         4 M_a       2 M_a
//
// So the half goes with M_a up to a third of the memory. The paper has the peak and the end of the first line and the
// third; the others follow.
//
// Assumed, as the paper has times of restarts in a picture only: the buddy reads the lost node's checkpoint and sends
// it piece by piece, so that the slower of the two counts; then all nodes go back to their own. Dumps likewise: the SSD
// takes the local copy in the place of memory, and the buddy's as it comes.
#pragma once

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/semi_blocking.h"

namespace asterism {

enum class BuddyStorage { in_memory, half_ssd, full_ssd };
constexpr auto enum_names(BuddyStorage) {
  return std::to_array<EnumName<BuddyStorage>>(
      {{BuddyStorage::in_memory, "in_memory", "all checkpoints"},
       {BuddyStorage::half_ssd, "half_ssd", "the buddy's on the SSD, one's own in memory"},
       {BuddyStorage::full_ssd, "full_ssd", "all on the SSD"}});
}

struct BuddyNode {
  Bytes used;  // M_a
  Bytes memory, ssd;
  Bandwidth ssd_read, ssd_write;
};

struct BuddyRoom {
  Bytes peak, afterwards;  // of memory, the program's included
  Bytes ssd;               // held
  Bytes ssd_writes;        // in an interval
};
BuddyRoom buddy_room(BuddyStorage storage, Bytes used);

// half_ssd where M_a is at most a third of the memory, else full_ssd: section 4.4.
BuddyStorage storage_by_memory(const BuddyNode& node);

// What checkpoints cost that cost `in_memory` there: delta, c and overlap no shorter than what the SSD writes, R with
// what it reads. Throws std::invalid_argument for an M_a or a bandwidth of 0, and where memory or SSD is too small.
BuddyCheckpoint stored(const BuddyCheckpoint& in_memory, BuddyStorage storage, const BuddyNode& node);

// Eq. 3.1's overhead where checkpoints are sent by lot in the place of the program's idle times alone, section 4.3. The
// NIC is busy for the program for u of the time, and the dump takes it for `dump` (c): sent in idle times, that is
// opportunistic = dump / (1 - u). An overlap that is shorter leaves the program overlap - dump of NIC, with which it
// gets on by (overlap - dump) / u: it is later by (dump - (1 - u) overlap) / u beyond `overhead`, what opportunistic
// sending costs. A longer one leaves the NIC idle, and costs no more than that one here; the paper's grows slightly.
// Throws std::invalid_argument unless dump <= overlap and dump < opportunistic.
Seconds overhead_of_overlap(Seconds overlap, Seconds opportunistic, Seconds overhead, Seconds dump);

}  // namespace asterism
