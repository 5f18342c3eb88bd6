// The GPUs of the node: kernels, and the parts of a snapshot of their memory (docs/gpu.md). Zones have numbers; a list of
// them is an array. drivers/gpu_snapshot.h takes whole snapshots with these.
//
// A command says at once whether it was refused, and what it began ends with an event. All calls are of the core that probed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { gpu_limit = 32 };

typedef enum {
  gpu_ok = 0,
  gpu_no_command = 1,
  gpu_bad_descriptor = 2,  // a kernel, a size or the length of a list
  gpu_bus_error = 3,       // of a kernel or a list
  gpu_bad_zone = 4,        // which is none, stands twice, or is in another state than the command wants
  gpu_running = 5,         // a kernel runs
  gpu_open = 6,            // a snapshot is
  gpu_copying = 7,
  gpu_needs_full = 8,  // an increment would stand on nothing
  gpu_nothing_allocated = 9,
  gpu_no_snapshot = 10,
  gpu_incomplete = 11,  // zones have not arrived
  gpu_lost = 12,        // only gpu_restart is left
} GpuError;
const char* gpu_error_text(GpuError error);

typedef enum { gpu_no_failure = 0, gpu_watchdog = 1, gpu_host_memory = 2, gpu_aborted = 3 } GpuFailure;
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
};

// Each pipeline works on its own part of the region, a line of 128 bytes at a time. 8-byte aligned.
typedef struct {
  uint64_t first, bytes;  // of the GPU's memory, multiples of 128; at least a line for each pipeline
  uint64_t seed;
  uint64_t number;    // what a write makes of a word depends on it
  uint64_t accesses;  // of each pipeline
  uint32_t pattern;   // 0 one line behind the other, 1 at random
  uint32_t writes;    // permille of the accesses
  uint32_t gap_ns;    // between two of them
  uint32_t zero[3];   // the GPU reads 64 bytes
} GpuKernel;

unsigned gpu_probe(
    void);  // how many there are; their interrupt goes to the calling core. The others only after it.

uint32_t gpu_zone_bytes(void);
uint32_t gpu_transfer_bytes(void);  // that a copy out had better gather, at most
uint32_t gpu_memory_kib(void);
uint32_t gpu_pipelines(void);
uint32_t gpu_zones_in_use(unsigned gpu);

GpuError gpu_allocate(unsigned gpu, uint32_t kib);  // [0, kib) is in use
GpuError gpu_launch(unsigned gpu, const GpuKernel* kernel);
bool gpu_is_running(unsigned gpu);
void gpu_restart(unsigned gpu);  // its memory is empty, nothing is under way

// The memory as it is now goes to `extent`, zone behind zone, and their numbers to `arrivals`, where that is not NULL. Both
// have room for gpu_zones_in_use() zones, and stay until the snapshot has ended. gpu_open: one is open, and goes on.
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
uint32_t gpu_arrived(unsigned gpu);                   // zones of the last snapshot
uint32_t gpu_zones(unsigned gpu);                     // that it has
bool gpu_next_waiting(unsigned gpu, uint32_t* zone);  // a write waits; each is told once
GpuFailure gpu_failure(unsigned gpu);

uint32_t gpu_take_events(unsigned gpu);  // since the last call
void gpu_await_event(void);              // sleeps until one of any GPU is there that was not taken
