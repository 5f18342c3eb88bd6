// Trains the network of the app `training` on several nodes, each with GPUs of its own. The state is divided
// among all GPUs; in each step the nodes send each other their weights, and the gradients of each other's
// parts. Each node's copy of its state is also in the memory of another node, the next one of the ring
// (cluster/buddy.h); two nodes are a pair of Gemini (Wang et al., SOSP 2023). If a node is lost, or loses its
// power, all nodes return to the newest checkpoint that is held of each, and end with the bits of an
// undisturbed run, which are those of `training` on as many GPUs of one node.
//
//   training_cluster [steps=40] [hidden=96] [samples=8] [interval=1] [protocol=semi_blocking|blocking]
//                    [accesses=200] [gap=2000] [seed=1]
//
// protocol: with semi_blocking a checkpoint is sent to the other node while the step is computed; with
//   blocking the step waits until all nodes have theirs. accesses, gap: of the kernels, as in `training`.
// samples: of each GPU in a step.
//
// If a GPU is lost or has errors in its memory, its node writes to it again what it wrote last.
//
// All nodes must have the same arguments and the same number of GPUs. The program ends with status 0 when the
// run of all nodes has ended. Other statuses: 1 a GPU cannot be mended, or the NIC failed; 2 a wrong
// argument; 3 no GPU, NIC or cluster, or too little memory. result.txt has what that of `training` has, and
// the NIC gets the checksum of the weights as the rank's result.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "apps/training/network.h"
#include "apps/training/state.h"
#include "apps/training/streams.h"
#include "apps/training/transfers.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "cluster/buddy.h"
#include "cluster/nic_transport.h"
#include "drivers/generic_timer.h"
#include "drivers/nic.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

enum { steps_limit = 4096, mends_in_a_row = 8, line = 64 };

static const char* const protocols[] = {
    [buddy_blocking] = "blocking", [buddy_semi_blocking] = "semi_blocking"};

static struct {
  uint64_t steps, hidden, samples, interval, accesses, gap, seed;
  ArgumentChoice protocol;
} options = {.steps = 40,
             .hidden = 96,
             .samples = 8,
             .interval = 1,
             .accesses = 200,
             .gap = 2000,
             .seed = 1,
             .protocol = {protocols, 2, buddy_semi_blocking}};

static const float learning_rate = 0.01f;

static Buddy buddy;
static uint32_t epoch;            // in which the program runs
static uint32_t resumed_epoch;    // the newest one in which the ranks have resumed
static uint64_t resumed_version;  // from this version
static bool has_power, cannot_go_on;

static unsigned gpus, parts;
static uint32_t parameters;    // of a part
static uint64_t state_bytes;   // of a state, whole zones
static uint64_t record_bytes;  // of the losses, whole lines
static uint64_t step;

// What a checkpoint consists of: the bits of the losses, and the states of all GPUs as they were written.
static uint8_t* protected_bytes;
static uint8_t* read_back;  // the states as the GPUs have them

static float* weights;    // of all parts
static float* gradients;  // of each GPU of this node, the whole network's
static float* outgoing;   // a stream
static float losses[transfers_gpu_limit];

// In ticks of the generic timer.
static struct {
  uint64_t begin, time, steps_made, dumps, checkpoint_waits, message_waits, gpu_waits;
  unsigned recoveries, gpu_recoveries, steps_repeated;
  uint64_t furthest;
} counts;

static Printable microseconds(uint64_t ticks) { return ticks * 1000000 / generic_timer_frequency(); }

// ---- places ----

static unsigned rank(void) { return buddy.membership.rank; }
static unsigned part_of(unsigned gpu) { return rank() * gpus + gpu; }
static uint32_t* loss_bits(void) { return (uint32_t*)(void*)protected_bytes; }
static uint8_t* state_place(unsigned gpu) { return protected_bytes + record_bytes + gpu * state_bytes; }
static StateHeader* state_of(unsigned gpu) { return (StateHeader*)(void*)state_place(gpu); }
static float* gradient_of(unsigned gpu) { return gradients + (uint64_t)gpu * parts * parameters; }
static uint64_t node_parameters(void) { return (uint64_t)gpus * parameters; }

