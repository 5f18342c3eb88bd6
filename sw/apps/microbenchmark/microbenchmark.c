// The microbenchmark of abeyratne2017 section 4.5.1: ranks alternately compute for a while and take a
// checkpoint, to memory under strong ECC (the ramdisk) or the DIMM-SSD (the SSD). A core is a rank. It also
// imitates the chapter's proxy-apps: the size and number of the vectors that a rank saves, and the computing
// time in between. Sizes and times are those of section 4.5.2.1 and Table 4.2 (time of an iteration: baseline
// runtime divided by iterations), divided by 1000, so that the bandwidths, on which the controller's
// decisions depend, are the published ones.
//
//   microbenchmark [shape=microbenchmark|minife|lulesh] [bytes=B] [time=US] [iterations=N] [cores=N]
//                  [place=controller|ramdisk|ssd|nine_to_one|nowhere] [lifetime=5] [overhead=0]
//                  [forced_every=0] [ramdisk=B] [name=microbenchmark]
//
// bytes, time, iterations: size of a rank's checkpoint, microseconds of an iteration, number of iterations;
// by default those of the shape. place: where checkpoints are written. controller: selected by the Checkpoint
// Location Controller (checkpoint/location.h), with lifetime in years, 0 for any, overhead in percent, 0 for
// no bound, and forced_every. nine_to_one: every tenth only to the SSD. ramdisk: a rank's part of the
// ramdisk; by default its checkpoint fits.
//
// An iteration writes every word of the vectors; the cores sleep for the rest of its time. After a power loss
// the program resumes from the newest checkpoint. Exit status: 0 if every word is correct after all
// iterations, else 1; 2 a wrong argument, 3 too little memory. result.txt is for comparing two runs.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { microbenchmark_shape, minife_shape, lulesh_shape, shapes };
static const char* const shape_names[shapes] = {"microbenchmark", "minife", "lulesh"};
static const struct {
  uint64_t bytes, microseconds, iterations;
  unsigned vectors;
} shape_of[shapes] = {
    {100000, 5000, 100, 1},  // a file of 100 to 1000 MB in 5 s
    {50000, 1180, 200, 2},   // solution and residual in 236 s
    {8000, 11459, 6499, 7},  // energy, pressure, viscosity, volume, speed, coordinates, velocities; 74,470 s
};

enum { by_controller, to_ramdisk, to_ssd, nine_to_one, nowhere, places };
static const char* const place_names[places] = {"controller", "ramdisk", "ssd", "nine_to_one", "nowhere"};

static struct {
  ArgumentChoice shape, place;
  uint64_t bytes, microseconds, iterations, cores, lifetime, overhead, forced_every, ramdisk;
} options = {.shape = {shape_names, shapes, microbenchmark_shape},
             .place = {place_names, places, by_controller},
             .lifetime = 5};

static Checkpoints checkpoints = {
    .app = "microbenchmark", .unit = "iteration", .name = "microbenchmark", .interval = 1, .quiet = true};

// The part of a checkpoint besides the vectors.
static struct {
  uint64_t iterations, ranks, vectors, words;  // words: in one vector of a rank
} state;
static uint64_t* words;       // all vectors of rank 0, of rank 1, ...
static uint64_t compute_end;  // of this iteration, in ticks
static unsigned in_memory, on_ssd;

enum { rank_scalars = 64 };  // space for the state, in the first rank's part

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"shape", argument_choice, &options.shape, 0, 0, "program whose sizes and times are used"},
      {"bytes", argument_number, &options.bytes, 64, 8u << 20, "size of a rank's checkpoint"},
      {"time", argument_number, &options.microseconds, 1, 1000000, "microseconds of an iteration"},
      {"iterations", argument_number, &options.iterations, 1, 1000000, "each ends with a checkpoint"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "each a rank; all by default"},
      {"place", argument_choice, &options.place, 0, 0, "where checkpoints are written"},
      {"lifetime", argument_number, &options.lifetime, 0, 1000, "years that the SSD shall last; 0: any"},
      {"overhead", argument_number, &options.overhead, 0, 100, "percent of the time for checkpoints; 0: any"},
      {"forced_every", argument_number, &options.forced_every, 0, 1000000,
       "checkpoints that the SSD gets anyway"},
      {"ramdisk", argument_number, &options.ramdisk, 0, 8u << 20, "bytes of the ramdisk for each rank"},
      {"name", argument_text, &checkpoints.name, 1, 31, "name of the checkpoints"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return false;
  const unsigned shape = options.shape.index;
  if (options.bytes == 0) options.bytes = shape_of[shape].bytes;
  if (options.microseconds == 0) options.microseconds = shape_of[shape].microseconds;
  if (options.iterations == 0) options.iterations = shape_of[shape].iterations;
  return true;
}

