// Where the nodes of buddy checkpointing keep their checkpoints, and how long a dump and a restart then take:
// in memory, or half or all of them on the node's SSD. ni2012 sections 4.4 and 5.4.
//
// A node's checkpoint is as large as the memory that the program uses, M_a. While the next ones are written,
// a node has two checkpoints of its own and two of its buddy:
//
//   way         memory at its peak, afterwards   SSD holds   SSD writes in an interval
//   in_memory   5 M_a, 3 M_a                     -           -
//   half_ssd    3 M_a, 2 M_a                     2 M_a       M_a, the buddy's
//   full_ssd    M_a, M_a                         4 M_a       2 M_a
//
// half_ssd is therefore possible with M_a up to a third of the memory. The paper gives the memory at its peak
// and afterwards for in_memory and full_ssd; the other numbers follow from these.
//
// Assumed, since the paper only plots the times of restarts: the buddy reads the lost node's checkpoint and
// sends it piece by piece, so that the slower of the two determines the time; then all nodes restore their
// own checkpoints. Dumps work in the same way: the SSD takes the local copy instead of memory, and that of
// the buddy as it arrives.
#pragma once

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/semi_blocking.h"

namespace asterism {

enum class BuddyStorage { in_memory, half_ssd, full_ssd };
constexpr auto enum_names(BuddyStorage) {
  return std::to_array<EnumName<BuddyStorage>>(
      {{BuddyStorage::in_memory, "in_memory", "all checkpoints in memory"},
       {BuddyStorage::half_ssd, "half_ssd", "that of the buddy on the SSD, its own in memory"},
       {BuddyStorage::full_ssd, "full_ssd", "all on the SSD"}});
}

struct BuddyNode {
  Bytes used;  // M_a
  Bytes memory, ssd;
  Bandwidth ssd_read, ssd_write;
};

struct BuddySpace {
  Bytes peak, afterwards;  // of memory, with that of the program
  Bytes ssd;               // held
  Bytes ssd_writes;        // in an interval
};
BuddySpace buddy_space(BuddyStorage storage, Bytes used);

// half_ssd if M_a is at most a third of the memory, otherwise full_ssd: section 4.4.
BuddyStorage storage_by_memory(const BuddyNode& node);

// The costs of checkpoints that cost `in_memory` in memory: delta, c and overlap are no shorter than the
// writes of the SSD, and R includes its reads. Throws std::invalid_argument for an M_a or a bandwidth of 0,
// and if memory or SSD is too small.
BuddyCheckpoint stored(const BuddyCheckpoint& in_memory, BuddyStorage storage, const BuddyNode& node);

// The overhead of Eq. 3.1 if checkpoints are sent by lottery instead of only in the program's idle times
// (section 4.3). The program uses the NIC for a share u of the time, and the dump occupies it for `dump` (c).
// If it is sent only in idle times, this takes opportunistic = dump / (1 - u). With a shorter overlap the
// program has the NIC for overlap - dump only, in which it makes a progress of (overlap - dump) / u. It is
// then later by (dump - (1 - u) overlap) / u, in addition to `overhead`, the cost of opportunistic sending. A
// longer overlap leaves the NIC idle, and costs no more than opportunistic sending here; the paper's cost
// grows slightly. Throws std::invalid_argument unless dump <= overlap and dump < opportunistic.
Seconds overhead_of_overlap(Seconds overlap, Seconds opportunistic, Seconds overhead, Seconds dump);

// The overlap of opportunistic sending by a host thread (section 4.1), which is never idle while a part of
// the copy is left: in the overlap it has the dump, and the messages of the progress that the program makes
// meanwhile, overlap - overhead, which take a share u of the thread: overlap = dump + u (overlap - overhead).
// A program that is delayed more therefore leaves the thread to the copy for longer. Throws
// std::invalid_argument unless 0 <= u < 1, and the overhead is no longer than the overlap.
Seconds overlap_of_thread(Seconds dump, Seconds overhead, double share);

// The share of a thread of a program that communicates for `ratio` times as long as it computes, and of that
// `pause` (also in computing times) without messages. Throws std::invalid_argument unless
// 0 <= pause <= ratio.
double thread_share(double ratio, double pause);

}  // namespace asterism
