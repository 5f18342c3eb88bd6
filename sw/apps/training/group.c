#include "apps/training/group.h"

#include <stddef.h>
#include <string.h>

#include "boot/cores.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"

// A guard begins with its header; the block follows.
typedef struct {
  uint64_t version;
  uint64_t checksum;  // of the block
  uint64_t zero[6];
} GuardHeader;

// ---- sizes ----

bool group_has_checkpoints(const Group* group) { return group->protocol != protocol_jit; }

static uint64_t block_bytes(const Group* group) {
  switch (group->protocol) {
    case protocol_gemini:
      return group->used_bytes;
    case protocol_reft:
      return (group->used_bytes / 8 + group->ranks - 2) / (group->ranks - 1) * 8;
    case protocol_jit:
      break;
  }
  return 0;
}

const char* group_prepare(Group* group, Protocol protocol, unsigned ranks, uint32_t parameters) {
  *group = (Group){.protocol = protocol, .ranks = ranks};
  if (ranks > transfers_gpu_limit) return "more than 8 GPUs";
  if (protocol == protocol_gemini && ranks % 2 != 0) return "an odd number of GPUs, which are no pairs";
  if (protocol == protocol_reft && ranks < 3) return "fewer than 3 GPUs, which is too few for parity";
  group->parts = protocol == protocol_jit ? 1 : ranks;
  group->parameters = state_parameters_of(parameters, group->parts);
  group->used_bytes = state_bytes_of(group->parameters);
  group->state_bytes = group->used_bytes;
  group->block_bytes = block_bytes(group);
  if (group->block_bytes != 0) group->guard_bytes = sizeof(GuardHeader) + group->block_bytes;
  if (!transfers_prepare(ranks, &group->state_bytes, &group->guard_bytes))
    return "the state does not fit into the memory of a GPU";
  const uint64_t states = ranks * group->state_bytes;
  group->now = memory_allocate(states);
  group->copies[0] = memory_allocate(states);
  group->copies[1] = memory_allocate(states);
  group->guards = memory_allocate(ranks * group->guard_bytes + 1);
  group->everything = memory_allocate(states + 2 * ranks * group->guard_bytes);
  for (unsigned rank = 0; rank < ranks; ++rank) group->holds_copies[rank] = true;
  const bool has_all = group->now != NULL && group->copies[0] != NULL && group->copies[1] != NULL &&
                       group->guards != NULL && group->everything != NULL;
  return !has_all ? "the states do not fit into the memory of this machine" : NULL;
}

// ---- states ----

StateHeader* group_state(const Group* group, uint8_t* states, unsigned rank) {
  return (StateHeader*)(void*)(states + rank * group->state_bytes);
}

static unsigned part_of(const Group* group, unsigned rank) { return group->parts == 1 ? 0 : rank; }

bool group_is_sound(const Group* group, const StateHeader* state, unsigned rank) {
  return state_is_sound(state, part_of(group, rank), group->parameters);
}

bool group_agrees(const Group* group, uint8_t* states) {
  for (unsigned rank = 1; rank < group->ranks; ++rank)
    if (group_state(group, states, rank)->checksum != group_state(group, states, 0)->checksum) return false;
  return true;
}

// ---- guards ----

static unsigned other_of_pair(unsigned rank) { return rank ^ 1; }

static GuardHeader* guard_at(const Group* group, uint8_t* guards, unsigned holder) {
  return (GuardHeader*)(void*)(guards + holder * group->guard_bytes);
}

// to ^= the block, which may end behind the state: then with zeros.
static void add_block(const Group* group, uint64_t* to, const uint8_t* copies, unsigned rank,
                      unsigned block) {
  const uint64_t* const words = (const uint64_t*)(const void*)(copies + rank * group->state_bytes);
  const uint64_t count = group->block_bytes / 8, first = block * count, end = group->used_bytes / 8;
  for (uint64_t i = 0; i < count && first + i < end; ++i) to[i] ^= words[first + i];
}

// The block of a rank's state that is in the parity of `holder`.
static unsigned block_in(const Group* group, unsigned rank, unsigned holder) {
  return (holder + group->ranks - rank - 1) % group->ranks;
}

