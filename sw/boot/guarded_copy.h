// memcpy that survives poison: data that the memory controller knows to be wrong.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// False: an access was answered with an error, on either side. Then the destination holds ones where it was, and is
// worth nothing as a whole; the error log of the memory controller says more.
bool memory_copy_guarded(void* destination, const void* source, size_t bytes);
