// Runs kernels on all GPUs of the node, takes snapshots of their memory while the next kernels run, and
// resumes from the newest one when a GPU is lost. The buffer of the snapshots is part of the node's
// checkpoints on the DIMM-SSD, so that the GPUs are restored after a power loss, too.
//
//   gpu_snapshot [steps=12] [interval=2] [memory=512KiB] [accesses=2000] [gap=100] [writes=400]
//                [offloader=driver|device] [hints=on|off] [increments=on|off] [checkpoint=on|off]
// [ssd_every=2]
//                [silent=on|off]
//
// Every step is a kernel on each GPU. All GPUs take their snapshots at the same step. The snapshots are
// committed when the last of them is complete: from then on all GPUs return to it when one is lost. Every
// ssd_every-th is written to the DIMM-SSD.
//
// silent: the driver does not communicate with a GPU whose snapshot it has begun; the GPUs must end it
// themselves.
//
// Exit status: 0 all steps done, 1 not, 2 a wrong argument, 3 no GPU or too little memory. result.txt holds
// the checksum of the GPUs' memory, by which two runs are compared.
#include "drivers/gpu_snapshot.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/checksum.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static const char* const offloaders[] = {"driver", "device"};

static struct {
  uint64_t steps, interval, memory, accesses, gap, writes, ssd_every;
  ArgumentChoice offloader;
  bool hints, increments, checkpoint, silent;
} options = {.steps = 12,
             .interval = 2,
             .memory = 512 << 10,
             .accesses = 2000,
             .gap = 100,
             .writes = 400,
             .ssd_every = 2,
             .offloader = {offloaders, 2, 0},
             .hints = true,
             .increments = true,
             .checkpoint = true};

static Checkpoints checkpoints = {
    .app = "gpu_snapshot", .unit = "snapshot", .name = "gpu_snapshot", .interval = 1};

// The part of a node's checkpoint besides the buffers.
static struct {
  uint64_t step;       // step of the newest snapshots that all GPUs have
  uint64_t snapshots;  // so far
  uint64_t kib, gpus;
  GpuChain chains[gpu_limit];
} committed;

static GpuSnapshot gpus[gpu_limit];
static unsigned gpu_count;
static uint64_t open_step;  // step at which the uncommitted snapshots were taken
static bool are_open;
static uint64_t waited;  // ticks, for snapshots that were not complete when the next ones were due

// ---- all GPUs ----

static bool any(GpuSnapshotState state) {
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    if (gpus[gpu].state == state) return true;
  return false;
}

static bool any_is_open(void) {
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    if (gpu_snapshot_is_open(&gpus[gpu])) return true;
  return false;
}

static bool any_is_running(void) {
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    if (gpu_is_running(gpu)) return true;
  return false;
}

// Returns false if a GPU was lost.
static bool wait_while(bool (*goes_on)(void)) {
  for (;;) {
    for (unsigned gpu = 0; gpu < gpu_count; ++gpu) gpu_snapshot_progress(&gpus[gpu]);
    if (any(gpu_snapshot_lost)) return false;
    if (!goes_on()) return true;
    gpu_await_event();
  }
}

// ---- kernels ----

// Each kernel works on the other half of memory, so that increments are smaller than full snapshots.
static bool run_kernels(uint64_t step) {
  const uint64_t quarter = committed.kib << 10 >> 2;
  static GpuKernel kernel;
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) {
    kernel = (GpuKernel){.first = step % 3 * quarter,
                         .bytes = 2 * quarter,
                         .seed = step * gpu_limit + gpu,
                         .number = step,
                         .accesses = options.accesses,
                         .pattern = step % 2,
                         .writes = (uint32_t)options.writes,
                         .gap_ns = (uint32_t)options.gap};
    const GpuError error = gpu_launch(gpu, &kernel);
    if (error == gpu_lost) {
      gpus[gpu].state = gpu_snapshot_lost;
      return false;
    }
    if (error != gpu_ok)
      printf("gpu_snapshot: GPU %u: step %llu not launched: %s\n", gpu, (Printable)step,
             gpu_error_text(error));
  }
  return wait_while(any_is_running);
}

// ---- snapshots ----

static void write_checkpoint(void) {
  if (options.checkpoint && committed.snapshots % options.ssd_every == 0)
    checkpoints_take(&checkpoints, committed.snapshots);
}

// Waits until the open snapshots are complete on all GPUs, or have failed. Returns false if a GPU was lost.
static bool await_snapshots(void) {
  if (!are_open) return true;
  const uint64_t start = generic_timer_now();
  if (options.silent)
    for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
      if (gpu_snapshot_is_open(&gpus[gpu])) gpu_abort(gpu);
  if (!wait_while(any_is_open)) return false;
  waited += generic_timer_now() - start;
  are_open = false;
  if (any(gpu_snapshot_failed)) {
    for (unsigned gpu = 0; gpu < gpu_count; ++gpu) {
      if (gpus[gpu].state == gpu_snapshot_failed)
        printf("gpu_snapshot: GPU %u: snapshot of step %llu abandoned: %s\n", gpu, (Printable)open_step,
               gpu_failure_text(gpu_failure(gpu)));
      gpu_snapshot_drop(&gpus[gpu]);
    }
    return true;
  }
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) gpu_snapshot_commit(&gpus[gpu]);
  committed.step = open_step;
  ++committed.snapshots;
  printf("gpu_snapshot: step %llu: snapshots complete\n", (Printable)open_step);
  write_checkpoint();
  return true;
}

