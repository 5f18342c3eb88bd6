// The ranks of a training run, one on each GPU, and what they hold for each other. A rank's state is in its
// GPU's memory; what is in the node's memory beside it are copies.
//
//   gemini   Each rank has one part of the state. A checkpoint is a copy of each part in the rank's own
//            buffer in the node's memory and one in the memory of the other GPU of its pair: GPUs 0 and 1, 2
//            and 3, ... (Wang et al., SOSP 2023, section 4: groups of as many machines as there are copies).
//   reft     Each rank has one part of the state. A checkpoint is a copy of each part in the rank's own
//            buffer, and parity over all ranks: the part of each rank is cut into one block less than there
//            are ranks, and each GPU keeps the exclusive or of one block of each other rank (Wang et al.,
//            arXiv 2310.12670).
//   jit      Each rank has the whole state. There are no checkpoints: after a loss the state is that of a
//            rank that has it (Gupta et al., EuroSys 2024).
//
// Checkpoints alternate between two slots, so that a loss during one leaves the previous one whole.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apps/training/state.h"
#include "apps/training/transfers.h"
#include "drivers/power.h"

typedef enum { protocol_gemini, protocol_reft, protocol_jit } Protocol;

// What a rank's state was made from since group_begin_recovery().
typedef struct {
  RankSource source;
  unsigned gpu;    // with rank_from_gpu_copy: whose memory had the copy
  uint64_t bytes;  // of the memories of other ranks' GPUs
} Origin;

typedef struct {
  Protocol protocol;
  unsigned ranks, parts;
  uint32_t parameters;   // of a part
  uint64_t state_bytes;  // of a state, whole zones; in use are the first used_bytes
  uint64_t used_bytes;
  uint64_t guard_bytes, block_bytes;
  uint8_t* now;                            // the states as the GPUs have them, one after the other
  uint8_t* copies[2];                      // by slot: the checkpoints in the ranks' own buffers
  uint8_t* guards;                         // what is written to the GPUs
  uint8_t* everything;                     // what is read back from the GPUs
  bool holds_copies[transfers_gpu_limit];  // whether the rank's own buffers have what was written to them
  Origin origins[transfers_gpu_limit];
  bool has_checkpoint;
  unsigned slot;
  uint64_t version;      // the step of the checkpoint
  bool replicas_differ;  // with protocol_jit: why group_collect has returned false
} Group;

// Chooses sizes and allocates memory. Returns NULL or what is wrong.
const char* group_prepare(Group* group, Protocol protocol, unsigned ranks, uint32_t parameters);
bool group_has_checkpoints(const Group* group);

StateHeader* group_state(const Group* group, uint8_t* states, unsigned rank);
bool group_is_sound(const Group* group, const StateHeader* state, unsigned rank);
// Whether all ranks have the same state, if each has the whole one.
bool group_agrees(const Group* group, uint8_t* states);

// Makes `now` a checkpoint of this step, in three parts: copies the states, begins to write the guards to the
// GPUs, and, when transfers_wait() has returned true, declares it to be the checkpoint. Until then the one
// before is, and `now` must not change.
void group_copy_states(Group* group);
void group_write_guards(Group* group, uint64_t step);
void group_commit(Group* group, uint64_t step);

// Call it before the functions below: `origins` says that each rank has its own copy.
void group_begin_recovery(Group* group);
// What was in the rank's own buffers is lost.
void group_lose_copies(Group* group, unsigned rank);
// What the ranks have left of the checkpoint, or of their states, is brought to the slot's copies; `origins`
// says from where, if it was not in the rank's own. `without` has a bit for each GPU whose memory has nothing
// of it. Returns false if that is not enough, or a GPU was lost meanwhile.
bool group_collect(Group* group, uint32_t without);
// The slot's copies become the checkpoint `version`, and the states of all GPUs.
bool group_install(Group* group, uint64_t version);
