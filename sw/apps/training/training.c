// Trains a small network on all GPUs of the node, whose ranks hold each other's state (group.h), and
// continues after the loss of a GPU, an error in its memory or a power failure with the bits of an
// undisturbed run.
//
//   training [steps=40] [hidden=96] [samples=8] [protocol=gemini|reft|jit] [interval=1] [ssd_every=8]
//            [host_copies=lost|kept] [accesses=200] [gap=2000] [checkpoint=on|off] [method=configured]
//            [seed=1]
//
// The state, which is weights and the means of Adam, is in the memories of the GPUs, and nowhere else between
// two steps. A step reads it, runs a kernel on each GPU that reads it at random, which stands for the forward
// and backward pass, and writes the new one. The values are computed on the cores, because the GPUs of this
// platform do not compute: one rank on each core, each with its own samples, then the sum of the gradients
// over the ranks, and each rank's update of its part.
//
// interval: steps between two checkpoints in memory. ssd_every: every checkpoint of such a step is written to
// the DIMM-SSD, too. host_copies: whether the rank's own buffers in the node's memory are lost with its GPU,
// as with its machine.
//
// Exit status: 0 all steps are done, and steps that were repeated had the same losses; 1 not; 2 a wrong
// argument; 3 no or unsuitable GPUs, or too little memory. result.txt has the bits of each step's loss and
// the checksum of the weights.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/checkpoints/checkpoints.h"
#include "apps/result/result.h"
#include "apps/training/group.h"
#include "apps/training/network.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { steps_limit = 4096, recoveries_in_a_row = 8, interruptions_limit = 64 };

static const char* const protocols[] = {"gemini", "reft", "jit"};
static const char* const fates[] = {"lost", "kept"};

static struct {
  uint64_t steps, hidden, samples, ssd_every, interval, accesses, gap, seed;
  ArgumentChoice protocol, host_copies, method;
  bool checkpoint;
} options = {.steps = 40,
             .hidden = 96,
             .samples = 8,
             .ssd_every = 8,
             .interval = 1,
             .accesses = 200,
             .gap = 2000,
             .seed = 1,
             .protocol = {protocols, 3, 0},
             .host_copies = {fates, 2, 0},
             .method = {dimm_ssd_method_names, dimm_ssd_methods, dimm_ssd_configured},
             .checkpoint = true};

static Checkpoints checkpoints = {
    .app = "training", .unit = "step", .name = "training", .interval = 1, .async = true};

static Group group;
static const float learning_rate = 0.01f;

typedef struct {
  uint64_t step, parameters, protocol, ranks, seed, samples;
  uint32_t losses[steps_limit];  // bits, of all steps made
} Record;
static Record record;

// What a checkpoint on the DIMM-SSD consists of: a copy, so that nothing waits for the DIMM-SSD to have
// written it.
static uint8_t* drained;  // the states
static Record drained_record;

static struct {
  float* weights;    // all of them, where each rank has a part only
  float* gradients;  // of each rank
  float losses[transfers_gpu_limit];
  bool sound[transfers_gpu_limit];
} work;

static uint64_t step;               // to be made next
static uint64_t furthest;           // steps that were made at least once since the start of the node
static uint32_t seen[steps_limit];  // the bits of their losses, which no restore changes
static bool has_power;

// In ticks of the generic timer.
static struct {
  uint64_t begin, first, repeated, interrupted, checkpoints, recoveries;
  unsigned steps_repeated, differences;
} counts;

static uint64_t checkpoint_time;  // in this step

static Printable microseconds(uint64_t ticks) { return ticks * 1000000 / generic_timer_frequency(); }

// ---- the computation, on all cores ----

static float* gradient_of(unsigned rank) {
  return work.gradients + (uint64_t)rank * network_parameters((uint32_t)options.hidden);
}

static void check_states(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    const StateHeader* const state = group_state(&group, group.now, rank);
    work.sound[rank] = group_is_sound(&group, state, rank) && state->step == step;
    if (group.parts > 1)
      memcpy(work.weights + (uint64_t)rank * group.parameters, group_means(state).weights,
             group.parameters * sizeof(float));
  }
}

static void compute_gradients(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    const float* const weights =
        group.parts > 1 ? work.weights : group_means(group_state(&group, group.now, rank)).weights;
    const uint64_t first = (step * group.ranks + rank) * options.samples;
    work.losses[rank] = network_gradient(weights, (uint32_t)options.hidden, options.seed, first,
                                         (uint32_t)options.samples, gradient_of(rank));
  }
}

// The mean over all samples of the step; the order of the sum is that of the ranks.
static float mean_gradient(uint32_t at) {
  float sum = 0;
  for (unsigned rank = 0; rank < group.ranks; ++rank) sum += gradient_of(rank)[at];
  return sum / (float)(group.ranks * options.samples);
}