// ---- waiting ----

static bool is_over(void) { return nic_run_has_ended() || buddy.membership.epoch != epoch || cannot_go_on; }

// Handles what has arrived. Returns whether there was anything.
static bool serve(void) {
  bool is_new = false;
  if (nic_epoch() != buddy.membership.epoch) {
    BuddyMembership membership;
    transport_membership(NULL, &membership);
    cannot_go_on |= buddy_set_membership(&buddy, &membership) != buddy_ok;
    is_new = true;
  }
  const bool received = transport_receive(&buddy), sent = buddy_progress(&buddy);
  if (nic_error() != nic_ok) {
    printf("training: the NIC has stopped: %s\n", nic_error_text(nic_error()));
    cannot_go_on = true;
  }
  return is_new || received || sent;
}

// Returns false if the program must not go on: another epoch has begun, or the run has ended.
static bool wait_until(bool (*is_ready)(void), uint64_t* ticks) {
  const uint64_t begin = generic_timer_now();
  bool goes_on;
  for (;;) {
    nic_begin_poll();
    const bool served = serve();
    goes_on = !is_over();
    if (!goes_on || is_ready()) break;
    if (gpu_has_event())
      transfers_are_busy();  // takes it: otherwise a wait for messages would never sleep
    else if (!served)
      nic_sleep_unless(gpu_has_event);
  }
  *ticks += generic_timer_now() - begin;
  return goes_on;
}

static bool gpus_are_done(void) { return !transfers_are_busy(); }
static bool weights_have_come(void) { return streams_have_come(&buddy, stream_weights, step); }
static bool gradients_have_come(void) { return streams_have_come(&buddy, stream_gradients, step); }
static bool checkpoint_is_begun(void) { return buddy_checkpoint(&buddy, step) != buddy_busy; }
static bool checkpoint_is_committed(void) { return buddy_test(&buddy, step) == buddy_ok; }

// ---- the GPUs ----

static bool needs_mending(unsigned gpu) {
  return gpu_conditions[gpu].lost || gpu_conditions[gpu].failed || gpu_conditions[gpu].damaged;
}

static const char* what_happened(unsigned gpu) {
  if (gpu_conditions[gpu].lost) return "is lost";
  if (gpu_conditions[gpu].failed) return "has failed";
  return gpu_conditions[gpu].damaged ? "has an error in its memory" : "holds another state than was written";
}

// Mends the GPUs of a set, whose transfers have ended, and writes their states again. Returns false if that
// is impossible.
static bool mend(uint32_t set) {
  for (int attempt = 0; set != 0 && attempt < mends_in_a_row; ++attempt) {
    for (unsigned gpu = 0; gpu < gpus; ++gpu) {
      if ((set >> gpu & 1) == 0) continue;
      printf("training: step %llu: GPU %u %s:\ntraining:   its state is written again\n", (Printable)step,
             gpu, what_happened(gpu));
      if (!transfers_mend(gpu)) return false;
      transfers_write_state(gpu, state_place(gpu));
    }
    transfers_wait();
    set = 0;
    for (unsigned gpu = 0; gpu < gpus; ++gpu) set |= (uint32_t)needs_mending(gpu) << gpu;
  }
  if (set != 0) {
    printf("training: step %llu: %d mends were in vain\n", (Printable)step, mends_in_a_row);
    return false;
  }
  ++counts.gpu_recoveries;
  if (has_power) power_recovered(recovered_from_memory);
  return true;
}

// The GPUs that have lost what was written to them, or have something else.
static uint32_t unsound_gpus(bool are_read) {
  uint32_t set = 0;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const StateHeader* const seen = (const StateHeader*)(const void*)(read_back + gpu * state_bytes);
    const bool is_other = are_read && !(state_is_sound(seen, part_of(gpu), parameters) && seen->step == step);
    if (needs_mending(gpu) || is_other) set |= 1u << gpu;
  }
  return set;
}

