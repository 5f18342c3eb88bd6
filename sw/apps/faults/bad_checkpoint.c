// Sends the DIMM-SSD requests that it must refuse or abandon: wrong requests, two at once, an abort, more
// than it has space for. After each of them, the checkpoint that was durable before must be restored
// completely.
//
//   bad_checkpoint [fill=0]
//
// fill: number of checkpoints of 64 pages, each with a name of its own, one of which must find the device
// full; 0: none.
//
// Exit status: 0 every answer was correct, 1 one was not, 3 without a DIMM-SSD.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"

enum { kept_pages = 4, page_limit = 64, words = page_bytes / sizeof(uint64_t) };

static struct {
  DimmSsdRequest request;
  uint64_t pages[page_limit];
} descriptor __attribute__((aligned(8)));

static uint64_t (*memory)[words];  // page_limit pages
static uint64_t fills;
static unsigned wrong;

static const char* const error_names[] = {"none",     "bad_descriptor", "bus_error",
                                          "no_space", "not_found",      "uncorrectable",
                                          "busy",     "aborted",        "worn_out"};

static void expect(const char* what, DimmSsdError got, DimmSsdError wanted) {
  const bool right = got == wanted;
  wrong += !right;
  printf("bad_checkpoint: %s: %s", what, error_names[got]);
  if (!right) printf(", WRONG: expected %s", error_names[wanted]);
  printf("\n");
}

static void fill(uint64_t seed) {
  for (uint64_t page = 0; page < page_limit; ++page)
    for (uint64_t i = 0; i < words; ++i) memory[page][i] = (seed * page_limit + page) * words + i;
}

// A correct request for the first pages.
static DimmSsdRequest* ask(const char* name, uint64_t version, uint32_t pages, DimmSsdMethod method) {
  memset(&descriptor.request, 0, sizeof descriptor.request);
  strncpy(descriptor.request.name, name, sizeof descriptor.request.name);
  descriptor.request.version = version;
  descriptor.request.page_count = pages;
  descriptor.request.method = method;
  for (uint32_t i = 0; i < pages; ++i) descriptor.pages[i] = (uintptr_t)memory[i];
  return &descriptor.request;
}

static DimmSsdError run(DimmSsdOperation operation) {
  return dimm_ssd_execute(operation, &descriptor.request);
}

static void expect_kept(void) {
  fill(99);
  ask("keep", 1, kept_pages, dimm_ssd_configured);
  const DimmSsdError error = run(dimm_ssd_restore);
  uint64_t changed = 0;
  for (uint64_t page = 0; page < kept_pages; ++page)
    for (uint64_t i = 0; i < words; ++i) changed += memory[page][i] != (page_limit + page) * words + i;
  if (error == dimm_ssd_ok && changed == 0) return;
  ++wrong;
  printf("bad_checkpoint: WRONG: the older checkpoint: %s, %u wrong words\n", error_names[error],
         (unsigned)changed);
}

static void expect_refused_page(const char* what, uint32_t index, uint64_t address, DimmSsdError wanted) {
  ask("bad", 1, kept_pages, dimm_ssd_stop_and_copy);
  descriptor.pages[index] = address;
  expect(what, run(dimm_ssd_checkpoint), wanted);
  if (wanted == dimm_ssd_bad_descriptor && dimm_ssd_bad_index() != index) {
    ++wrong;
    printf("bad_checkpoint: WRONG: entry %u refused, not %u\n", (unsigned)dimm_ssd_bad_index(),
           (unsigned)index);
  }
  expect_kept();
}

static void refuse_page_lists(void) {
  expect_refused_page("a page that is not aligned", 2, (uintptr_t)memory[2] + 64, dimm_ssd_bad_descriptor);
  expect_refused_page("a page twice", 3, (uintptr_t)memory[1], dimm_ssd_bad_descriptor);
  expect_refused_page("a hole in the list", 1, 0, dimm_ssd_bad_descriptor);
  expect_refused_page("a page before DRAM", 0, 0x09000000, dimm_ssd_bad_descriptor);
  expect_refused_page("a page behind DRAM", 3, memory_end(), dimm_ssd_bad_descriptor);
  expect_refused_page("a page behind all addresses", 2, UINT64_MAX - page_bytes + 1, dimm_ssd_bad_descriptor);
}

