// A cache line that two cores pass to and fro, as ASCT's c2c-latency: each waits for the other one's number
// and stores the next one. The time is that of one way.
#include <stdio.h>

#include "apps/memory_timing/measurement.h"
#include "drivers/generic_timer.h"

enum { warm_up = 16, none = 0xffff };
static const uint64_t stop = UINT64_MAX;

static struct { uint64_t first, second, transfers; } options = {.second = none, .transfers = 1000};

static struct {
  uint64_t number;
  uint64_t rest[7];
} ball __attribute__((aligned(line_bytes)));

static struct {
  unsigned first, second;
  uint64_t rounds;  // of two transfers
  uint64_t ticks;
} game;

static void pass(uint64_t number) { __atomic_store_n(&ball.number, number, __ATOMIC_RELEASE); }

// Waits until the number before this one has been replaced. If another one than this came, the game ends, and
// the result is false. LDAXR instead of LDAR: a simulated core then waits at its own time (docs/firmware.md,
// "Time between cores").
static bool wait_for(uint64_t number) {
  uint64_t value;
  do __asm__ volatile("ldaxr %0, [%1]" : "=r"(value) : "r"(&ball.number) : "memory");
  while (value == number - 1);
  if (value == number) return true;
  pass(stop);
  return false;
}

static void ping(void) {
  uint64_t start = 0;
  for (uint64_t i = 0; i < warm_up + game.rounds; ++i) {
    if (i == warm_up) start = generic_timer_now();
    pass(2 * i + 1);
    if (!wait_for(2 * i + 2)) return;
  }
  game.ticks = generic_timer_now() - start;
}

static void pong(void) {
  for (uint64_t i = 0; i < warm_up + game.rounds; ++i) {
    if (!wait_for(2 * i + 1)) return;
    pass(2 * i + 2);
  }
}

static void play(unsigned core, unsigned cores, void* argument) {
  (void)cores, (void)argument;
  if (core == game.first)
    ping();
  else if (core == game.second)
    pong();
}

static bool measure(unsigned first, unsigned second) {
  game.first = first;
  game.second = second;
  game.rounds = (options.transfers + 1) / 2;
  game.ticks = 0;
  ball.number = 0;
  cores_run(play, NULL);
  printf("%12u %12u %12llu %12.3f\n", first, second, (Printable)(2 * game.rounds),
         nanoseconds(game.ticks) / (double)(2 * game.rounds));
  return ball.number == 2 * (warm_up + game.rounds);
}

static bool is_core(const char* name, const char* argument, uint64_t core, unsigned cores) {
  if (core < cores) return true;
  printf("%s: argument '%s=%llu' is wrong: this machine has cores 0 to %u\n", name, argument, (Printable)core,
         cores - 1);
  return false;
}

ExitStatus measure_ping_pong(int argc, char** argv) {
  const Argument table[] = {
      {"first", argument_number, &options.first, 0, MAX_CORES - 1, "a core"},
      {"second", argument_number, &options.second, 0, MAX_CORES - 1, "another core; all others by default"},
      {"transfers", argument_number, &options.transfers, 1, 1ull << 32, "that are measured"},
  };
  if (!READ_ARGUMENTS(argc, argv, table)) return exit_usage;
  const unsigned cores = start_cores(argv[0], 0);
  if (cores < 2) {
    printf("%s: this machine has one core\n", argv[0]);
    return exit_unavailable;
  }
  if (!is_core(argv[0], "first", options.first, cores)) return exit_usage;
  if (options.second != none && !is_core(argv[0], "second", options.second, cores)) return exit_usage;
  if (options.first == options.second) {
    printf("%s: argument 'second=%llu' is wrong: it is the first\n", argv[0], (Printable)options.second);
    return exit_usage;
  }
  print_machine(argv[0], cores);
  printf("%12s %12s %12s %12s\n", "first", "second", "transfers", "ns");
  bool is_right = true;
  for (unsigned core = 0; core < cores; ++core)
    if (core != options.first && (options.second == none || core == options.second))
      is_right &= measure((unsigned)options.first, core);
  return print_verdict(argv[0], is_right);
}
