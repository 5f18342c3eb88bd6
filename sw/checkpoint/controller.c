#include "checkpoint/controller.h"

#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

static struct {
  bool reports;
  CheckpointPolicy policy;
  uint64_t ramdisk_bytes;
  uint64_t number;            // of the last checkpoint
  uint64_t start;             // of the run, in ticks
  uint64_t written_at_start;  // to the SSD, in bytes
  uint64_t began,
      spent;  // start of the current checkpoint; time of all checkpoints that have ended; in ticks
} controller;

_Static_assert((int)location_ramdisk == (int)located_in_memory &&
                   (int)location_ssd == (int)located_on_dimm_ssd &&
                   (int)location_none == (int)located_nowhere,
               "the power controller uses the same values");

static unsigned ranks(void) { return controller.policy.ranks != 0 ? controller.policy.ranks : 1; }

static double seconds(uint64_t ticks) { return (double)ticks / (double)generic_timer_frequency(); }

static Location decide(uint64_t version, uint64_t bytes) {
  const uint64_t written = dimm_ssd_written();
  const LocationState state = {.number = ++controller.number,
                               .bytes = bytes,
                               .ramdisk_bytes = controller.ramdisk_bytes,
                               .elapsed = seconds(generic_timer_now() - controller.start),
                               .checkpointing = seconds(controller.spent),
                               .ssd_bytes = written - controller.written_at_start,
                               .rated = dimm_ssd_rated(),
                               .used = written};
  const LocationDecision decision = location_decide(&controller.policy, &state);
  if (controller.reports)
    power_checkpoint_located(version, (CheckpointLocated)decision.location, (unsigned)decision.reason);
  return decision.location;
}

static void checkpoint_begins(void) { controller.began = generic_timer_now(); }
static void checkpoint_ends(void) { controller.spent += generic_timer_now() - controller.began; }

const Controller* controller_use(const CheckpointPolicy* policy, uint64_t ramdisk_bytes) {
  controller.reports = power_probe();
  controller.policy = *policy;
  controller.ramdisk_bytes = ramdisk_bytes;
  controller.number = 0;
  controller.start = generic_timer_now();
  controller.written_at_start = dimm_ssd_written();
  controller.spent = 0;
  static const Controller functions = {.ranks = ranks,
                                       .decide = decide,
                                       .checkpoint_begins = checkpoint_begins,
                                       .checkpoint_ends = checkpoint_ends};
  return &functions;
}
