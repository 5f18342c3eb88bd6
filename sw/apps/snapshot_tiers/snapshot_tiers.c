// A rank of a program on GPU and cores, whose checkpoints pass through all tiers of the node while it runs:
// the GPU takes a snapshot of its memory into a buffer (lee2019), a service core (li2010) saves the whole
// snapshot to the node's PCRAM (dong2011) and sends it to the buddy (ni2012), whose service core writes it to
// the DIMM-SSD (abeyratne2017). A node without a rank waits as a spare until it gets one.
//
//   snapshot_tiers [steps=40] [interval=8] [memory=512KiB] [words=4096] [accesses=1000] [gap=800]
//                  [writes=400] [offloader=driver|device] [hints=on|off] [increments=on|off]
//                  [checkpoint=on|off] [seed=1]
//
// A step exchanges the edges of the words with both neighbours, computes the words on core 0
// (cluster/ring_program.h), and runs a kernel on the GPU, whose seed depends on the edges: a wrong word of
// any rank changes the memory of all GPUs some steps later. A checkpoint every `interval` steps, not after
// the last one, holds words and GPU memory.
//
// All ranks must have the same arguments. The program ends with status 0 when the run of all ranks has ended.
// Other statuses: 1 a device failed, or the GPU gave a snapshot up; 2 a wrong argument; 3 no GPU, NIC,
// cluster, PCRAM, DIMM-SSD or auxiliary core, or too little memory. result.txt holds the rank's checksum over
// words and GPU memory.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "apps/snapshot_tiers/exchange.h"
#include "apps/snapshot_tiers/service.h"
#include "boot/arguments.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "cluster/ring_program.h"
#include "drivers/generic_timer.h"
#include "drivers/gpu_snapshot.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { words_between_polls = 1024, steps_on_a_half = 8 };

static const char* const offloaders[] = {"driver", "device"};

static struct {
  uint64_t steps, interval, memory, words, accesses, gap, writes, seed;
  ArgumentChoice offloader;
  bool hints, increments, checkpoint;
} options = {.steps = 40,
             .interval = 8,
             .memory = 512 << 10,
             .words = 4096,
             .accesses = 1000,
             .gap = 800,
             .writes = 400,
             .seed = 1,
             .offloader = {offloaders, 2, 0},
             .hints = true,
             .increments = true,
             .checkpoint = true};

Exchange exchange;

static GpuSnapshot gpu;
static GpuChain chain;
static RingProgram program;
static uint64_t step;         // steps computed
static uint32_t epoch;        // in which the program runs; 0: none
static bool is_checkpoint;    // the open snapshot is one, not the result
static uint64_t* kept_words;  // those of the newest snapshot
static bool has_power;

// Times in ticks of the generic timer.
static struct {
  uint64_t begin, time;               // of the program on this node
  uint64_t steps;                     // also those that were made again
  uint64_t snapshots, fulls, zones;   // of the GPU for checkpoints: all and full ones, zones copied
  uint64_t snapshot_begin, snapshot;  // begin of the open one, and time of all
  // The program was stopped: to begin a snapshot, until the one before was complete, and until the service
  // core had taken that.
  uint64_t stopped_to_begin, stopped_for_snapshot, stopped_for_service;
  uint64_t edges;    // waited for neighbours
  uint64_t restore;  // of words and GPU from an image
} counts;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"steps", argument_number, &options.steps, 1, 1000000, "of the program"},
      {"interval", argument_number, &options.interval, 1, 1000000, "steps between two checkpoints"},
      {"memory", argument_number, &options.memory, 4096, UINT32_MAX, "bytes in use on the GPU"},
      {"words", argument_number, &options.words, 1, 1 << 20, "computed on core 0"},
      {"accesses", argument_number, &options.accesses, 1, 100000000, "accesses of each pipeline in a step"},
      {"gap", argument_number, &options.gap, 0, 1000000, "nanoseconds between two accesses"},
      {"writes", argument_number, &options.writes, 0, 1000, "permille of the accesses that write"},
      {"offloader", argument_choice, &options.offloader, 0, 0, "which side copies zones"},
      {"hints", argument_switch, &options.hints, 0, 0, "the driver reports zones that have arrived"},
      {"increments", argument_switch, &options.increments, 0, 0, "take increments instead of full snapshots"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0, "take checkpoints"},
      {"seed", argument_number, &options.seed, 0, UINT64_MAX, "seed of the initial state"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table) &&
         arguments_interval_fits("snapshot_tiers", "interval", options.interval, options.steps, "steps");
}

// ---- waiting ----

static bool is_over(void) { return exchange_get(has_ended) || exchange_get(epoch) != epoch; }