static void update_states(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  const AdamStep adam = adam_step(learning_rate, step + 1);
  const uint32_t all = network_parameters((uint32_t)options.hidden);
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    StateHeader* const state = group_state(&group, group.now, rank);
    const AdamState means = group_means(state);
    const uint32_t first = group.parts > 1 ? rank * group.parameters : 0;
    for (uint32_t i = 0; i < group.parameters && first + i < all; ++i)
      adam_update(means, i, mean_gradient(first + i), adam);
    group_seal(&group, state, step + 1);
  }
}

static void begin_states(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    StateHeader* const state = group_state(&group, group.copies[group.slot], rank);
    const uint32_t part = group.parts > 1 ? rank : 0, first = part * group.parameters;
    const uint32_t all = network_parameters((uint32_t)options.hidden);
    memset(state, 0, group.state_bytes);
    state->part = part;
    state->parameters = group.parameters;
    network_begin(group_means(state).weights, first,
                  first + group.parameters > all ? all - first : group.parameters, (uint32_t)options.hidden,
                  options.seed);
    group_seal(&group, state, 0);
  }
}

// ---- checkpoints ----

static void write_to_ssd(const uint8_t* states) {
  if (drained_record.step == step) return;  // it was restored from there, or the step is repeated
  memcpy(drained, states, group.parts * group.state_bytes);
  record.step = step;
  drained_record = record;
  checkpoints_take(&checkpoints, step);
}

// Returns false if a GPU was lost.
static bool take_checkpoint(void) {
  if (step % options.interval != 0 || (group.has_checkpoint && group.version == step)) return true;
  const uint64_t begin = generic_timer_now();
  if (group_has_checkpoints(&group) && !group_checkpoint(&group, step)) return false;
  if (options.checkpoint && step != 0 && step % options.ssd_every == 0) write_to_ssd(group.now);
  checkpoint_time = generic_timer_now() - begin;
  return true;
}

// ---- a step ----

static bool read_states(void) {
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    transfers_read_state(rank, group_state(&group, group.now, rank));
  if (!transfers_wait()) return false;
  cores_run(check_states, NULL);
  bool all_sound = true;
  for (unsigned rank = 0; rank < group.ranks; ++rank) all_sound &= work.sound[rank];
  return all_sound;
}

static void add_loss(void) {
  float sum = 0;
  for (unsigned rank = 0; rank < group.ranks; ++rank) sum += work.losses[rank];
  const float loss = sum / (float)(group.ranks * options.samples);
  uint32_t bits;
  memcpy(&bits, &loss, sizeof bits);
  const bool again = step < furthest;
  if (again && seen[step] != bits) ++counts.differences;
  record.losses[step] = seen[step] = bits;
  printf("training: step %llu: loss 0x%08x, %u millionths%s\n", (Printable)step, (unsigned)bits,
         (unsigned)(loss * 1e6f), again ? ", again" : "");
}

// Returns false if a GPU was lost, or holds something else than was written to it.
static bool make_step(void) {
  if (!read_states() || !take_checkpoint()) return false;
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    transfers_launch(rank, step, options.accesses, options.gap);
  cores_run(compute_gradients, NULL);
  if (!transfers_wait()) return false;
  add_loss();
  cores_run(update_states, NULL);
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    transfers_write_state(rank, group_state(&group, group.now, rank));
  return transfers_wait();
}

static bool make_timed_step(void) {
  checkpoint_time = 0;
  const uint64_t begin = generic_timer_now();
  const bool is_made = make_step();
  const uint64_t time = generic_timer_now() - begin;
  if (!is_made) {
    counts.interrupted += time;
    return false;
  }
  if (step < furthest) {
    counts.repeated += time;
    ++counts.steps_repeated;
  } else {
    counts.first += time;
    counts.checkpoints += checkpoint_time;
    furthest = step + 1;
  }
  ++step;
  return true;
}

// ---- after a loss ----

static bool is_of_this_run(void* argument) {
  (void)argument;
  const Record* const r = &drained_record;
  return r->parameters == group.parameters && r->protocol == (uint64_t)group.protocol &&
         r->ranks == group.ranks && r->seed == options.seed && r->samples == options.samples &&
         r->step <= options.steps;
}

static void begin_anew(void* argument) {
  (void)argument;
  memset(&record, 0, sizeof record);
  memset(&drained_record, 0, sizeof drained_record);
  record.parameters = group.parameters;
  record.protocol = (uint64_t)group.protocol;
  record.ranks = group.ranks;
  record.seed = options.seed;
  record.samples = options.samples;
}

