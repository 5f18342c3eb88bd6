#include "cluster/coordinator.h"

#include <string.h>

#include "cluster/message.h"

enum { pair_bytes = 16 };

static uint64_t all_of(const Coordinator* c) {
  return c->ranks == coordinator_rank_limit ? UINT64_MAX : (UINT64_C(1) << c->ranks) - 1;
}

static bool is_held(const HeldVersions* held, uint64_t version) {
  for (unsigned i = 0; i < coordinator_held_limit; ++i)
    if (held->versions[i] == version) return true;
  return false;
}

static void add(HeldVersions* held, uint64_t version) {
  if (version == 0 || is_held(held, version)) return;
  unsigned oldest = 0;
  for (unsigned i = 1; i < coordinator_held_limit; ++i)
    if (held->versions[i] < held->versions[oldest]) oldest = i;
  if (held->versions[oldest] < version) held->versions[oldest] = version;
}

void coordinator_begin(Coordinator* c, uint32_t ranks, bool has_storage) {
  memset(c, 0, sizeof *c);
  c->ranks = ranks;
  c->awaits_storage = has_storage;
}

bool coordinator_offer(Coordinator* c, uint32_t from, const uint8_t* pairs, size_t count) {
  const bool is_storage = from == STORAGE_RANK;
  if (is_storage ? !c->awaits_storage : from >= c->ranks || (c->offered >> from & 1) != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t owner = message_get_u64(pairs + i * pair_bytes),
                   version = message_get_u64(pairs + i * pair_bytes + 8);
    if (owner >= c->ranks) continue;
    if (is_storage)
      add(&c->stored[owner], version);
    else if (owner == from)
      add(&c->own[owner], version);
    else if ((owner + 1) % c->ranks == from)
      add(&c->buddys[owner], version);
  }
  if (is_storage)
    c->awaits_storage = false;
  else
    c->offered |= UINT64_C(1) << from;
  return !c->awaits_storage && c->offered == all_of(c);
}

// Returns a bit for each rank of which no copy of the version is held.
static uint64_t lacking(const Coordinator* c, uint64_t version) {
  uint64_t ranks = 0;
  for (uint32_t rank = 0; rank < c->ranks; ++rank)
    if (!is_held(&c->own[rank], version) && !is_held(&c->buddys[rank], version) &&
        !is_held(&c->stored[rank], version))
      ranks |= UINT64_C(1) << rank;
  return ranks;
}

static uint64_t newest_below(const HeldVersions* held, uint64_t limit, uint64_t newest) {
  for (unsigned i = 0; i < coordinator_held_limit; ++i)
    if (held->versions[i] < limit && held->versions[i] > newest) newest = held->versions[i];
  return newest;
}

// The newest version below `limit` that is held of some rank; 0 if there is none.
static uint64_t candidate_below(const Coordinator* c, uint64_t limit) {
  uint64_t newest = 0;
  for (uint32_t rank = 0; rank < c->ranks; ++rank) {
    newest = newest_below(&c->own[rank], limit, newest);
    newest = newest_below(&c->buddys[rank], limit, newest);
    newest = newest_below(&c->stored[rank], limit, newest);
  }
  return newest;
}

static uint64_t lost_ranks(const Coordinator* c) {
  uint64_t without = 0;
  const HeldVersions nothing = {{0}};
  for (uint32_t rank = 0; rank < c->ranks; ++rank)
    if (memcmp(&c->own[rank], &nothing, sizeof nothing) == 0 &&
        memcmp(&c->buddys[rank], &nothing, sizeof nothing) == 0 &&
        memcmp(&c->stored[rank], &nothing, sizeof nothing) == 0)
      without |= UINT64_C(1) << rank;
  return without;
}

void coordinator_plan(const Coordinator* c, bool from_beginning, RestorePlan* plan) {
  memset(plan, 0, sizeof *plan);
  uint64_t version = candidate_below(c, UINT64_MAX);
  while (version != 0 && lacking(c, version) != 0) version = candidate_below(c, version);
  plan->version = version;
  plan->is_possible = version != 0 || from_beginning;
  if (!plan->is_possible) plan->lost = lost_ranks(c);
  if (version == 0) return;
  for (uint32_t rank = 0; rank < c->ranks; ++rank) {
    const bool own = is_held(&c->own[rank], version), buddys = is_held(&c->buddys[rank], version);
    plan->lacks[rank] = (uint8_t)((own ? 0 : lacks_state) | (buddys ? 0 : buddy_lacks_copy) |
                                  (own || buddys ? 0 : state_from_storage));
  }
}

bool coordinator_ready(Coordinator* c, uint32_t rank) {
  if (rank >= c->ranks || c->ready == all_of(c)) return false;
  c->ready |= UINT64_C(1) << rank;
  return c->ready == all_of(c);
}

bool coordinator_complete(Coordinator* c, uint32_t rank, uint64_t version) {
  if (rank >= c->ranks || version < c->completing) return false;
  if (version > c->completing) {
    c->completing = version;
    c->completed = 0;
  }
  if (c->completed == all_of(c)) return false;
  c->completed |= UINT64_C(1) << rank;
  return c->completed == all_of(c);
}
