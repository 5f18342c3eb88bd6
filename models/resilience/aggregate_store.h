// Checkpoints of a program into a store that its nodes build from their SSDs, memories or disks (li2010
// sections III to VI), chunk by chunk.
//
// Clients are the processes that compute. They are assigned to the nodes in rotation. Each writes its
// checkpoint in chunks, a few of them under way at a time. A chunk passes servers, each of which serves one
// chunk at a time, in the order of their arrival:
//
//   copy     of the client's node: from the process into the client of the store (FUSE and copying)
//   hash     of the client's node, if duplicates are looked for; a chunk that is one ends here
//   NIC      of the client's node, if the benefactor is on another node
//   store    of the benefactor: its SSD, its memory (a copy), or its disk
//
// FP(X, Y): with X = 1 hashing and storing use the same core of a node and wait for each other, or, as
// `one_core` says, copying and hashing do: a thread that waits for the SSD leaves the core to the next one
// (section III.A: a set of threads of the FUSE driver is scheduled on the core). Figure 2 hashes first and
// copies only what is new; with `hashes_and_copies` chunks pass these two servers in that order. With an X of
// 2 or more none of them wait, and X - 1 cores hash. With X = 0 there is no store: each node writes to its
// own disk.
//
// The manager gives a chunk to a benefactor of the client's node that has space, the emptier one first; if
// there is none, to one of another node, in rotation. Benefactors are assigned to the nodes as clients are.
// When all are full, chunks wait. A drain agent on each benefactor moves chunks to the disk of its node, the
// oldest first and one at a time, once the benefactor is full to a given share or a chunk waits. If the store
// is of SSDs, the chunk is read from the SSD meanwhile, which then writes less.
//
// A series of checkpoints begins with an empty store. A checkpoint begins when all clients have written the
// one before, and after a pause in which the program computes. A chunk replaces the one before in its place
// (section IV-D: files are overwritten); if that has been moved to a disk, the chunk needs new space. Every
// k-th checkpoint may be selected to be drained as a whole, in the pauses and where space is needed; until
// then its chunks are not replaced (section IV-D).
//
// With a memory bandwidth of the nodes, every pass of a chunk through a node's memory also takes its time
// there, and all of a node's cores, its SSD and its NIC share it (sections III and IV-B: contention for
// memory). A core's copy is a read and a write, a hash a read, a NIC and an SSD or disk move a chunk once. In
// a pause the program moves `traffic` bytes itself; if that and what is drained are more than the memory can
// move, the pause is longer.
//
// Every i-th chunk of a client that makes the share of duplicates whole is one. Nothing is random.
//
// Sizes are in bytes, bandwidths in bytes a second, times in seconds.
//
// Range of validity: servers whose bandwidth does not depend on the number of their users; chunks much
// smaller than a client's checkpoint and a benefactor's capacity, and so large that latencies, metadata and
// the manager's own time, which are left out, do not matter. Only the NICs bound the network. Caches are left
// out: a chunk is in memory before each pass.
#pragma once

#include <cstdint>
#include <optional>

#include "base/enum_names.h"
#include "base/units.h"
#include "resilience/long_duration.h"
#include "resilience/seconds.h"

namespace asterism {

class Fields;

enum class StoreKind { ssd, memory, disk };
constexpr auto enum_names(StoreKind) {
  return std::to_array<EnumName<StoreKind>>(
      {{StoreKind::ssd, "ssd", "the SSDs of benefactors"},
       {StoreKind::memory, "memory", "the memory of benefactors, as fast as copying"},
       {StoreKind::disk, "disk", "the disks of benefactors or, without FP cores, the disk of each node"}});
}

enum class OneCore { hashes_and_stores, copies_and_hashes, hashes_and_copies };
constexpr auto enum_names(OneCore) {
  return std::to_array<EnumName<OneCore>>(
      {{OneCore::hashes_and_stores, "hashes_and_stores",
        "hashes a chunk and waits until it is stored; other cores copy"},
       {OneCore::copies_and_hashes, "copies_and_hashes",
        "copies a chunk into the store and hashes it, while the device stores another"},
       {OneCore::hashes_and_copies, "hashes_and_copies",
        "hashes a chunk and copies it into the store if it is new, while the device stores another"}});
}

struct AggregateStore {
  StoreKind kind = StoreKind::ssd;
  std::uint32_t fp_cores = 1;  // X
  std::uint32_t cores = 8;     // Y, of a node
  OneCore one_core = OneCore::hashes_and_stores;
  std::uint32_t nodes = 20;
  std::uint32_t clients = 120;
  std::uint32_t benefactors = 20;
  Bytes checkpoint = Bytes(250'000'000);  // of a client
  Bytes chunk = Bytes(1'000'000);
  std::uint32_t buffers = 3;      // chunks of a client under way
  std::optional<Bytes> capacity;  // of a benefactor; 32 GB of an SSD or a disk, 1 GB of memory if not given
  std::optional<double>
      duplicates;  // share of chunks that are found to be stored already; not given: none are looked for
  bool drain = true;
  double drain_from = 1;  // share of the capacity
  Bandwidth copy = 205_MBps, hash = 258_MBps, ssd = 175_MBps, ssd_read = 250_MBps, disk = 85_MBps,
            nic = 5'000_MBps;
  std::optional<Bandwidth> memory;  // of a node, both directions together; not given: it is no limit
  std::uint32_t checkpoints = 1;    // one after the other
  LongDuration pause;               // between them
  Bytes traffic;                    // of the program with the memory of a node, in a pause
  std::uint32_t drain_every = 0;    // k: each k-th checkpoint is drained as a whole; 0: none

  Bytes benefactor_capacity() const;
};
// With the symbols of li2010, in lower case, as keys.
void describe(Fields& f, AggregateStore& store);

// Throws std::invalid_argument unless there are nodes, cores, clients, benefactors, chunks and bandwidths,
// fewer FP cores than cores, no more clients than the other cores, a benefactor holds a chunk, and, without
// draining, all benefactors the checkpoint, of which then none is selected to be drained.
void check_aggregate_store(const AggregateStore& store);

struct StoreResult {
  Seconds time;                      // until the last client is done, of all checkpoints, without the pauses
  double bytes_per_second = 0;       // of all checkpoints in this time
  double last_bytes_per_second = 0;  // of the last checkpoint
  Seconds paused;                    // the longest pause; longer than given if memory is short
  Bytes written, remote, drained;    // to stores; of that, to another node's; from there to disks, by then
  std::uint64_t duplicates = 0, waits = 0;  // chunks; those that waited for space
};

StoreResult checkpoint_into(const AggregateStore& store);

}  // namespace asterism
