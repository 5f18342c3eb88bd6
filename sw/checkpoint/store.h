// A level of the checkpoint library that others keep, in the place of the DIMM-SSD: auxiliary cores do, behind a chain of
// plug-ins (auxiliary/checkpoint_chain.h). All calls are of core 0.
#pragma once

#include "checkpoint/checkpoint.h"

enum { checkpoint_name_bytes = 32 };  // NUL padded

typedef struct {
  // Of so many pages of memory, by address, the first one the library's header. checkpoint_ok: it is kept; checkpoint_pending: all
  // pages are copied, and outcome() tells the rest; else why it is not kept. One that is pending still is waited for.
  CheckpointStatus (*write)(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                            uint32_t count);
  CheckpointStatus (*outcome)(uint64_t version);  // of one of the two that were written last
  void (*wait)(void);                             // until none is pending
  // The newest not above max_version.
  CheckpointStatus (*find)(const char name[checkpoint_name_bytes], uint64_t max_version, uint64_t* version);
  // Back into the pages. checkpoint_not_found: they are as before.
  CheckpointStatus (*read)(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                           uint32_t count);
  CheckpointStatus (*discard)(const char name[checkpoint_name_bytes], uint64_t version);
  void (*close)(void);  // it is not used any more
} CheckpointStore;

// Behind checkpoint_initialize, which takes it out of use. checkpoint_bad_argument: PCRAM, a ratio or the controller is in use, and
// nothing has changed.
CheckpointStatus checkpoint_use_store(const CheckpointStore* store);