// The exclusive or of one block of each rank except two.
static void add_parity(const Group* group, uint64_t* to, const uint8_t* copies, unsigned holder,
                       unsigned except) {
  for (unsigned rank = 0; rank < group->ranks; ++rank)
    if (rank != holder && rank != except) add_block(group, to, copies, rank, block_in(group, rank, holder));
}

static void make_guard(const Group* group, const uint8_t* copies, unsigned holder, uint64_t version) {
  GuardHeader* const guard = guard_at(group, group->guards, holder);
  memset(guard, 0, sizeof *guard + group->block_bytes);
  uint64_t* const block = (uint64_t*)(guard + 1);
  if (group->protocol == protocol_gemini)
    memcpy(block, copies + other_of_pair(holder) * group->state_bytes, group->used_bytes);
  else
    add_parity(group, block, copies, holder, holder);
  guard->version = version;
  guard->checksum = checksum(CHECKSUM_START, block, group->block_bytes);
}

typedef struct {
  const Group* group;
  unsigned slot;
  uint64_t version;
} Guarding;

static void make_guards(unsigned core, unsigned cores, void* argument) {
  const Guarding* const what = argument;
  for (unsigned holder = core; holder < what->group->ranks; holder += cores)
    make_guard(what->group, what->group->copies[what->slot], holder, what->version);
}

static void write_guards(const Group* group, unsigned slot, uint64_t version) {
  Guarding what = {group, slot, version};
  cores_run(make_guards, &what);
  for (unsigned rank = 0; rank < group->ranks; ++rank)
    transfers_write_guard(rank, slot, guard_at(group, group->guards, rank));
}

// ---- checkpoints ----

static void copy_states(unsigned core, unsigned cores, void* argument) {
  const Group* const group = argument;
  for (unsigned rank = core; rank < group->ranks; rank += cores)
    memcpy(group_state(group, group->copies[1 - group->slot], rank), group_state(group, group->now, rank),
           group->used_bytes);
}

void group_copy_states(Group* group) { cores_run(copy_states, group); }
void group_write_guards(Group* group, uint64_t step) { write_guards(group, 1 - group->slot, step); }

void group_commit(Group* group, uint64_t step) {
  group->slot = 1 - group->slot;
  group->version = step;
  group->has_checkpoint = true;
}

// ---- after a loss ----

static bool is_in(uint32_t set, unsigned rank) { return (set >> rank & 1) != 0; }

static uint8_t* read_back(const Group* group, unsigned rank) {
  return group->everything + rank * (group->state_bytes + 2 * group->guard_bytes);
}

static bool read_gpus(const Group* group, uint32_t set) {
  for (unsigned rank = 0; rank < group->ranks; ++rank)
    if (is_in(set, rank)) transfers_read_all(rank, read_back(group, rank));
  return transfers_wait();
}

static uint32_t all_but(const Group* group, uint32_t without) {
  return ((1u << group->ranks) - 1) & ~without;
}

void group_begin_recovery(Group* group) {
  for (unsigned rank = 0; rank < group->ranks; ++rank)
    group->origins[rank] = (Origin){rank_from_own_copy, 0, 0};
}

void group_lose_copies(Group* group, unsigned rank) {
  group->holds_copies[rank] = false;
  for (int slot = 0; slot < 2; ++slot)
    memset(group_state(group, group->copies[slot], rank), 0, group->state_bytes);
}

// The guard of the checkpoint that was read back from its holder; NULL: it has none.
static const GuardHeader* guard_read(const Group* group, unsigned holder, uint32_t without) {
  if (is_in(without, holder)) return NULL;
  const GuardHeader* const guard =
      (const GuardHeader*)(const void*)(read_back(group, holder) + group->state_bytes +
                                        group->slot * group->guard_bytes);
  const bool is_sound = guard->version == group->version &&
                        guard->checksum == checksum(CHECKSUM_START, guard + 1, group->block_bytes);
  return is_sound ? guard : NULL;
}

static bool copy_from_pair(Group* group, unsigned rank, uint32_t without) {
  const GuardHeader* const guard = guard_read(group, other_of_pair(rank), without);
  if (guard == NULL) return false;
  memcpy(group_state(group, group->copies[group->slot], rank), guard + 1, group->used_bytes);
  group->origins[rank] = (Origin){rank_from_gpu_copy, other_of_pair(rank), group->used_bytes};
  return true;
}

