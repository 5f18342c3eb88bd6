#include "drivers/pcram.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum { page_shift = 12 };

static Device device;
static uint64_t memory_base;
static volatile bool complete;

static uint32_t read_register(uint32_t offset) { return mmio_read(device.base + offset); }
static void write_register(uint32_t offset, uint32_t value) { mmio_write(device.base + offset, value); }

const char* pcram_error_text(PcramError error) {
  static const char* const texts[] = {"ok", "bad argument", "bus error", "uncorrectable", "worn out", "busy"};
  return (unsigned)error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}

static void handler(void) {
  if ((read_register(PCRAM_INTERRUPT_STATUS) & PCRAM_INTERRUPT_STATUS_COMPLETE_MASK) == 0) return;
  write_register(PCRAM_INTERRUPT_STATUS, PCRAM_INTERRUPT_STATUS_COMPLETE_MASK);
  complete = true;
}

bool pcram_probe(void) {
  Device memory;
  if (!device_tree_find("asterism,pcram", &device) || !device_tree_memory(&memory)) return false;
  memory_base = memory.base;
  write_register(PCRAM_INTERRUPT_STATUS, PCRAM_INTERRUPT_STATUS_COMPLETE_MASK);
  gic_enable(device.interrupt, handler);
  write_register(PCRAM_INTERRUPT_ENABLE, PCRAM_INTERRUPT_ENABLE_COMPLETE_MASK);
  interrupts_unmask();
  return true;
}

uint32_t pcram_pages(void) { return read_register(PCRAM_CAPACITY); }
uint32_t pcram_layer_pages(void) { return read_register(PCRAM_LAYER); }

uint32_t pcram_place_of(const void* memory, uint32_t layer) {
  return layer * pcram_layer_pages() + (uint32_t)(((uintptr_t)memory - memory_base) >> page_shift);
}

static bool start(uint32_t command, uint64_t memory, uint32_t pages, uint32_t place) {
  complete = false;
  write_register(PCRAM_MEMORY_LOW, (uint32_t)memory);
  write_register(PCRAM_MEMORY_HIGH, (uint32_t)(memory >> 32));
  write_register(PCRAM_PLACE, place);
  write_register(PCRAM_PAGES, pages);
  data_synchronization_barrier();  // the pages must be in memory before the device reads them
  write_register(PCRAM_COMMAND, command);
  return (read_register(PCRAM_STATUS) & PCRAM_STATUS_REFUSED_MASK) == 0;
}

PcramError pcram_wait(void) {
  sleep_until(&complete);
  data_synchronization_barrier();
  return (PcramError)((read_register(PCRAM_STATUS) & PCRAM_STATUS_ERROR_MASK) >> PCRAM_STATUS_ERROR_SHIFT);
}

bool pcram_start_save(const void* memory, uint32_t pages, uint32_t place, bool incremental) {
  const uint32_t how = incremental ? PCRAM_COMMAND_INCREMENTAL_MASK : 0;
  return start(PCRAM_COMMAND_OPERATION_SAVE << PCRAM_COMMAND_OPERATION_SHIFT | how, (uintptr_t)memory, pages,
               place);
}

PcramError pcram_save(const void* memory, uint32_t pages, uint32_t place, bool incremental) {
  return pcram_start_save(memory, pages, place, incremental) ? pcram_wait() : pcram_busy;
}

PcramError pcram_load(void* memory, uint32_t pages, uint32_t place) {
  const uint32_t command = PCRAM_COMMAND_OPERATION_LOAD << PCRAM_COMMAND_OPERATION_SHIFT;
  return start(command, (uintptr_t)memory, pages, place) ? pcram_wait() : pcram_busy;
}

uint32_t pcram_copied(void) { return read_register(PCRAM_COPIED); }
uint32_t pcram_bad_index(void) { return read_register(PCRAM_BAD_INDEX); }
