#include "apps/composed_node/saved_memory.h"

#include <stdio.h>

#include "checkpoint/checksum.h"

typedef unsigned long long Printable;

static const char name[] = "composed_node";

bool saved_memory_open(SavedMemory* memory, uint64_t pages) {
  void* const own = memory_allocate(CHECKPOINT_OWN_BYTES);
  memory->pages = pages;
  memory->words = memory_allocate(pages * page_bytes);
  memory->state = memory_allocate(sizeof *memory->state);
  if (memory->state == NULL || checkpoint_select(memory->dimm_ssd, own) != checkpoint_ok) return false;
  if (checkpoint_initialize() != checkpoint_ok) return false;
  checkpoint_protect(0, memory->words, pages * page_bytes);
  checkpoint_protect(1, memory->state, sizeof *memory->state);
  checkpoint_use_method(memory->method);
  return memory->method != dimm_ssd_copy_on_write || checkpoint_use_shadow(0) == checkpoint_ok;
}

uint64_t saved_memory_checksum(const SavedMemory* memory) {
  return checksum(CHECKSUM_START, memory->words, memory->pages * page_bytes);
}

static bool right(const SavedMemory* memory, const char* what, uint64_t step, CheckpointStatus status) {
  printf("composed_node: DIMM-SSD %u: step %llu %s%s\n", memory->dimm_ssd, (Printable)step,
         status == checkpoint_ok ? what : "failed: ", status == checkpoint_ok ? "" : checkpoint_text(status));
  return status == checkpoint_ok;
}

bool saved_memory_begin(SavedMemory* memory, uint64_t step) {
  checkpoint_select(memory->dimm_ssd, NULL);
  return right(memory, "handed over", step, checkpoint_begin(name, step));
}

bool saved_memory_finish(SavedMemory* memory) {
  checkpoint_select(memory->dimm_ssd, NULL);
  const CheckpointStatus status = checkpoint_wait(checkpoint_any_version);
  return status == checkpoint_ok || right(memory, "", memory->state->step, status);
}

bool saved_memory_newest(SavedMemory* memory, uint64_t limit, uint64_t* step) {
  checkpoint_select(memory->dimm_ssd, NULL);
  return checkpoint_find_newest(name, limit, step) == checkpoint_ok;
}

bool saved_memory_restore(SavedMemory* memory, uint64_t step) {
  checkpoint_select(memory->dimm_ssd, NULL);
  return right(memory, "restored", step, checkpoint_restore(name, step));
}
