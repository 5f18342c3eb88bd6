// What the measurements of memory_timing share: their list, the machine's data caches, and time.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"

typedef unsigned long long Printable;

enum { line_bytes = 64 };

// Each reads its own arguments, of which argv[0] is its name, and prints one table.
ExitStatus measure_latency(int argc, char** argv);
ExitStatus measure_stream(int argc, char** argv);
ExitStatus measure_bandwidth(int argc, char** argv);
ExitStatus measure_loaded_latency(int argc, char** argv);
ExitStatus measure_forward(int argc, char** argv);
ExitStatus measure_ping_pong(int argc, char** argv);

#define READ_ARGUMENTS(argc, argv, table) arguments_read(argc, argv, table, sizeof(table) / sizeof *(table))

// Starts `wanted` cores, or all if that is 0. A machine that has fewer than wanted is a wrong argument, which
// prints a line; the result is then 0.
unsigned start_cores(const char* name, uint64_t wanted);

// The first line of a table, with the number of cores and the sizes of the data caches.
void print_machine(const char* name, unsigned cores);

// The last line: whether the data are right. Returns the exit status.
ExitStatus print_verdict(const char* name, bool is_right);

// More than the caches of this number of cores hold together; 1 MiB if there are none.
uint64_t beyond_caches(unsigned cores);

// The memory that is left, and an allocation from it, which prints a line if it does not fit.
uint64_t memory_left(void);
void* allocate(const char* name, uint64_t bytes);

double nanoseconds(uint64_t ticks);
double gigabytes_per_second(uint64_t bytes, uint64_t ticks);

// Runs work(core, cores, argument) on all started cores at the same time. Returns the ticks from the first
// core's start to the last one's end.
uint64_t run_together(CoresFunction work, void* argument);

// The part of an array of lines that a core works on: all parts are equal, so that a rest of the array can be
// unused. part_lines() is a multiple of part_unit.
enum { part_unit = 96 };
static inline uint64_t part_lines(uint64_t bytes, unsigned cores) {
  return bytes / line_bytes / cores / part_unit * part_unit;
}
