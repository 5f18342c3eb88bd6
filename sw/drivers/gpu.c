#include "drivers/gpu.h"

#include <stddef.h>

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { window = 0x800, all_events = 0x1ff };

static Device device;
static unsigned gpus;
static volatile uint32_t events[gpu_limit];
static volatile bool happened;  // for any GPU

static uint32_t get(unsigned gpu, uint32_t offset) { return mmio_read(device.base + gpu * window + offset); }
static void set(unsigned gpu, uint32_t offset, uint32_t value) {
  mmio_write(device.base + gpu * window + offset, value);
}

static void set_pair(unsigned gpu, uint32_t low, const void* address) {
  const uint64_t value = (uintptr_t)address;
  set(gpu, low, (uint32_t)value);
  set(gpu, low + 4, (uint32_t)(value >> 32));
}

static GpuError command(unsigned gpu, uint32_t operation) {
  data_synchronization_barrier();  // lists and kernels must be in memory before the device reads them
  set(gpu, GPU_COMMAND, operation << GPU_COMMAND_OPERATION_SHIFT);
  uint32_t status;
  do status = get(gpu, GPU_STATUS);
  while ((status & GPU_STATUS_BUSY_MASK) != 0);
  return (GpuError)((status & GPU_STATUS_ERROR_MASK) >> GPU_STATUS_ERROR_SHIFT);
}

static GpuError with_list(unsigned gpu, uint32_t operation, const uint32_t* zones, uint32_t count) {
  set_pair(gpu, GPU_LIST_LOW, zones);
  set(gpu, GPU_COUNT, count);
  return command(gpu, operation);
}

// Called with interrupts masked.
static void collect(void) {
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const uint32_t status = get(gpu, GPU_INTERRUPT_STATUS);
    if (status == 0) continue;
    set(gpu, GPU_INTERRUPT_STATUS, status);
    events[gpu] |= status;
    happened = true;
  }
}

unsigned gpu_probe(void) {
  if (!device_tree_find("asterism,gpu", &device)) return 0;
  gpus = get(0, GPU_DEVICES);
  if (gpus > gpu_limit) gpus = gpu_limit;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    set(gpu, GPU_INTERRUPT_STATUS, all_events);
    set(gpu, GPU_INTERRUPT_ENABLE, all_events);
  }
  gic_enable(device.interrupt, collect);
  interrupts_unmask();
  return gpus;
}

const char* gpu_error_text(GpuError error) {
  static const char* const texts[] = {"no error",
                                      "no such command",
                                      "bad descriptor",
                                      "bus error",
                                      "bad zone",
                                      "a kernel runs",
                                      "a snapshot is open",
                                      "zones are being copied",
                                      "needs a full snapshot",
                                      "nothing is allocated",
                                      "no snapshot is open",
                                      "zones have not arrived",
                                      "the GPU is lost",
                                      "no spare zone is left",
                                      "the zone has an uncorrectable error"};
  return (unsigned)error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}

const char* gpu_failure_text(GpuFailure failure) {
  static const char* const texts[] = {"no failure", "a write has waited too long", "memory refused it",
                                      "aborted", "a zone has an uncorrectable error"};
  return (unsigned)failure < sizeof texts / sizeof *texts ? texts[failure] : "unknown failure";
}

uint32_t gpu_zone_bytes(void) { return get(0, GPU_ZONE_SIZE); }
uint32_t gpu_transfer_bytes(void) { return get(0, GPU_TRANSFER_SIZE); }
uint32_t gpu_memory_kib(void) { return get(0, GPU_MEMORY); }
uint32_t gpu_pipelines(void) { return get(0, GPU_PIPELINES); }
uint32_t gpu_zones_in_use(unsigned gpu) { return get(gpu, GPU_ZONES_IN_USE); }

GpuError gpu_allocate(unsigned gpu, uint32_t kib) {
  set(gpu, GPU_COUNT, kib);
  return command(gpu, GPU_COMMAND_OPERATION_ALLOCATE);
}

GpuError gpu_launch(unsigned gpu, const GpuKernel* kernel) {
  set_pair(gpu, GPU_LIST_LOW, kernel);
  return command(gpu, GPU_COMMAND_OPERATION_LAUNCH);
}

bool gpu_is_running(unsigned gpu) { return (get(gpu, GPU_STATUS) & GPU_STATUS_RUNNING_MASK) != 0; }
bool gpu_is_copying(unsigned gpu) { return (get(gpu, GPU_STATUS) & GPU_STATUS_COPYING_MASK) != 0; }

