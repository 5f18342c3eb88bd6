// XXH64 with seed 0 of whole 8-byte words: the hash by which equal and damaged chunks are found. It does not
// resist deliberate collisions, so the bytes of chunks are compared before equal ones are stored only once.
#pragma once

#include <stddef.h>
#include <stdint.h>

uint64_t chunk_hash(const uint64_t* words, size_t count);
