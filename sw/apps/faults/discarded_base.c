// Removes the base of an incremental checkpoint, with every method and at every time: the version before it
// is discarded before, within or after the interval, aborted, restored, or followed by one of another list.
// Each checkpoint that is then durable must be restored word for word.
//
// Exit status: 0 if each one was, 1 if one was not, 3 without a DIMM-SSD.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"

enum {
  page_count = 96,  // more than the 64 that the bitmap buffer keeps of an early copy
  words = page_bytes / sizeof(uint64_t),
  words_of_line = 8,
  touched_line = 3,
  touches = 16,  // of each page: more than a candidate for an early copy needs
};

typedef enum {
  base_stays,
  discarded_before_the_first_write,
  discarded_between_writes,  // some pages have been copied early by then
  discarded_behind_the_interval,
  aborted_within_the_interval,
  restored_before,
  another_list_before,
  another_method_before,
} Fate;
static const char* const fate_names[] = {"stays",
                                         "discarded before the first write",
                                         "discarded between writes",
                                         "discarded behind the interval",
                                         "aborted within the interval",
                                         "restored before",
                                         "another list before",
                                         "another method before"};
enum { fates = sizeof fate_names / sizeof *fate_names };

static struct {
  DimmSsdRequest request;
  uint64_t pages[page_count];
} descriptor __attribute__((aligned(8)));

static uint64_t (*memory)[words];
static uint64_t (*wanted)[words];
static uint64_t last_version;

static DimmSsdError run(DimmSsdOperation operation, uint64_t version, uint32_t pages, DimmSsdMethod method) {
  memset(&descriptor.request, 0, sizeof descriptor.request);
  strcpy(descriptor.request.name, "program");
  descriptor.request.version = version;
  descriptor.request.page_count = pages;
  descriptor.request.method = method;
  for (uint32_t i = 0; i < pages; ++i) descriptor.pages[i] = (uintptr_t)memory[i];
  return dimm_ssd_execute(operation, &descriptor.request);
}

// Also waits until it is durable, if the command ends before.
static bool checkpoint(uint64_t version, uint32_t pages, DimmSsdMethod method) {
  if (run(dimm_ssd_checkpoint, version, pages, method) != dimm_ssd_ok) return false;
  DimmSsdProgress progress = dimm_ssd_progress();
  while (progress.open > 0 && !progress.failed) {
    dimm_ssd_await_progress();
    progress = dimm_ssd_progress();
  }
  return !progress.failed;
}

static bool discard(uint64_t version) {
  return run(dimm_ssd_discard, version, 0, dimm_ssd_configured) == dimm_ssd_ok;
}

static void pause(uint64_t microseconds) {
  const uint64_t end = generic_timer_now() + generic_timer_ticks(microseconds);
  while (generic_timer_now() < end) {
  }
}

// Writes one line of each page repeatedly, with time for early copies between.
static void touch(uint64_t seed) {
  for (uint64_t i = 0; i < touches; ++i) {
    for (uint32_t page = 0; page < page_count; ++page) memory[page][touched_line * words_of_line] = seed + i;
    pause(100);
  }
}

static void fill(uint64_t seed) {
  for (uint32_t page = 0; page < page_count; ++page)
    for (uint32_t i = 0; i < words; ++i) memory[page][i] = seed + page * words + i;
}

static bool prepare(Fate fate, uint64_t base, DimmSsdMethod method) {
  switch (fate) {
    case discarded_before_the_first_write:
      return discard(base);
    case restored_before:
      return run(dimm_ssd_restore, base, page_count, method) == dimm_ssd_ok;
    case another_list_before:
      return checkpoint(++last_version, page_count / 2, method);
    case another_method_before:
      return checkpoint(++last_version, page_count, dimm_ssd_consolidate);
    default:
      return true;
  }
}

static bool take_away(Fate fate, uint64_t base) {
  if (fate == discarded_between_writes) return discard(base);
  if (fate == aborted_within_the_interval)
    return run(dimm_ssd_abort, 0, 0, dimm_ssd_configured) == dimm_ssd_ok;
  return true;
}

static unsigned wrong_words(uint64_t version) {
  memcpy(wanted, memory, page_count * page_bytes);
  fill(0xdead0000);
  if (run(dimm_ssd_restore, version, page_count, dimm_ssd_configured) != dimm_ssd_ok)
    return page_count * words;
  unsigned wrong = 0;
  for (uint32_t page = 0; page < page_count; ++page)
    for (uint32_t i = 0; i < words; ++i) wrong += memory[page][i] != wanted[page][i];
  return wrong;
}

static bool comes_back(DimmSsdMethod method, Fate fate) {
  const uint64_t base = ++last_version;
  fill(base << 32);
  bool done = checkpoint(base, page_count, method) && prepare(fate, base, method);
  touch(base << 40);
  done = done && take_away(fate, base);
  touch(base << 48);
  const uint64_t version = ++last_version;
  done = done && checkpoint(version, page_count, method);
  if (done && fate == discarded_behind_the_interval) done = discard(base);
  const unsigned wrong = done ? wrong_words(version) : 0;
  if (done && wrong == 0) return true;
  printf("discarded_base: %s, base %s: ", dimm_ssd_method_names[method], fate_names[fate]);
  if (done)
    printf("WRONG: %u words\n", wrong);
  else
    printf("WRONG: a command has failed\n");
  return false;
}

int main(void) {
  memory = memory_allocate(page_count * page_bytes);
  wanted = memory_allocate(page_count * page_bytes);
  if (!dimm_ssd_probe() || memory == NULL || wanted == NULL) {
    printf("discarded_base: %s\n", wanted == NULL ? "too little memory" : "no DIMM-SSD");
    return exit_unavailable;
  }
  unsigned good = 0;
  for (int method = dimm_ssd_stop_and_copy; method < dimm_ssd_methods; ++method)
    for (int fate = 0; fate < fates; ++fate) good += comes_back((DimmSsdMethod)method, (Fate)fate);
  const unsigned all = (dimm_ssd_methods - 1) * fates;
  printf("discarded_base: %u of %u checkpoints come back\n", good, all);
  return good == all ? exit_passed : exit_failed;
}