// Earlier events are not needed any more.
void gpu_restart(unsigned gpu) {
  interrupts_mask();
  command(gpu, GPU_COMMAND_OPERATION_RESTART);
  set(gpu, GPU_INTERRUPT_STATUS, all_events);
  events[gpu] = 0;
  interrupts_unmask();
}

GpuError gpu_begin(unsigned gpu, bool increment, bool device_side, void* extent, uint32_t* arrivals) {
  set_pair(gpu, GPU_EXTENT_LOW, extent);
  set_pair(gpu, GPU_ARRIVALS_LOW, arrivals);
  set(gpu, GPU_SNAPSHOT,
      (increment ? GPU_SNAPSHOT_INCREMENT_MASK : 0) | (device_side ? GPU_SNAPSHOT_DEVICE_SIDE_MASK : 0));
  return command(gpu, GPU_COMMAND_OPERATION_BEGIN);
}

GpuError gpu_scan(unsigned gpu, uint32_t from, uint32_t* list, uint32_t count) {
  set(gpu, GPU_FROM, from);
  return with_list(gpu, GPU_COMMAND_OPERATION_SCAN, list, count);
}

uint32_t gpu_scanned(unsigned gpu) { return get(gpu, GPU_SCANNED); }

GpuError gpu_copy_out(unsigned gpu, const uint32_t* zones, uint32_t count) {
  return with_list(gpu, GPU_COMMAND_OPERATION_COPY_OUT, zones, count);
}

GpuError gpu_preserve(unsigned gpu, const uint32_t* zones, uint32_t count) {
  return with_list(gpu, GPU_COMMAND_OPERATION_PRESERVE, zones, count);
}

GpuError gpu_finish(unsigned gpu) { return command(gpu, GPU_COMMAND_OPERATION_FINISH); }
GpuError gpu_abort(unsigned gpu) { return command(gpu, GPU_COMMAND_OPERATION_ABORT); }

GpuError gpu_copy_in(unsigned gpu, const uint32_t* zones, uint32_t count, const void* from) {
  set_pair(gpu, GPU_EXTENT_LOW, from);
  return with_list(gpu, GPU_COMMAND_OPERATION_COPY_IN, zones, count);
}

uint32_t gpu_arrived(unsigned gpu) { return get(gpu, GPU_ARRIVED); }
uint32_t gpu_zones(unsigned gpu) { return get(gpu, GPU_ZONES); }

bool gpu_next_waiting(unsigned gpu, uint32_t* zone) {
  *zone = get(gpu, GPU_WAITING);
  return *zone != UINT32_MAX;
}

GpuFailure gpu_failure(unsigned gpu) {
  return (GpuFailure)((get(gpu, GPU_STATUS) & GPU_STATUS_FAILURE_MASK) >> GPU_STATUS_FAILURE_SHIFT);
}

bool gpu_contained(unsigned gpu, GpuContained* first) {
  first->zone = get(gpu, GPU_CONTAINED);
  const uint32_t place = get(gpu, GPU_ERROR_PLACE);
  first->offset = (place & GPU_ERROR_PLACE_OFFSET_MASK) >> GPU_ERROR_PLACE_OFFSET_SHIFT;
  first->by_copy = (place & GPU_ERROR_PLACE_BY_COPY_MASK) != 0;
  return first->zone != UINT32_MAX;
}

GpuError gpu_retire(unsigned gpu, uint32_t zone) {
  set(gpu, GPU_FROM, zone);
  return command(gpu, GPU_COMMAND_OPERATION_RETIRE);
}

bool gpu_kernel_was_stopped(unsigned gpu) { return (get(gpu, GPU_STATUS) & GPU_STATUS_STOPPED_MASK) != 0; }
uint32_t gpu_spare_zones(unsigned gpu) { return get(gpu, GPU_SPARE_ZONES); }
uint32_t gpu_corrected(unsigned gpu) { return get(gpu, GPU_CORRECTED); }
uint32_t gpu_uncorrectable(unsigned gpu) { return get(gpu, GPU_UNCORRECTABLE); }

uint32_t gpu_take_events(unsigned gpu) {
  interrupts_mask();
  const uint32_t taken = events[gpu];
  events[gpu] = 0;
  happened = false;
  for (unsigned other = 0; other < gpus; ++other)
    if (events[other] != 0) happened = true;
  interrupts_unmask();
  return taken;
}

void gpu_await_event(void) { sleep_until(&happened); }
bool gpu_has_event(void) { return happened; }
