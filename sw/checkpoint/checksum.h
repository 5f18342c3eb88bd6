// FNV-1a, 64 bit, taken over little-endian 64-bit words instead of octets (eight times fewer
// multiplications); the last word of a length that is not a multiple of 8 is filled up with zeros. Any single
// changed word changes the sum.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START 0xcbf29ce484222325u

uint64_t checksum(uint64_t sum, const void* data, size_t bytes);  // data may be unaligned
