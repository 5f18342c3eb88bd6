// 32-bit device registers. The volatile access is the order: with the MMU off a device is Device memory.
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read(uint64_t address) { return *(volatile uint32_t*)(uintptr_t)address; }
static inline void mmio_write(uint64_t address, uint32_t value) {
  *(volatile uint32_t*)(uintptr_t)address = value;
}
