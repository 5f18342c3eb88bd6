// Litmus tests of Arm's memory model (DDI 0487, B2.3) between the cores of a node: small programs that run in
// parallel many times, with different pauses between them; the outcomes are counted. An outcome that the
// model forbids must not occur, however long the quantum is by which a core runs ahead of the others; if one
// occurs, the exit status is 1.
//
//   litmus [runs=200 pause=500 cores=`all` same_value=on control=off]
//
// runs: runs of each test. pause: the longest pause before a core begins, in iterations of a loop of two
// instructions each; about the length of a quantum is best, so that quanta end inside the tests. Tests of two
// cores run on every pair at once, those of four cores need four.
//
// same_value=off: omits the test whose store exclusive must fail because another core has stored, although
//   the value is unchanged. QEMU compares values, so that it may show the forbidden outcome there.
// control=on: forbids the lost updates of "add without atomics", which occur: this tests the check itself.
//
// Each test prints a line: how often each outcome occurred, by the values in the column "outcome";
// "forbidden" lists those that the model excludes, "-" if it allows all. The names are those of the
// literature (Alglave, Maranget, Tautschnig: Herding Cats, 2014). A simulator that runs one core after the
// other is sequentially consistent between quanta: outcomes that need weak memory, such as MP 1,0, do not
// occur here; a program that relies on their absence is wrong all the same.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"

// The variables of one instance of a test, each in a cache line of its own, and the values that its threads
// have read.
typedef struct {
  struct {
    uint64_t value;
    uint64_t rest_of_line[7];
  } x, y;
  uint64_t read[4][8];  // by thread; each in a cache line
} __attribute__((aligned(64))) Instance;

typedef void (*Thread)(uint64_t* x, uint64_t* y, uint64_t* read);

// A thread consists of its instructions: [%0] is x, [%1] is y; %2 and %3 are read[0] and read[1], which are 0
// at first.
#define THREAD(name, code)                                                      \
  static void name(uint64_t* x, uint64_t* y, uint64_t* read) {                  \
    uint64_t first = 0, second = 0;                                             \
    __asm__ volatile(".arch_extension lse\n" code                               \
                     : "+&r"(first), "+&r"(second)                              \
                     : [x] "r"(x), [y] "r"(y), [one] "r"(1ull), [two] "r"(2ull) \
                     : "x9", "x10", "x11", "cc", "memory");                     \
    read[0] = first;                                                            \
    read[1] = second;                                                           \
  }

#define STORE(variable, value) "str %[" value "], [%[" variable "]]\n"
#define RELEASE(variable, value) "stlr %[" value "], [%[" variable "]]\n"
#define LOAD(to, variable) "ldr %" to ", [%[" variable "]]\n"
#define ACQUIRE(to, variable) "ldar %" to ", [%[" variable "]]\n"
#define DEPEND_ON(from) "eor x9, %" from ", %" from "\n"  // x9: a zero that depends on the value read
#define BARRIER "dmb ish\n"
#define STORE_BARRIER "dmb ishst\n"
#define LOAD_BARRIER "dmb ishld\n"
#define EXCLUSIVE_ADD(load, store, to, variable)                                                   \
  "1: " load " %" to ", [%[" variable "]]\n add x9, %" to ", #1\n " store " w10, x9, [%[" variable \
  "]]\n"                                                                                           \
  "cbnz w10, 1b\n"

// Message passing.
THREAD(mp_writer, STORE("x", "one") STORE("y", "one"))
THREAD(mp_reader, LOAD("0", "y") LOAD("1", "x"))
THREAD(mp_writer_release, STORE("x", "one") RELEASE("y", "one"))
THREAD(mp_reader_acquire, ACQUIRE("0", "y") LOAD("1", "x"))
THREAD(mp_writer_barrier, STORE("x", "one") STORE_BARRIER STORE("y", "one"))
THREAD(mp_reader_barrier, LOAD("0", "y") LOAD_BARRIER LOAD("1", "x"))
THREAD(mp_reader_address, LOAD("0", "y") DEPEND_ON("0") "ldr %1, [%[x], x9]\n")
THREAD(mp_writer_exclusive,
       STORE("x", "one") "1: ldxr x9, [%[y]]\n stlxr w10, %[one], [%[y]]\n cbnz w10, 1b\n")
