// A rank of the ring program as a bulk-synchronous application on buddy.h: at step s it sends its edge words to both
// neighbours, receives theirs, and steps. A checkpoint every `interval` steps, but not after the last. Messages without meaning
// make what it communicates more; they are spread over a step and go to both neighbours in turn.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buddy.h"
#include "ring_program.h"

typedef enum { ring_at_boundary, ring_exchanging, ring_computing, ring_sending, ring_finished } RingActivity;

// A neighbour's edge word; of two steps, since it may be one ahead.
typedef struct {
  uint32_t epoch;
  uint64_t step, word;
} RingHalo;

enum { ring_from_left = 0, ring_from_right = 1 };  // a halo's offset, too

typedef struct {
  RingProgram program;  // its words are what buddy_protect was given
  Buddy* buddy;
  uint64_t steps;
  uint64_t messages, message_bytes;  // a step, besides the halos; up to message_data_limit bytes
  uint64_t step;                     // made
  uint64_t sent;                     // messages of this step
  RingActivity activity;
  bool is_stalled;       // for a checkpoint
  RingHalo halos[2][2];  // by side and step
} Ring;

// Calls of BuddyCalls: it goes on from a version; a halo has come.
void ring_resume(Ring* ring, uint64_t version);
void ring_handle_message(Ring* ring, const MessageHeader* header, const uint8_t* data, size_t bytes);
// Does what can be done, at most so many words of a step. False: nothing until something comes, or buddy_progress has gone on.
// When activity is ring_finished all steps are made, in this epoch.
bool ring_advance(Ring* ring, uint64_t at_most);