typedef void (*GpuOperation)(unsigned gpu);
static void read_one(unsigned gpu) { transfers_read_state(gpu, read_back + gpu * state_bytes); }
static void write_one(unsigned gpu) { transfers_write_state(gpu, state_place(gpu)); }
static void launch_one(unsigned gpu) {
  transfers_launch(gpu, step * parts + part_of(gpu), options.accesses, options.gap);
}

static void begin_on_all(GpuOperation operation) {
  for (unsigned gpu = 0; gpu < gpus; ++gpu) operation(gpu);
}

// Waits for an operation that has begun on all GPUs, and repeats it on those that were mended meanwhile. A
// memory may be wrong each time that it is read, without an error that would retire a zone.
static bool end_on_all(GpuOperation operation) {
  for (int round = 0;; ++round) {
    if (!wait_until(gpus_are_done, &counts.gpu_waits)) return false;
    const uint32_t set = unsound_gpus(operation == read_one);
    if (set == 0) return true;
    if (round == mends_in_a_row)
      printf("training: step %llu: %d mends were in vain\n", (Printable)step, round);
    if (round == mends_in_a_row || !mend(set)) {
      cannot_go_on = true;
      return false;
    }
    for (unsigned gpu = 0; gpu < gpus && operation != write_one; ++gpu)
      if ((set >> gpu & 1) != 0) operation(gpu);
  }
}

// ---- the computation ----

static void collect_weights(void) {
  for (unsigned other = 0; other < buddy.membership.ranks; ++other) {
    float* const to = weights + other * node_parameters();
    if (other != rank()) memcpy(to, streams_of(stream_weights, step, other), node_parameters() * sizeof *to);
  }
}

static bool share_weights(void) {
  float* const own = weights + rank() * node_parameters();
  for (unsigned gpu = 0; gpu < gpus; ++gpu)
    memcpy(own + gpu * parameters, state_means(state_of(gpu)).weights, parameters * sizeof *own);
  for (uint32_t other = 0; other < buddy.membership.ranks; ++other)
    if (other != rank()) streams_send(&buddy, stream_weights, step, other, own);
  if (!wait_until(weights_have_come, &counts.message_waits)) return false;
  collect_weights();
  return true;
}

// The node handles messages between two samples.
static bool compute_gradient(unsigned gpu) {
  float* const gradient = gradient_of(gpu);
  memset(gradient, 0, (uint64_t)parts * parameters * sizeof *gradient);
  losses[gpu] = 0;
  for (uint64_t i = 0; i < options.samples; ++i) {
    const uint64_t number = (step * parts + part_of(gpu)) * options.samples + i;
    network_add_sample(weights, (uint32_t)options.hidden, options.seed, number, gradient, &losses[gpu]);
    serve();
    if (is_over()) return false;
  }
  return true;
}

// To each node: the losses of this one's GPUs, and for each of these the gradients of that node's part.
static bool share_gradients(void) {
  for (uint32_t other = 0; other < buddy.membership.ranks; ++other) {
    if (other == rank()) continue;
    memcpy(outgoing, losses, gpus * sizeof *outgoing);
    for (unsigned gpu = 0; gpu < gpus; ++gpu)
      memcpy(outgoing + gpus + gpu * node_parameters(), gradient_of(gpu) + other * node_parameters(),
             node_parameters() * sizeof *outgoing);
    streams_send(&buddy, stream_gradients, step, other, outgoing);
  }
  return wait_until(gradients_have_come, &counts.message_waits);
}

static const float* losses_of(uint32_t of) {
  return of == rank() ? losses : (const float*)(const void*)streams_of(stream_gradients, step, of);
}

