// Measures how much of the caller's stack the checkpoint library uses, for each of its features;
// docs/checkpoint_library.md has the figures.
//
// A part of the stack is filled with a pattern, functions are called, and the deepest changed word gives the
// result. The interrupts for which the library waits use the same stack, with the registers that this
// project's vectors save (FRAME_BYTES). A CXL expander and a CXL SSD are left out if the node has none.
//
// Exit status: 0; 1 if a call fails; 3 without a DIMM-SSD, memory under strong ECC or PCRAM.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/exit_status.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/cxl_ssd_store.h"
#include "drivers/cxl.h"

enum { painted_words = 0x5000 / sizeof(uint64_t) };  // of STACK_BYTES
static const uint64_t pattern = 0x5afe57ac5afe57ac;

static uint8_t data[3 * 4096 + 100];  // neither begins nor ends at a page
static uint64_t step;
static bool failed;

static void expect(CheckpointStatus status) { failed = failed || status != checkpoint_ok; }

static CheckpointStatus start(void) {
  const CheckpointStatus status = checkpoint_initialize();
  checkpoint_use_method(dimm_ssd_configured);
  checkpoint_protect(0, data + 50, sizeof data - 50);
  checkpoint_protect(1, &step, sizeof step);
  return status;
}

static void write_and_restore(const char* name) {
  uint64_t newest = 0;
  for (uint64_t version = 1; version < 4; ++version) expect(checkpoint_write(name, version));
  expect(checkpoint_find_newest(name, checkpoint_any_version, &newest));
  expect(checkpoint_restore(name, newest));
}

static void on_the_dimm_ssd(void) {
  expect(start());
  write_and_restore("dimm_ssd");
}

static void asynchronous(void) {
  expect(start());
  checkpoint_use_method(dimm_ssd_early_late);
  expect(checkpoint_begin("asynchronous", 1));
  checkpoint_test(1);
  expect(checkpoint_wait(1));
  expect(checkpoint_begin("asynchronous", 2));
  expect(checkpoint_abort());
}

static void in_memory(void) {
  expect(start());
  expect(checkpoint_use_memory(sizeof data + sizeof step, 2));
  write_and_restore("memory");
}

static void in_pcram(void) {
  expect(start());
  expect(checkpoint_use_pcram(2, true));
  write_and_restore("pcram");
}

static void in_cxl(void) {
  expect(start());
  expect(checkpoint_use_cxl(sizeof data + sizeof step, 2));
  write_and_restore("cxl");
}

static void on_the_cxl_ssd(void) {
  expect(start());
  expect(checkpoint_use_cxl_ssd(sizeof data + sizeof step));
  write_and_restore("cxl_ssd");
}

static void by_the_controller(void) {
  const CheckpointPolicy policy = {.lifetime_years = 5, .overhead_percent = 10, .forced_every = 2};
  expect(start());
  expect(checkpoint_use_memory(sizeof data + sizeof step, 0));
  expect(checkpoint_use_controller(&policy));
  write_and_restore("controller");
}

static uint64_t* stack_pointer(void) {
  uint64_t* sp;
  __asm__ volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

__attribute__((noinline)) static unsigned deepest(void (*calls)(void)) {
  volatile uint64_t* const top = stack_pointer();
  for (unsigned i = 1; i <= painted_words; ++i) top[-(int)i] = pattern;
  calls();
  unsigned words = painted_words;
  while (words > 0 && top[-(int)words] == pattern) --words;
  return words * sizeof pattern;
}

static void measure(const char* what, void (*calls)(void)) {
  const unsigned bytes = deepest(calls);
  printf("checkpoint_stack: %s %u\n", what, bytes);
}

int main(void) {
  if (start() != checkpoint_ok || checkpoint_use_memory(sizeof data, 0) != checkpoint_ok ||
      checkpoint_use_pcram(0, true) != checkpoint_ok) {
    printf("checkpoint_stack: a level is missing\n");
    return exit_unavailable;
  }
  measure("dimm_ssd", on_the_dimm_ssd);
  measure("asynchronous", asynchronous);
  measure("memory", in_memory);
  measure("pcram", in_pcram);
  CxlMemory expander;
  if (cxl_probe(&expander)) measure("cxl", in_cxl);
  CxlSsd ssd;
  if (cxl_ssd_probe(&ssd)) measure("cxl_ssd", on_the_cxl_ssd);
  measure("controller", by_the_controller);
  return failed ? exit_failed : exit_passed;
}
