// Driver of the node's GPUs: kernels, and the operations of which a snapshot of their memory consists
// (docs/gpu.md). Zones are numbered; a list of zones is an array of numbers. drivers/gpu_snapshot.h takes
// whole snapshots with these functions.
//
// A command returns at once whether it was refused; the operation that it starts ends with an event. Call all
// functions on the core that called gpu_probe().
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { gpu_limit = 32 };

typedef enum {
  gpu_ok = 0,
  gpu_no_command = 1,
  gpu_bad_descriptor = 2,  // a wrong kernel, size or length of a list
  gpu_bus_error = 3,       // memory did not answer when the GPU read a kernel or a list
  gpu_bad_zone = 4,  // a zone does not exist, is listed twice, or is not in the state that the command needs
  gpu_running = 5,   // a kernel runs
  gpu_open = 6,      // a snapshot is open
  gpu_copying = 7,
  gpu_needs_full = 8,  // there is no base for an increment
  gpu_nothing_allocated = 9,
  gpu_no_snapshot = 10,
  gpu_incomplete = 11,          // zones have not arrived
  gpu_lost = 12,                // the GPU accepts only gpu_restart
  gpu_no_spare = 13,            // no spare zone is left
  gpu_uncorrectable_zone = 14,  // the zone to be retired has an uncorrectable error, and is contained now
} GpuError;
const char* gpu_error_text(GpuError error);

typedef enum {
  gpu_no_failure = 0,
  gpu_watchdog = 1,
  gpu_host_memory = 2,
  gpu_aborted = 3,
  gpu_memory_error = 4
} GpuFailure;
const char* gpu_failure_text(GpuFailure failure);

enum {
  gpu_event_kernel_ended = 1,
  gpu_event_arrived = 2,
  gpu_event_zone_waits = 4,
  gpu_event_scanned = 8,
  gpu_event_taken = 16,
  gpu_event_failed = 32,
  gpu_event_copied_in = 64,
  gpu_event_lost = 128,
  gpu_event_contained = 256,
};

// Each pipeline works on its own part of the region, a line of 128 bytes at a time. 8-byte aligned.
typedef struct {
  uint64_t first, bytes;  // of the GPU's memory, multiples of 128; at least a line for each pipeline
  uint64_t seed;
  uint64_t number;    // selects the values that the kernel writes
  uint64_t accesses;  // by each pipeline
  uint32_t pattern;   // 0: line after line, 1: at random
  uint32_t writes;    // permille of the accesses
  uint32_t gap_ns;    // between two accesses
  uint32_t zero[3];   // pads the kernel to the 64 bytes that the GPU reads
} GpuKernel;

unsigned gpu_probe(
    void);  // the number of GPUs; the calling core gets their interrupt. Call it before all others.

uint32_t gpu_zone_bytes(void);
uint32_t gpu_transfer_bytes(void);  // the largest size that a copy out should gather
uint32_t gpu_memory_kib(void);
uint32_t gpu_pipelines(void);
uint32_t gpu_zones_in_use(unsigned gpu);

GpuError gpu_allocate(unsigned gpu, uint32_t kib);  // uses [0, kib) of the GPU's memory
GpuError gpu_launch(unsigned gpu, const GpuKernel* kernel);
bool gpu_is_running(unsigned gpu);
void gpu_restart(unsigned gpu);  // clears the memory and stops everything that runs

// Begins a snapshot of the current contents of memory. The zones are written to `extent`, one after another,
// and their numbers to `arrivals` if that is not NULL. Both need space for gpu_zones_in_use() zones, and must
// be kept until the snapshot has ended. gpu_open: a snapshot is already open, and continues.
GpuError gpu_begin(unsigned gpu, bool increment, bool device_side, void* extent, uint32_t* arrivals);
GpuError gpu_scan(unsigned gpu, uint32_t from, uint32_t* list, uint32_t count);  // ... gpu_event_scanned
uint32_t gpu_scanned(unsigned gpu);
GpuError gpu_copy_out(unsigned gpu, const uint32_t* zones, uint32_t count);  // ... gpu_event_arrived
GpuError gpu_preserve(unsigned gpu, const uint32_t* zones, uint32_t count);  // a hint
GpuError gpu_finish(unsigned gpu);                                           // ... gpu_event_taken
GpuError gpu_abort(unsigned gpu);                                            // ... gpu_event_failed
GpuError gpu_copy_in(unsigned gpu, const uint32_t* zones, uint32_t count,
                     const void* from);  // ... gpu_event_copied_in

bool gpu_is_copying(unsigned gpu);
uint32_t gpu_arrived(unsigned gpu);                   // zones of the last snapshot that have arrived
uint32_t gpu_zones(unsigned gpu);                     // zones that the last snapshot has
bool gpu_next_waiting(unsigned gpu, uint32_t* zone);  // a zone for which a write waits; reports each once
GpuFailure gpu_failure(unsigned gpu);

// Errors of memory. A zone with an uncorrectable error is contained: a kernel that reads it is stopped, it is
// not copied, and its contents are lost. gpu_retire() replaces it by spare memory; restore it then.
typedef struct {
  uint32_t zone, offset;  // of the 32 bytes that are wrong, in the zone
  bool by_copy;           // a copy or the scrubber has found it; otherwise a kernel, which was stopped
} GpuContained;
bool gpu_contained(unsigned gpu, GpuContained* first);  // the one with the lowest number
GpuError gpu_retire(unsigned gpu, uint32_t zone);
bool gpu_kernel_was_stopped(unsigned gpu);  // the last one
uint32_t gpu_spare_zones(unsigned gpu);     // that can still replace others
uint32_t gpu_corrected(unsigned gpu);       // errors so far
uint32_t gpu_uncorrectable(unsigned gpu);

uint32_t gpu_take_events(unsigned gpu);  // the events since the last call
void gpu_await_event(void);              // sleeps until a GPU has an event that was not taken
bool gpu_has_event(void);                // whether one has; reads no register
