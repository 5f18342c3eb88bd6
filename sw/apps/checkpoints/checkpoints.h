// The checkpoints that an app takes as it goes: every interval-th version by one method, waited for or, with
// async, durable some time later. How many are kept is the device's configuration.
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
  bool async;                // the app goes on while they are pending
  bool levels;               // level 1 is in use, and each level's status is printed
  bool quiet;                // only what went wrong is printed
  void (*after_each)(void);  // may be NULL: behind everything that reads or writes all regions

  // What became of them.
  unsigned durable, skipped, failed;
  uint64_t ticks;  // of the timer, that the app stood in checkpoint_begin or checkpoint_write
  uint64_t pending[checkpoint_begun_limit];
  unsigned pending_count;
} Checkpoints;

// The regions are protected: chooses the method and takes the memory that it needs. checkpoint_too_large: there is
// none.
CheckpointStatus checkpoints_prepare(Checkpoints* checkpoints);

// Takes version, where it is a multiple of the interval.
void checkpoints_take(Checkpoints* checkpoints, uint64_t version);
// Waits for those that are pending.
void checkpoints_settle(Checkpoints* checkpoints);

// Goes back from the newest version until one can be restored that the app finds usable(argument). False: there is
// none. After every one that was refused begin_anew(argument) puts the regions back to the start.
typedef struct {
  bool (*usable)(void* argument);
  void (*begin_anew)(void* argument);
  void* argument;
} CheckpointsUser;
bool checkpoints_restore_newest(Checkpoints* checkpoints, CheckpointsUser user);
