// Uses all cores of a large node together: boot, barrier, all-reduce, checkpoints, and identical results
// after a power loss.
//
//   kilocore [steps=12] [interval=4] [cores=N] [checkpoint=on|off] [name=kilocore]
//
// Each core owns a page of 512 words, numbered over all cores from 1. A step sums all words of all cores (in
// each core, then with cores_all_reduce) and adds the sum to every word. So with n words, the sum after t
// steps is n (n + 1) / 2 * (1 + n)^t modulo 2^64, which every core compares with its own sum, in every step;
// at the end word k is k plus the sums of all steps. A core that is missed or counted twice, a failing
// exclusive, or an old page after a restore is detected at once.
//
// Exit status: 0 everything was correct, 1 not, 2 a wrong argument, 3 no GICv3 or too little memory.
// result.txt is for comparing two runs.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/many_cores.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { words_of_core = page_bytes / 8 };

static struct {
  uint64_t steps, cores;
  bool checkpoint;
} options = {.steps = 12, .checkpoint = true};

static Checkpoints checkpoints = {.app = "kilocore", .unit = "step", .name = "kilocore", .interval = 4};

static uint64_t (*pages)[words_of_core];  // of each core
static struct {
  uint64_t step;   // steps done
  uint64_t sums;   // the sum of the sums of all steps
  uint64_t cores;  // number of cores to which the pages belong
} progress;

static struct {
  OWN_LINE unsigned wrong;  // number of wrong sums
} found[MAX_CORES];         // by each core

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"steps", argument_number, &options.steps, 1, 100000, "all-reduces"},
      {"interval", argument_number, &checkpoints.interval, 1, 100000, "steps between two checkpoints"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores to run on; all by default"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0, "write and restore checkpoints"},
      {"name", argument_text, &checkpoints.name, 1, 31, "name of the checkpoints"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return false;
  if (!options.checkpoint || checkpoints.interval <= options.steps) return true;
  printf("kilocore: argument 'interval=%llu' is wrong: longer than the run of %llu steps\n",
         (Printable)checkpoints.interval, (Printable)options.steps);
  return false;
}

static uint64_t triangle(uint64_t n) { return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n; }

// The sum of all words after this number of steps.
static uint64_t expected_sum(uint64_t cores, uint64_t steps) {
  const uint64_t words = cores * words_of_core;
  uint64_t sum = triangle(words);
  for (uint64_t i = 0; i < steps; ++i) sum *= 1 + words;
  return sum;
}

static void begin(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  for (uint64_t k = 0; k < words_of_core; ++k) pages[core][k] = (uint64_t)core * words_of_core + k + 1;
}

static void run(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  uint64_t* const mine = pages[core];
  uint64_t step = progress.step;
  uint64_t expected = expected_sum(cores, step);
  while (step < options.steps) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < words_of_core; ++k) sum += mine[k];
    sum = cores_all_reduce(core, cores, sum);
    if (sum != expected) ++found[core].wrong;
    expected *= 1 + (uint64_t)cores * words_of_core;
    for (unsigned k = 0; k < words_of_core; ++k) mine[k] += sum;
    ++step;
    if (core == 0) progress.step = step, progress.sums += sum;
    if (!options.checkpoint || step % checkpoints.interval != 0) continue;
    cores_barrier();
    if (core == 0) checkpoints_take(&checkpoints, step);
    cores_barrier();
  }
}

static void prepare_checkpoints(unsigned cores) {
  if (!options.checkpoint) return;
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, pages, (size_t)cores * page_bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, &progress, sizeof progress);
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status == checkpoint_ok) return;
  printf("kilocore: %s: running without checkpoints\n", checkpoint_text(status));
  options.checkpoint = false;
}

static bool is_usable(void* argument) {
  return progress.cores == *(const unsigned*)argument && progress.step <= options.steps;
}

static void begin_anew(void* argument) {
  progress.step = progress.sums = 0;
  progress.cores = *(const unsigned*)argument;
  cores_run(begin, NULL);
}

static bool report(unsigned cores) {
  unsigned wrong_sums = 0, wrong_words = 0;
  for (unsigned core = 0; core < cores; ++core) {
    wrong_sums += found[core].wrong;
    for (uint64_t k = 0; k < words_of_core; ++k)
      wrong_words += pages[core][k] != (uint64_t)core * words_of_core + k + 1 + progress.sums;
  }
  const bool right = wrong_sums == 0 && wrong_words == 0 && progress.step == options.steps;
  const uint64_t sum = checksum(CHECKSUM_START, pages, (size_t)cores * page_bytes);
  printf("kilocore: %llu steps on %u cores, sums %s, words %s\n", (Printable)progress.step, cores,
         wrong_sums == 0 ? "right" : "WRONG", wrong_words == 0 ? "right" : "WRONG");
  printf("kilocore: checksum of all pages 0x%016llx: %s\n", (Printable)sum, right ? "verified" : "WRONG");
  char text[128];
  snprintf(text, sizeof text, "cores %u\nsteps %llu\npages 0x%016llx\n", cores, (Printable)progress.step,
           (Printable)sum);
  const bool written = result_write(text);
  if (!written) printf("kilocore: result.txt cannot be written\n");
  return right && written;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("kilocore: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores,
           cores);
    return exit_usage;
  }
  if (power_probe())
    printf("kilocore: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  pages = memory_allocate((size_t)cores * page_bytes);
  if (pages == NULL) {
    printf("kilocore: %u pages do not fit into the memory of this machine\n", cores);
    return exit_unavailable;
  }
  printf("kilocore: %u cores are up\n", cores);
  prepare_checkpoints(cores);
  begin_anew(&cores);
  const CheckpointsUser user = {is_usable, begin_anew, &cores};
  if (options.checkpoint) checkpoints_restore_newest(&checkpoints, user);
  cores_run(run, NULL);
  checkpoints_settle(&checkpoints);
  return report(cores) ? exit_passed : exit_failed;
}