THREAD(mp_reader_exclusive, "1: ldaxr %0, [%[y]]\n stxr w10, %0, [%[y]]\n cbnz w10, 1b\n" LOAD("1", "x"))
THREAD(mp_writer_swap, STORE("x", "one") "swpl %[one], xzr, [%[y]]\n")
THREAD(mp_reader_add, "ldadda xzr, %0, [%[y]]\n" LOAD("1", "x"))

// Store buffering.
THREAD(sb_0, STORE("x", "one") LOAD("0", "y"))
THREAD(sb_1, STORE("y", "one") LOAD("0", "x"))
THREAD(sb_0_barrier, STORE("x", "one") BARRIER LOAD("0", "y"))
THREAD(sb_1_barrier, STORE("y", "one") BARRIER LOAD("0", "x"))
THREAD(sb_0_ordered, RELEASE("x", "one") ACQUIRE("0", "y"))
THREAD(sb_1_ordered, RELEASE("y", "one") ACQUIRE("0", "x"))
THREAD(sb_0_swap, "swpal %[one], x9, [%[x]]\n" ACQUIRE("0", "y"))
THREAD(sb_1_swap, "swpal %[one], x9, [%[y]]\n" ACQUIRE("0", "x"))

// Load buffering.
THREAD(lb_0, LOAD("0", "x") STORE("y", "one"))
THREAD(lb_1, LOAD("0", "y") STORE("x", "one"))
THREAD(lb_0_data, LOAD("0", "x") DEPEND_ON("0") "add x9, x9, #1\n str x9, [%[y]]\n")
THREAD(lb_1_data, LOAD("0", "y") DEPEND_ON("0") "add x9, x9, #1\n str x9, [%[x]]\n")
THREAD(lb_0_ordered, ACQUIRE("0", "x") RELEASE("y", "one"))
THREAD(lb_1_ordered, ACQUIRE("0", "y") RELEASE("x", "one"))

// S, R and 2+2W: orders of stores.
THREAD(s_0, STORE("x", "two") RELEASE("y", "one"))
THREAD(s_1, ACQUIRE("0", "y") STORE("x", "one"))
THREAD(r_0, STORE("x", "one") BARRIER STORE("y", "one"))
THREAD(r_1, STORE("y", "two") BARRIER LOAD("0", "x"))
THREAD(w_0, STORE("x", "one") BARRIER STORE("y", "two"))
THREAD(w_1, STORE("y", "one") BARRIER STORE("x", "two"))

// Coherence: one variable.
THREAD(write_one, STORE("x", "one"))
THREAD(write_two, STORE("x", "two"))
THREAD(write_both, STORE("x", "one") STORE("x", "two"))
THREAD(read_twice, LOAD("0", "x") LOAD("1", "x"))
THREAD(read_then_write, LOAD("0", "x") STORE("x", "two"))
THREAD(write_then_read, STORE("x", "one") LOAD("0", "x"))

// Atomics on one variable.
THREAD(add_plainly, LOAD("0", "x") "add x9, %0, #1\n str x9, [%[x]]\n")
THREAD(add_exclusive, EXCLUSIVE_ADD("ldxr", "stxr", "0", "x"))
THREAD(add_exclusive_ordered, EXCLUSIVE_ADD("ldaxr", "stlxr", "0", "x"))
THREAD(add_large, "ldadd %[one], %0, [%[x]]\n")
THREAD(compare_with_one, "casal %0, %[one], [%[x]]\n")
THREAD(compare_with_two, "casal %0, %[two], [%[x]]\n")
THREAD(swap_one, "swp %[one], %0, [%[x]]\n")
THREAD(swap_two, "swp %[two], %0, [%[x]]\n")
THREAD(exclusive_once, "ldxr %0, [%[x]]\n stxr w10, %[two], [%[x]]\n mov %1, x10\n")
// x has its old value again, but it was written: a core that has not seen y has read x before that.
THREAD(exclusive_after_look, "ldaxr x9, [%[x]]\n ldr %0, [%[y]]\n stxr w10, %[two], [%[x]]\n mov %1, x10\n")
THREAD(write_again, STORE("y", "one") "stlr xzr, [%[x]]\n")

