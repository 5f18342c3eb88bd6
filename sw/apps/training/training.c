// Trains a small network on all GPUs of the node, whose ranks hold each other's state (group.h), and
// continues after the loss of a GPU, an error in its memory or a power failure with the bits of an
// undisturbed run.
//
//   training [steps=40] [hidden=96] [samples=8] [protocol=gemini|reft|jit] [interval=1] [ssd_every=8]
//            [overlap=on|off] [verify=0] [flip_step=0] [host_copies=lost|kept] [accesses=200] [gap=2000]
//            [checkpoint=on|off] [method=configured] [seed=1]
//
// The state, which is weights and the means of Adam, is in the memories of the GPUs, and nowhere else between
// two steps. A step reads it, runs a kernel on each GPU that reads it at random, which stands for the forward
// and backward pass, and writes the new one. The values are computed on the cores, because the GPUs of this
// platform do not compute: one rank on each core, each with its own samples, then the sum of the gradients
// over the ranks, and each rank's update of its part.
//
// interval: steps between two checkpoints in memory. ssd_every: from each multiple of it on, the next
// checkpoint is written to the DIMM-SSD, too; with protocol=jit the next state, or the next one that was
// compared. overlap: guards are written while the step's kernels run, which the GPUs must be able to do
// (copy_in_beside_kernels). host_copies: whether the rank's own buffers in the node's memory are lost with
// its GPU, as with its machine; an error in the memory of the GPU leaves them.
//
// verify: with protocol=jit, steps between two comparisons of the states of all ranks; 0: none. If they
// differ, some core or memory has computed wrong data, and all ranks return to the last state that was the
// same on all. flip_step: before this step is computed, a bit of a weight of rank 1 becomes wrong in the
// node's memory, which must have no code (memory.ecc=none).
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

enum { steps_limit = 4096, recoveries_in_a_row = 8, interruptions_limit = 64, straggler_us = 20 };
enum { wrong_reads_limit = 8 };  // of a state, in a row

static const char* const protocols[] = {"gemini", "reft", "jit"};
static const char* const fates[] = {"lost", "kept"};

static struct {
  uint64_t steps, hidden, samples, ssd_every, interval, accesses, gap, verify, flip_step, seed;
  ArgumentChoice protocol, host_copies, method;
  bool checkpoint, overlap;
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

// The last state that was the same on all ranks.
static struct {
  uint8_t* state;
  Record record;
  bool exists;
} verified;
static bool ranks_differ;

static struct {
  float* weights;    // all of them, where each rank has a part only
  float* gradients;  // of each rank
  float losses[transfers_gpu_limit];
  bool sound[transfers_gpu_limit];
  unsigned wrong_reads[transfers_gpu_limit];  // in a row, of the states of each rank, without an error
} work;

static uint64_t step;               // to be made next
static uint64_t first_step;         // since the start of the node
static uint64_t furthest;           // steps that were made at least once since the start of the node
static uint32_t seen[steps_limit];  // the bits of their losses, which no restore changes
static bool has_power;

// In ticks of the generic timer.
static struct {
  uint64_t begin, first, repeated, interrupted, checkpoints, recoveries;
  unsigned steps_repeated, steps_discarded, differences;
  // By GPU: steps in which all others have waited for it, and for how long.
  unsigned straggler_steps[transfers_gpu_limit];
  uint64_t lags[transfers_gpu_limit];
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
    if (work.sound[rank]) work.wrong_reads[rank] = 0;
    if (group.parts > 1)
      memcpy(work.weights + (uint64_t)rank * group.parameters, state_means(state).weights,
             group.parameters * sizeof(float));
  }
}

static void compute_gradients(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    const float* const weights =
        group.parts > 1 ? work.weights : state_means(group_state(&group, group.now, rank)).weights;
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
    const AdamState means = state_means(state);
    const uint32_t first = group.parts > 1 ? rank * group.parameters : 0;
    for (uint32_t i = 0; i < group.parameters && first + i < all; ++i)
      adam_update(means, i, mean_gradient(first + i), adam);
    state_seal(state, step + 1);
  }
}

