// Measures the cost of a memory dump to PCRAM: by the checkpoint library, by the device alone, and of the
// changed pages only.
//
//   pcram_dump [pages=1024] [dirty=10] [to=here|neighbour]
//
// dirty: percent of the pages that change before the last dump. With modules the device dumps `pages` pages,
// with a stack all of memory, as in dong2011. Each line ends with the paper's value for the same bytes: 10.8
// GB/s for modules (section 3), 0.8 ms for a stack of any size (Table VI). Energies are in stats.json.
//
// to=neighbour: on two whole nodes of a cluster, rank 0 dumps the pages to its own PCRAM and from there to
// rank 1's (neighbour.h).
//
// Exit status: 0 everything was saved, 1 not, 2 a wrong argument, 3 no PCRAM or too little memory.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/pcram/neighbour.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/pcram_level.h"
#include "drivers/device_tree.h"
#include "drivers/generic_timer.h"
#include "drivers/pcram.h"

static const char* const destinations[] = {"here", "neighbour"};
static struct {
  uint64_t pages, dirty;
  ArgumentChoice to;
} options = {.pages = 1024, .dirty = 10, .to = {destinations, 2, 0}};

static uint64_t random_word(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static void fill(uint64_t* words, uint64_t bytes, uint64_t seed) {
  for (uint64_t i = 0; i < bytes / sizeof *words; ++i) words[i] = random_word(&seed);
}

static uint64_t published_ns(uint64_t bytes) { return pcram_layer_pages() != 0 ? 800000 : bytes * 10 / 108; }

static uint64_t nanoseconds(uint64_t ticks) {
  return (uint64_t)((double)ticks * 1e9 / (double)generic_timer_frequency());
}

static void report(const char* what, uint64_t copied, uint64_t ticks, bool has_published) {
  const uint64_t bytes = copied * page_bytes, ns = nanoseconds(ticks);
  printf("pcram_dump: %-10s %6u pages %9.1f us %8.2f GB/s", what, (unsigned)copied, (double)ns / 1e3,
         ns != 0 ? (double)bytes / (double)ns : 0);
  if (has_published) printf("   published %9.1f us", (double)published_ns(bytes) / 1e3);
  printf("\n");
}

static bool by_the_library(void* first, uint64_t bytes) {
  checkpoint_initialize();
  if (checkpoint_use_pcram(0, false) != checkpoint_ok) return false;
  checkpoint_protect(0, first, bytes);
  const uint64_t start = generic_timer_now();
  const CheckpointStatus status = checkpoint_write("dump", 1);
  report("checkpoint", pcram_level_copied(), generic_timer_now() - start, false);
  if (status != checkpoint_ok) printf("pcram_dump: %s\n", checkpoint_text(status));
  return status == checkpoint_ok;
}

static bool by_the_device(const char* what, const void* first, uint32_t pages, bool incremental) {
  const uint32_t place = pcram_layer_pages() != 0 ? pcram_place_of(first, 0) : 0;
  const uint64_t start = generic_timer_now();
  const PcramError error = pcram_save(first, pages, place, incremental);
  report(what, pcram_copied(), generic_timer_now() - start, !incremental);
  if (error != pcram_ok) printf("pcram_dump: %s\n", pcram_error_text(error));
  return error == pcram_ok;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"pages", argument_number, &options.pages, 10, 8000, "pages of 4 KiB in a checkpoint"},
      {"dirty", argument_number, &options.dirty, 0, 100,
       "percent of the pages that change before the last dump"},
      {"to", argument_choice, &options.to, 0, 0, "destination of the dump"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  Device memory;
  if (!pcram_probe() || !device_tree_memory(&memory)) {
    printf("pcram_dump: this machine has no PCRAM\n");
    return exit_unavailable;
  }
  const uint64_t bytes = options.pages * page_bytes;
  uint8_t* const first = memory_allocate(bytes);
  const bool is_stack = pcram_layer_pages() != 0;
  if (first == NULL || (!is_stack && pcram_pages() < 2 * options.pages + 8)) {
    printf("pcram_dump: %u pages do not fit\n", (unsigned)options.pages);
    return exit_unavailable;
  }
  fill((uint64_t*)(void*)first, bytes, 1);
  if (options.to.index == 1) return neighbour_dump((uint64_t*)(void*)first, (uint32_t)options.pages);
  bool saved = by_the_library(first, bytes);
  fill((uint64_t*)(void*)first, bytes, 2);
  const void* const from = is_stack ? (const void*)(uintptr_t)memory.base : first;
  const uint32_t pages = is_stack ? pcram_layer_pages() : (uint32_t)options.pages;
  saved = by_the_device("dump", from, pages, false) && saved;
  fill((uint64_t*)(void*)first, bytes * options.dirty / 100, 3);
  saved = by_the_device("increment", from, pages, true) && saved;
  return saved ? exit_passed : exit_failed;
}
