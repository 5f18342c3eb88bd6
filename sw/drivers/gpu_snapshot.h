// Takes snapshots of one GPU's memory in a preservation buffer of the host, while kernels run.
//
//   gpu_snapshot_begin(&s, how);        no kernel may run now; afterwards kernels may be launched
//   ... gpu_snapshot_progress(&s);      after every event, until s.state is taken, failed or lost
//   gpu_snapshot_commit(&s);            makes it the newest; until then a restore returns the one before
//   gpu_snapshot_restore(&s);           ... then gpu_snapshot_progress until s.state is restored
//
// The buffer has two halves. One holds the chain: a full snapshot and the increments since. The next full
// snapshot is written to the other half, so that the chain remains valid until the new one is committed. A
// half has space for two full snapshots; if an increment might not fit, a full snapshot is taken instead.
//
// Only one snapshot can be open at a time: a second begin is refused with gpu_open and changes nothing. After
// any other refusal s.state is failed or lost. A snapshot that was taken but neither committed nor dropped is
// discarded by the next begin.
//
// Without `device_side` this driver copies the zones, as many at once as the GPU's transfers gather. With
// `hints` it reports the zones that have arrived to the GPU, so that writes to them proceed, and first copies
// the zones for which writes wait, all that it knows of together. models/gpu/snapshot_driver.h makes the same
// choices.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/gpu.h"

typedef struct {
  bool increments, device_side, hints;
  bool silent;  // the driver reports and copies nothing, so that the GPU's watchdog must act
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
  gpu_snapshot_lost,  // the GPU is lost, or has a zone with an uncorrectable error
} GpuSnapshotState;

// The chain of committed snapshots. A checkpoint of the node must contain it and the buffer.
typedef struct {
  uint32_t half, used;  // zones
} GpuChain;

typedef struct {
  unsigned gpu;
  uint32_t kib;
  uint32_t zones, zone_bytes;  // in use
  uint8_t* buffer;             // four times the zones
  uint32_t* zone_of;           // zone of each place in the buffer
  uint32_t at_once;            // zones in one copy
  uint32_t* list;              // result of the scan: zones to be copied
  uint32_t* waiting;           // zones for which a write waits, to be copied first
  uint32_t* chosen;            // zones of the copy in progress
  uint8_t* is_done;            // by zone: copied, being copied, or not to be copied
  GpuChain* chain;

  GpuSnapshotState state;
  GpuSnapshotHow how;
  bool needs_full;
  bool full;                             // the open snapshot is a full one
  uint32_t half, first;                  // its place in the buffer
  uint32_t scanned, position, reported;  // zones in the list, copied, and reported to the GPU
  uint32_t waiting_count;

  uint32_t fulls, increments, failures;  // snapshots by their result
  uint32_t preferred,
      preferred_together;  // zones copied first for a waiting write; those copied with another one
  uint32_t retired;        // zones with an uncorrectable error that restores have replaced
} GpuSnapshot;

// Restarts the GPU and allocates `kib` KiB of its memory. The first snapshot will be a full one.
GpuError gpu_snapshot_prepare(GpuSnapshot* s, unsigned gpu, uint32_t kib, GpuChain* chain);
size_t gpu_snapshot_bytes(const GpuSnapshot* s);      // size of the buffer with its tables
void gpu_snapshot_use(GpuSnapshot* s, void* buffer);  // page aligned

GpuError gpu_snapshot_begin(GpuSnapshot* s, GpuSnapshotHow how);
void gpu_snapshot_progress(GpuSnapshot* s);
bool gpu_snapshot_is_open(const GpuSnapshot* s);  // a snapshot is open or being restored
void gpu_snapshot_commit(GpuSnapshot* s);
void gpu_snapshot_drop(GpuSnapshot* s);  // drops a snapshot that was taken, or abandons an open one

// Makes a whole snapshot the chain: all zones, in the order of their numbers, as after a commit of a full
// one. NULL: there is no chain, and memory is empty. It is for contents from elsewhere;
// gpu_snapshot_restore() follows.
void gpu_snapshot_fill(GpuSnapshot* s, const void* zones);
// Restarts the GPU, retires its contained zones, and fills its memory from the chain; without a chain its
// memory is empty. It fails if no spare zone is left.
GpuError gpu_snapshot_restore(GpuSnapshot* s);
// A zone of the newest committed snapshot.
const uint8_t* gpu_snapshot_zone(const GpuSnapshot* s, uint32_t zone);
