// Accesses to 32-bit device registers. Volatile accesses keep their order, since devices are Device memory.
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read(uint64_t address) { return *(volatile uint32_t*)(uintptr_t)address; }
static inline void mmio_write(uint64_t address, uint32_t value) {
  *(volatile uint32_t*)(uintptr_t)address = value;
}
