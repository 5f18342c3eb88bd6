// STREAM (McCalpin): copy, scale, add and triad of arrays of doubles, and their sum, on several cores. Counts
// bytes as STREAM does: those that a kernel names, and not the lines that a store fills. The best of several
// repetitions counts, without the first one.
#include <stdio.h>

#include "apps/memory_timing/measurement.h"

enum { doubles_a_line = line_bytes / sizeof(double), kernels = 5 };

static struct { uint64_t size, cores, repetitions; } options = {.repetitions = 2};

static double *a, *b, *c;
static uint64_t lines;  // of an array, a core

// ---- the kernels ----

// z = f(x, y) for a number of lines, a multiple of 4. In assembly, as a compiler would vectorise and unroll
// them, so that results do not depend on its version. v16 is the scalar 3.
#define KERNEL(name, code)                                                                                   \
  static void name(const double* x, const double* y, double* z, uint64_t count) {                            \
    __asm__ volatile("fmov v16.2d, #3.0\n1:\n.rept 4\n" code ".endr\nsubs %[count], %[count], #4\nb.ne 1b\n" \
                     : [x] "+&r"(x), [y] "+&r"(y), [z] "+&r"(z), [count] "+&r"(count)                        \
                     :                                                                                       \
                     : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "cc", "memory");               \
  }
#define LOAD_X "ldp q0, q1, [%[x]], #32\nldp q2, q3, [%[x]], #32\n"
#define LOAD_Y "ldp q4, q5, [%[y]], #32\nldp q6, q7, [%[y]], #32\n"
#define STORE_Z "stp q0, q1, [%[z]], #32\nstp q2, q3, [%[z]], #32\n"
#define FOUR_TIMES(operation, first, second, third, fourth) \
  operation first "\n" operation second "\n" operation third "\n" operation fourth "\n"

KERNEL(copy, LOAD_X STORE_Z)
KERNEL(scale, LOAD_X FOUR_TIMES("fmul ", "v0.2d, v0.2d, v16.2d", "v1.2d, v1.2d, v16.2d",
                                "v2.2d, v2.2d, v16.2d", "v3.2d, v3.2d, v16.2d") STORE_Z)
KERNEL(add, LOAD_X LOAD_Y FOUR_TIMES("fadd ", "v0.2d, v0.2d, v4.2d", "v1.2d, v1.2d, v5.2d",
                                     "v2.2d, v2.2d, v6.2d", "v3.2d, v3.2d, v7.2d") STORE_Z)
KERNEL(triad, LOAD_X LOAD_Y FOUR_TIMES("fmla ", "v0.2d, v4.2d, v16.2d", "v1.2d, v5.2d, v16.2d",
                                       "v2.2d, v6.2d, v16.2d", "v3.2d, v7.2d, v16.2d") STORE_Z)

