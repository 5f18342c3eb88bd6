// Driver of DMA engines (rtl/dma_engine), which copy bytes of any alignment. They are found in the device
// tree by "asterism,dma_engine", in whose order they are numbered. Call all functions on the core that called
// dma_engine_probe().
//
//   if (dma_engine_probe() == 0) ...
//   const DmaEngineEnd end = dma_engine_copy(0, to, from, bytes);      sleeps in WFI until the copy has ended
//   dma_engine_start(0, to, from, bytes); ... end = dma_engine_wait(0);
//
// An engine knows nothing of caches; instructions that it has written need dma_engine_written_code().
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { dma_engine_limit = 8 };

typedef enum {
  dma_engine_ok = 0,
  dma_engine_read_error = 1,  // the bus has answered a read with an error
  dma_engine_write_error = 2,
  dma_engine_stopped = 3,  // by dma_engine_stop()
} DmaEngineError;
const char* dma_engine_error_text(DmaEngineError error);

typedef struct {
  DmaEngineError error;
  uint64_t error_address;  // of the word whose access failed
  uint32_t left;           // bytes at the end of the destination that were not written
} DmaEngineEnd;

unsigned dma_engine_probe(void);  // the number of engines; the calling core gets their interrupts

// One copy at a time; false: one is in progress. The ranges may overlap if `to` is below `from`.
bool dma_engine_start(unsigned engine, void* to, const void* from, uint32_t bytes);
bool dma_engine_is_busy(unsigned engine);
void dma_engine_stop(unsigned engine);          // ends the copy after the access in progress
DmaEngineEnd dma_engine_wait(unsigned engine);  // sleeps until the copy that was started has ended
DmaEngineEnd dma_engine_copy(unsigned engine, void* to, const void* from, uint32_t bytes);

// Interrupts since dma_engine_probe().
uint32_t dma_engine_done_interrupts(unsigned engine);
uint32_t dma_engine_error_interrupts(unsigned engine);

// Makes instructions that an engine has written visible to this core.
void dma_engine_written_code(const void* first, size_t bytes);