// Four threads.
THREAD(write_y, STORE("y", "one"))
THREAD(read_xy, ACQUIRE("0", "x") ACQUIRE("1", "y"))
THREAD(read_yx, ACQUIRE("0", "y") ACQUIRE("1", "x"))
THREAD(read_xy_address, LOAD("0", "x") DEPEND_ON("0") "ldr %1, [%[y], x9]\n")
THREAD(read_yx_address, LOAD("0", "y") DEPEND_ON("0") "ldr %1, [%[x], x9]\n")
THREAD(release_x, RELEASE("x", "one"))
THREAD(release_y, RELEASE("y", "one"))
THREAD(pass_on, ACQUIRE("0", "x") "stlr %0, [%[y]]\n")
THREAD(nothing, "")

typedef struct {
  const char* name;
  Thread threads[4];  // NULL after the last one
  // The values that make an outcome, two letters each: "00" is read[0] of thread 0, "11" read[1] of thread 1,
  // "x" and "y" the final values.
  const char* outcome;
  const char*
      // Combinations of these values; a dot is any value; several are separated by a space; NULL: none.
      forbidden;
  enum {
    anywhere,
    with_lse,
    with_same_value,
    as_control
  } needs;  // same_value: QEMU's comparison of values is not sufficient
} Litmus;

static const char lost_update[] = "00. 11. ..0 ..1";
static const Litmus controlled = {
    "add without atomics", {add_plainly, add_plainly}, "00 10 x", lost_update, as_control};

static const Litmus tests[] = {
    {"MP", {mp_writer, mp_reader}, "10 11", NULL, anywhere},
    {"MP+rel+acq", {mp_writer_release, mp_reader_acquire}, "10 11", "10", anywhere},
    {"MP+dmb.st+dmb.ld", {mp_writer_barrier, mp_reader_barrier}, "10 11", "10", anywhere},
    {"MP+dmb.st+addr", {mp_writer_barrier, mp_reader_address}, "10 11", "10", anywhere},
    {"MP+stlxr+ldaxr", {mp_writer_exclusive, mp_reader_exclusive}, "10 11", "10", anywhere},
    {"MP+swpl+ldadda", {mp_writer_swap, mp_reader_add}, "10 11", "10", with_lse},
    {"SB", {sb_0, sb_1}, "00 10", NULL, anywhere},
    {"SB+dmbs", {sb_0_barrier, sb_1_barrier}, "00 10", "00", anywhere},
    {"SB+rel+acqs", {sb_0_ordered, sb_1_ordered}, "00 10", "00", anywhere},
    {"SB+swpal+acqs", {sb_0_swap, sb_1_swap}, "00 10", "00", with_lse},
    {"LB", {lb_0, lb_1}, "00 10", NULL, anywhere},
    {"LB+datas", {lb_0_data, lb_1_data}, "00 10", "11", anywhere},
    {"LB+acq+rels", {lb_0_ordered, lb_1_ordered}, "00 10", "11", anywhere},
    {"S+rel+acq", {s_0, s_1}, "10 x", "12", anywhere},
    {"R+dmbs", {r_0, r_1}, "10 y", "02", anywhere},
    {"2+2W+dmbs", {w_0, w_1}, "x y", "11", anywhere},
    {"CoRR", {write_one, read_twice}, "10 11", "10", anywhere},
    {"CoRR+ww", {write_both, read_twice}, "10 11", "10 20 21", anywhere},
    {"CoWW", {write_both, nothing}, "x", "0 1", anywhere},
    {"CoRW1", {read_then_write, nothing}, "00 x", "2. .0 .1", anywhere},
    {"CoRW2", {write_one, read_then_write}, "10 x", "11 .0 2.", anywhere},
    {"CoWR", {write_then_read, write_two}, "00 x", "0. 21 .0", anywhere},
    {"add without atomics", {add_plainly, add_plainly}, "00 10 x", NULL, as_control},
    {"ldxr+stxr", {add_exclusive, add_exclusive}, "00 10 x", lost_update, anywhere},
    {"ldaxr+stlxr", {add_exclusive_ordered, add_exclusive_ordered}, "00 10 x", lost_update, anywhere},
    {"ldadd", {add_large, add_large}, "00 10 x", lost_update, with_lse},
    {"cas", {compare_with_one, compare_with_two}, "00 10 x", "00. 1.. .2. 21. 010 012 200 201", with_lse},
    {"swp", {swap_one, swap_two}, "00 10 x", "00. 1.. .2. 21. 010 011 200 202", with_lse},
    {"stxr against a store", {exclusive_once, write_one}, "00 01 x", "002 012 101 112 ..0 2..", anywhere},
    {"stxr against the same value", {exclusive_after_look, write_again}, "00 01 x", "002", with_same_value},
    {"IRIW+acqs", {release_x, release_y, read_xy, read_yx}, "20 21 30 31", "1010", anywhere},
    {"IRIW+addrs", {write_one, write_y, read_xy_address, read_yx_address}, "20 21 30 31", "1010", anywhere},
    {"WRC+acq+rel", {write_one, pass_on, mp_reader_acquire, nothing}, "10 20 21", "110", anywhere},
    {"ldxr+stxr, four",
     {add_exclusive, add_exclusive, add_exclusive, add_exclusive},
     "x",
     "0 1 2 3",
     anywhere},
    {"ldadd, four", {add_large, add_large, add_large, add_large}, "x", "0 1 2 3", with_lse},
};

