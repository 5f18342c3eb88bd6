// A rank of the ring program on this node, with buddy checkpoints (cluster/buddy.h) over its NIC. A node
// without a rank waits as a spare until it gets one.
//
//   buddy_ring [words=4096] [steps=100] [interval=10] [protocol=semi_blocking|blocking] [global_every=0]
//              [restart_from_beginning=on|off] [placement=memory|half_ssd|full_ssd] [messages=0]
//              [message_bytes=1024] [overlap_us=0] [seed=1]
//
// placement: the copies on the DIMM-SSD (ni2012, section 4.4): none, those of the protected rank, or also the
//   rank's own. The core does nothing else while it writes one there.
// messages, message_bytes: messages without meaning in each step, which increase the program's communication.
// overlap_us: the time that a copy for the buddy should take, if the network holds a lottery (ni2012, section
//   4.3); with 0 the tickets are not changed.
//
// All ranks must have the same arguments. The NIC shows which node holds which rank. The program ends with
// status 0 when the run of all ranks has ended, also if nothing could be recovered; the console then says so.
// Other statuses: 1 the NIC or the SSD failed, 2 a wrong argument, 3 no NIC, no cluster, too little memory or
// an SSD too small for its copies. result.txt holds the rank's digest when all ranks have finished.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "cluster/buddy.h"
#include "cluster/nic_transport.h"
#include "cluster/ring.h"
#include "drivers/generic_timer.h"
#include "drivers/nic.h"

typedef unsigned long long Printable;

enum { words_between_polls = 1024 };  // number of words computed between two polls of the network

static const char* const protocols[] = {
    [buddy_blocking] = "blocking", [buddy_semi_blocking] = "semi_blocking"};
typedef enum { in_memory, half_ssd, full_ssd } Placement;
static const char* const placements[] = {
    [in_memory] = "memory", [half_ssd] = "half_ssd", [full_ssd] = "full_ssd"};

static struct {
  uint64_t words, steps, interval, global_every, messages, message_bytes, overlap_us, seed;
  bool restart_from_beginning;
  ArgumentChoice protocol, placement;
} options = {.words = 4096,
             .steps = 100,
             .interval = 10,
             .message_bytes = 1024,
             .seed = 1,
             .restart_from_beginning = true,
             .protocol = {protocols, sizeof protocols / sizeof *protocols, buddy_semi_blocking},
             .placement = {placements, sizeof placements / sizeof *placements, in_memory}};

static Buddy buddy;
static Ring ring;
static uint32_t reported_epoch;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"words", argument_number, &options.words, 1, 1 << 20, "words in a rank's state"},
      {"steps", argument_number, &options.steps, 1, 1000000000, "steps of the program"},
      {"interval", argument_number, &options.interval, 1, 1000000000, "steps between two checkpoints"},
      {"protocol", argument_choice, &options.protocol, 0, 0, "whether the program waits for its buddies"},
      {"global_every", argument_number, &options.global_every, 0, 1000000,
       "checkpoints, for one to the global store; 0: none"},
      {"restart_from_beginning", argument_switch, &options.restart_from_beginning, 0, 0,
       "where no checkpoint is left"},
      {"placement", argument_choice, &options.placement, 0, 0, "which copies are on the DIMM-SSD"},
      {"messages", argument_number, &options.messages, 0, 100000, "messages per step, besides the halos"},
      {"message_bytes", argument_number, &options.message_bytes, 1, message_data_limit,
       "size of each message"},
      {"overlap_us", argument_number, &options.overlap_us, 0, 1000000000,
       "that copies to buddies shall take; 0: any"},
      {"seed", argument_number, &options.seed, 0, UINT64_MAX, "seed of the initial state"},
  };
  return arguments_read(argc, argv, table, sizeof table / sizeof *table);
}

static uint64_t now(void* context) {
  (void)context;
  return generic_timer_now();
}

// Counts since the last checkpoint, or since the rank resumed, from which the tickets are computed.
static struct { uint64_t begin, sent_before; } ticket_interval;

static void begin_ticket_interval(void) {
  ticket_interval.begin = generic_timer_now();
  ticket_interval.sent_before = nic_given(nic_application);
}

static void resumed(void* context, uint64_t version) {
  (void)context;
  begin_ticket_interval();
  ring_resume(&ring, version);
  if (buddy.membership.epoch == 1) return;
  printf("buddy_ring: epoch %u: rank %u resumes from version %llu, recovery %llu\n",
         (unsigned)buddy.membership.epoch, (unsigned)buddy.membership.rank, (Printable)version,
         (Printable)buddy.counts.recoveries);
}

