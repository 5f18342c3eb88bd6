// What a level of the checkpoint library adds to the program of lattice_level.c. Each app that is built from
// it has one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint/checkpoint.h"
#include "drivers/power.h"

typedef struct {
  const char* name;  // of the app, of its checkpoints, and before its messages
  CheckpointLevel level;
  RecoverySource source;
  bool has_increments;  // the app has the argument incremental=on|off
  bool replaces_ssd;    // it is in the place of the DIMM-SSD
  // Starts to use the level for checkpoints of up to `bytes`. False: it has printed why not.
  bool (*use)(uint64_t bytes, unsigned ssd_every, bool incremental);
  // False: checkpoints of so many pages do not fit, and it has printed a line that says so.
  bool (*fits)(uint32_t pages);
  void (*describe)(void);  // prints the rest of the line that describes the lattice
  void (*report)(void);    // prints further counts of checkpoints, each with ", " before it; may be NULL
} LatticeLevel;

extern const LatticeLevel lattice_level;
