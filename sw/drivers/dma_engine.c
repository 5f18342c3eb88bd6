#include "drivers/dma_engine.h"

#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

// The registers (rtl/dma_engine/README.md).
enum {
  id = 0x00,
  control = 0x04,
  status = 0x08,
  interrupt_enable = 0x0c,
  clear = 0x10,
  length = 0x14,
  source_low = 0x18,
  destination_low = 0x20,
  error_address_low = 0x28,
};
enum {
  id_value = 0x444d4131,
  control_start = 1,
  control_stop = 2,
  busy = 1,
  done = 2,
  failed = 4,
  cause_shift = 4
};

typedef struct {
  volatile bool ended;
  volatile uint32_t done_interrupts, error_interrupts;
} Engine;

static Device devices[dma_engine_limit];
static Engine engines[dma_engine_limit];
static unsigned count;

static uint32_t get(unsigned engine, uint32_t offset) { return mmio_read(devices[engine].base + offset); }
static void set(unsigned engine, uint32_t offset, uint32_t value) {
  mmio_write(devices[engine].base + offset, value);
}
static void set_pair(unsigned engine, uint32_t low, const void* address) {
  const uint64_t value = (uintptr_t)address;
  set(engine, low, (uint32_t)value);
  set(engine, low + 4, (uint32_t)(value >> 32));
}

// The two lines of an engine have handlers of their own, which all engines share.
static void collect_done(void) {
  for (unsigned engine = 0; engine < count; ++engine) {
    if ((get(engine, status) & done) == 0) continue;
    set(engine, clear, done);
    ++engines[engine].done_interrupts;
    engines[engine].ended = true;
  }
}

static void collect_errors(void) {
  for (unsigned engine = 0; engine < count; ++engine) {
    if ((get(engine, status) & failed) == 0) continue;
    set(engine, clear, failed);
    ++engines[engine].error_interrupts;
    engines[engine].ended = true;
  }
}

const char* dma_engine_error_text(DmaEngineError error) {
  static const char* const texts[] = {"no error", "a read was refused", "a write was refused", "stopped"};
  return (unsigned)error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}

unsigned dma_engine_probe(void) {
  count = 0;
  while (count < dma_engine_limit &&
         device_tree_find_instance("asterism,dma_engine", count, &devices[count]) &&
         get(count, id) == id_value) {
    engines[count] = (Engine){0};
    set(count, clear, done | failed);
    set(count, interrupt_enable, done | failed);
    ++count;
  }
  for (unsigned engine = 0; engine < count; ++engine) {
    gic_enable(devices[engine].interrupt, collect_done);
    gic_enable(devices[engine].second_interrupt, collect_errors);
  }
  interrupts_unmask();
  return count;
}

bool dma_engine_is_busy(unsigned engine) { return (get(engine, status) & busy) != 0; }

bool dma_engine_start(unsigned engine, void* to, const void* from, uint32_t bytes) {
  if (dma_engine_is_busy(engine)) return false;
  engines[engine].ended = false;
  set_pair(engine, source_low, from);
  set_pair(engine, destination_low, to);
  set(engine, length, bytes);
  data_synchronization_barrier();  // the source must be in memory before the engine reads it
  set(engine, control, control_start);
  return true;
}

void dma_engine_stop(unsigned engine) { set(engine, control, control_stop); }

DmaEngineEnd dma_engine_wait(unsigned engine) {
  sleep_until(&engines[engine].ended);
  data_synchronization_barrier();
  const uint64_t upper = get(engine, error_address_low + 4);
  return (DmaEngineEnd){.error = (DmaEngineError)(get(engine, status) >> cause_shift),
                        .error_address = upper << 32 | get(engine, error_address_low),
                        .left = get(engine, length)};
}

DmaEngineEnd dma_engine_copy(unsigned engine, void* to, const void* from, uint32_t bytes) {
  while (!dma_engine_start(engine, to, from, bytes)) dma_engine_wait(engine);
  return dma_engine_wait(engine);
}

uint32_t dma_engine_done_interrupts(unsigned engine) { return engines[engine].done_interrupts; }
uint32_t dma_engine_error_interrupts(unsigned engine) { return engines[engine].error_interrupts; }

void dma_engine_written_code(const void* first, size_t bytes) {
  data_synchronization_barrier();
  for (uintptr_t line = (uintptr_t)first & ~(uintptr_t)63; line < (uintptr_t)first + bytes; line += 64)
    __asm__ volatile("dc cvau, %0\n ic ivau, %0" ::"r"(line) : "memory");
  __asm__ volatile("dsb ish\n isb" ::: "memory");
}
