// Tests DRAM from one core: an address in every word, the march C- sequence, a pseudo-random pattern.
//
//   memtest [start=ADDRESS] [size=1MiB] [passes=1]
//
// By default, start is the first free address after the firmware. Every wrong word is counted, and the first
// 16 are reported with their addresses. Exit status: 0 no error, 1 errors, 2 a wrong argument, 3 the range is
// not free DRAM.
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"

typedef unsigned long long Printable;
enum { reported_errors = 16 };

static volatile uint64_t* words;
static uint64_t count;
static uint64_t errors;

static void check(uint64_t index, uint64_t expected, const char* test) {
  const uint64_t found = words[index];
  if (found == expected) return;
  if (errors++ < reported_errors)
    printf("memtest: %s: address 0x%llx holds 0x%016llx, expected 0x%016llx\n", test,
           (Printable)(uintptr_t)&words[index], (Printable)found, (Printable)expected);
}

// Finds address lines that are shorted, stuck or open.
static void address_in_address(void) {
  for (uint64_t i = 0; i < count; ++i) words[i] = (uintptr_t)&words[i];
  for (uint64_t i = 0; i < count; ++i) check(i, (uintptr_t)&words[i], "address");
  for (uint64_t i = 0; i < count; ++i) words[i] = ~(uint64_t)(uintptr_t)&words[i];
  for (uint64_t i = 0; i < count; ++i) check(i, ~(uint64_t)(uintptr_t)&words[i], "inverted address");
}

static void march_up(uint64_t expected, uint64_t written) {
  for (uint64_t i = 0; i < count; ++i) {
    check(i, expected, "march up");
    words[i] = written;
  }
}

static void march_down(uint64_t expected, uint64_t written) {
  for (uint64_t i = count; i-- > 0;) {
    check(i, expected, "march down");
    words[i] = written;
  }
}

// March C-: any(w0) up(r0 w1) up(r1 w0) down(r0 w1) down(r1 w0) any(r0). Finds stuck-at, transition, address
// decoder and unlinked coupling faults between words.
static void march(uint64_t zero) {
  for (uint64_t i = 0; i < count; ++i) words[i] = zero;
  march_up(zero, ~zero);
  march_up(~zero, zero);
  march_down(zero, ~zero);
  march_down(~zero, zero);
  for (uint64_t i = 0; i < count; ++i) check(i, zero, "march end");
}

static uint64_t next_random(uint64_t* state) {  // xorshift64, Marsaglia 2003
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void random_pattern(uint64_t seed) {
  uint64_t state = seed;
  for (uint64_t i = 0; i < count; ++i) words[i] = next_random(&state);
  state = seed;
  for (uint64_t i = 0; i < count; ++i) check(i, next_random(&state), "random");
}

int main(int argc, char** argv) {
  uint64_t start = memory_free_start(), size = 1 << 20, passes = 1;
  const Argument table[] = {
      {"start", argument_number, &start, 0, UINT64_MAX, "first address"},
      {"size", argument_number, &size, 8, UINT64_MAX, "bytes"},
      {"passes", argument_number, &passes, 1, 1000000, "number of passes"},
  };
  if (!arguments_read(argc, argv, table, 3)) return exit_usage;
  if (start % 8 != 0 || size % 8 != 0) {
    printf("memtest: start and size are multiples of 8\n");
    return exit_usage;
  }
  const uint64_t free_start = memory_free_start(), end = memory_end();
  if (start < free_start || start > end || size > end - start) {
    printf("memtest: 0x%llx + 0x%llx bytes is not free DRAM, which is 0x%llx to 0x%llx\n", (Printable)start,
           (Printable)size, (Printable)free_start, (Printable)end);
    return exit_unavailable;
  }
  words = (volatile uint64_t*)(uintptr_t)start;
  count = size / 8;
  printf("memtest: 0x%llx, %llu bytes, %llu pass%s\n", (Printable)start, (Printable)size, (Printable)passes,
         passes == 1 ? "" : "es");
  for (uint64_t pass = 1; pass <= passes; ++pass) {
    address_in_address();
    march(0);
    march(0x5555555555555555);
    random_pattern(0x9e3779b97f4a7c15 * pass);
  }
  printf("memtest: %llu error%s\n", (Printable)errors, errors == 1 ? "" : "s");
  return errors == 0 ? exit_passed : exit_failed;
}
