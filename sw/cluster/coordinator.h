// What rank 0 keeps for all: which copies there are, who is ready, who has completed a checkpoint. It only counts; buddy.c
// sends and receives.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  coordinator_rank_limit = 64,
  coordinator_held_limit = 4,  // versions a rank and holder: the newest count
};

typedef struct {
  uint64_t versions[coordinator_held_limit];  // 0: none
} HeldVersions;

typedef struct {
  uint32_t ranks;
  bool awaits_storage;
  uint64_t offered, ready, completed;  // a bit a rank
  uint64_t completing;                 // the version that `completed` is of
  HeldVersions own[coordinator_rank_limit], buddys[coordinator_rank_limit], stored[coordinator_rank_limit];
} Coordinator;

// What a rank lacks of the version that is gone back to: the data of the message `restore`.
enum { lacks_state = 1, buddy_lacks_copy = 2, state_from_storage = 4 };

typedef struct {
  bool is_possible;
  uint64_t version;                       // the newest that is held of every rank; 0: the beginning
  uint8_t lacks[coordinator_rank_limit];  // by rank
  // Not possible: a bit for each rank of which nothing is held; 0: of each something is, but no version of all.
  uint64_t lost;
} RestorePlan;

void coordinator_begin(Coordinator* c, uint32_t ranks, bool has_storage);  // of an epoch
// Pairs of u64 {owner, version}, as the message `offer` has them, of a rank or of storage (message.h). True: it was the last
// that was missing.
bool coordinator_offer(Coordinator* c, uint32_t from, const uint8_t* pairs, size_t count);
void coordinator_plan(const Coordinator* c, bool from_beginning, RestorePlan* plan);
bool coordinator_ready(Coordinator* c, uint32_t rank);                       // true: now all are
bool coordinator_complete(Coordinator* c, uint32_t rank, uint64_t version);  // true: now all have