// --- A word after n iterations is multiplier^n * (its first value) + a sum, which is checked at the end.

static const uint64_t multiplier = 0xd1342543de82ef95, increment = 0x2545f4914f6cdd1d;

static uint64_t first_value(uint64_t index) { return (index + 1) * 0x9e3779b97f4a7c15; }
static uint64_t words_of_a_rank(void) { return state.vectors * state.words; }

static void begin(unsigned rank, unsigned ranks, void* argument) {
  (void)ranks, (void)argument;
  const uint64_t first = rank * words_of_a_rank();
  for (uint64_t i = first; i < first + words_of_a_rank(); ++i) words[i] = first_value(i);
  if (rank == 0) state.iterations = 0;
}

static volatile bool time_is_up;
static void alarm(void) { time_is_up = true; }

static void iterate(unsigned rank, unsigned ranks, void* argument) {
  (void)ranks, (void)argument;
  const uint64_t first = rank * words_of_a_rank();
  for (uint64_t i = first; i < first + words_of_a_rank(); ++i) words[i] = words[i] * multiplier + increment;
  if (rank != 0) return;
  time_is_up = generic_timer_now() >= compute_end;
  if (!time_is_up) generic_timer_alarm(compute_end, alarm);
  sleep_until(&time_is_up);
}

static bool is_right(void) {
  uint64_t power = 1, sum = 0;
  for (uint64_t n = 0; n < state.iterations; ++n) {
    power *= multiplier;
    sum = sum * multiplier + increment;
  }
  for (uint64_t i = 0; i < state.ranks * words_of_a_rank(); ++i)
    if (words[i] != first_value(i) * power + sum) return false;
  return state.iterations == options.iterations;
}

// --- Checkpoints: the version is the iteration.

// Region id belongs to rank id % ranks.
static CheckpointStatus protect(void) {
  CheckpointStatus status = checkpoint_ok;
  for (unsigned vector = 0; vector < state.vectors; ++vector)
    for (unsigned rank = 0; rank < state.ranks && status == checkpoint_ok; ++rank)
      status = checkpoint_protect((int)(vector * state.ranks + rank),
                                  words + rank * words_of_a_rank() + vector * state.words,
                                  state.words * sizeof *words);
  if (status != checkpoint_ok) return status;
  return checkpoint_protect((int)(state.vectors * state.ranks), &state, sizeof state);
}

// Call it before anything is allocated: level 1 reserves its part of memory.
static CheckpointStatus prepare_levels(void) {
  const unsigned place = options.place.index;
  CheckpointStatus status = checkpoint_initialize();
  if (place == to_ssd || (place != to_ramdisk && status != checkpoint_ok)) return status;
  const uint64_t rank_bytes = (options.ramdisk != 0 ? options.ramdisk : options.bytes) + rank_scalars;
  status = checkpoint_use_memory(state.ranks * rank_bytes, 0);
  return status == checkpoint_uncorrectable ? checkpoint_ok : status;
}

static CheckpointStatus prepare_checkpoints(void) {
  CheckpointStatus status = protect();
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status == checkpoint_ok && options.place.index == nine_to_one) return checkpoint_use_ratio(10);
  if (status != checkpoint_ok || options.place.index != by_controller) return status;
  const CheckpointPolicy policy = {.lifetime_years = (double)options.lifetime,
                                   .overhead_percent = (double)options.overhead,
                                   .ranks = (unsigned)state.ranks,
                                   .forced_every = (unsigned)options.forced_every};
  return checkpoint_use_controller(&policy);
}

static bool is_of_this_run(void* ranks) {
  const uint64_t words_a_vector = options.bytes / shape_of[options.shape.index].vectors / sizeof *words;
  return state.ranks == *(const unsigned*)ranks && state.vectors == shape_of[options.shape.index].vectors &&
         state.words == words_a_vector;
}

