// The addresses by which devices access memory.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The address of the first of these bytes, which devices must find behind one another. On bare metal it is
// what a pointer holds, as memory is mapped to itself.
static inline uint64_t device_address(const void* memory, size_t bytes) {
  (void)bytes;
  return (uintptr_t)memory;
}