// The gradients, of this node's part, of a GPU of any node.
static const float* gradients_of(uint32_t of, unsigned gpu) {
  if (of == rank()) return gradient_of(gpu) + rank() * node_parameters();
  return losses_of(of) + gpus + gpu * node_parameters();
}

// The order of the sums is that of the parts, as in `training`.
static float mean_gradient(uint64_t at) {
  float sum = 0;
  for (uint32_t other = 0; other < buddy.membership.ranks; ++other)
    for (unsigned gpu = 0; gpu < gpus; ++gpu) sum += gradients_of(other, gpu)[at];
  return sum / (float)(parts * options.samples);
}

static void add_loss(void) {
  float sum = 0;
  for (uint32_t other = 0; other < buddy.membership.ranks; ++other)
    for (unsigned gpu = 0; gpu < gpus; ++gpu) sum += losses_of(other)[gpu];
  const float loss = sum / (float)(parts * options.samples);
  memcpy(&loss_bits()[step], &loss, sizeof loss);
  if (rank() == 0)
    printf("training: step %llu: loss 0x%08x, %u millionths%s\n", (Printable)step,
           (unsigned)loss_bits()[step], (unsigned)(loss * 1e6f), step < counts.furthest ? ", again" : "");
}

static void update_states(void) {
  const AdamStep adam = adam_step(learning_rate, step + 1);
  const uint32_t all = network_parameters((uint32_t)options.hidden);
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    const AdamState means = state_means(state_of(gpu));
    const uint32_t first = part_of(gpu) * parameters;
    for (uint32_t i = 0; i < parameters && first + i < all; ++i)
      adam_update(means, i, mean_gradient((uint64_t)gpu * parameters + i), adam);
    state_seal(state_of(gpu), step + 1);
  }
}

// ---- a step ----

static bool take_checkpoint(void) {
  if (step % options.interval != 0 || step == 0 || buddy_test(&buddy, step) == buddy_ok) return true;
  const uint64_t begin = generic_timer_now();
  uint64_t waited = 0;
  if (!wait_until(checkpoint_is_begun, &waited)) return false;
  counts.dumps += generic_timer_now() - begin;
  return options.protocol.index != buddy_blocking ||
         wait_until(checkpoint_is_committed, &counts.checkpoint_waits);
}

static bool read_states(void) {
  begin_on_all(read_one);
  return end_on_all(read_one);
}

static bool make_step(void) {
  buddy_mark(&buddy, buddy_mark_step_begun, step);
  if (!read_states() || !take_checkpoint()) return false;
  begin_on_all(launch_one);
  if (!share_weights()) return false;
  for (unsigned gpu = 0; gpu < gpus; ++gpu)
    if (!compute_gradient(gpu)) return false;
  if (!share_gradients() || !end_on_all(launch_one)) return false;
  add_loss();
  update_states();
  begin_on_all(write_one);
  if (!end_on_all(write_one)) return false;
  buddy_mark(&buddy, buddy_mark_step_ended, step);
  return true;
}

// ---- the run ----

// The states become those of the version from which the ranks resume.
static bool restore(void) {
  const uint32_t all = network_parameters((uint32_t)options.hidden);
  step = resumed_version;
  transfers_wait();  // for what the epoch has interrupted
  for (unsigned gpu = 0; gpu < gpus && step == 0; ++gpu) {
    memset(state_place(gpu), 0, state_bytes);
    state_begin(state_of(gpu), part_of(gpu), parameters, all, (uint32_t)options.hidden, options.seed);
  }
  begin_on_all(write_one);
  return end_on_all(write_one);
}

static uint64_t checksum_of_weights(void) {
  uint64_t sum = CHECKSUM_START;
  for (uint32_t i = 0; i < network_parameters((uint32_t)options.hidden); ++i)
    sum = checksum(sum, &weights[i], sizeof(float));
  return sum;
}

