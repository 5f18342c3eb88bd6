// The memory of a CXL SSD as a level of the checkpoint library that replaces the DIMM-SSD
// (checkpoint/store.h).
//
// It holds the two newest checkpoints in its last pages (checkpoint/memory_level.h). A write flushes the
// device three times: when the older checkpoint is discarded, when the pages are written, and when the new
// one is marked as complete; so a loss of power leaves each of them complete or absent. When a version is
// written again, a fourth flush follows the end of the earlier one. A page of flash that cannot be read costs
// the checkpoint that it is in, and is written again with the next one. If the device has a
// reserve of energy, cleaning the caches of the cores is enough.
#pragma once

#include "checkpoint/checkpoint.h"
#include "drivers/cxl_ssd.h"

// For checkpoints of up to `bytes`; call it after checkpoint_initialize(), which ends its use. It cannot be
// used together with a CXL expander. Errors: checkpoint_no_cxl; checkpoint_uncorrectable if a checkpoint in
// it was lost: it is in use even so; those of checkpoint_use_store().
CheckpointStatus checkpoint_use_cxl_ssd(uint64_t bytes);