static bool begin(uint64_t step) {
  const GpuSnapshotHow how = {.increments = options.increments,
                              .device_side = options.offloader.index == 1,
                              .hints = options.hints,
                              .silent = options.silent};
  open_step = step;
  are_open = true;
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) {
    const GpuError error = gpu_snapshot_begin(&gpus[gpu], how);
    if (error == gpu_lost) return false;
    if (error != gpu_ok)
      printf("gpu_snapshot: GPU %u: no snapshot of step %llu: %s\n", gpu, (Printable)step,
             gpu_error_text(error));
  }
  return true;
}

// ---- restore ----

// All GPUs return to the newest snapshots. If a GPU is lost meanwhile, this starts again.
static bool recover(void) {
  are_open = false;
  for (unsigned attempt = 0; attempt < 8; ++attempt) {
    for (unsigned gpu = 0; gpu < gpu_count; ++gpu) gpu_snapshot_restore(&gpus[gpu]);
    if (!wait_while(any_is_open)) continue;
    if (any(gpu_snapshot_failed)) return false;
    for (unsigned gpu = 0; gpu < gpu_count; ++gpu) gpus[gpu].state = gpu_snapshot_idle;
    return true;
  }
  return false;
}

static bool is_lost(const GpuSnapshot* gpu) { return gpu->state == gpu_snapshot_lost; }

static bool after_loss(bool has_power) {
  unsigned lost = 0;
  bool fails = false;
  uint32_t retired[gpu_limit];
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) {
    GpuContained contained;
    lost += is_lost(&gpus[gpu]);
    retired[gpu] = gpus[gpu].retired;
    fails = fails || (is_lost(&gpus[gpu]) && gpu_contained(gpu, &contained));
  }
  printf("gpu_snapshot: GPU%s", lost == 1 ? "" : "s");
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    if (is_lost(&gpus[gpu])) printf(" %u", gpu);
  printf(" %s %s: all go back to step %llu\n", lost == 1 ? "was" : "were",
         fails ? "stopped by an uncorrectable error" : "lost", (Printable)committed.step);
  if (!recover()) return false;
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    if (gpus[gpu].retired != retired[gpu])
      printf("gpu_snapshot: GPU %u: %u zones retired, %u spare ones left, %u errors corrected so far\n", gpu,
             (unsigned)gpus[gpu].retired, (unsigned)gpu_spare_zones(gpu), (unsigned)gpu_corrected(gpu));
  if (has_power) power_recovered(recovered_from_memory);
  return true;
}

// ---- the run ----

// One step, followed by its snapshots. Returns false if a GPU was lost.
static bool do_step(uint64_t step) {
  if (!run_kernels(step)) return false;
  if ((step + 1) % options.interval != 0 && step + 1 != options.steps) return true;
  return await_snapshots() && begin(step + 1);
}

// The last snapshots are the result, and must therefore be taken.
static bool end_run(void) {
  if (options.silent) {
    if (!await_snapshots()) return false;
    options.silent = false;
  }
  if (!are_open && committed.step != options.steps && !begin(options.steps)) return false;
  return await_snapshots();
}

static bool run_steps(bool has_power) {
  uint64_t step = committed.step;
  for (unsigned tries = 0; tries < 64;) {
    const bool done = step == options.steps && committed.step == options.steps;
    if (done) return true;
    if (step == options.steps) ++tries;
    const bool sound = step < options.steps ? do_step(step) : end_run();
    if (sound) {
      if (step < options.steps) ++step;
    } else {
      if (!after_loss(has_power)) return false;
      step = committed.step;
    }
  }
  return false;
}

static bool report(void) {
  uint64_t sum = CHECKSUM_START;
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    for (uint32_t zone = 0; zone < gpus[gpu].zones; ++zone) {
      const uint8_t* const data = gpu_snapshot_zone(&gpus[gpu], zone);
      if (data == NULL) return false;
      sum = checksum(sum, data, gpus[gpu].zone_bytes);
    }
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu)
    printf(
        "gpu_snapshot: GPU %u: %u full snapshots, %u increments, %u abandoned, %u zones copied early for "
        "waiting writes\n",
        gpu, (unsigned)gpus[gpu].fulls, (unsigned)gpus[gpu].increments, (unsigned)gpus[gpu].failures,
        (unsigned)gpus[gpu].preferred);
  printf("gpu_snapshot: waited %llu us for snapshots\n",
         (Printable)(waited * 1000000 / generic_timer_frequency()));
  printf("gpu_snapshot: after %llu steps, memory of %u GPUs has the checksum 0x%016llx\n",
         (Printable)committed.step, gpu_count, (Printable)sum);
  char text[96];
  snprintf(text, sizeof text, "steps %llu\nmemory 0x%016llx\n", (Printable)committed.step, (Printable)sum);
  return result_write(text);
}