static bool rebuild_from_parity(Group* group, unsigned rank, uint32_t without) {
  uint8_t* const copies = group->copies[group->slot];
  uint8_t* const state = copies + rank * group->state_bytes;
  memset(state, 0, group->state_bytes);
  for (unsigned other = 0; other < group->ranks; ++other)
    if (other != rank && !group->holds_copies[other]) return false;
  for (unsigned holder = 0; holder < group->ranks; ++holder) {
    if (holder == rank) continue;
    const GuardHeader* const guard = guard_read(group, holder, without);
    if (guard == NULL) return false;
    uint64_t* const block = (uint64_t*)(void*)group->guards;
    memcpy(block, guard + 1, group->block_bytes);
    add_parity(group, block, copies, holder, rank);
    const uint64_t first = block_in(group, rank, holder) * group->block_bytes,
                   left = first < group->used_bytes ? group->used_bytes - first : 0;
    memcpy(state + first, block, left < group->block_bytes ? left : group->block_bytes);
  }
  group->origins[rank] = (Origin){rank_from_parity, 0, (group->ranks - 1) * group->block_bytes};
  return true;
}

// The GPUs that hold what the ranks without an own copy need.
static uint32_t holders(const Group* group) {
  uint32_t set = 0;
  for (unsigned rank = 0; rank < group->ranks; ++rank)
    if (!group->holds_copies[rank])
      set |= group->protocol == protocol_gemini ? 1u << other_of_pair(rank) : all_but(group, 1u << rank);
  return set;
}

static bool collect_copies(Group* group, uint32_t without) {
  if (!group->has_checkpoint) return false;
  if (!read_gpus(group, holders(group) & ~without)) return false;
  for (unsigned rank = 0; rank < group->ranks; ++rank) {
    if (group->holds_copies[rank]) continue;
    const bool is_back = group->protocol == protocol_gemini ? copy_from_pair(group, rank, without)
                                                            : rebuild_from_parity(group, rank, without);
    if (!is_back || !group_is_sound(group, group_state(group, group->copies[group->slot], rank), rank))
      return false;
    group->holds_copies[rank] = true;
  }
  return true;
}

// The newest sound state of any rank becomes that of all, unless another rank has another one of that step.
static bool collect_replicas(Group* group, uint32_t without) {
  group->replicas_differ = false;
  if (!read_gpus(group, all_but(group, without))) return false;
  const StateHeader* newest = NULL;
  unsigned holder = 0;
  uint32_t sound = 0;
  bool agree = true;
  for (unsigned rank = 0; rank < group->ranks; ++rank) {
    if (is_in(without, rank)) continue;
    const StateHeader* const state = (const StateHeader*)(const void*)read_back(group, rank);
    if ((newest != NULL && state->step < newest->step) || !group_is_sound(group, state, rank)) continue;
    const bool is_newer = newest == NULL || state->step > newest->step;
    agree = is_newer || (agree && state->checksum == newest->checksum);
    if (is_newer) newest = state;
    if (is_newer) holder = rank;
    sound = is_newer ? 1u << rank : sound | 1u << rank;
  }
  group->replicas_differ = !agree;
  if (newest == NULL || !agree) return false;
  for (unsigned rank = 0; rank < group->ranks; ++rank) {
    memcpy(group_state(group, group->copies[group->slot], rank), newest, group->used_bytes);
    group->origins[rank] = is_in(sound, rank) ? (Origin){rank_from_own_copy, 0, 0}
                                              : (Origin){rank_from_gpu_copy, holder, group->used_bytes};
  }
  group->version = newest->step;
  return true;
}

bool group_collect(Group* group, uint32_t without) {
  return group->protocol == protocol_jit ? collect_replicas(group, without) : collect_copies(group, without);
}

bool group_install(Group* group, uint64_t version) {
  for (unsigned rank = 0; rank < group->ranks; ++rank) {
    transfers_write_state(rank, group_state(group, group->copies[group->slot], rank));
    group->holds_copies[rank] = true;
  }
  group->version = version;
  group->has_checkpoint = group_has_checkpoints(group);  // guards say themselves of which version they are
  if (!transfers_wait()) return false;
  if (group->has_checkpoint) write_guards(group, group->slot, version);
  return transfers_wait();
}
