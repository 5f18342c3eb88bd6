// Uses sw/drivers/gpu_snapshot.h like a program with errors. A refused call must not change the open snapshot
// or the chain, and whatever was abandoned or forgotten, a restore must return the memory of the newest
// committed snapshot.
//
//   bad_snapshot
//
// Exit status: 0 if all that holds, 1 if not, 3 without a GPU.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/gpu_snapshot.h"

enum { kib = 1024 };

static const GpuSnapshotHow increment = {.increments = true, .hints = true};

static GpuChain chain;
static GpuSnapshot snapshot;
static uint8_t* memory;
static uint32_t* zones;  // of it
static unsigned number;
static bool failed;

static void expect(const char* what, unsigned got, unsigned expected) {
  if (got == expected) return;
  printf("bad_snapshot: %s: expected %u, got %u\n", what, expected, got);
  failed = true;
}

// A kernel on a quarter of the memory, another one each time.
static GpuError launch(void) {
  static GpuKernel kernel;
  kernel = (GpuKernel){.first = (uint64_t)(number % 4) * (kib << 8),
                       .bytes = kib << 8,
                       .seed = number,
                       .number = number,
                       .accesses = 200,
                       .writes = 500,
                       .gap_ns = 50};
  ++number;
  return gpu_launch(0, &kernel);
}

static void await_idle(void) {
  for (;;) {
    gpu_snapshot_progress(&snapshot);
    if (!gpu_snapshot_is_open(&snapshot) && !gpu_is_running(0)) return;
    gpu_await_event();
  }
}

static void write_memory(void) {
  expect("launch", launch(), gpu_ok);
  await_idle();
}

static void take(const char* what) {
  await_idle();
  expect(what, snapshot.state, gpu_snapshot_taken);
  if (snapshot.state == gpu_snapshot_taken) gpu_snapshot_commit(&snapshot);
}

static void while_one_is_open(void) {
  write_memory();
  expect("begin", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  expect("begin while one is open", gpu_snapshot_begin(&snapshot, increment), gpu_open);
  expect("it stays open", gpu_snapshot_is_open(&snapshot), true);
  take("a snapshot, after another was refused");
}

static void while_a_kernel_runs(void) {
  expect("a kernel", launch(), gpu_ok);
  expect("begin while a kernel runs", gpu_snapshot_begin(&snapshot, increment), gpu_running);
  await_idle();
  gpu_snapshot_drop(&snapshot);
  expect("begin after it", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  take("a snapshot, after one was refused");
}

static void without_commit(void) {
  write_memory();
  expect("begin", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  await_idle();
  expect("a snapshot that is forgotten", snapshot.state, gpu_snapshot_taken);
  write_memory();
  expect("begin without a commit", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  take("a snapshot, after one that was forgotten");
}

static void right_after_a_drop(void) {
  write_memory();
  expect("begin", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  gpu_snapshot_drop(&snapshot);
  expect("begin right after a drop", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  take("a snapshot, right after a drop");
}

// The current contents of memory, without the driver of snapshots.
static bool read_memory(void) {
  if (gpu_begin(0, false, true, memory, zones) != gpu_ok) return false;
  for (;;) {
    const uint32_t events = gpu_take_events(0);
    if ((events & (gpu_event_taken | gpu_event_failed)) != 0) return (events & gpu_event_taken) != 0;
    gpu_await_event();
  }
}

static bool is_committed(void) {
  for (uint32_t i = 0; i < snapshot.zones; ++i) {
    const uint8_t* const data = gpu_snapshot_zone(&snapshot, zones[i]);
    if (data == NULL || memcmp(data, memory + (size_t)i * snapshot.zone_bytes, snapshot.zone_bytes) != 0)
      return false;
  }
  return true;
}

// Used if no kernel has run since the newest snapshot was begun.
static void compare(const char* what) {
  if (!read_memory() || !is_committed()) {
    printf("bad_snapshot: %s: the newest snapshot is not the memory\n", what);
    failed = true;
  }
  write_memory();
  expect("restore", gpu_snapshot_restore(&snapshot), gpu_ok);
  await_idle();
  expect("state after a restore", snapshot.state, gpu_snapshot_restored);
  if (!read_memory() || !is_committed()) {
    printf("bad_snapshot: %s: the memory is not the newest snapshot\n", what);
    failed = true;
  }
  expect("begin after a restore", gpu_snapshot_begin(&snapshot, increment), gpu_ok);
  take("a snapshot of what was restored");
}

int main(void) {
  if (gpu_probe() == 0) {
    printf("bad_snapshot: no GPU\n");
    return exit_unavailable;
  }
  expect("prepare", gpu_snapshot_prepare(&snapshot, 0, kib, &chain), gpu_ok);
  void* const buffer = memory_allocate(gpu_snapshot_bytes(&snapshot));
  memory = memory_allocate((size_t)snapshot.zones * snapshot.zone_bytes);
  zones = memory_allocate(snapshot.zones * sizeof *zones);
  if (buffer == NULL || memory == NULL || zones == NULL || failed) return exit_unavailable;
  gpu_snapshot_use(&snapshot, buffer);
  static void (*const mistakes[])(void) = {while_one_is_open, while_a_kernel_runs, without_commit,
                                           right_after_a_drop};
  static const char* const names[] = {"while one is open", "while a kernel runs", "without a commit",
                                      "right after a drop"};
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    mistakes[i]();
    compare(names[i]);
  }
  printf("bad_snapshot: %u mistakes, %u full snapshots, %u increments\n",
         (unsigned)(sizeof mistakes / sizeof *mistakes), (unsigned)snapshot.fulls,
         (unsigned)snapshot.increments);
  return failed ? exit_failed : exit_passed;
}
