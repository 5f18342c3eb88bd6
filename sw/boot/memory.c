#include "boot/memory.h"

#include "asterism/platform.h"
#include "drivers/device_tree.h"

extern char __firmware_end[];
static uint64_t next;

uint64_t memory_free_start(void) { return next != 0 ? next : (uintptr_t)__firmware_end; }

uint64_t memory_end(void) {
  Device memory;
  if (device_tree_memory(&memory)) return memory.base + memory.size;
  return (uint64_t)DRAM_BASE + (64u << 20);
}

void* memory_allocate(size_t bytes) {
  const uint64_t start = memory_free_start();
  const uint64_t end = memory_end();
  if (start > end || bytes > end - start) return NULL;
  next = (start + bytes + page_bytes - 1) & ~(uint64_t)(page_bytes - 1);
  return (void*)(uintptr_t)start;
}