// Of s messages sent in an interval of length t, overlap / t * s fall into an overlap; this is compared with
// the parts of a copy. An interval of length 0 changes no tickets.
static void set_tickets(void* context, uint64_t version) {
  (void)context;
  (void)version;
  const uint64_t time = generic_timer_now() - ticket_interval.begin,
                 sent = nic_given(nic_application) - ticket_interval.sent_before,
                 parts = (buddy.bytes + message_data_limit - 1) / message_data_limit;
  begin_ticket_interval();
  if (options.overlap_us == 0 || time == 0) return;
  const double messages = (double)sent * (double)generic_timer_ticks(options.overlap_us) / (double)time;
  nic_set_tickets(messages < 1 ? 1 : messages > 1e9 ? 1000000000 : (uint32_t)messages, (uint32_t)parts);
}

static void committed(void* context, uint64_t version) {
  (void)context;
  (void)version;
}

static void handle_application_message(void* context, const MessageHeader* header, const uint8_t* data,
                                       size_t bytes) {
  (void)context;
  ring_handle_message(&ring, header, data, bytes);
}

// The checkpoints on the DIMM-SSD. The buffer for the current copy is protected as a region under a name of
// its own.
static const char* const copy_names[] = {[buddy_own] = "own", [buddy_protected] = "protected"};

static bool ssd_has_failed, ssd_is_full;

static bool succeeded(const char* what, BuddyCopyOf of, uint64_t version, CheckpointStatus status) {
  if (status == checkpoint_ok) return true;
  if (!ssd_has_failed) ssd_is_full = status == checkpoint_no_space;
  ssd_has_failed = true;
  printf("buddy_ring: %s version %llu of %s on the SSD: %s\n", what, (Printable)version,
         of == buddy_own ? "this rank" : "the protected rank", checkpoint_text(status));
  return false;
}

static CheckpointStatus protect(BuddyCopyOf of) {
  return checkpoint_protect(0, buddy_copy_data(&buddy, of), (size_t)buddy.bytes);
}

static bool keep(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  CheckpointStatus status = protect(of);
  if (status == checkpoint_ok) status = checkpoint_write(copy_names[of], version);
  return succeeded("keeping", of, version, status);
}

static bool recall(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  CheckpointStatus status = protect(of);
  if (status == checkpoint_ok) status = checkpoint_restore(copy_names[of], version);
  return succeeded("reading", of, version, status);
}

static void drop(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  succeeded("dropping", of, version, checkpoint_discard(copy_names[of], version));
}

static void not_recoverable(void* context, uint64_t ranks) {
  (void)context;
  printf("buddy_ring: epoch %u: not recoverable: no checkpoint is left of every rank",
         (unsigned)buddy.membership.epoch);
  const char* before = ": none at all of rank ";
  for (unsigned rank = 0; rank < buddy_rank_limit; ++rank) {
    if ((ranks >> rank & 1) == 0) continue;
    printf("%s%u", before, rank);
    before = ", ";
  }
  printf("\n");
  nic_report_not_recoverable(ranks);
}

typedef enum { membership_known, membership_new, membership_refused } Membership;

static Membership check_membership(void) {
  if (nic_epoch() == buddy.membership.epoch) return membership_known;
  BuddyMembership membership;
  transport_membership(NULL, &membership);
  if (buddy_set_membership(&buddy, &membership) == buddy_ok) return membership_new;
  printf("buddy_ring: %u ranks; 2 to %u can be buddies\n", (unsigned)membership.ranks,
         (unsigned)buddy_rank_limit);
  return membership_refused;
}

static void report_finished(void) {
  if (ring.activity != ring_finished || !buddy_is_running(&buddy) ||
      reported_epoch == buddy.membership.epoch || nic_epoch() != buddy.membership.epoch)
    return;
  reported_epoch = buddy.membership.epoch;
  nic_report_finished(ring_program_result(&ring.program));
}

// Runs until the run has ended, or returns an exit status. Sending counts as progress: the transport may have
// slept for it.
static ExitStatus run(void) {
  for (;;) {
    nic_begin_poll();
    if (nic_run_has_ended()) return exit_passed;
    const Membership membership = check_membership();
    if (membership == membership_refused) return exit_unavailable;
    const bool received = transport_receive(&buddy), sent = buddy_progress(&buddy),
               moved = ring_advance(&ring, words_between_polls);
    report_finished();
    if (nic_error() != nic_ok) {
      printf("buddy_ring: the NIC has stopped: %s\n", nic_error_text(nic_error()));
      return exit_failed;
    }
    if (ssd_has_failed) return ssd_is_full ? exit_unavailable : exit_failed;
    if (membership == membership_known && !received && !sent && !moved) nic_sleep();
  }
}

