// XXH64 with seed 0 of whole 8-byte words: the hash that finds equal and damaged chunks. It does not resist
// deliberate collisions: the bytes of chunks are compared before they are stored only once.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t chunk_hash(const uint64_t* words, size_t count);
