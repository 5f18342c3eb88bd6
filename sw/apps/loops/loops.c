// Loops with which the speed of a simulator is measured, on any number of cores.
//
//   loops [loop=integer|copy|daxpy] [size=4KiB] [millions=20] [cores=1]
//
// integer: ten instructions on registers; copy: LDP and STP of X registers; daxpy: y += 1.5 x with scalar
// fused multiplications. size: of each array; millions: of instructions that a core executes. By default the
// arrays fit into an L1.
//
// Prints the instructions of all cores. Exit status: 0, or 1 if the arrays are wrong; 2 a wrong argument, 3
// too little memory.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"

typedef unsigned long long Printable;

enum { integer_loop, copy_loop, daxpy_loop, loop_count };
static const char* const loop_names[loop_count] = {"integer", "copy", "daxpy"};
static ArgumentChoice loop = {loop_names, loop_count, integer_loop};
static uint64_t size = 4096, millions = 20, cores = 1;
static double *x, *y;  // of all cores

// ---- the loops: in assembly, so that they do not depend on a compiler ----

static void integer(uint64_t iterations) {
  register uint64_t count __asm__("x9") = iterations;
  __asm__ volatile(
      "mov x1, #0x6d2b\n mov x5, #0x5851\n"
      "1: eor x1, x1, x1, lsl #13\n eor x1, x1, x1, lsr #7\n eor x1, x1, x1, lsl #17\n"
      "madd x2, x1, x5, x2\n add x3, x3, x2, lsr #32\n tst x1, #1\n csinc x4, x4, x4, eq\n"
      "tbz x9, #0, 2f\n add x6, x6, x1\n"
      "2: subs x9, x9, #1\n b.ne 1b\n"
      : "+r"(count)
      :
      : "x1", "x2", "x3", "x4", "x5", "x6", "cc");
}

static void copy(const void* from, void* to, uint64_t bytes) {
  __asm__ volatile(
      "1: ldp x1, x2, [%0], #16\n ldp x3, x4, [%0], #16\n stp x1, x2, [%1], #16\n stp x3, x4, [%1], #16\n"
      "subs %2, %2, #32\n b.ne 1b\n"
      : "+r"(from), "+r"(to), "+r"(bytes)
      :
      : "x1", "x2", "x3", "x4", "cc", "memory");
}

static void daxpy(const double* a, double* b, uint64_t count) {
  __asm__ volatile(
      "fmov d0, #1.5\n"
      "1: ldr d1, [%0], #8\n ldr d2, [%1]\n fmadd d2, d1, d0, d2\n str d2, [%1], #8\n"
      "subs %2, %2, #1\n b.ne 1b\n"
      : "+r"(a), "+r"(b), "+r"(count)
      :
      : "v0", "v1", "v2", "cc", "memory");
}

// ---- a core's work ----

static const double per_iteration[loop_count] = {10.5, 6.0 / 32, 6.0 / 8};  // instructions; of a byte

// How often the loop goes over the arrays, or its iterations.
static uint64_t repetitions(void) {
  const double once = per_iteration[loop.index] * (loop.index == integer_loop ? 1 : (double)size);
  const double times = (double)millions * 1e6 / once;
  return times < 1 ? 1 : (uint64_t)times;
}

static void work(unsigned core, unsigned all, void* unused) {
  (void)all, (void)unused;
  double* const mine_x = x + core * (size / sizeof *x);
  double* const mine_y = y + core * (size / sizeof *y);
  const uint64_t times = repetitions();
  if (loop.index == integer_loop) return integer(times);
  for (uint64_t i = 0; i < size / sizeof *x; ++i) mine_x[i] = (double)i, mine_y[i] = 0;
  for (uint64_t i = 0; i < times; ++i) {
    if (loop.index == copy_loop)
      copy(mine_x, mine_y, size);
    else
      daxpy(mine_x, mine_y, size / sizeof *x);
  }
}

static bool is_right(unsigned all) {
  if (loop.index == integer_loop) return true;
  const uint64_t length = size / sizeof *y;
  const double factor = loop.index == copy_loop ? 1 : 1.5 * (double)repetitions();
  for (uint64_t i = 0; i < all * length; ++i)
    if (y[i] != factor * (double)(i % length)) return false;
  return true;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"loop", argument_choice, &loop, 0, 0, "the loop"},
      {"size", argument_number, &size, 64, 1 << 30, "bytes of an array"},
      {"millions", argument_number, &millions, 1, 100000, "million instructions of a core"},
      {"cores", argument_number, &cores, 1, MAX_CORES, "cores that work"}};
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  size = size / 64 * 64;
  const unsigned running = cores_start((unsigned)cores);
  if (running < cores) {
    printf("loops: argument 'cores=%llu' is wrong: there are %u\n", (Printable)cores, running);
    return exit_usage;
  }
  x = memory_allocate(size * running);
  y = memory_allocate(size * running);
  if (!x || !y) {
    printf("loops: there is too little memory for two arrays of %llu bytes on %u cores\n", (Printable)size,
           running);
    return exit_unavailable;
  }
  cores_run(work, NULL);
  const bool right = is_right(running);
  printf("loops: %s, %u cores, %llu million instructions: %s\n", loop_names[loop.index], running,
         (Printable)(millions * running), right ? "data verified" : "WRONG");
  return right ? exit_passed : exit_failed;
}