static double sum(const double* x, uint64_t count) {
  double result;
  __asm__ volatile(
      "movi v4.2d, #0\nmovi v5.2d, #0\nmovi v6.2d, #0\nmovi v7.2d, #0\n"
      "1:\n.rept 4\n" LOAD_X FOUR_TIMES("fadd ", "v4.2d, v4.2d, v0.2d", "v5.2d, v5.2d, v1.2d",
                                        "v6.2d, v6.2d, v2.2d", "v7.2d, v7.2d, v3.2d")
      ".endr\nsubs %[count], %[count], #4\nb.ne 1b\n"
      "fadd v4.2d, v4.2d, v5.2d\nfadd v6.2d, v6.2d, v7.2d\nfadd v4.2d, v4.2d, v6.2d\n"
      "faddp %d[result], v4.2d\n"
      : [x] "+&r"(x), [count] "+&r"(count), [result] "=w"(result)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
  return result;
}

static struct {
  double sum;        // of the core's part of a
  uint64_t wrong;    // elements
  uint64_t rest[6];  // of a line
} found[MAX_CORES] __attribute__((aligned(line_bytes)));

static void run_copy(const double* x, const double* y, double* z) { copy(x, y, z, lines); }
static void run_scale(const double* x, const double* y, double* z) { scale(x, y, z, lines); }
static void run_add(const double* x, const double* y, double* z) { add(x, y, z, lines); }
static void run_triad(const double* x, const double* y, double* z) { triad(x, y, z, lines); }

static const struct {
  const char* name;
  unsigned arrays;                                           // that are counted
  void (*run)(const double* x, const double* y, double* z);  // NULL: sum()
  double **x, **y, **z;
} kernel_of[kernels] = {
    {"copy", 2, run_copy, &a, &a, &c},    // c = a
    {"scale", 2, run_scale, &c, &c, &b},  // b = 3 c
    {"add", 3, run_add, &a, &b, &c},      // c = a + b
    {"triad", 3, run_triad, &b, &c, &a},  // a = b + 3 c
    {"sum", 1, NULL, &a, &a, &a},
};

static void run_kernel(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  const unsigned kernel = *(const unsigned*)argument;
  const uint64_t first = core * lines * doubles_a_line;
  if (kernel_of[kernel].run != NULL)
    kernel_of[kernel].run(*kernel_of[kernel].x + first, *kernel_of[kernel].y + first,
                          *kernel_of[kernel].z + first);
  else
    found[core].sum = sum(a + first, lines);
}

// ---- the data ----

static void begin(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  const uint64_t first = core * lines * doubles_a_line, end = first + lines * doubles_a_line;
  for (uint64_t i = first; i < end; ++i) a[i] = 1, b[i] = 2, c[i] = 0;
}

typedef struct {
  double a, b, c;
} Expected;

// Every element after the repetitions; all values are whole numbers below 2^53.
static Expected expected(void) {
  Expected value = {1, 2, 0};
  for (uint64_t i = 0; i < options.repetitions; ++i) {
    value.c = value.a;
    value.b = 3 * value.c;
    value.c = value.a + value.b;
    value.a = value.b + 3 * value.c;
  }
  return value;
}

static void check(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  const Expected* const right = argument;
  const uint64_t first = core * lines * doubles_a_line, count = lines * doubles_a_line;
  uint64_t wrong = 0;
  for (uint64_t i = first; i < first + count; ++i)
    wrong += a[i] != right->a || b[i] != right->b || c[i] != right->c;
  const double error = found[core].sum / ((double)count * right->a) - 1;
  found[core].wrong = wrong + (error > 1e-9 || error < -1e-9);
}

static bool is_everything_right(unsigned cores) {
  Expected right = expected();
  cores_run(check, &right);
  uint64_t wrong = 0;
  for (unsigned core = 0; core < cores; ++core) wrong += found[core].wrong;
  return wrong == 0;
}

static bool allocate_arrays(const char* name) {
  a = allocate(name, options.size);
  b = a == NULL ? NULL : allocate(name, options.size);
  c = b == NULL ? NULL : allocate(name, options.size);
  return c != NULL;
}

ExitStatus measure_stream(int argc, char** argv) {
  const Argument table[] = {
      {"size", argument_number, &options.size, 1 << 12, 1ull << 40, "of an array; more than the caches"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"repetitions", argument_number, &options.repetitions, 2, 10, "of which the first does not count"},
  };
  if (!READ_ARGUMENTS(argc, argv, table)) return exit_usage;
  const unsigned cores = start_cores(argv[0], options.cores);
  if (cores == 0) return exit_usage;
  if (options.size == 0) options.size = beyond_caches(cores);
  lines = part_lines(options.size, cores);
  if (lines == 0) {
    printf("%s: argument 'size=%llu' is wrong: less than %u KiB a core\n", argv[0], (Printable)options.size,
           part_unit * line_bytes / 1024);
    return exit_usage;
  }
  if (!allocate_arrays(argv[0])) return exit_unavailable;

  print_machine(argv[0], cores);
  uint64_t best[kernels];
  cores_run(begin, NULL);
  for (uint64_t repetition = 0; repetition < options.repetitions; ++repetition)
    for (unsigned kernel = 0; kernel < kernels; ++kernel) {
      const uint64_t ticks = run_together(run_kernel, &kernel);
      if (repetition <= 1 || ticks < best[kernel]) best[kernel] = ticks;
    }
  printf("%12s %12s %12s %12s\n", "kernel", "KiB", "us", "GB/s");
  for (unsigned kernel = 0; kernel < kernels; ++kernel) {
    const uint64_t bytes = kernel_of[kernel].arrays * cores * lines * line_bytes;
    printf("%12s %12llu %12.2f %12.3f\n", kernel_of[kernel].name, (Printable)(bytes / 1024),
           nanoseconds(best[kernel]) / 1e3, gigabytes_per_second(bytes, best[kernel]));
  }
  return print_verdict(argv[0], is_everything_right(cores));
}