static void begin_states(unsigned core, unsigned cores, void* argument) {
  (void)argument;
  for (unsigned rank = core; rank < group.ranks; rank += cores) {
    uint8_t* const copies = group.copies[group.slot];
    memset(copies + rank * group.state_bytes, 0, group.state_bytes);
    state_begin(group_state(&group, copies, rank), group.parts > 1 ? rank : 0, group.parameters,
                network_parameters((uint32_t)options.hidden), (uint32_t)options.hidden, options.seed);
  }
}

// ---- checkpoints ----

static void write_to_ssd(const uint8_t* states) {
  memcpy(drained, states, group.parts * group.state_bytes);
  record.step = step;
  drained_record = record;
  checkpoints_take(&checkpoints, step);
}

static bool checkpoint_is_due(void) {
  if (!group_has_checkpoints(&group)) return true;  // the DIMM-SSD may be due
  return step % options.interval == 0 && !(group.has_checkpoint && group.version == step);
}

static bool is_verified(void) {
  return options.verify == 0 || verified.record.step == step;  // no other state is kept for long
}

// Few steps that are multiples of ssd_every may have a checkpoint, or a comparison.
static void drain_if_due(void) {
  const bool is_due = step / options.ssd_every > drained_record.step / options.ssd_every;
  if (options.checkpoint && is_due && is_verified()) write_to_ssd(group.now);
}

// Without overlap. Returns false if a GPU was lost.
static bool take_checkpoint(void) {
  const uint64_t begin = generic_timer_now();
  if (group_has_checkpoints(&group)) {
    group_copy_states(&group);
    group_write_guards(&group, step);
    if (!transfers_wait()) return false;
    group_commit(&group, step);
  }
  drain_if_due();
  checkpoint_time = generic_timer_now() - begin;
  return true;
}