static bool collect_from_ssd(void) {
  if (!options.checkpoint) return false;
  checkpoints_settle(&checkpoints);
  if (!checkpoints_restore_newest(&checkpoints, (CheckpointsUser){is_of_this_run, begin_anew, NULL}))
    return false;
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    memcpy(group_state(&group, group.copies[group.slot], rank),
           drained + (group.parts > 1 ? rank * group.state_bytes : 0), group.state_bytes);
  record = drained_record;
  group.version = record.step;
  return true;
}

static void collect_nothing(void) {
  begin_anew(NULL);
  cores_run(begin_states, NULL);
  group.version = 0;
}

static const char* what_happened(GpuCondition condition) {
  if (condition.lost) return "is lost";
  if (condition.failed) return "has failed";
  return condition.damaged ? "has an error in its memory" : "holds another state than was written";
}

typedef enum { all_are_sound, some_were_mended, some_cannot_be } Mending;

// Finds the GPUs whose memory does not hold what was written to it, and mends them. Adds those whose memory
// is empty then to a set.
static Mending mend_gpus(uint32_t* empty) {
  Mending result = all_are_sound;
  transfers_wait();  // for the others
  for (unsigned rank = 0; rank < group.ranks; ++rank) {
    const GpuCondition condition = gpu_conditions[rank];
    if (!condition.lost && !condition.failed && !condition.damaged && work.sound[rank]) continue;
    printf("training: step %llu: GPU %u %s\n", (Printable)step, rank, what_happened(condition));
    if (condition.lost || condition.failed) *empty |= 1u << rank;
    work.sound[rank] = true;
    if (!transfers_mend(rank)) return some_cannot_be;
    result = some_were_mended;
    if (options.host_copies.index != 0) continue;
    group.holds_copies[rank] = false;
    for (int slot = 0; slot < 2; ++slot)
      memset(group_state(&group, group.copies[slot], rank), 0, group.state_bytes);
  }
  return result;
}

typedef enum { from_memories, from_ssd, from_start, from_nowhere } Origin;
static const char* const origins[] = {"the memories of the group", "the DIMM-SSD", "the start"};

// Brings a state to the slot's copies. from_nowhere: a GPU was mended meanwhile, or cannot be.
static Origin collect(uint32_t* empty, Mending* meanwhile) {
  const bool is_back = group_collect(&group, *empty);
  *meanwhile = mend_gpus(empty);
  if (*meanwhile != all_are_sound) return from_nowhere;
  if (is_back) return from_memories;
  if (collect_from_ssd()) return from_ssd;
  collect_nothing();
  return from_start;
}

static void report_recovery(Origin origin, uint64_t time) {
  counts.recoveries += time;
  printf("training: step %llu: the state of step %llu is back from %s after %llu us\n", (Printable)step,
         (Printable)group.version, origins[origin], microseconds(time));
  // The DIMM-SSD reports its own.
  if (has_power && origin == from_memories) power_recovered(recovered_from_memory);
}

static bool recover(void) {
  const uint64_t begin = generic_timer_now();
  uint32_t empty = 0;
  Mending mending = mend_gpus(&empty);
  for (int attempt = 0; attempt < recoveries_in_a_row && mending != some_cannot_be; ++attempt) {
    const Origin origin = collect(&empty, &mending);
    if (origin == from_nowhere) continue;
    if (group_install(&group, group.version)) {
      report_recovery(origin, generic_timer_now() - begin);
      step = group.version;
      return true;
    }
    mending = mend_gpus(&empty);
  }
  return false;
}

// ---- the run ----

static bool run_steps(void) {
  for (int interruptions = 0; interruptions < interruptions_limit;) {
    const bool is_end = step == options.steps;
    const bool is_done = is_end ? read_states() : make_timed_step();
    if (is_end && is_done) return true;
    if (is_done) continue;
    ++interruptions;
    if (!recover()) return false;
  }
  return false;
}

static void report_errors(void) {
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    if (gpu_corrected(rank) != 0 || gpu_uncorrectable(rank) != 0)
      printf("training: GPU %u: %u errors corrected, %u uncorrectable, %u spare zones left\n", rank,
             (unsigned)gpu_corrected(rank), (unsigned)gpu_uncorrectable(rank),
             (unsigned)gpu_spare_zones(rank));
}