static void refuse_requests(void) {
  ask("bad", 1, 0, dimm_ssd_stop_and_copy);
  expect("no pages", run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  ask("", 1, kept_pages, dimm_ssd_stop_and_copy);
  expect("no name", run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  memset(ask("bad", 1, kept_pages, dimm_ssd_stop_and_copy)->name, 'n', sizeof descriptor.request.name);
  expect("a name without an end", run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  ask("bad", 1, kept_pages, dimm_ssd_stop_and_copy)->page_count = UINT32_MAX;
  expect("pages without end", run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  ask("bad", 1, kept_pages, (DimmSsdMethod)dimm_ssd_methods);
  expect("no such method", run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  ask("bad", 1, kept_pages, dimm_ssd_stop_and_copy);
  expect("no such operation", run((DimmSsdOperation)7), dimm_ssd_bad_descriptor);
  DimmSsdRequest* const unaligned = (DimmSsdRequest*)((uintptr_t)&descriptor + 4);
  expect("a request that is not aligned", dimm_ssd_execute(dimm_ssd_checkpoint, unaligned),
         dimm_ssd_bad_descriptor);
  expect("a request outside memory", dimm_ssd_execute(dimm_ssd_checkpoint, (DimmSsdRequest*)memory_end()),
         dimm_ssd_bus_error);
  ask("keep", 1, kept_pages - 1, dimm_ssd_configured);
  expect("a restore to fewer pages", run(dimm_ssd_restore), dimm_ssd_bad_descriptor);
  ask("bad", 1, kept_pages, dimm_ssd_configured);
  expect("a restore of what is not there", run(dimm_ssd_restore), dimm_ssd_not_found);
  expect_kept();
}

static DimmSsdProgress await_all(void) {
  DimmSsdProgress progress = dimm_ssd_progress();
  while (progress.open > 0) {
    dimm_ssd_await_progress();
    const DimmSsdProgress next = dimm_ssd_progress();
    progress.open = next.open;
    if (next.failed) progress = next;
  }
  return progress;
}

static void expect_refused_shadow(const char* what, uint64_t first, uint32_t pages) {
  ask("bad", 1, kept_pages, dimm_ssd_copy_on_write);
  dimm_ssd_use_shadow((void*)(uintptr_t)first, pages);
  expect(what, run(dimm_ssd_checkpoint), dimm_ssd_bad_descriptor);
  wrong += dimm_ssd_bad_index() != UINT32_MAX;
  dimm_ssd_use_shadow(NULL, 0);
  expect_kept();
}

static void refuse_shadow_memory(void) {
  const uint64_t behind = (uintptr_t)memory[kept_pages];
  expect_refused_shadow("shadow memory without end", behind, UINT32_MAX);
  expect_refused_shadow("shadow memory before DRAM", 0x09000000, 1);
  expect_refused_shadow("shadow memory behind DRAM", memory_end(), 1);
  expect_refused_shadow("shadow memory behind all addresses", UINT64_MAX - page_bytes + 1, 2);
  expect_refused_shadow("shadow memory that is not aligned", behind + 64, 1);
  expect_refused_shadow("shadow memory over a page of the list", (uintptr_t)memory[kept_pages - 1], 2);
  ask("shadow", 1, kept_pages, dimm_ssd_copy_on_write);
  dimm_ssd_use_shadow(memory[kept_pages], 2);
  expect("shadow memory behind the list", run(dimm_ssd_checkpoint), dimm_ssd_ok);
  wrong += await_all().failed;
  dimm_ssd_use_shadow(NULL, 0);
  expect_kept();
}

static void expect_absent(const char* name, uint64_t version) {
  ask(name, version, 0, dimm_ssd_configured);
  const bool there = run(dimm_ssd_find) == dimm_ssd_ok && dimm_ssd_found_version() == version;
  wrong += there;
  if (there) printf("bad_checkpoint: WRONG: %s %u is there\n", name, (unsigned)version);
}

static void two_at_once(void) {
  fill(2);
  ask("first", 1, kept_pages, dimm_ssd_stop_and_copy);
  dimm_ssd_start(dimm_ssd_checkpoint, &descriptor.request);
  static DimmSsdRequest kept = {.name = "keep", .version = 1};
  static struct {
    DimmSsdRequest request;
    uint64_t page;
  } second __attribute__((aligned(8))) = {.request = {.name = "first", .version = 2, .page_count = 1}};
  second.page = descriptor.pages[0];
  expect("a checkpoint while another runs", dimm_ssd_execute(dimm_ssd_checkpoint, &second.request),
         dimm_ssd_busy);
  expect("a discard while another runs", dimm_ssd_execute(dimm_ssd_discard, &kept), dimm_ssd_busy);
  expect("the one that runs", dimm_ssd_wait(), dimm_ssd_ok);
  expect_absent("first", 2);
  expect_kept();
  ask("second", 1, kept_pages, dimm_ssd_late);
  expect("a checkpoint that is handed over", run(dimm_ssd_checkpoint), dimm_ssd_ok);
  ask("third", 1, kept_pages, dimm_ssd_late);
  expect("another name meanwhile", run(dimm_ssd_checkpoint), dimm_ssd_busy);
  ask("second", 2, kept_pages - 1, dimm_ssd_late);
  expect("another list meanwhile", run(dimm_ssd_checkpoint), dimm_ssd_busy);
  wrong += await_all().failed;
  ask("second", 1, 0, dimm_ssd_configured);
  expect("the one that was handed over", run(dimm_ssd_find), dimm_ssd_ok);
  expect_absent("second", 2);
  expect_kept();
}

// Runs while its command is in progress.
static void abort_command(void) {
  fill(3);
  ask("aborted", 1, kept_pages, dimm_ssd_stop_and_copy);
  dimm_ssd_start(dimm_ssd_checkpoint, &descriptor.request);
  const uint64_t later = generic_timer_now() + generic_timer_ticks(100);
  while (generic_timer_now() < later) {  // waits until the device copies
  }
  expect("a command that is aborted", run(dimm_ssd_abort), dimm_ssd_aborted);
  wrong += await_all().failed;  // the hand-over was not reported yet
  expect_absent("aborted", 1);
  expect_kept();
}

static void abort_handed_over(void) {
  fill(4);
  ask("aborted", 2, kept_pages, dimm_ssd_late);
  expect("a checkpoint that is handed over", run(dimm_ssd_checkpoint), dimm_ssd_ok);
  expect("its abort", run(dimm_ssd_abort), dimm_ssd_ok);
  const DimmSsdProgress progress = await_all();
  expect("what became of it", progress.failed ? progress.failed_error : dimm_ssd_ok, dimm_ssd_aborted);
  wrong += progress.failed_version != 2;
  expect_absent("aborted", 2);
  expect_kept();
}

static void fill_up(void) {
  DimmSsdError error = dimm_ssd_ok;
  uint64_t i = 0;
  for (; i < fills && error == dimm_ssd_ok; ++i) {
    char name[32];
    snprintf(name, sizeof name, "fill.%u", (unsigned)i);
    fill(10 + i);
    ask(name, 1, page_limit, dimm_ssd_stop_and_copy);
    error = run(dimm_ssd_checkpoint);
  }
  printf("bad_checkpoint: %u checkpoints of %u pages\n", (unsigned)i, (unsigned)page_limit);
  expect("a checkpoint too many", error, dimm_ssd_no_space);
  expect_kept();
  ask("fill.0", 1, 0, dimm_ssd_configured);
  expect("an older one is discarded", run(dimm_ssd_discard), dimm_ssd_ok);
  ask("again", 1, page_limit, dimm_ssd_stop_and_copy);
  expect("and there is space again", run(dimm_ssd_checkpoint), dimm_ssd_ok);
  expect_kept();
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"fill", argument_number, &fills, 0, 1000000, "checkpoints of which one finds the device full"}};
  if (!arguments_read(argc, argv, table, 1)) return exit_usage;
  memory = memory_allocate(page_limit * page_bytes);
  if (!dimm_ssd_probe() || memory == NULL) {
    printf("bad_checkpoint: %s\n", memory == NULL ? "too little memory" : "no DIMM-SSD");
    return exit_unavailable;
  }
  fill(1);
  ask("keep", 1, kept_pages, dimm_ssd_stop_and_copy);
  expect("a checkpoint", run(dimm_ssd_checkpoint), dimm_ssd_ok);
  refuse_page_lists();
  refuse_requests();
  refuse_shadow_memory();
  two_at_once();
  abort_command();
  abort_handed_over();
  if (fills != 0) fill_up();
  return wrong == 0 ? exit_passed : exit_failed;
}
