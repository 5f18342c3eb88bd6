// In place of sw/boot/device_address.h: the addresses by which devices access the memory of a process.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The physical address of the first of these bytes. For memory that is not from memory_allocate(), or not
// physically contiguous, it is an address that every device refuses.
uint64_t device_address(const void* memory, size_t bytes);