enum { test_count = sizeof tests / sizeof *tests, values = 5, digits_at_most = 4, outcomes_at_most = 625 };

static struct {
  const Litmus* test;
  uint64_t runs, pause;
  unsigned cores;
  uint32_t arrived, generation;
  Instance instances[MAX_CORES / 2];
  uint32_t counts[outcomes_at_most];
} shared;

// Unlike that of boot/cores.h this barrier does not sleep: cores must leave it as close together as possible.
static void meet(void) {
  const uint32_t generation = __atomic_load_n(&shared.generation, __ATOMIC_ACQUIRE);
  if (__atomic_add_fetch(&shared.arrived, 1, __ATOMIC_ACQ_REL) == shared.cores) {
    __atomic_store_n(&shared.arrived, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&shared.generation, generation + 1, __ATOMIC_RELEASE);
    return;
  }
  while (__atomic_load_n(&shared.generation, __ATOMIC_ACQUIRE) == generation) {
  }
}

static void pause_for(uint64_t iterations) {
  for (uint64_t i = iterations; i > 0; --i) __asm__ volatile("");
}

static unsigned threads_of(const Litmus* test) { return test->threads[2] == NULL ? 2 : 4; }
static unsigned digits_of(const Litmus* test) {
  unsigned digits = 1;
  for (const char* at = test->outcome; *at != 0; ++at) digits += *at == ' ';
  return digits;
}

// The value of one word of `outcome`.
static uint64_t value_of(const Instance* instance, const char* word) {
  if (*word == 'x') return instance->x.value;
  if (*word == 'y') return instance->y.value;
  return instance->read[word[0] - '0'][word[1] - '0'];
}

static void count(const Instance* instance) {
  unsigned index = 0;
  for (const char* word = shared.test->outcome; word != NULL; word = strchr(word, ' ')) {
    word += *word == ' ';
    const uint64_t value = value_of(instance, word);
    index = index * values + (unsigned)(value < values ? value : values - 1);
  }
  ++shared.counts[index];
}

