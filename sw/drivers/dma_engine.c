#include "drivers/dma_engine.h"

#include "asterism/platform.h"
#include "boot/interrupts.h"
#include "drivers/device_tree.h"
#include "drivers/gic.h"
#include "drivers/mmio.h"

enum {
  id_value = 0x444d4131,
  done = DMA_ENGINE_STATUS_DONE_MASK,  // CLEAR and ENABLE have the same bits
  failed = DMA_ENGINE_STATUS_ERROR_MASK,
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
    if ((get(engine, DMA_ENGINE_STATUS) & done) == 0) continue;
    set(engine, DMA_ENGINE_CLEAR, done);
    ++engines[engine].done_interrupts;
    engines[engine].ended = true;
  }
}

static void collect_errors(void) {
  for (unsigned engine = 0; engine < count; ++engine) {
    if ((get(engine, DMA_ENGINE_STATUS) & failed) == 0) continue;
    set(engine, DMA_ENGINE_CLEAR, failed);
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
         get(count, DMA_ENGINE_ID) == id_value) {
    engines[count] = (Engine){0};
    set(count, DMA_ENGINE_CLEAR, done | failed);
    set(count, DMA_ENGINE_ENABLE, done | failed);
    ++count;
  }
  for (unsigned engine = 0; engine < count; ++engine) {
    gic_enable(devices[engine].interrupt, collect_done);
    gic_enable(devices[engine].second_interrupt, collect_errors);
  }
  interrupts_unmask();
  return count;
}

bool dma_engine_is_busy(unsigned engine) {
  return (get(engine, DMA_ENGINE_STATUS) & DMA_ENGINE_STATUS_BUSY_MASK) != 0;
}

bool dma_engine_start(unsigned engine, void* to, const void* from, uint32_t bytes) {
  if (dma_engine_is_busy(engine)) return false;
  engines[engine].ended = false;
  set_pair(engine, DMA_ENGINE_SOURCE_LOW, from);
  set_pair(engine, DMA_ENGINE_DESTINATION_LOW, to);
  set(engine, DMA_ENGINE_LENGTH, bytes);
  data_synchronization_barrier();  // the source must be in memory before the engine reads it
  set(engine, DMA_ENGINE_CONTROL, DMA_ENGINE_CONTROL_START_MASK);
  return true;
}

void dma_engine_stop(unsigned engine) { set(engine, DMA_ENGINE_CONTROL, DMA_ENGINE_CONTROL_STOP_MASK); }

DmaEngineEnd dma_engine_wait(unsigned engine) {
  sleep_until(&engines[engine].ended);
  data_synchronization_barrier();
  const uint64_t upper = get(engine, DMA_ENGINE_ERROR_ADDRESS_HIGH);
  return (DmaEngineEnd){
      .error = (DmaEngineError)(get(engine, DMA_ENGINE_STATUS) >> DMA_ENGINE_STATUS_CAUSE_SHIFT),
      .error_address = upper << 32 | get(engine, DMA_ENGINE_ERROR_ADDRESS_LOW),
      .left = get(engine, DMA_ENGINE_LENGTH)};
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
