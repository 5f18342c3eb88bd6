#include "drivers/dimm_ssd.h"

#include "asterism/platform.h"
#include "boot/device_address.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

const char* const dimm_ssd_method_names[dimm_ssd_methods] = {
    "configured", "stop_and_copy", "stop_and_copy_hardware", "copy_on_write", "consolidate", "early",
    "late",       "early_late",    "early_late+consolidate"};

static const char compatible[] = "asterism,dimm-ssd";

enum {
  progress_bits = DIMM_SSD_INTERRUPT_STATUS_DURABLE_MASK | DIMM_SSD_INTERRUPT_STATUS_FAILED_MASK,
  all_bits = DIMM_SSD_INTERRUPT_STATUS_COMPLETE_MASK | progress_bits
};

typedef struct {
  Device device;
  volatile bool complete;
  volatile bool progressed;
  DimmSsdProgress failure;  // the oldest failure that was not reported
} State;

static State ssd;  // of the selected device
static State unselected[dimm_ssd_limit];
static unsigned selected;

static uint32_t read_register(uint32_t offset) { return mmio_read(ssd.device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(ssd.device.base + offset, value); }

static uint64_t read_pair(uint32_t low, uint32_t high) {
  const uint64_t upper = read_register(high);
  return upper << 32 | read_register(low);
}

// Called with interrupts masked. The line may still be high for a moment after the interrupt was cleared:
// only the status register of the device counts.
static void collect(void) {
  const uint32_t status = read_register(DIMM_SSD_INTERRUPT_STATUS) & all_bits;
  if (status == 0) return;
  // This precedes the reads of the registers below: a later event raises the line again.
  write_register(DIMM_SSD_INTERRUPT_STATUS, status);
  // The end of a command may be reported only when the next one runs.
  const bool ended = (status & DIMM_SSD_INTERRUPT_STATUS_COMPLETE_MASK) != 0;
  if (ended && (read_register(DIMM_SSD_STATUS) & DIMM_SSD_STATUS_BUSY_MASK) == 0) ssd.complete = true;
  if ((status & progress_bits) != 0) ssd.progressed = true;
  if ((status & DIMM_SSD_INTERRUPT_STATUS_FAILED_MASK) == 0 || ssd.failure.failed)
    return;  // only the oldest failure is kept
  ssd.failure.failed = true;
  ssd.failure.failed_version = read_pair(DIMM_SSD_FAILED_VERSION_LOW, DIMM_SSD_FAILED_VERSION_HIGH);
  ssd.failure.failed_error = (DimmSsdError)read_register(DIMM_SSD_FAILED_ERROR);
}

static bool find_first(Device* found) { return device_tree_find(compatible, found); }

// dimm_ssd_select() replaces them, so that a program with one device is not linked with more.
static InterruptHandler handler = collect;
static bool (*find)(Device* found) = find_first;

bool dimm_ssd_probe(void) {
  if (!find(&ssd.device)) return false;
  write_register(DIMM_SSD_INTERRUPT_STATUS, all_bits);
  if (ssd.device.interrupt == 0)
    ssd.device.interrupt = 32 + DIMM_SSD_INTERRUPT;  // for a device tree without the interrupt
  gic_enable(ssd.device.interrupt, handler);
  write_register(DIMM_SSD_INTERRUPT_ENABLE, all_bits);
  interrupts_unmask();
  return true;
}

bool dimm_ssd_start(DimmSsdOperation operation, const DimmSsdRequest* request) {
  const uint64_t address = device_address(request, sizeof *request + request->page_count * sizeof(uint64_t));
  interrupts_mask();  // a command that is refused must not hide the end of the running one
  write_register(DIMM_SSD_DESCRIPTOR_LOW, (uint32_t)address);
  write_register(DIMM_SSD_DESCRIPTOR_HIGH, (uint32_t)(address >> 32));
  data_synchronization_barrier();  // request and pages must be in memory before the device reads them
  write_register(DIMM_SSD_COMMAND, (uint32_t)operation << DIMM_SSD_COMMAND_OPERATION_SHIFT);
  const bool taken = (read_register(DIMM_SSD_STATUS) & DIMM_SSD_STATUS_REFUSED_MASK) == 0;
  if (taken) ssd.complete = false;
  interrupts_unmask();
  return taken;
}

bool dimm_ssd_poll(DimmSsdError* error) {
  if (!ssd.complete) return false;
  const uint32_t status = read_register(DIMM_SSD_STATUS);
  data_synchronization_barrier();
  *error = (DimmSsdError)((status & DIMM_SSD_STATUS_ERROR_MASK) >> DIMM_SSD_STATUS_ERROR_SHIFT);
  return true;
}

DimmSsdError dimm_ssd_wait(void) {
  DimmSsdError error = dimm_ssd_ok;
  sleep_until(&ssd.complete);
  dimm_ssd_poll(&error);
  return error;
}

DimmSsdError dimm_ssd_execute(DimmSsdOperation operation, const DimmSsdRequest* request) {
  return dimm_ssd_start(operation, request) ? dimm_ssd_wait() : dimm_ssd_busy;
}

DimmSsdProgress dimm_ssd_progress(void) {
  DimmSsdProgress progress;
  interrupts_mask();
  collect();
  do {  // repeat until nothing has happened between the two reads
    ssd.progressed = false;
    progress.open = read_register(DIMM_SSD_OPEN);
    collect();
  } while (ssd.progressed);
  progress.failed = ssd.failure.failed;
  progress.failed_version = ssd.failure.failed_version;
  progress.failed_error = ssd.failure.failed_error;
  ssd.failure.failed = false;
  interrupts_unmask();
  return progress;
}

void dimm_ssd_await_progress(void) { sleep_until(&ssd.progressed); }
bool dimm_ssd_has_progressed(void) { return ssd.progressed; }
bool dimm_ssd_has_ended(void) { return ssd.complete; }

bool dimm_ssd_stops_software(DimmSsdMethod method) {
  if (method == dimm_ssd_configured) method = (DimmSsdMethod)read_register(DIMM_SSD_METHOD);
  return method <= dimm_ssd_stop_and_copy || method == dimm_ssd_consolidate || method == dimm_ssd_early;
}

uint64_t dimm_ssd_found_version(void) {
  return read_pair(DIMM_SSD_RESULT_VERSION_LOW, DIMM_SSD_RESULT_VERSION_HIGH);
}

uint32_t dimm_ssd_found_pages(void) { return read_register(DIMM_SSD_RESULT_PAGES); }
uint32_t dimm_ssd_bad_index(void) { return read_register(DIMM_SSD_BAD_INDEX); }
uint32_t dimm_ssd_writes_held(void) { return read_register(DIMM_SSD_WRITES_HELD); }
uint32_t dimm_ssd_lines_copied(void) { return read_register(DIMM_SSD_LINES_COPIED); }
uint32_t dimm_ssd_flash_pages(void) { return read_register(DIMM_SSD_FLASH_PAGES); }
uint64_t dimm_ssd_rated(void) { return read_pair(DIMM_SSD_RATED_LOW, DIMM_SSD_RATED_HIGH); }

uint64_t dimm_ssd_written(void) {  // the device may write between the two reads
  uint64_t written, again = read_pair(DIMM_SSD_WRITTEN_LOW, DIMM_SSD_WRITTEN_HIGH);
  do {
    written = again;
    again = read_pair(DIMM_SSD_WRITTEN_LOW, DIMM_SSD_WRITTEN_HIGH);
  } while (again >> 32 != written >> 32);
  return written;
}

void dimm_ssd_use_shadow(void* first, uint32_t pages) {
  const uint64_t address = device_address(first, (size_t)pages * 4096);
  write_register(DIMM_SSD_SHADOW_LOW, (uint32_t)address);
  write_register(DIMM_SSD_SHADOW_HIGH, (uint32_t)(address >> 32));
  write_register(DIMM_SSD_SHADOW_PAGES, pages);
}

// ---- several devices ----

// With interrupts masked.
static void exchange(unsigned instance) {
  unselected[selected] = ssd;
  ssd = unselected[instance];
  selected = instance;
}

static void collect_all(void) {
  const unsigned before = selected;
  for (unsigned instance = 0; instance < dimm_ssd_limit; ++instance) {
    exchange(instance);
    if (ssd.device.base != 0) collect();
  }
  exchange(before);
}

static bool find_selected(Device* found) { return device_tree_find_instance(compatible, selected, found); }

bool dimm_ssd_select(unsigned instance) {
  Device found;
  if (instance >= dimm_ssd_limit || !device_tree_find_instance(compatible, instance, &found)) return false;
  if (ssd.device.base != 0) gic_enable(ssd.device.interrupt, collect_all);
  handler = collect_all;
  find = find_selected;
  interrupts_mask();
  exchange(instance);
  interrupts_unmask();
  return true;
}
