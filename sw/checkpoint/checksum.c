#include "checkpoint/checksum.h"

#include <string.h>

static const uint64_t prime = 0x100000001b3u;

uint64_t checksum(uint64_t sum, const void* data, size_t bytes) {
  const uint8_t* from = data;
  if (((uintptr_t)from & 7) == 0)
    for (; bytes >= 8; bytes -= 8, from += 8) sum = (sum ^ *(const uint64_t*)(const void*)from) * prime;
  while (bytes > 0) {
    uint64_t word = 0;
    const size_t part = bytes < 8 ? bytes : 8;
    memcpy(&word, from, part);
    sum = (sum ^ word) * prime;
    from += part;
    bytes -= part;
  }
  return sum;
}
