// Snapshots of one GPU's memory in a preservation buffer of the host, taken while kernels run.
//
//   gpu_snapshot_begin(&s, how);        no kernel may run; from now on they may
//   ... gpu_snapshot_progress(&s);         after every event, until s.state is taken, failed or lost
//   gpu_snapshot_commit(&s);            it is the newest; until then a restore gives the one before
//   gpu_snapshot_restore(&s);           ... serve until s.state is restored
//
// The buffer has two halves. One holds the chain: a full snapshot and the increments since. The next full one goes to the other
// half, so that the chain stays whole until the next one is committed. A half has room for two full ones; where an increment
// may not fit any more, a full one is taken in its stead.
//
// One at a time: a begin while one is open is refused with gpu_open and changes nothing. Any other refusal leaves s.state failed
// or lost. One that was taken and neither committed nor dropped is forgotten by the next begin.
//
// Without `device_side` this driver copies the zones, as many at once as the GPU's transfers gather. With
// `hints` it tells the GPU which have arrived, so that writes to them go on, and copies zones with waiting
// writes first, all that it knows of together. models/gpu/snapshot_driver.h chooses in the same way.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/gpu.h"

typedef struct {
  bool increments, device_side, hints;
  bool silent;  // the driver reports nothing and copies nothing: what the GPU's watchdog is for
} GpuSnapshotHow;

typedef enum {
  gpu_snapshot_idle,
  gpu_snapshot_scanning,
  gpu_snapshot_copying,
  gpu_snapshot_finishing,
  gpu_snapshot_taken,
  gpu_snapshot_failed,
  gpu_snapshot_restoring,
  gpu_snapshot_restored,
  gpu_snapshot_lost,
} GpuSnapshotState;

// Of the committed snapshots: what a checkpoint of the node has to keep, with the memory of the buffer.
typedef struct {
  uint32_t half, used;  // zones
} GpuChain;

typedef struct {
  unsigned gpu;
  uint32_t kib;
  uint32_t zones, zone_bytes;  // in use
  uint8_t* buffer;             // four times the zones
  uint32_t* zone_of;           // of each place of the buffer
  uint32_t at_once;            // zones of a copy
  uint32_t* list;              // of a scan: what is to be taken
  uint32_t* waiting;           // for which a write waits, to be copied first
  uint32_t* chosen;            // of the copy that is under way
  uint8_t* is_done;            // by zone: copied or being copied, or not to be taken
  GpuChain* chain;

  GpuSnapshotState state;
  GpuSnapshotHow how;
  bool needs_full;
  bool full;                         // the open one
  uint32_t half, first;              // where it goes
  uint32_t scanned, position, told;  // zones: of the list, of these copied, that the GPU knows of
  uint32_t waiting_count;

  uint32_t fulls, increments, failures;    // what became of them
  uint32_t preferred, preferred_together;  // zones copied for a write that waited; of these, with another one
} GpuSnapshot;

// Restarts the GPU and allocates so much of its memory. The first snapshot is a full one.
GpuError gpu_snapshot_prepare(GpuSnapshot* s, unsigned gpu, uint32_t kib, GpuChain* chain);
size_t gpu_snapshot_bytes(const GpuSnapshot* s);      // of the buffer, with its tables
void gpu_snapshot_use(GpuSnapshot* s, void* buffer);  // page aligned

GpuError gpu_snapshot_begin(GpuSnapshot* s, GpuSnapshotHow how);
void gpu_snapshot_progress(GpuSnapshot* s);
bool gpu_snapshot_is_open(const GpuSnapshot* s);  // or being restored
void gpu_snapshot_commit(GpuSnapshot* s);
void gpu_snapshot_drop(
    GpuSnapshot* s);  // one that was taken and cannot be committed; gives up one that is open

// Restarts the GPU and fills its memory from the chain; without one it is empty.
GpuError gpu_snapshot_restore(GpuSnapshot* s);
// A zone of the newest committed snapshot.
const uint8_t* gpu_snapshot_zone(const GpuSnapshot* s, uint32_t zone);