static bool gpu_has_failed(void) {
  return gpu.state == gpu_snapshot_failed || gpu.state == gpu_snapshot_lost;
}

// Gives a whole snapshot to the service core. No other one is begun before that has taken it.
static void give_snapshot(void) {
  WholeSnapshot* const whole = &exchange.snapshot;
  for (uint32_t zone = 0; zone < gpu.zones; ++zone) whole->zones[zone] = gpu_snapshot_zone(&gpu, zone);
  exchange_publish(snapshot.epoch, epoch);
  cores_signal(&exchange.to_service);
}

static void advance_snapshot(void) {
  gpu_snapshot_progress(&gpu);
  if (gpu.state != gpu_snapshot_taken) return;
  gpu_snapshot_commit(&gpu);
  if (!is_checkpoint) return;
  ++counts.snapshots;
  counts.fulls += gpu.full;
  counts.zones += gpu_arrived(gpu.gpu);
  counts.snapshot += generic_timer_now() - counts.snapshot_begin;
  give_snapshot();
}

// Returns false if the program must not go on: another epoch has begun, the run has ended, or the GPU failed.
static bool wait_until(bool (*is_ready)(void), uint64_t* ticks) {
  const uint64_t begin = generic_timer_now();
  bool goes_on;
  for (;;) {
    const uint32_t signals = __atomic_load_n(&exchange.to_program, __ATOMIC_ACQUIRE);
    advance_snapshot();
    goes_on = !is_over() && !gpu_has_failed();
    if (!goes_on || is_ready()) break;
    cores_doze(&exchange.to_program, signals, gpu_has_event);
  }
  *ticks += generic_timer_now() - begin;
  return goes_on;
}

// ---- snapshots ----

static bool gpu_is_done(void) { return !gpu_snapshot_is_open(&gpu); }
static bool service_has_taken(void) { return exchange_get(snapshot.epoch) == 0; }

// No kernel runs.
static bool begin_snapshot(bool of_checkpoint) {
  if (!wait_until(gpu_is_done, &counts.stopped_for_snapshot)) return false;
  if (!wait_until(service_has_taken, &counts.stopped_for_service)) return false;
  const GpuSnapshotHow how = {
      .increments = options.increments, .device_side = options.offloader.index == 1, .hints = options.hints};
  is_checkpoint = of_checkpoint;
  exchange.snapshot.version = step;
  exchange.snapshot.words = kept_words;
  counts.snapshot_begin = generic_timer_now();
  memcpy(kept_words, program.words, exchange.word_bytes);
  const GpuError error = gpu_snapshot_begin(&gpu, how);
  counts.stopped_to_begin += generic_timer_now() - counts.snapshot_begin;
  if (error != gpu_ok) printf("snapshot_tiers: no snapshot of the GPU: %s\n", gpu_error_text(error));
  return error == gpu_ok;
}

// Words and GPU memory become those of the image, or of the beginning.
static bool restore(void) {
  const uint64_t begin = generic_timer_now();
  program.rank = exchange.rank;
  program.done = 0;
  step = exchange.version;
  if (step == 0) {
    ring_program_begin(&program);
    gpu_snapshot_fill(&gpu, NULL);
  } else {
    memcpy(program.words, exchange.image, exchange.word_bytes);
    gpu_snapshot_fill(&gpu, image_zone(exchange.image, 0));
  }
  is_checkpoint = false;
  exchange_publish(snapshot.epoch, 0);  // one of an older epoch, which the service core does not take
  uint64_t ignored = 0;
  if (gpu_snapshot_restore(&gpu) != gpu_ok || !wait_until(gpu_is_done, &ignored)) return false;
  gpu.state = gpu_snapshot_idle;
  counts.restore += generic_timer_now() - begin;
  return true;
}

// ---- a step ----

static uint64_t edge_of(unsigned side) { return exchange.halos[side][step % 2].word; }

static bool edges_have_come(void) {
  const uint64_t key = exchange_key(epoch, step);
  return exchange_get(halos[from_left][step % 2].key) == key &&
         exchange_get(halos[from_right][step % 2].key) == key;
}

static bool edges_are_sent(void) { return exchange_get(edges.key) == 0; }

static bool exchange_edges(void) {
  if (!wait_until(edges_are_sent, &counts.edges)) return false;
  exchange.edges.step = step;
  exchange.edges.first = ring_program_first(&program);
  exchange.edges.last = ring_program_last(&program);
  exchange_publish(edges.key, exchange_key(epoch, step));
  cores_signal(&exchange.to_service);
  return wait_until(edges_have_come, &counts.edges);
}

