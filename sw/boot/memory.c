#include "boot/memory.h"

#include "asterism/platform.h"
#include "drivers/device_tree.h"

extern char __firmware_end[];
static uint64_t next;
static uint64_t arena_end;  // 0: the end of DRAM
static uint64_t kept_from = UINT64_MAX;

uint64_t memory_free_start(void) { return next != 0 ? next : (uintptr_t)__firmware_end; }

uint64_t memory_end(void) {
  Device memory;
  if (device_tree_memory(&memory)) return memory.base + memory.size;
  return (uint64_t)DRAM_BASE + (64u << 20);
}

void* memory_allocate(size_t bytes) {
  const uint64_t start = memory_free_start();
  uint64_t end = arena_end != 0 ? arena_end : memory_end();
  if (end > kept_from) end = kept_from;
  if (start > end || bytes > end - start) return NULL;
  next = (start + bytes + page_bytes - 1) & ~(uint64_t)(page_bytes - 1);
  return (void*)(uintptr_t)start;
}

void memory_allocate_from(uint64_t first, uint64_t end) {
  const uint64_t behind = (uintptr_t)__firmware_end;
  next = first < behind ? behind : first;
  arena_end = end;
}

void memory_keep_from(uint64_t first) { kept_from = first; }
