// FNV-1a, 64 bits, computed over little-endian 64-bit words instead of octets (an eighth of the
// multiplications), with sum ^= sum >> 29 after each multiplication: FNV-1a alone, over words, moves a
// difference in the highest bits only to the highest bits, where the next word can cancel it. If the length
// is not a multiple of 8, the last word is padded with zeros.
//
// Any change of a single word changes the sum, and so does any change of two bits in the same word or in
// adjacent words. Other changes remain undetected with a probability of about 2^-64.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_START 0xcbf29ce484222325u

uint64_t checksum(uint64_t sum, const void* data, size_t bytes);  // data may be unaligned