static uint64_t microseconds(uint64_t ticks) { return ticks * 1000000 / generic_timer_frequency(); }

static bool report(void) {
  const BuddyCounts* const counts = &buddy.counts;
  if (buddy.phase == buddy_spare) {
    printf("buddy_ring: a spare to the end\n");
    return true;
  }
  if (reported_epoch != buddy.membership.epoch) {
    printf("buddy_ring: rank %u: the run is over at step %llu, not finished\n",
           (unsigned)buddy.membership.rank, (Printable)ring.step);
    return true;
  }
  const uint64_t result = ring_program_result(&ring.program);
  printf(
      "buddy_ring: rank %u: %llu checkpoints, %llu committed, %llu recover%s\n"
      "buddy_ring: rank %u: dumps %llu us, overlaps %llu us\n",
      (unsigned)buddy.membership.rank, (Printable)counts->checkpoints, (Printable)counts->committed,
      (Printable)counts->recoveries, counts->recoveries == 1 ? "y" : "ies", (unsigned)buddy.membership.rank,
      (Printable)microseconds(counts->dump_time), (Printable)microseconds(counts->overlap_time));
  printf("buddy_ring: rank %u: %llu steps, epoch %u, result 0x%016llx\n", (unsigned)buddy.membership.rank,
         (Printable)ring.step, (unsigned)buddy.membership.epoch, (Printable)result);
  char text[160];
  snprintf(text, sizeof text, "rank %u\nsteps %llu\nresult 0x%016llx\n", (unsigned)buddy.membership.rank,
           (Printable)ring.step, (Printable)result);
  const bool written = result_write(text);
  if (!written) printf("buddy_ring: result.txt cannot be written\n");
  return written;
}

static bool allocate(void) {
  const BuddyConfig config = {.protocol = (BuddyProtocol)options.protocol.index,
                              .interval = options.interval,
                              .own_elsewhere = options.placement.index == full_ssd,
                              .protected_elsewhere = options.placement.index != in_memory,
                              .global_every = options.global_every,
                              .restart_from_beginning = options.restart_from_beginning};
  const BuddyCalls calls = {.free_frames = transport_free_frames,
                            .send = transport_send,
                            .membership = transport_membership,
                            .now = now,
                            .mark = transport_mark,
                            .resumed = resumed,
                            .dumped = set_tickets,
                            .committed = committed,
                            .application_message = handle_application_message,
                            .keep = keep,
                            .recall = recall,
                            .drop = drop,
                            .not_recoverable = not_recoverable};
  buddy_initialize(&buddy, &config, &calls);
  const uint64_t bytes = options.words * 8;
  uint64_t* const words = memory_allocate((size_t)bytes);
  void* const copies = memory_allocate((size_t)buddy_copy_bytes(&buddy, bytes));
  if (words == NULL || copies == NULL) return false;
  buddy_protect(&buddy, words, bytes, copies);
  // One by one: gcc would clear the rest, which is zero, by unaligned stores in spite of -mstrict-align.
  ring.program.seed = options.seed;
  ring.program.count = options.words;
  ring.program.words = words;
  ring.buddy = &buddy;
  ring.steps = options.steps;
  ring.messages = options.messages;
  ring.message_bytes = options.message_bytes;
  return true;
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  if (!nic_probe()) {
    printf("buddy_ring: this machine has no NIC\n");
    return exit_unavailable;
  }
  if (nic_ranks() == 0) {
    printf("buddy_ring: this NIC is in no cluster\n");
    return exit_unavailable;
  }
  if (!allocate() || !transport_open()) {
    printf("buddy_ring: %llu words, their copies and the rings do not fit into the memory of this machine\n",
           (Printable)options.words);
    return exit_unavailable;
  }
  if (options.placement.index != in_memory) {
    CheckpointStatus status = checkpoint_initialize();
    if (status == checkpoint_ok) status = protect(buddy_protected);
    if (status != checkpoint_ok) {
      printf("buddy_ring: placement=%s: %s\n", placements[options.placement.index], checkpoint_text(status));
      return exit_unavailable;
    }
  }
  printf(
      "buddy_ring: node %u of %u, %llu words, %llu steps\n"
      "buddy_ring: a checkpoint every %llu, %s\n",
      (unsigned)nic_node(), (unsigned)nic_nodes(), (Printable)options.words, (Printable)options.steps,
      (Printable)options.interval, protocols[options.protocol.index]);
  const ExitStatus status = run();
  if (status != exit_passed) return status;
  return report() ? exit_passed : exit_failed;
}
