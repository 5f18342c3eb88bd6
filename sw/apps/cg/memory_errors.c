#include "apps/cg/memory_errors.h"

#include <stdio.h>

#include "boot/exception.h"
#include "boot/exit_status.h"
#include "boot/interrupts.h"
#include "boot/ranks.h"
#include "drivers/cpu.h"
#include "drivers/memory_controller.h"
#include "drivers/power.h"
#include "drivers/semihosting.h"

enum { resets_at_most = 8 };  // after more resets the memory counts as unusable

static bool present, recovering;
static uint32_t corrected, uncorrectable;  // reported so far
static uint32_t uncorrectable_before;      // before this start
static MemoryError first_corrected, first_uncorrectable;

static void keep_first(const MemoryError* error) {
  MemoryError* const first = error->uncorrectable ? &first_uncorrectable : &first_corrected;
  if (first->address == 0) *first = *error;
}

static void read_log(void) {
  first_corrected.address = first_uncorrectable.address = 0;
  ranks_read_log(keep_first);
}

// Prints lines that begin with `who`: the first error, the number of errors, and the place of the first one
// if the log has it.
static void describe(const char* who, const MemoryError* first, uint32_t count, char* text, size_t bytes) {
  char what[60] = "error that the log has lost", place[100], all[24] = "";
  if (first->address != 0) memory_controller_error_text(first, what, sizeof what);
  if (count > 1) snprintf(all, sizeof all, "; %u in all", (unsigned)count);
  const int used = snprintf(text, bytes, "%s: %s%s\n", who, what, all);
  if (first->address == 0) return;
  memory_controller_place_text(first, place, sizeof place);
  snprintf(text + used, bytes - (size_t)used, "%s: %s\n", who, place);
}

// Runs on any core. It does not use printf: the SError may have occurred inside it.
static bool on_serror(void) {
  static uint32_t taken;
  const uint32_t count = memory_controller_uncorrectable();
  if (count == uncorrectable_before) return false;  // a bus error of another kind
  while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL) != 0) wait_for_interrupt();
  char who[20], what[200], text[280];
  read_log();
  snprintf(who, sizeof who, "cg: core %u", cpu_index());
  describe(who, &first_uncorrectable, count - uncorrectable_before, what, sizeof what);
  const bool again = ranks_resets() < resets_at_most;
  snprintf(text, sizeof text, "%s%s: %s\n", what, who,
           again ? "everything is discarded, warm reset" : "once more, giving up");
  semihosting_print(text);
  if (!again) semihosting_exit(exit_failed);
  ranks_count_reset();
  power_warm_reset();
}

void memory_errors_prepare(bool has_power) {
  present = memory_controller_probe();
  if (!present) return;
  const bool warm = has_power && power_reset_cause() == reset_warm;
  ranks_initialize(warm);
  recovering = warm && ranks_resets() != 0;
  corrected = memory_controller_corrected();
  uncorrectable = uncorrectable_before = memory_controller_uncorrectable();
  read_log();
  const int rank = ranks_choose();
  const unsigned ranks = memory_controller_properties().ranks;
  if (rank >= 0 && ranks > 1) printf("cg: data in rank %d of %u\n", rank, ranks);
  if (has_power) exception_on_serror(on_serror);
}

static void print_new(const MemoryError* first, uint32_t count) {
  if (count == 0) return;
  char text[200];
  describe("cg", first, count, text, sizeof text);
  printf("%s", text);
}

void memory_errors_read(void) {
  if (!present) return;
  const uint32_t now_corrected = memory_controller_corrected(),
                 now_uncorrectable = memory_controller_uncorrectable();
  if (now_corrected == corrected && now_uncorrectable == uncorrectable) return;
  read_log();
  print_new(&first_corrected, now_corrected - corrected);
  print_new(&first_uncorrectable, now_uncorrectable - uncorrectable);
  corrected = now_corrected;
  uncorrectable = now_uncorrectable;
}

void memory_errors_recovered(CheckpointLevel level) {
  if (recovering)
    power_recovered(level == checkpoint_memory ? recovered_from_memory : recovered_from_dimm_ssd);
  recovering = false;
}
