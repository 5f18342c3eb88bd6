// A rank of the ring program as a bulk-synchronous application on buddy.h: in a step it sends its edge words
// to both neighbours, receives theirs, and computes. It takes a checkpoint every `interval` steps, but not
// after the last one. Additional messages without meaning increase its communication; they are spread over a
// step and go to the two neighbours alternately.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buddy.h"
#include "ring_program.h"

typedef enum { ring_at_boundary, ring_exchanging, ring_computing, ring_sending, ring_finished } RingActivity;

// A neighbour's edge word. Two steps are kept, since the neighbour may be one ahead.
typedef struct {
  uint32_t epoch;
  uint64_t step, word;
} RingHalo;

enum { ring_from_left = 0, ring_from_right = 1 };  // also the offset of a halo message

typedef struct {
  RingProgram program;  // its words are the protected bytes
  Buddy* buddy;
  uint64_t steps;
  uint64_t messages, message_bytes;  // per step, besides the halos; up to message_data_limit bytes each
  uint64_t step;                     // steps computed
  uint64_t sent;                     // messages sent in this step
  RingActivity activity;
  bool is_stalled;       // for a checkpoint
  RingHalo halos[2][2];  // by side and step
} Ring;

// For BuddyCalls: resumes from a version; takes a message of the application.
void ring_resume(Ring* ring, uint64_t version);
void ring_handle_message(Ring* ring, const MessageHeader* header, const uint8_t* data, size_t bytes);
// Proceeds as far as possible, but computes at most `at_most` words of a step. Returns false if it can only
// proceed after a message has arrived or buddy_progress has done something. When activity is ring_finished,
// all steps are computed, in this epoch.
bool ring_advance(Ring* ring, uint64_t at_most);