// Some successive kernels work on the same half of memory, so that increments are smaller than full
// snapshots.
static bool launch_kernel(uint64_t left, uint64_t right) {
  static GpuKernel kernel;
  const uint64_t quarter = options.memory >> 10 << 8;  // of the whole KiB that the snapshots cover
  kernel = (GpuKernel){.first = step / steps_on_a_half % 3 * quarter,
                       .bytes = 2 * quarter,
                       .seed = (left ^ right << 1) + step,
                       .number = step,
                       .accesses = options.accesses,
                       .pattern = step % 2,
                       .writes = (uint32_t)options.writes,
                       .gap_ns = (uint32_t)options.gap};
  const GpuError error = gpu_launch(gpu.gpu, &kernel);
  if (error != gpu_ok)
    printf("snapshot_tiers: no kernel for step %llu: %s\n", (Printable)step, gpu_error_text(error));
  return error == gpu_ok;
}

static bool kernel_has_ended(void) { return !gpu_is_running(gpu.gpu); }

static bool do_step(void) {
  uint64_t ignored = 0;
  if (!exchange_edges()) return false;
  const uint64_t left = edge_of(from_left), right = edge_of(from_right);
  if (!launch_kernel(left, right)) return false;
  while (!ring_program_step(&program, left, right, words_between_polls)) advance_snapshot();
  if (!wait_until(kernel_has_ended, &ignored)) return false;
  ++step;
  ++counts.steps;
  return true;
}

static bool checkpoint_is_due(void) {
  return options.checkpoint && step != exchange.version && step % options.interval == 0;
}

// ---- the run ----

static bool never(void) { return false; }

static uint64_t result(void) {
  uint64_t sum = checksum(CHECKSUM_START, program.words, exchange.word_bytes);
  for (uint32_t zone = 0; zone < gpu.zones; ++zone)
    sum = checksum(sum, gpu_snapshot_zone(&gpu, zone), gpu.zone_bytes);
  return sum;
}

// A last snapshot has the GPU's memory for the result. Then the node serves the others until the run ends.
static bool finish(void) {
  uint64_t ignored = 0;
  counts.time = generic_timer_now() - counts.begin;
  if (!begin_snapshot(false) || !wait_until(gpu_is_done, &ignored)) return false;
  exchange.finished.result = result();
  exchange_publish(finished.epoch, epoch);
  cores_signal(&exchange.to_service);
  return wait_until(never, &ignored);
}

static bool run_epoch(void) {
  if (!restore()) return false;
  if (epoch > 1) {
    printf("epoch %u: rank %u resumes from version %llu, %s\n", (unsigned)epoch, (unsigned)exchange.rank,
           (Printable)step,
           step == 0             ? "the beginning"
           : exchange.is_fetched ? "from its neighbour's DIMM-SSD"
                                 : "from its PCRAM");
    if (has_power && step != 0)
      power_recovered(exchange.is_fetched ? recovered_from_cluster : recovered_from_pcram);
  }
  if (counts.begin == 0) counts.begin = generic_timer_now();
  while (step < options.steps) {
    if (checkpoint_is_due() && !begin_snapshot(true)) return false;
    if (!do_step()) return false;
  }
  return finish();
}

// Until the run has ended; false if the GPU failed.
static bool run(void) {
  for (;;) {
    const uint32_t signals = __atomic_load_n(&exchange.to_program, __ATOMIC_ACQUIRE);
    if (exchange_get(has_ended)) return true;
    const uint32_t newest = exchange_get(epoch);
    if (newest == epoch) {
      cores_doze(&exchange.to_program, signals, never);
      continue;
    }
    epoch = newest;
    run_epoch();
    if (is_over()) continue;
    printf("snapshot_tiers: step %llu: the GPU has failed\n", (Printable)step);
    return false;
  }
}

// ---- the report ----

static unsigned long long us(uint64_t ticks) { return ticks * 1000000 / generic_timer_frequency(); }

