// The checkpoints of an app: every interval-th version with one method, either waited for or, with async,
// durable some time later. The configuration of the device determines how many are kept.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/checkpoint.h"

typedef struct Checkpoints {
  const char* app;   // begins every line
  const char* unit;  // what a version counts
  const char* name;  // of the checkpoints
  uint64_t interval;
  DimmSsdMethod method;
  bool async;                // the app continues while they are pending
  bool levels;               // level 1 is in use, and each level's status is printed
  bool quiet;                // only failures are printed
  void (*after_each)(void);  // may be NULL: called after everything that reads or writes all regions

  // Their results.
  unsigned durable, skipped, failed;
  uint64_t ticks;  // of the timer: time in checkpoint_begin or checkpoint_write
  uint64_t pending[checkpoint_begun_limit];
  unsigned pending_count;
} Checkpoints;

// Call it when the regions are protected: sets the method and allocates the memory that it needs.
// checkpoint_too_large: there is not enough.
CheckpointStatus checkpoints_prepare(Checkpoints* checkpoints);

// Takes a checkpoint of `version` if it is a multiple of the interval.
void checkpoints_take(Checkpoints* checkpoints, uint64_t version);
// Waits for the pending ones.
void checkpoints_settle(Checkpoints* checkpoints);

// Tries versions from the newest on until one is restored for which usable(argument) is true. Returns false
// if there is none. After each refused one, begin_anew(argument) resets the regions to the start.
typedef struct {
  bool (*usable)(void* argument);
  void (*begin_anew)(void* argument);
  void* argument;
} CheckpointsUser;
bool checkpoints_restore_newest(Checkpoints* checkpoints, CheckpointsUser user);
