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
// interval: steps between two checkpoints in memory, which protocol=jit does not take. ssd_every: from each
// multiple of it on, the next checkpoint is written to the DIMM-SSD, too; with protocol=jit the next state,
// or the next one that was compared. overlap: guards are written while the step's kernels run, which the
// GPUs must be able to do (copy_in_beside_kernels); protocol=jit has no guards, and writes only to the
// DIMM-SSD then.
//
// host_copies=lost: a rank's process ends when its GPU is lost, fails or reports an uncorrectable error, as
// drivers end a process that has read one. Its buffers in the node's memory, and what it had in the memory of
// the GPU, are lost with it. kept: another process has them, and only a lost GPU, or failed cells, are empty.
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
#include "apps/training/computation.h"
#include "apps/training/group.h"
#include "apps/training/network.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
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

static Computation computation = {.group = &group};
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
  computation.step = step;
  return computation_check(&computation);
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
  const float loss = computation_loss(&computation);
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
  computation_gradients(&computation);
  if (!transfers_wait()) return false;
  if (is_due && options.overlap && group_has_checkpoints(&group)) group_commit(&group, step);
  look_for_straggler();
  add_loss();
  computation_update(&computation);
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
  computation_begin(&computation);
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
  if (++computation.wrong_reads[rank] < wrong_reads_limit) return false;
  printf(
      "training: GPU %u has returned another state than was written %u times in\n"
      "training:   a row, and reported no error: its memory cannot be used\n",
      rank, computation.wrong_reads[rank]);
  return true;
}

static bool host_copies_are_lost(void) { return options.host_copies.index == 0; }

// Finds the GPUs whose memory does not hold what was written to it, and mends them. Adds those whose memory
// has nothing of use then to a set: it is empty, or belonged to a process that has ended.
static Mending mend_gpus(uint32_t* empty) {
  Mending result = all_are_sound;
  transfers_wait();  // for the others
  for (unsigned rank = 0; rank < group.ranks; ++rank) {
    const GpuCondition condition = gpu_conditions[rank];
    const bool has_reported = condition.lost || condition.failed || condition.damaged;
    if (!has_reported && computation.sound[rank]) continue;
    printf("training: step %llu: GPU %u %s\n", (Printable)step, rank, what_happened(condition));
    if (!has_reported && returns_wrong_states(rank)) return some_cannot_be;
    const bool has_lost_process = host_copies_are_lost() && has_reported;
    if (condition.lost || condition.failed || has_lost_process) *empty |= 1u << rank;
    computation.sound[rank] = true;
    if (!transfers_mend(rank)) return some_cannot_be;
    result = some_were_mended;
    if (has_lost_process) group_lose_copies(&group, rank);
  }
  return result;
}

typedef enum { from_memories, from_verified, from_ssd, from_start, from_nowhere } Place;
static const char* const places[] = {"the memories of the group", "the last comparison", "the DIMM-SSD",
                                     "the start"};

// The states since the last comparison are not used: one rank's wrong gradients are in the weights of all.
// The losses of the steps since then are expected to differ.
static void collect_verified(void) {
  printf("training: step %llu: the ranks have different states\n", (Printable)step);
  group_begin_recovery(&group);
  for (unsigned rank = 0; rank < group.ranks; ++rank)
    memcpy(group_state(&group, group.copies[group.slot], rank), verified.state, group.used_bytes);
  record = verified.record;
  group.version = record.step;
  if (furthest <= record.step) return;  // none since the start of the node
  counts.steps_discarded += (unsigned)(furthest - record.step);
  furthest = record.step;
}

// Brings a state to the slot's copies. from_nowhere: a GPU was mended meanwhile, or cannot be.
static Place collect(uint32_t* empty, Mending* meanwhile) {
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
  group_begin_recovery(&group);  // what a rank had from memory is not used
  if (collect_from_ssd()) return from_ssd;
  collect_nothing();
  return from_start;
}

static void report_origin(unsigned rank) {
  const Origin origin = group.origins[rank];
  if (has_power) power_rank_restored(rank, origin.source, origin.gpu);
  printf("training:   rank %u has ", rank);
  switch (origin.source) {
    case rank_from_own_copy:
      printf("its own copy\n");
      break;
    case rank_from_gpu_copy:
      printf("the copy of GPU %u, %llu bytes\n", origin.gpu, (Printable)origin.bytes);
      break;
    case rank_from_parity:
      printf("the parity of the group, %llu bytes of other GPUs\n", (Printable)origin.bytes);
      break;
  }
}

static void report_recovery(Place place, uint64_t time) {
  counts.recoveries += time;
  bool is_from_others = false;
  for (unsigned rank = 0; rank < group.ranks; ++rank) is_from_others |= group.origins[rank].bytes != 0;
  printf("training: step %llu: the state of step %llu is back from %s,\ntraining:   after %llu us\n",
         (Printable)step, (Printable)group.version,
         place == from_memories && !is_from_others ? "the ranks' own copies" : places[place],
         microseconds(time));
  for (unsigned rank = 0; place == from_memories && rank < group.ranks; ++rank) report_origin(rank);
  // The DIMM-SSD reports its own.
  if (has_power && (place == from_memories || place == from_verified)) power_recovered(recovered_from_memory);
}

static bool recover(void) {
  const uint64_t begin = generic_timer_now();
  uint32_t empty = 0;
  group_begin_recovery(&group);
  Place brought = from_memories;  // from where an attempt that failed had the state of this version
  uint64_t version = 0;
  Mending mending = mend_gpus(&empty);
  for (int attempt = 0; attempt < recoveries_in_a_row && mending != some_cannot_be; ++attempt) {
    const Place place = collect(&empty, &mending);
    if (place == from_nowhere) continue;
    if (place != from_memories || group.version != version) brought = place;
    version = group.version;
    if (group_install(&group, group.version)) {
      report_recovery(brought, generic_timer_now() - begin);
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
  const uint64_t sum = computation_checksum(&computation);
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
  computation.hidden = (uint32_t)options.hidden;
  computation.samples = options.samples;
  computation.seed = options.seed;
  verified.state = memory_allocate(group.state_bytes);
  if (!computation_prepare(&computation) || verified.state == NULL)
    return unavailable("the gradients do not fit into the memory of this machine");
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
  if (options.protocol.index != protocol_jit &&
      !arguments_interval_fits("training", "interval", options.interval, options.steps, "steps"))
    return exit_usage;
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
  const bool is_ready = is_installed || recover();
  if (is_ready && options.overlap && group_has_checkpoints(&group)) {
    const uint64_t installed = generic_timer_now();
    if (transfers_exclude_kernels(group_state(&group, group.copies[group.slot], 0)))
      return unavailable(
          "overlap=on needs GPUs that accept data while a kernel runs\n"
          "training:   (node.gpu.copy_in_beside_kernels)");
    counts.begin += generic_timer_now() - installed;  // no part of the training
  }
  if (!is_ready || !run_steps()) {
    printf("training: the GPUs did not come to the end\n");
    return exit_failed;
  }
  return report() ? exit_passed : exit_failed;
}
