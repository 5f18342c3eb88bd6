// A memcpy that tolerates poison, i.e. data that the memory controller has marked as wrong.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Returns false if an access to either side failed. The destination must not be used then: it holds ones in
// that place or, where such a load aborts (node.cores.load_errors=abort), old data from there on. The error
// log of the memory controller has the details.
bool memory_copy_guarded(void* destination, const void* source, size_t bytes);
