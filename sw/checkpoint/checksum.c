#include "checkpoint/checksum.h"

#include <string.h>

static const uint64_t prime = 0x100000001b3u;

// The multiplication moves a difference only to higher bits, and one in bit 63 nowhere: without the shift,
// the same bit of the next word could cancel it.
static uint64_t mixed(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * prime;
  return sum ^ sum >> 29;
}

uint64_t checksum(uint64_t sum, const void* data, size_t bytes) {
  const uint8_t* from = data;
  if (((uintptr_t)from & 7) == 0)
    for (; bytes >= 8; bytes -= 8, from += 8) sum = mixed(sum, *(const uint64_t*)(const void*)from);
  while (bytes > 0) {
    uint64_t word = 0;
    const size_t part = bytes < 8 ? bytes : 8;
    memcpy(&word, from, part);
    sum = mixed(sum, word);
    from += part;
    bytes -= part;
  }
  return sum;
}
