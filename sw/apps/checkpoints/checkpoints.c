#include "apps/checkpoints/checkpoints.h"

#include <stdio.h>
#include <string.h>

#include "drivers/generic_timer.h"

typedef unsigned long long Printable;

static const CheckpointLevel levels[] = {checkpoint_memory, checkpoint_dimm_ssd};
static const char* const level_names[] = {"level 1 (memory)", "level 2 (DIMM-SSD)"};

static void print_levels(const Checkpoints* checkpoints, uint64_t version) {
  for (int i = 0; i < 2 && checkpoints->levels; ++i) {
    const CheckpointStatus status = checkpoint_level_status(levels[i]);
    if (status != checkpoint_not_asked)
      printf("%s: checkpoint %llu, %s: %s\n", checkpoints->app, (Printable)version, level_names[i],
             checkpoint_text(status));
  }
}

static void print(const Checkpoints* checkpoints, uint64_t version, const char* what) {
  if (!checkpoints->quiet) printf("%s: checkpoint %llu %s\n", checkpoints->app, (Printable)version, what);
}

static void after_each(const Checkpoints* checkpoints) {
  if (checkpoints->after_each != NULL) checkpoints->after_each();
}

CheckpointStatus checkpoints_prepare(Checkpoints* checkpoints) {
  checkpoint_use_method(checkpoints->method);
  return checkpoints->method == dimm_ssd_copy_on_write ? checkpoint_use_shadow(0) : checkpoint_ok;
}

static void not_written(Checkpoints* checkpoints, uint64_t version, CheckpointStatus status) {
  ++checkpoints->failed;
  printf("%s: checkpoint %llu not written: %s\n", checkpoints->app, (Printable)version,
         checkpoint_text(status));
}

// Reports the versions that are not pending any more.
static void report_finished(Checkpoints* checkpoints) {
  while (checkpoints->pending_count > 0) {
    const uint64_t version = checkpoints->pending[0];
    const CheckpointStatus status = checkpoint_test(version);
    if (status == checkpoint_pending) return;
    memmove(checkpoints->pending, checkpoints->pending + 1,
            --checkpoints->pending_count * sizeof *checkpoints->pending);
    if (status == checkpoint_ok) {
      ++checkpoints->durable;
      print(checkpoints, version, "durable");
    } else {
      not_written(checkpoints, version, status);
    }
  }
}

static CheckpointStatus timed(Checkpoints* checkpoints, uint64_t version) {
  const uint64_t start = generic_timer_now();
  const CheckpointStatus status = checkpoints->async ? checkpoint_begin(checkpoints->name, version)
                                                     : checkpoint_write(checkpoints->name, version);
  checkpoints->ticks += generic_timer_now() - start;
  return status;
}

void checkpoints_take(Checkpoints* checkpoints, uint64_t version) {
  if (version % checkpoints->interval != 0) return;
  report_finished(checkpoints);
  if (checkpoints->pending_count == checkpoint_begun_limit) checkpoints_settle(checkpoints);
  const CheckpointStatus status = timed(checkpoints, version);
  print_levels(checkpoints, version);
  after_each(checkpoints);
  if (status == checkpoint_skipped) {
    ++checkpoints->skipped;
    print(checkpoints, version, "skipped");
  } else if (status != checkpoint_ok) {
    not_written(checkpoints, version, status);
  } else if (checkpoint_level_status(checkpoint_dimm_ssd) == checkpoint_pending) {
    checkpoints->pending[checkpoints->pending_count++] = version;
    print(checkpoints, version, "handed over");
  } else {
    ++checkpoints->durable;
    print(checkpoints, version, "written");
  }
}

void checkpoints_settle(Checkpoints* checkpoints) {
  while (checkpoints->pending_count > 0) {
    checkpoint_wait(checkpoints->pending[0]);
    report_finished(checkpoints);
  }
}

static bool is_usable(const Checkpoints* checkpoints, uint64_t version, CheckpointsUser user) {
  const CheckpointStatus status = checkpoint_restore(checkpoints->name, version);
  print_levels(checkpoints, version);
  after_each(checkpoints);
  if (status == checkpoint_ok && user.usable(user.argument)) return true;
  printf("%s: checkpoint %llu refused: %s\n", checkpoints->app, (Printable)version,
         status == checkpoint_ok ? "made of another problem" : checkpoint_text(status));
  return false;
}

bool checkpoints_restore_newest(Checkpoints* checkpoints, CheckpointsUser user) {
  uint64_t version = checkpoint_any_version;
  CheckpointStatus status = checkpoint_find_newest(checkpoints->name, version, &version);
  if (status == checkpoint_not_found)
    printf("%s: no checkpoint '%s', starting at %s 0\n", checkpoints->app, checkpoints->name,
           checkpoints->unit);
  else if (status != checkpoint_ok)
    printf("%s: no checkpoint '%s': %s\n", checkpoints->app, checkpoints->name, checkpoint_text(status));
  while (status == checkpoint_ok) {
    if (is_usable(checkpoints, version, user)) {
      print(checkpoints, version, "restored");
      return true;
    }
    user.begin_anew(user.argument);  // the refused one may have left its contents in the regions
    status = version == 0 ? checkpoint_not_found
                          : checkpoint_find_newest(checkpoints->name, version - 1, &version);
    if (status != checkpoint_ok)
      printf("%s: no older checkpoint, starting at %s 0\n", checkpoints->app, checkpoints->unit);
  }
  return false;
}
