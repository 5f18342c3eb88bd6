// Checks that a checkpoint is either complete or absent: protects pages whose contents depend on the version,
// writes versions 1..n, and after a power loss restores the newest one and checks every word before it
// continues. Exit status: 0 only if version n was reached and restored; 1 if contents are mixed; 3 without a
// DIMM-SSD.
//
//   power_failure [versions=8] [pages=6] [name=power_failure] [fail_in=V] [after=200] [method=configured]
//                 [async=on|off]
//
// async: the next version is filled in while the one before is handed over and not durable.
// fail_in=V: causes a power failure itself, `after` microseconds after the writing of version V has begun,
//   once (on a start that is not after a power loss). Without it, a fault of the scenario must cause it.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;
enum { odd_words = 700 };  // a region that neither begins nor ends at a page

static struct {
  uint64_t versions, pages, fail_in, after;
  const char* name;
  ArgumentChoice method;
  bool async;
} options = {.versions = 8,
             .pages = 6,
             .after = 200,
             .name = "power_failure",
             .method = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_configured}};

static uint64_t* large;
static uint64_t large_words;
static uint64_t odd[odd_words + 2];  // with a guard before and after, which no restore may change
static uint64_t version;

static uint64_t pattern(uint64_t of_version, uint64_t region, uint64_t index) {
  uint64_t word = of_version * 0x9e3779b97f4a7c15 + region * 0xbf58476d1ce4e5b9 + index;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  return word ^ word >> 27;
}

static void fill(uint64_t of_version) {
  for (uint64_t i = 0; i < large_words; ++i) large[i] = pattern(of_version, 0, i);
  for (uint64_t i = 0; i < odd_words; ++i) odd[i + 1] = pattern(of_version, 1, i);
  version = of_version;
}

static uint64_t wrong_words(uint64_t of_version) {
  uint64_t wrong = version != of_version;
  for (uint64_t i = 0; i < large_words; ++i) wrong += large[i] != pattern(of_version, 0, i);
  for (uint64_t i = 0; i < odd_words; ++i) wrong += odd[i + 1] != pattern(of_version, 1, i);
  return wrong + (odd[0] != 0) + (odd[odd_words + 1] != 0);
}

static bool restore_is_whole(uint64_t wanted) {
  fill(0);
  const CheckpointStatus status = checkpoint_restore(options.name, wanted);
  if (status != checkpoint_ok) {
    printf("power_failure: version %llu not restored: %s\n", (Printable)wanted, checkpoint_text(status));
    return false;
  }
  const uint64_t wrong = wrong_words(wanted);
  printf("power_failure: version %llu restored, %llu wrong words\n", (Printable)wanted, (Printable)wrong);
  return wrong == 0;
}

static void fail_power(void) { power_fail(1000); }

static CheckpointStatus write(uint64_t v) {
  const CheckpointStatus status =
      options.async ? checkpoint_begin(options.name, v) : checkpoint_write(options.name, v);
  if (status != checkpoint_ok)
    printf("power_failure: version %llu not written: %s\n", (Printable)v, checkpoint_text(status));
  else
    printf("power_failure: version %llu %s\n", (Printable)v,
           checkpoint_test(v) == checkpoint_pending ? "handed over" : "written");
  return status;
}

static bool write_versions(uint64_t first, bool fails_power) {
  for (uint64_t v = first; v <= options.versions; ++v) {
    fill(v);
    if (fails_power && v == options.fail_in)
      generic_timer_alarm(generic_timer_now() + generic_timer_ticks(options.after), fail_power);
    if (write(v) != checkpoint_ok) return false;
    if (v > 2 && checkpoint_test(v - 2) != checkpoint_pending) checkpoint_discard(options.name, v - 2);
  }
  const CheckpointStatus status = checkpoint_wait(checkpoint_any_version);
  if (status != checkpoint_ok) printf("power_failure: failed: %s\n", checkpoint_text(status));
  return status == checkpoint_ok;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"versions", argument_number, &options.versions, 1, 1000000, "versions to write"},
      {"pages", argument_number, &options.pages, 1, 4096, "pages of the large region"},
      {"name", argument_text, &options.name, 1, 31, "name of the checkpoints"},
      {"fail_in", argument_number, &options.fail_in, 0, 1000000,
       "version during whose writing the power fails"},
      {"after", argument_number, &options.after, 1, 10000000, "microseconds after its begin"},
      {"method", argument_choice, &options.method, 0, 0, "how checkpoints are taken"},
      {"async", argument_switch, &options.async, 0, 0, "continue before a checkpoint is durable"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  const bool has_power = power_probe();
  if (has_power) printf("power_failure: reset cause %s\n", power_reset_cause_text());
  large_words = options.pages * page_bytes / sizeof(uint64_t);
  large = memory_allocate(options.pages * page_bytes);
  if (checkpoint_initialize() != checkpoint_ok || large == NULL) {
    printf("power_failure: %s\n", large == NULL ? "too little memory" : "no DIMM-SSD");
    return exit_unavailable;
  }
  checkpoint_protect(0, large, options.pages * page_bytes);
  checkpoint_protect(1, odd + 1, odd_words * sizeof(uint64_t));
  checkpoint_protect(2, &version, sizeof version);
  checkpoint_use_method((DimmSsdMethod)options.method.index);
  if (options.method.index == dimm_ssd_copy_on_write) checkpoint_use_shadow(0);

  uint64_t newest = 0;
  const CheckpointStatus found = checkpoint_find_newest(options.name, checkpoint_any_version, &newest);
  if (found == checkpoint_ok && !restore_is_whole(newest)) return exit_failed;
  if (found != checkpoint_ok) printf("power_failure: %s\n", checkpoint_text(found));
  const bool fails_power = has_power && power_reset_cause() != reset_power_loss;
  if (!write_versions(newest + 1, fails_power)) return exit_failed;
  return restore_is_whole(options.versions) ? exit_passed : exit_failed;
}