static void report_resumption(uint64_t fetched_before) {
  if (epoch == 1) return;
  const bool is_fetched = buddy.counts.from_buddy != fetched_before;
  printf("training: epoch %u: rank %u resumes from step %llu, %s\n", (unsigned)epoch, rank(), (Printable)step,
         step == 0    ? "the beginning"
         : is_fetched ? "from another node's copy"
                      : "from its own copy");
  ++counts.recoveries;
  if (has_power) power_recovered(is_fetched ? recovered_from_cluster : recovered_from_memory);
}

static bool run_epoch(void) {
  static uint64_t fetched;
  epoch = resumed_epoch;
  if (counts.begin == 0) counts.begin = generic_timer_now();
  if (!restore()) return false;
  report_resumption(fetched);
  fetched = buddy.counts.from_buddy;
  for (; step < options.steps; ++step) {
    if (!make_step()) return false;
    ++counts.steps_made;
    if (step < counts.furthest) ++counts.steps_repeated;
    if (step >= counts.furthest) counts.furthest = step + 1;
  }
  if (!read_states() || !share_weights()) return false;
  counts.time = generic_timer_now() - counts.begin;
  nic_report_finished(checksum_of_weights());
  return true;
}

// Until the run has ended.
static ExitStatus run(void) {
  for (;;) {
    nic_begin_poll();
    if (nic_run_has_ended()) return exit_passed;
    const bool served = serve();
    if (cannot_go_on) return exit_failed;
    if (buddy_is_running(&buddy) && epoch != resumed_epoch)
      run_epoch();
    else if (!served)
      nic_sleep();
  }
}

static ExitStatus report(void) {
  if (counts.time == 0 || buddy.phase == buddy_spare) {
    printf("training: a spare to the end\n");
    return exit_passed;
  }
  printf(
      "training: rank %u: %llu steps, %u repeated, in %llu us:\n"
      "training:   %llu us in dumps, waits of %llu us for checkpoints,\n"
      "training:   %llu us for other nodes, %llu us for GPUs;\n"
      "training:   %u recoveries, %u of GPUs\n",
      rank(), (Printable)counts.steps_made, counts.steps_repeated, microseconds(counts.time),
      microseconds(counts.dumps), microseconds(counts.checkpoint_waits), microseconds(counts.message_waits),
      microseconds(counts.gpu_waits), counts.recoveries, counts.gpu_recoveries);
  const uint64_t sum = checksum_of_weights();
  printf("training: rank %u: after %llu steps on %u GPUs, the weights have\n", rank(), (Printable)step,
         parts);
  printf("training:   the checksum 0x%016llx\n", (Printable)sum);
  static char text[steps_limit * 16 + 64];
  char* end = text;
  for (uint64_t i = 0; i < step; ++i)
    end += snprintf(end, 17, "%llu 0x%08x\n", (Printable)i, (unsigned)loss_bits()[i]);
  snprintf(end, 32, "weights 0x%016llx\n", (Printable)sum);
  return result_write(text) ? exit_passed : exit_failed;
}

// ---- the start ----

static void resumed(void* context, uint64_t version) {
  (void)context;
  resumed_epoch = buddy.membership.epoch;
  resumed_version = version;
}

static void ignore_version(void* context, uint64_t version) {
  (void)context;
  (void)version;
}

static void receive_message(void* context, const MessageHeader* header, const uint8_t* data, size_t bytes) {
  (void)context;
  streams_receive(header, data, bytes);
}

static void report_not_recoverable(void* context, uint64_t ranks) {
  (void)context;
  printf("training: epoch %u: not recoverable:\ntraining:   no checkpoint is left of every rank\n",
         (unsigned)buddy.membership.epoch);
  nic_report_not_recoverable(ranks);
}

static uint64_t now(void* context) {
  (void)context;
  return generic_timer_now();
}

static ExitStatus unavailable(const char* why) {
  printf("training: %s\n", why);
  return exit_unavailable;
}

