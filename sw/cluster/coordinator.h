// The state that rank 0 keeps of all ranks: which copies exist, which ranks are ready, and which have
// completed a checkpoint. These functions only count; buddy.c sends and receives the messages.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  coordinator_rank_limit = 64,
  coordinator_held_limit = 4,  // versions per rank and holder; only the newest are kept
};

typedef struct {
  uint64_t versions[coordinator_held_limit];  // 0: none
} HeldVersions;

typedef struct {
  uint32_t ranks;
  bool awaits_storage;
  uint64_t offered, ready, completed;  // a bit for each rank
  uint64_t completing;                 // the version to which `completed` belongs
  HeldVersions own[coordinator_rank_limit], buddys[coordinator_rank_limit], stored[coordinator_rank_limit];
} Coordinator;

// What a rank lacks of the version to be restored: the data of a `restore` message.
enum { lacks_state = 1, buddy_lacks_copy = 2, state_from_storage = 4 };

typedef struct {
  bool is_possible;
  uint64_t version;                       // the newest version held of every rank; 0: the beginning
  uint8_t lacks[coordinator_rank_limit];  // by rank
  // If not possible: a bit for each rank of which no copy is held; 0 if each has copies, but no version is
  // held of all.
  uint64_t lost;
} RestorePlan;

void coordinator_begin(Coordinator* c, uint32_t ranks, bool has_storage);  // begins an epoch
// Takes the offer of a rank or of storage: pairs of u64 {owner, version} (message.h). True: it was the last
// one missing.
bool coordinator_offer(Coordinator* c, uint32_t from, const uint8_t* pairs, size_t count);
void coordinator_plan(const Coordinator* c, bool from_beginning, RestorePlan* plan);
bool coordinator_ready(Coordinator* c, uint32_t rank);  // true: now all ranks are ready
bool coordinator_complete(Coordinator* c, uint32_t rank,
                          uint64_t version);  // true: now all ranks are complete