static bool report(void) {
  const uint64_t time = generic_timer_now() - counts.begin;
  checkpoints_settle(&checkpoints);
  uint64_t sum = CHECKSUM_START;
  for (unsigned part = 0; part < group.parts; ++part) {
    const uint32_t all = network_parameters((uint32_t)options.hidden), first = part * group.parameters;
    const uint32_t count = all - first < group.parameters ? all - first : group.parameters;
    for (uint32_t i = 0; i < count; ++i)
      sum = checksum(sum, &group_means(group_state(&group, group.now, part)).weights[i], sizeof(float));
  }
  printf(
      "training: %llu steps, %u repeated; in %llu us: %llu in steps, %llu of them for checkpoints; "
      "%llu in repeated steps, %llu in interrupted ones, %llu in recoveries\n",
      (Printable)step, counts.steps_repeated, microseconds(time), microseconds(counts.first),
      microseconds(counts.checkpoints), microseconds(counts.repeated), microseconds(counts.interrupted),
      microseconds(counts.recoveries));
  printf("training: after %llu steps on %u GPUs the weights have the checksum 0x%016llx\n", (Printable)step,
         group.ranks, (Printable)sum);
  report_errors();
  if (counts.differences != 0)
    printf("training: %u repeated steps had another loss than before\n", counts.differences);
  static char text[steps_limit * 16 + 64];
  char* end = text;
  for (uint64_t i = 0; i < step; ++i)
    end += snprintf(end, 17, "%llu 0x%08x\n", (Printable)i, (unsigned)record.losses[i]);
  snprintf(end, 32, "weights 0x%016llx\n", (Printable)sum);
  return result_write(text) && counts.differences == 0;
}

// ---- the start ----

static ExitStatus unavailable(const char* why) {
  printf("training: %s\n", why);
  return exit_unavailable;
}

static void prepare_checkpoints(void) {
  drained = memory_allocate(group.parts * group.state_bytes);
  checkpoints.method = (DimmSsdMethod)options.method.index;
  CheckpointStatus status = drained == NULL ? checkpoint_too_large : checkpoint_initialize();
  if (status == checkpoint_ok) status = checkpoint_protect(0, drained, group.parts * group.state_bytes);
  if (status == checkpoint_ok) status = checkpoint_protect(1, &drained_record, sizeof drained_record);
  if (status == checkpoint_ok) status = checkpoints_prepare(&checkpoints);
  if (status == checkpoint_ok) return;
  printf("training: %s: running without checkpoints on the DIMM-SSD\n", checkpoint_text(status));
  options.checkpoint = false;
}

static ExitStatus prepare(void) {
  const unsigned gpus = gpu_probe();
  if (gpus == 0) return unavailable("this machine has no GPU");
  const uint32_t parameters = network_parameters((uint32_t)options.hidden);
  const char* const wrong = group_prepare(&group, (Protocol)options.protocol.index, gpus, parameters);
  if (wrong != NULL) return unavailable(wrong);
  cores_start(MAX_CORES);
  work.weights = memory_allocate((uint64_t)gpus * group.parameters * sizeof(float));
  work.gradients = memory_allocate((uint64_t)gpus * parameters * sizeof(float));
  if (work.gradients == NULL) return unavailable("the gradients do not fit into the memory of this machine");
  for (unsigned rank = 0; rank < gpus; ++rank) work.sound[rank] = true;
  begin_anew(NULL);
  if (options.checkpoint) prepare_checkpoints();
  printf("training: %u parameters on %u GPUs, protocol %s: a state of %u KiB and guards of %u KiB on each\n",
         (unsigned)parameters, gpus, protocols[options.protocol.index], (unsigned)(group.state_bytes >> 10),
         (unsigned)(2 * group.guard_bytes >> 10));
  return exit_passed;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"steps", argument_number, &options.steps, 1, steps_limit, "of training"},
      {"hidden", argument_number, &options.hidden, 1, network_hidden_limit, "units of the hidden layer"},
      {"samples", argument_number, &options.samples, 1, 4096, "of each rank in a step"},
      {"protocol", argument_choice, &options.protocol, 0, 0, "what the ranks hold for each other"},
      {"interval", argument_number, &options.interval, 1, steps_limit, "steps between two checkpoints"},
      {"ssd_every", argument_number, &options.ssd_every, 1, steps_limit,
       "checkpoints of multiples of it are written to the DIMM-SSD"},
      {"host_copies", argument_choice, &options.host_copies, 0, 0,
       "what happens to a rank's own copies when its GPU is lost"},
      {"accesses", argument_number, &options.accesses, 1, 100000000, "accesses of each pipeline in a step"},
      {"gap", argument_number, &options.gap, 0, 1000000, "nanoseconds between two accesses"},
      {"checkpoint", argument_switch, &options.checkpoint, 0, 0,
       "write and look for checkpoints on the DIMM-SSD"},
      {"method", argument_choice, &options.method, 0, 0, "how checkpoints are taken by the DIMM-SSD"},
      {"seed", argument_number, &options.seed, 0, UINT64_MAX, "of weights and samples"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  has_power = power_probe();
  if (has_power)
    printf("training: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  const ExitStatus ready = prepare();
  if (ready != exit_passed) return ready;
  if (!collect_from_ssd()) collect_nothing();
  step = group.version;
  counts.begin = generic_timer_now();
  if ((!group_install(&group, step) && !recover()) || !run_steps()) {
    printf("training: the GPUs did not come to the end\n");
    return exit_failed;
  }
  return report() ? exit_passed : exit_failed;
}