static void run(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  const unsigned threads = threads_of(shared.test), thread = core % threads;
  Instance* const instance = &shared.instances[core / threads];
  const bool takes_part = core / threads < shared.cores / threads;
  uint32_t random = 12345 + 7919 * core;
  for (uint64_t i = 0; i < shared.runs; ++i) {
    if (thread == 0 && takes_part) memset(instance, 0, sizeof *instance);
    random = random * 1664525 + 1013904223;
    meet();
    pause_for((random >> 8) % (shared.pause + 1));
    if (takes_part)
      shared.test->threads[thread](&instance->x.value, &instance->y.value, instance->read[thread]);
    meet();
    if (core == 0)
      for (unsigned other = 0; other < shared.cores / threads; ++other) count(&shared.instances[other]);
    meet();
  }
}

static void spell(unsigned index, unsigned digits, char* text) {
  for (text[digits] = 0; digits > 0; index /= values) text[--digits] = (char)('0' + index % values);
}

static bool matches(const char* pattern, const char* outcome) {
  for (; *outcome != 0; ++outcome, ++pattern)
    if (*pattern != '.' && *pattern != *outcome) return false;
  return true;
}

static bool is_forbidden(const char* outcome, size_t digits) {
  for (const char* pattern = shared.test->forbidden; pattern != NULL; pattern = strchr(pattern, ' ')) {
    pattern += *pattern == ' ';
    if (strlen(pattern) >= digits && matches(pattern, outcome)) return true;
  }
  return false;
}

// Prints the line of the test; returns the number of forbidden outcomes.
static uint32_t report(void) {
  const unsigned digits = digits_of(shared.test);
  uint32_t forbidden = 0;
  const char* separator = "";
  printf("%-28s ", shared.test->name);
  for (unsigned index = 0; index < outcomes_at_most; ++index) {
    if (shared.counts[index] == 0) continue;
    char outcome[digits_at_most + 1];
    spell(index, digits, outcome);
    printf("%s%s: %u", separator, outcome, shared.counts[index]);
    separator = ", ";
    if (is_forbidden(outcome, digits)) forbidden += shared.counts[index];
  }
  const char* const excluded = shared.test->forbidden != NULL ? shared.test->forbidden : "-";
  printf(" | forbidden %s: %u\n", excluded, forbidden);
  return forbidden;
}

static bool has_lse(void) {
  uint64_t features;
  __asm__("mrs %0, id_aa64isar0_el1" : "=r"(features));
  return (features >> 20 & 0xf) >= 2;
}

int main(int argc, char** argv) {
  shared.runs = 200;
  shared.pause = 500;
  bool same_value = true, control = false;
  uint64_t cores = MAX_CORES;
  const Argument table[] = {
      {"runs", argument_number, &shared.runs, 1, 1000000, "runs of each test"},
      {"pause", argument_number, &shared.pause, 0, 1000000, "the longest, in iterations of a loop"},
      {"cores", argument_number, &cores, 2, MAX_CORES, "cores that take part"},
      {"same_value", argument_switch, &same_value, 0, 0, "also test stores of the same value"},
      {"control", argument_switch, &control, 0, 0, "lost updates of plain additions count as forbidden"}};
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  shared.cores = cores_start((unsigned)cores);
  if (shared.cores < 2) {
    printf("litmus: needs two cores\n");
    return exit_unavailable;
  }
  printf("litmus: %u cores, %llu runs of each test, pauses up to %llu iterations\n", shared.cores,
         (unsigned long long)shared.runs, (unsigned long long)shared.pause);
  const bool lse = has_lse();
  uint32_t forbidden = 0;
  unsigned done = 0;
  for (unsigned i = 0; i < test_count; ++i) {
    const bool lacks =
        (tests[i].needs == with_lse && !lse) || (tests[i].needs == with_same_value && !same_value);
    if (lacks || threads_of(&tests[i]) > shared.cores) continue;
    shared.test = control && tests[i].needs == as_control ? &controlled : &tests[i];
    memset(shared.counts, 0, sizeof shared.counts);
    cores_run(run, NULL);
    forbidden += report();
    ++done;
  }
  printf("litmus: %u tests, %u forbidden outcomes\n", done, forbidden);
  return forbidden == 0 ? exit_passed : exit_failed;
}
