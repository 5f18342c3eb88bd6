// FNV-1a, 64 bit, taken over little-endian 64-bit words instead of octets (eight times fewer multiplications), with
// sum ^= sum >> 29 behind each multiplication: FNV-1a alone over words carries a difference of the highest bits into the highest
// bits, where the next word can take it back. The last word of a length that is not a multiple of 8 is filled up with zeros.
//
// Any single changed word changes the sum; so do any two bits in the same word or in neighbouring ones. Anything else that changes
// goes unseen with a chance of about 2^-64.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START 0xcbf29ce484222325u

uint64_t checksum(uint64_t sum, const void* data, size_t bytes);  // data may be unaligned