static void print_tiers(void) {
  const ServiceCounts service = service_counts();
  const Printable kib = (Printable)exchange.image_pages * page_bytes >> 10;
  const unsigned rank = (unsigned)exchange.rank;
  printf("rank %u: GPU: %llu snapshots, %llu full, %llu KiB, %llu us\n", rank, (Printable)counts.snapshots,
         (Printable)counts.fulls, (Printable)(counts.zones * gpu.zone_bytes >> 10), us(counts.snapshot));
  printf("rank %u: gathered: %llu images of %llu KiB, %llu us\n", rank, (Printable)service.gathered, kib,
         us(service.gather_ticks));
  printf("rank %u: PCRAM: %llu images, %llu us\n", rank, (Printable)service.stores.saved,
         us(service.stores.saved_ticks));
  printf("rank %u: buddy: %llu images on its DIMM-SSD after %llu us\n", rank,
         (Printable)service.buddy.checkpoints, us(service.buddy.overlap_time));
  printf("rank %u: DIMM-SSD: %llu images of a neighbour, %llu us\n", rank, (Printable)service.stores.written,
         us(service.stores.written_ticks));
  printf("rank %u: stopped to begin %llu us, for GPU %llu us, for service %llu us\n", rank,
         us(counts.stopped_to_begin), us(counts.stopped_for_snapshot), us(counts.stopped_for_service));
  printf("rank %u: waited for edges %llu us, restored in %llu us and %llu us\n", rank, us(counts.edges),
         us(service.stores.loaded_ticks), us(counts.restore));
}

static ExitStatus report(void) {
  if (exchange.failure != NULL) printf("snapshot_tiers: %s\n", exchange.failure);
  if (exchange.status != exit_passed) return exchange.status;
  if (exchange.epoch == 0) {
    printf("snapshot_tiers: a spare to the end\n");
    return exit_passed;
  }
  print_tiers();
  printf("rank %u: %llu steps in %llu us, epoch %u, result 0x%016llx\n", (unsigned)exchange.rank,
         (Printable)counts.steps, us(counts.time), (unsigned)epoch, (Printable)exchange.finished.result);
  char text[96];
  snprintf(text, sizeof text, "rank %u\nresult 0x%016llx\n", (unsigned)exchange.rank,
           (Printable)exchange.finished.result);
  if (result_write(text)) return exit_passed;
  printf("snapshot_tiers: result.txt cannot be written\n");
  return exit_failed;
}

// ---- the start ----

static uint64_t pages_of(uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes; }

static bool allocate(void) {
  exchange.zones = gpu.zones;
  exchange.zone_bytes = gpu.zone_bytes;
  exchange.word_bytes = options.words * 8;
  exchange.word_pages = (uint32_t)pages_of(exchange.word_bytes);
  exchange.image_pages = exchange.word_pages + (uint32_t)pages_of((uint64_t)gpu.zones * gpu.zone_bytes);
  void* const buffer = memory_allocate(gpu_snapshot_bytes(&gpu));
  exchange.image = memory_allocate((size_t)2 * exchange.image_pages * page_bytes);
  program.words = memory_allocate((size_t)exchange.word_bytes);
  kept_words = memory_allocate((size_t)exchange.word_bytes);
  if (buffer == NULL || exchange.image == NULL || program.words == NULL || kept_words == NULL) return false;
  // What lies between the words and the zones is a part of the images.
  memset(exchange.image, 0, (size_t)exchange.word_pages * page_bytes);
  gpu_snapshot_use(&gpu, buffer);
  program.seed = options.seed;
  program.count = options.words;
  return true;
}

static ExitStatus prepare(void) {
  if (gpu_probe() == 0) {
    printf("snapshot_tiers: this machine has no GPU\n");
    return exit_unavailable;
  }
  if (cores_auxiliary() == 0) {
    printf("snapshot_tiers: this machine has no auxiliary core\n");
    return exit_unavailable;
  }
  const uint64_t least = (uint64_t)gpu_pipelines() * 256, most = (uint64_t)gpu_memory_kib() << 10;
  if (options.memory < least || options.memory > most) {
    printf(
        "snapshot_tiers: argument 'memory=%llu' is wrong: this GPU has %llu, and at least %llu are needed\n",
        (Printable)options.memory, (Printable)most, (Printable)least);
    return exit_usage;
  }
  const GpuError error = gpu_snapshot_prepare(&gpu, 0, (uint32_t)(options.memory >> 10), &chain);
  if (error != gpu_ok) {
    printf("snapshot_tiers: GPU: %s\n", gpu_error_text(error));
    return exit_unavailable;
  }
  if (gpu.zones > zone_limit || !allocate()) {
    printf("snapshot_tiers: images and snapshots do not fit into the memory of this machine\n");
    return exit_unavailable;
  }
  return exit_passed;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  has_power = power_probe();
  const ExitStatus ready = prepare();
  if (ready != exit_passed) return ready;
  printf("snapshot_tiers: %u zones of %u KiB, images of %u pages\n", (unsigned)gpu.zones,
         (unsigned)(gpu.zone_bytes >> 10), (unsigned)exchange.image_pages);
  cores_run_auxiliary(service_run, &options.interval);
  if (!run()) return exit_failed;
  cores_join_auxiliary();
  return report();
}