static void begin_anew(void* ranks) {
  (void)ranks;
  cores_run(begin, NULL);
}

static void take_checkpoint(void) {
  checkpoints_take(&checkpoints, state.iterations);
  in_memory += checkpoint_level_status(checkpoint_memory) == checkpoint_ok;
  const CheckpointStatus ssd = checkpoint_level_status(checkpoint_dimm_ssd);
  on_ssd += ssd == checkpoint_ok || ssd == checkpoint_pending;
}

static double milliseconds(uint64_t ticks) { return 1e3 * (double)ticks / (double)generic_timer_frequency(); }

static void run(void) {
  const uint64_t start = generic_timer_now(), begun_at = state.iterations;
  while (state.iterations < options.iterations) {
    compute_end = generic_timer_now() + generic_timer_ticks(options.microseconds);
    cores_run(iterate, NULL);
    ++state.iterations;
    if (options.place.index != nowhere) take_checkpoint();
  }
  checkpoints_settle(&checkpoints);
  const double taken = milliseconds(generic_timer_now() - start);
  const double in_checkpoints = milliseconds(checkpoints.ticks);
  printf("microbenchmark: %llu iterations in %.3f ms, %.3f ms of checkpoints: %.3f x\n",
         (Printable)(state.iterations - begun_at), taken, in_checkpoints, taken / (taken - in_checkpoints));
  printf("microbenchmark: to the ramdisk %u, to the SSD %u, skipped %u, failed %u\n", in_memory, on_ssd,
         checkpoints.skipped, checkpoints.failed);
}

static bool report(void) {
  const bool right = is_right();
  const uint64_t sum = checksum(CHECKSUM_START, words, state.ranks * words_of_a_rank() * sizeof *words);
  printf("microbenchmark: vectors checksum 0x%016llx: %s\n", (Printable)sum, right ? "verified" : "WRONG");
  char text[100];
  snprintf(text, sizeof text, "iterations %llu\nvectors 0x%016llx\n", (Printable)state.iterations,
           (Printable)sum);
  const bool written = result_write(text);
  if (!written) printf("microbenchmark: result.txt cannot be written\n");
  return right && written;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  unsigned ranks = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  const unsigned vectors = shape_of[options.shape.index].vectors;
  if (ranks < options.cores) {
    printf("microbenchmark: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores,
           ranks);
    return exit_usage;
  }
  if (vectors * ranks >= checkpoint_region_limit) {
    printf("microbenchmark: %u vectors of %u ranks, and a checkpoint has %d regions\n", vectors, ranks,
           checkpoint_region_limit);
    return exit_usage;
  }
  if (power_probe())
    printf("microbenchmark: reset cause %s, boot %u\n", power_reset_cause_text(),
           (unsigned)power_boot_count());
  state.ranks = ranks;
  state.vectors = vectors;
  state.words = options.bytes / vectors / sizeof *words;
  CheckpointStatus status = options.place.index == nowhere ? checkpoint_ok : prepare_levels();
  words = memory_allocate(ranks * words_of_a_rank() * sizeof *words);
  if (words == NULL) {
    printf("microbenchmark: %u ranks of %llu bytes do not fit into the memory of this machine\n", ranks,
           (Printable)options.bytes);
    return exit_unavailable;
  }
  printf("microbenchmark: %s, %u rank%s of %llu bytes, %llu us an iteration\n",
         shape_names[options.shape.index], ranks, ranks == 1 ? "" : "s", (Printable)options.bytes,
         (Printable)options.microseconds);
  cores_run(begin, NULL);
  if (options.place.index != nowhere && status == checkpoint_ok) status = prepare_checkpoints();
  if (status != checkpoint_ok) {
    printf("microbenchmark: %s: running without checkpoints\n", checkpoint_text(status));
    options.place.index = nowhere;
  }
  const CheckpointsUser user = {is_of_this_run, begin_anew, &ranks};
  if (options.place.index != nowhere && checkpoints_restore_newest(&checkpoints, user))
    printf("microbenchmark: resumes after iteration %llu\n", (Printable)state.iterations);
  run();
  return report() ? exit_passed : exit_failed;
}