// With overlap: what is done between the launch of the kernels and the gradients.
static void begin_checkpoint(void) {
  const uint64_t begin = generic_timer_now();
  if (group_has_checkpoints(&group)) {
    group_copy_states(&group);
    group_write_guards(&group, step);
  }
  drain_if_due();
  checkpoint_time = generic_timer_now() - begin;
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

// Compares the states of all ranks if that is due. Returns false if they differ.
static bool verify_states(bool is_end) {
  if (options.verify == 0 || (step % options.verify != 0 && !is_end)) return true;
  ranks_differ = !group_agrees(&group, group.now);
  if (ranks_differ) return false;
  memcpy(verified.state, group.now, group.used_bytes);
  record.step = step;
  verified.record = record;
  verified.exists = true;
  return true;
}

// A weight of rank 1 becomes wrong in the node's memory, once.
static void flip_if_due(void) {
  static bool is_done;
  if (options.flip_step == 0 || step != options.flip_step || is_done || !has_power) return;
  is_done = true;
  const float* const weight = &state_means(group_state(&group, group.now, 1)).weights[40];
  power_inject((MemoryFault){.kind = memory_fault_bit, .at = weight, .chip = 5, .bit = 7});
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

// The others have waited for the GPU whose kernel ended last.
static void look_for_straggler(void) {
  unsigned last = 0;
  for (unsigned rank = 1; rank < group.ranks; ++rank)
    if (transfers_kernel_end(rank) > transfers_kernel_end(last)) last = rank;
  uint64_t before = 0;
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    if (rank != last && transfers_kernel_end(rank) > before) before = transfers_kernel_end(rank);
  const uint64_t lag = transfers_kernel_end(last) - before;
  if (before == 0 || lag < generic_timer_ticks(straggler_us)) return;
  ++counts.straggler_steps[last];
  counts.lags[last] += lag;
}

// Returns false if a GPU was lost, or holds something else than was written to it.
static bool make_step(void) {
  if (!read_states() || !verify_states(false)) return false;
  flip_if_due();
  const bool is_due = checkpoint_is_due();
  if (is_due && !options.overlap && !take_checkpoint()) return false;
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    transfers_launch(rank, step, options.accesses, options.gap);
  if (is_due && options.overlap) begin_checkpoint();
  cores_run(compute_gradients, NULL);
  if (!transfers_wait()) return false;
  if (is_due && options.overlap && group_has_checkpoints(&group)) group_commit(&group, step);
  look_for_straggler();
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

// Without a code nothing reports cells that have failed, and no zone is known that could be retired.
static bool returns_wrong_states(unsigned rank) {
  if (++work.wrong_reads[rank] < wrong_reads_limit) return false;
  printf(
      "training: GPU %u has returned another state than was written %u times in\n"
      "training:   a row, and reported no error: its memory cannot be used\n",
      rank, work.wrong_reads[rank]);
  return true;
}

// Finds the GPUs whose memory does not hold what was written to it, and mends them. Adds those whose memory
// is empty then to a set.
static Mending mend_gpus(uint32_t* empty) {
  Mending result = all_are_sound;
  transfers_wait();  // for the others
  for (unsigned rank = 0; rank < group.ranks; ++rank) {
    const GpuCondition condition = gpu_conditions[rank];
    const bool has_reported = condition.lost || condition.failed || condition.damaged;
    if (!has_reported && work.sound[rank]) continue;
    printf("training: step %llu: GPU %u %s\n", (Printable)step, rank, what_happened(condition));
    if (!has_reported && returns_wrong_states(rank)) return some_cannot_be;
    if (condition.lost || condition.failed) *empty |= 1u << rank;
    work.sound[rank] = true;
    if (!transfers_mend(rank)) return some_cannot_be;
    result = some_were_mended;
    if (options.host_copies.index != 0 || !(condition.lost || condition.failed)) continue;
    group.holds_copies[rank] = false;
    for (int slot = 0; slot < 2; ++slot)
      memset(group_state(&group, group.copies[slot], rank), 0, group.state_bytes);
  }
  return result;
}

typedef enum { from_memories, from_verified, from_ssd, from_start, from_nowhere } Origin;
static const char* const origins[] = {"the memories of the group", "the last comparison", "the DIMM-SSD",
                                      "the start"};

// The states since the last comparison are not used: one rank's wrong gradients are in the weights of all.
// The losses of the steps since then are expected to differ.
static void collect_verified(void) {
  printf("training: step %llu: the ranks have different states\n", (Printable)step);
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    memcpy(group_state(&group, group.copies[group.slot], rank), verified.state, group.used_bytes);
  record = verified.record;
  group.version = record.step;
  if (furthest <= record.step) return;  // none since the start of the node
  counts.steps_discarded += (unsigned)(furthest - record.step);
  furthest = record.step;
}

// Brings a state to the slot's copies. from_nowhere: a GPU was mended meanwhile, or cannot be.
static Origin collect(uint32_t* empty, Mending* meanwhile) {
  if (ranks_differ) {
    collect_verified();
    return from_verified;
  }
  const bool is_back = group_collect(&group, *empty);
  *meanwhile = mend_gpus(empty);
  if (*meanwhile != all_are_sound) return from_nowhere;
  if (is_back) return from_memories;
  // Those that are left show it before the next comparison.
  ranks_differ = group.replicas_differ && verified.exists;
  if (ranks_differ) {
    collect_verified();
    return from_verified;
  }
  if (collect_from_ssd()) return from_ssd;
  collect_nothing();
  return from_start;
}

static void report_recovery(Origin origin, uint64_t time) {
  counts.recoveries += time;
  printf("training: step %llu: the state of step %llu is back from %s,\ntraining:   after %llu us\n",
         (Printable)step, (Printable)group.version, origins[origin], microseconds(time));
  // The DIMM-SSD reports its own.
  if (has_power && (origin == from_memories || origin == from_verified))
    power_recovered(recovered_from_memory);
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
      ranks_differ = false;
      return true;
    }
    mending = mend_gpus(&empty);
  }
  if (mending != some_cannot_be)
    printf("training: step %llu: %d attempts to recover were in vain\n", (Printable)step,
           recoveries_in_a_row);
  return false;
}

// ---- the run ----

static bool run_steps(void) {
  uint64_t furthest_here = step;  // which nothing lowers
  for (int interruptions = 0; interruptions < interruptions_limit;) {
    const bool is_end = step == options.steps;
    const bool is_done = is_end ? read_states() && verify_states(true) : make_timed_step();
    if (is_end && is_done) return true;
    if (step > furthest_here) interruptions = 0;
    if (step > furthest_here) furthest_here = step;
    if (is_done) continue;
    ++interruptions;
    if (transfers_exclude_kernels()) {
      printf("training: overlap=on needs GPUs that accept data while a kernel runs\n");
      return false;
    }
    if (!recover()) return false;
  }
  printf("training: step %llu: %d interruptions without a further step\n", (Printable)step,
         interruptions_limit);
  return false;
}

static void report_errors(void) {
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    if (gpu_corrected(rank) != 0 || gpu_uncorrectable(rank) != 0)
      printf("training: GPU %u: %u errors corrected, %u uncorrectable, %u spare zones left\n", rank,
             (unsigned)gpu_corrected(rank), (unsigned)gpu_uncorrectable(rank),
             (unsigned)gpu_spare_zones(rank));
}

static void report_stragglers(void) {
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    if (counts.straggler_steps[rank] != 0)
      printf("training: GPU %u: the others waited for it in %u steps, %llu us each\n", rank,
             counts.straggler_steps[rank], microseconds(counts.lags[rank]) / counts.straggler_steps[rank]);
}

static bool report(void) {
  const uint64_t time = generic_timer_now() - counts.begin;
  checkpoints_settle(&checkpoints);
  uint64_t sum = CHECKSUM_START;
  for (unsigned part = 0; part < group.parts; ++part) {
    const uint32_t all = network_parameters((uint32_t)options.hidden), first = part * group.parameters;
    const uint32_t count = all - first < group.parameters ? all - first : group.parameters;
    for (uint32_t i = 0; i < count; ++i)
      sum = checksum(sum, &state_means(group_state(&group, group.now, part)).weights[i], sizeof(float));
  }
  const unsigned boot = has_power ? (unsigned)power_boot_count() : 1;
  if (boot > 1) printf("training: since boot %u, which began at step %llu:\n", boot, (Printable)first_step);
  printf(
      "training: %llu steps, %u repeated; in %llu us:\n"
      "training:   %llu in steps, %llu of them for checkpoints;\n"
      "training:   %llu in repeated steps, %llu in interrupted ones, %llu in recoveries\n",
      (Printable)(step - first_step), counts.steps_repeated, microseconds(time), microseconds(counts.first),
      microseconds(counts.checkpoints), microseconds(counts.repeated), microseconds(counts.interrupted),
      microseconds(counts.recoveries));
  printf("training: after %llu steps on %u GPUs, the weights have\ntraining:   the checksum 0x%016llx\n",
         (Printable)step, group.ranks, (Printable)sum);
  report_errors();
  report_stragglers();
  if (counts.steps_discarded != 0)
    printf("training: %u steps since a comparison were made again\n", counts.steps_discarded);
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
  if (options.verify != 0 && group.protocol != protocol_jit)
    return unavailable("verify compares whole states, which ranks have with protocol=jit only");
  cores_start(MAX_CORES);
  work.weights = memory_allocate((uint64_t)gpus * group.parameters * sizeof(float));
  work.gradients = memory_allocate((uint64_t)gpus * parameters * sizeof(float));
  verified.state = memory_allocate(group.state_bytes);
  if (work.weights == NULL || work.gradients == NULL || verified.state == NULL)
    return unavailable("the gradients do not fit into the memory of this machine");
  for (unsigned rank = 0; rank < gpus; ++rank) work.sound[rank] = true;
  begin_anew(NULL);
  if (options.checkpoint) prepare_checkpoints();
  printf(
      "training: %u parameters on %u GPUs, protocol %s:\n"
      "training:   a state of %u KiB and guards of %u KiB on each\n",
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
       "steps between two checkpoints on the DIMM-SSD"},
      {"overlap", argument_switch, &options.overlap, 0, 0, "write guards while the kernels run"},
      {"verify", argument_number, &options.verify, 0, steps_limit,
       "steps between two comparisons of the ranks' states; 0: none"},
      {"flip_step", argument_number, &options.flip_step, 0, steps_limit,
       "before which a bit of a weight becomes wrong; 0: none"},
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
  const uint64_t begin = generic_timer_now();
  const bool is_restored = collect_from_ssd();
  if (!is_restored) collect_nothing();
  step = first_step = group.version;
  counts.begin = is_restored ? begin : generic_timer_now();
  const bool is_installed = group_install(&group, step);
  if (is_restored) counts.recoveries += generic_timer_now() - begin;
  if ((!is_installed && !recover()) || !run_steps()) {
    printf("training: the GPUs did not come to the end\n");
    return transfers_exclude_kernels() ? exit_unavailable : exit_failed;
  }
  return report() ? exit_passed : exit_failed;
}
