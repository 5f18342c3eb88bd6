// A program that works on memory, for tests of its errors on Linux:
//
//   work SIZE ROUNDS    fills SIZE KiB, reads all of it ROUNDS times, and prints a digest of what it read
//
// Its status is 0 if every round has the same digest.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  if (count != 3) return 2;
  const size_t size = (size_t)atol(words[1]) * 1024 / sizeof(uint64_t);
  uint64_t* const data = malloc(size * sizeof *data);
  if (!data) return 3;
  for (size_t i = 0; i < size; ++i) data[i] = i * 0x9E3779B97F4A7C15u;
  printf("work begins\n");
  fflush(stdout);
  uint64_t first = 0;
  for (int round = 0; round < atoi(words[2]); ++round) {
    uint64_t digest = 0;
    for (size_t i = 0; i < size; ++i) digest = digest * 31 + data[i];
    if (round == 0) first = digest;
    if (digest != first) printf("round %d differs\n", round);
    if (digest != first) return 1;
  }
  printf("digest %016llx\n", (unsigned long long)first);
  return 0;
}