// ---- the start ----

static bool is_of_this_run(void* argument) {
  (void)argument;
  return committed.kib == options.memory >> 10 && committed.gpus == gpu_count &&
         committed.step <= options.steps;
}

static void begin_anew(void* argument) {
  (void)argument;
  memset(&committed, 0, sizeof committed);
  committed.kib = options.memory >> 10;
  committed.gpus = gpu_count;
}

static ExitStatus prepare(void) {
  gpu_count = gpu_probe();
  if (gpu_count == 0) {
    printf("gpu_snapshot: this machine has no GPU\n");
    return exit_unavailable;
  }
  begin_anew(NULL);
  const uint64_t least = (uint64_t)gpu_pipelines() * 256, most = (uint64_t)gpu_memory_kib() << 10;
  if (options.memory < least || options.memory > most) {
    printf(
        "gpu_snapshot: argument 'memory=%llu' is wrong: these GPUs have %llu, and at least %llu are needed\n",
        (Printable)options.memory, (Printable)most, (Printable)least);
    return exit_usage;
  }
  size_t bytes = 0, of_one = 0;
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) {
    const GpuError error =
        gpu_snapshot_prepare(&gpus[gpu], gpu, (uint32_t)committed.kib, &committed.chains[gpu]);
    if (error != gpu_ok) {
      printf("gpu_snapshot: GPU %u: %s\n", gpu, gpu_error_text(error));
      return exit_unavailable;
    }
    of_one = (gpu_snapshot_bytes(&gpus[gpu]) + page_bytes - 1) & ~(size_t)(page_bytes - 1);
    bytes += of_one;
  }
  uint8_t* const buffers = memory_allocate(bytes);
  if (buffers == NULL) {
    printf("gpu_snapshot: the snapshots do not fit into the memory of this machine\n");
    return exit_unavailable;
  }
  for (unsigned gpu = 0; gpu < gpu_count; ++gpu) gpu_snapshot_use(&gpus[gpu], buffers + gpu * of_one);
  printf("gpu_snapshot: %u GPUs, %u zones of %u KiB in use on each, %u pages for their snapshots\n",
         gpu_count, (unsigned)gpus[0].zones, (unsigned)(gpus[0].zone_bytes >> 10),
         (unsigned)(bytes / page_bytes));
  if (!options.checkpoint) return exit_passed;
  CheckpointStatus status = checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, buffers, bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, &committed, sizeof committed);
  if (status == checkpoint_ok && checkpoint_pages() > checkpoint_page_limit) status = checkpoint_too_large;
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status != checkpoint_ok) {
    printf("gpu_snapshot: %s: running without checkpoints of the node\n", checkpoint_text(status));
    options.checkpoint = false;
  }
  return exit_passed;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"steps", argument_number, &options.steps, 1, 100000, "kernels on each GPU"},
      {"interval", argument_number, &options.interval, 1, 100000, "steps between two snapshots"},
      {"memory", argument_number, &options.memory, 4096, UINT32_MAX, "bytes in use on each GPU"},
      {"accesses", argument_number, &options.accesses, 1, 100000000, "accesses of each pipeline in a step"},
      {"gap", argument_number, &options.gap, 0, 1000000, "nanoseconds between two accesses"},
      {"writes", argument_number, &options.writes, 0, 1000, "permille of the accesses that write"},
      {"offloader", argument_choice, &options.offloader, 0, 0, "which side copies zones"},
      {"hints", argument_switch, &options.hints, 0, 0, "the driver reports zones that have arrived"},
      {"increments", argument_switch, &options.increments, 0, 0, "take increments instead of full snapshots"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0,
       "write and look for checkpoints of the node"},
      {"ssd_every", argument_number, &options.ssd_every, 1, 100000,
       "every n-th snapshot is written to the DIMM-SSD"},
      {"silent", argument_switch, &options.silent, 0, 0, "the driver never reports progress"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  const bool has_power = power_probe();
  if (has_power)
    printf("gpu_snapshot: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  const ExitStatus ready = prepare();
  if (ready != exit_passed) return ready;
  const CheckpointsUser user = {is_of_this_run, begin_anew, NULL};
  if (options.checkpoint && checkpoints_restore_newest(&checkpoints, user)) {
    if (!recover()) return exit_failed;
    printf("gpu_snapshot: the GPUs resume at step %llu\n", (Printable)committed.step);
  }
  if (!run_steps(has_power)) {
    printf("gpu_snapshot: the GPUs did not come to the end\n");
    return exit_failed;
  }
  return report() ? exit_passed : exit_failed;
}
