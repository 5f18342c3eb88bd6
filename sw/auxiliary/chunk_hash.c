#include "auxiliary/chunk_hash.h"

static const uint64_t prime_1 = 0x9e3779b185ebca87, prime_2 = 0xc2b2ae3d27d4eb4f,
                      prime_3 = 0x165667b19e3779f9, prime_4 = 0x85ebca77c2b2ae63,
                      prime_5 = 0x27d4eb2f165667c5;

static uint64_t rotate(uint64_t value, int by) { return value << by | value >> (64 - by); }
static uint64_t round_of(uint64_t sum, uint64_t word) { return rotate(sum + word * prime_2, 31) * prime_1; }
static uint64_t merge(uint64_t hash, uint64_t sum) { return (hash ^ round_of(0, sum)) * prime_1 + prime_4; }

uint64_t chunk_hash(const uint64_t* words, size_t count) {
  uint64_t hash = prime_5;
  size_t left = count;
  if (count >= 4) {
    uint64_t a = prime_1 + prime_2, b = prime_2, c = 0, d = 0 - prime_1;
    for (; left >= 4; left -= 4, words += 4) {
      a = round_of(a, words[0]);
      b = round_of(b, words[1]);
      c = round_of(c, words[2]);
      d = round_of(d, words[3]);
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    hash = merge(merge(merge(merge(hash, a), b), c), d);
  }
  hash += count * 8;
  for (; left > 0; --left, ++words) hash = rotate(hash ^ round_of(0, *words), 27) * prime_1 + prime_4;
  hash = (hash ^ hash >> 33) * prime_2;
  hash = (hash ^ hash >> 29) * prime_3;
  return hash ^ hash >> 32;
}
