// Transfers between the memories of all GPUs and the node's, and kernels, several GPUs at once.
//
// A GPU's memory has a region for the state of its rank, and behind it two slots for guards, which are what
// it keeps for other ranks. Only the state is in use, so that a read of it copies nothing else.
//
//   for each GPU transfers_read_state(gpu, to);
//   if (!transfers_wait()) ...  a GPU was lost, or a transfer failed
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/gpu.h"

enum { transfers_gpu_limit = 8 };

typedef struct {
  bool lost;     // since it was last mended
  bool failed;   // a transfer or kernel
  bool damaged;  // a zone has an uncorrectable error
} GpuCondition;

extern GpuCondition gpu_conditions[transfers_gpu_limit];

// The sizes of regions in bytes, which are rounded up to whole zones of all channels. false: they do not fit
// into the memory of the GPUs, or a GPU refused.
bool transfers_prepare(unsigned gpus, uint64_t* state_bytes, uint64_t* guard_bytes);
// Puts a GPU whose condition has a flag back into use, or the one in its place. One that was lost or has
// failed is empty then; of one that is damaged, the zones with errors are replaced by spare ones, which are
// empty. Returns false if there are not enough of these.
bool transfers_mend(unsigned gpu);

void transfers_read_state(unsigned gpu, void* to);
// Reads everything: the state and both slots, one after the other.
void transfers_read_all(unsigned gpu, void* to);
void transfers_write_state(unsigned gpu, const void* from);
void transfers_write_guard(unsigned gpu, unsigned slot, const void* from);
// A kernel that reads the state at random places and takes about `accesses` times the gap.
void transfers_launch(unsigned gpu, uint64_t step, uint64_t accesses, uint64_t gap_ns);
// Whether GPU 0 refuses to be written to while a kernel runs. Runs a short kernel and writes `state`, which
// is in its region already, to it. False, too, if the GPU was lost: the next transfer says so.
bool transfers_exclude_kernels(const void* state);
// When the last kernel of a GPU has ended, as seen by transfers_wait(), in ticks of the generic timer.
uint64_t transfers_kernel_end(unsigned gpu);
// Waits until all of them have ended on all GPUs that are not lost. Returns false if one is lost or has
// failed.
bool transfers_wait(void);
// The same without waiting: takes the events of all GPUs. Returns whether one of them is still busy.
bool transfers_are_busy(void);