static bool allocate(unsigned ranks) {
  const uint64_t bytes = record_bytes + gpus * state_bytes, floats = (uint64_t)parts * parameters;
  protected_bytes = memory_allocate(bytes);
  read_back = memory_allocate(gpus * state_bytes);
  void* const copies = memory_allocate(buddy_copy_bytes(&buddy, bytes));
  weights = memory_allocate(floats * sizeof *weights);
  gradients = memory_allocate(gpus * floats * sizeof *gradients);
  const uint64_t sizes[stream_kinds] = {
      [stream_weights] = node_parameters() * sizeof(float),
      [stream_gradients] = (gpus + gpus * node_parameters()) * sizeof(float)};
  outgoing = memory_allocate(sizes[stream_gradients]);
  if (protected_bytes == NULL || read_back == NULL || copies == NULL || weights == NULL ||
      gradients == NULL || outgoing == NULL || !streams_prepare(ranks, sizes))
    return false;
  memset(protected_bytes, 0, bytes);
  buddy_protect(&buddy, protected_bytes, bytes, copies);
  return true;
}

static ExitStatus prepare(void) {
  gpus = gpu_probe();
  if (gpus == 0) return unavailable("this machine has no GPU");
  if (gpus > transfers_gpu_limit) return unavailable("more than 8 GPUs");
  if (!nic_probe()) return unavailable("this machine has no NIC");
  const unsigned ranks = nic_ranks();
  if (ranks == 0) return unavailable("this NIC is in no cluster");
  if (ranks > stream_rank_limit) return unavailable("more than 16 nodes");
  const uint32_t all = network_parameters((uint32_t)options.hidden);
  parts = ranks * gpus;
  parameters = state_parameters_of(all, parts);
  state_bytes = state_bytes_of(parameters);
  record_bytes = (options.steps * sizeof(uint32_t) + line - 1) / line * line;
  uint64_t no_guards = 0;
  if (!transfers_prepare(gpus, &state_bytes, &no_guards))
    return unavailable("the state does not fit into the memory of a GPU");
  const BuddyConfig config = {.protocol = (BuddyProtocol)options.protocol.index,
                              .interval = options.interval,
                              .restart_from_beginning = true};
  const BuddyCalls calls = {.free_frames = transport_free_frames,
                            .send = transport_send,
                            .membership = transport_membership,
                            .now = now,
                            .mark = transport_mark,
                            .resumed = resumed,
                            .dumped = ignore_version,
                            .committed = ignore_version,
                            .application_message = receive_message,
                            .not_recoverable = report_not_recoverable};
  buddy_initialize(&buddy, &config, &calls);
  if (!allocate(ranks) || !transport_open())
    return unavailable("the states do not fit into the memory of this machine");
  printf("training: node %u of %u: %u parameters on %u GPUs of %u nodes,\ntraining:   protocol %s\n",
         (unsigned)nic_node(), (unsigned)nic_nodes(), (unsigned)all, parts, ranks,
         protocols[options.protocol.index]);
  return exit_passed;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"steps", argument_number, &options.steps, 1, steps_limit, "of training"},
      {"hidden", argument_number, &options.hidden, 1, network_hidden_limit, "units of the hidden layer"},
      {"samples", argument_number, &options.samples, 1, 4096, "of each GPU in a step"},
      {"interval", argument_number, &options.interval, 1, steps_limit, "steps between two checkpoints"},
      {"protocol", argument_choice, &options.protocol, 0, 0, "whether a step waits for its checkpoint"},
      {"accesses", argument_number, &options.accesses, 1, 100000000, "accesses of each pipeline in a step"},
      {"gap", argument_number, &options.gap, 0, 1000000, "nanoseconds between two accesses"},
      {"seed", argument_number, &options.seed, 0, UINT64_MAX, "of weights and samples"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table) ||
      !arguments_interval_fits("training_cluster", "interval", options.interval, options.steps, "steps"))
    return exit_usage;
  has_power = power_probe();
  const ExitStatus ready = prepare();
  if (ready != exit_passed) return ready;
  const ExitStatus ended = run();
  return ended == exit_passed ? report() : ended;
}
