// The interface of a level that replaces the DIMM-SSD in the checkpoint library: auxiliary cores with a chain
// of plug-ins implement it (auxiliary/checkpoint_chain.h). The library calls it on core 0 only.
#pragma once

#include "checkpoint/checkpoint.h"

enum { checkpoint_name_bytes = 32 };  // NUL padded

typedef struct {
  // Writes a checkpoint of `count` pages, given by their addresses; the first one is the library's header
  // page. Returns checkpoint_ok if it is stored, checkpoint_pending if all pages are copied and outcome()
  // will report the rest, or why it is not stored. Waits for an earlier version that is still pending.
  CheckpointStatus (*write)(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                            uint32_t count);
  CheckpointStatus (*outcome)(uint64_t version);  // the status of one of the two versions written last
  void (*wait)(void);                             // waits until no version is pending
  // Finds the newest version not above max_version.
  CheckpointStatus (*find)(const char name[checkpoint_name_bytes], uint64_t max_version, uint64_t* version);
  // Reads a checkpoint back into the pages. After checkpoint_not_found the pages are unchanged.
  CheckpointStatus (*read)(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                           uint32_t count);
  CheckpointStatus (*discard)(const char name[checkpoint_name_bytes], uint64_t version);
  void (*close)(void);  // ends the use of the store
} CheckpointStore;

// Starts to use a store in place of the DIMM-SSD. Call it after checkpoint_initialize(), which stops its use.
// Returns checkpoint_bad_argument, and changes nothing, if PCRAM, a ratio or the controller is in use, or
// if another DIMM-SSD than 0 is selected.
CheckpointStatus checkpoint_use_store(const CheckpointStore* store);
