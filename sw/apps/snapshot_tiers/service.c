#include "apps/snapshot_tiers/service.h"

#include <string.h>

#include "apps/snapshot_tiers/exchange.h"
#include "boot/memory.h"
#include "cluster/nic_transport.h"
#include "drivers/generic_timer.h"
#include "drivers/nic.h"

static Buddy buddy;
static ServiceCounts counts;
static uint32_t taken;  // zones of the waiting snapshot that are in the image
static uint64_t begun;  // when the first one was
static uint32_t reported_epoch;
static uint64_t fetched;  // states, before the last recovery

ServiceCounts service_counts(void) {
  counts.stores = stores_counts();
  counts.buddy = buddy.counts;
  return counts;
}

static void fail(ExitStatus status, const char* why) {
  exchange.failure = why;
  exchange.status = status;
}

static uint64_t now(void* context) {
  (void)context;
  return generic_timer_now();
}

// ---- calls of the buddy protocol ----

static void resumed(void* context, uint64_t version) {
  (void)context;
  taken = 0;
  exchange.version = version;
  exchange.rank = buddy.membership.rank;
  exchange.is_fetched = buddy.counts.from_buddy != fetched;
  fetched = buddy.counts.from_buddy;
  exchange_publish(epoch, buddy.membership.epoch);
  cores_signal(&exchange.to_program);
}

static void ignore(void* context, uint64_t version) {
  (void)context;
  (void)version;
}

static void handle_halo(void* context, const MessageHeader* header, const uint8_t* data, size_t bytes) {
  (void)context;
  if (header->offset > from_right || bytes < 8) return;
  Halo* const halo = &exchange.halos[header->offset][header->number % 2];
  __atomic_store_n(&halo->key, 0, __ATOMIC_RELAXED);
  halo->word = message_get_u64(data);
  __atomic_store_n(&halo->key, exchange_key(header->epoch, header->number), __ATOMIC_RELEASE);
  cores_signal(&exchange.to_program);
}

static void not_recoverable(void* context, uint64_t ranks) {
  (void)context;
  nic_report_not_recoverable(ranks);
}

// ---- work for the program ----

static void send_edge(uint32_t to, uint64_t side, uint64_t word) {
  uint8_t data[8];
  message_put_u64(data, word);
  buddy_send(&buddy,
             (MessageHeader){.kind = message_halo,
                             .to = to,
                             .number = exchange.edges.step,
                             .offset = side,
                             .total = sizeof data,
                             .owner = buddy.membership.rank},
             data, sizeof data);
}

// Edge words of an older epoch are dropped.
static bool send_edges(void) {
  const uint64_t key = exchange_get(edges.key);
  if (key == 0) return false;
  if (buddy_is_running(&buddy) && key >> 32 == buddy.membership.epoch) {
    send_edge(buddy_of(&buddy), from_left, exchange.edges.last);
    send_edge(protected_rank_of(&buddy), from_right, exchange.edges.first);
  }
  exchange_publish(edges.key, 0);
  cores_signal(&exchange.to_program);
  return true;
}

// Puts a part of the waiting snapshot into the image: a zone, or the words. A part takes a few microseconds,
// so that messages do not wait for the whole image.
static void gather_part(void) {
  const WholeSnapshot* const snapshot = &exchange.snapshot;
  if (taken == 0) begun = generic_timer_now();
  if (taken < exchange.zones)
    memcpy(image_zone(exchange.image, taken), snapshot->zones[taken], exchange.zone_bytes);
  else
    memcpy(exchange.image, snapshot->words, exchange.word_bytes);
  ++taken;
}

static void end_gathering(void) {
  const uint64_t version = exchange.snapshot.version;
  counts.gather_ticks += generic_timer_now() - begun;
  ++counts.gathered;
  taken = 0;
  exchange_publish(snapshot.epoch, 0);
  cores_signal(&exchange.to_program);
  if (buddy_checkpoint(&buddy, version) != buddy_ok)
    fail(exit_failed, stores_failure() != NULL ? stores_failure() : "the buddies take no further version");
}

// The image is the buffer from which the version before is sent: it can change when that is committed.
static bool take_snapshot(void) {
  const uint32_t epoch = exchange_get(snapshot.epoch);
  if (epoch == 0 || !buddy_is_running(&buddy) || epoch != buddy.membership.epoch || buddy.open != 0)
    return false;
  gather_part();
  if (taken > exchange.zones) end_gathering();
  return true;
}

static bool report_finished(void) {
  const uint32_t epoch = exchange_get(finished.epoch);
  if (!buddy_is_running(&buddy) || epoch != buddy.membership.epoch || reported_epoch == epoch) return false;
  reported_epoch = epoch;
  nic_report_finished(exchange.finished.result);
  return true;
}

// ---- the loop ----

static bool learn_membership(void) {
  if (nic_epoch() == buddy.membership.epoch) return false;
  BuddyMembership membership;
  transport_membership(NULL, &membership);
  if (buddy_set_membership(&buddy, &membership) != buddy_ok)
    fail(exit_unavailable, "the number of ranks must be 2 to 64");
  return true;
}

static bool something_has_happened(void) { return nic_has_happened() || stores_are_ready(); }

static void serve(void) {
  while (exchange.status == exit_passed && !nic_run_has_ended()) {
    const uint32_t signals = __atomic_load_n(&exchange.to_service, __ATOMIC_ACQUIRE);
    nic_begin_poll();
    bool moved = learn_membership();
    moved = transport_receive(&buddy) || moved;
    moved = buddy_progress(&buddy) || moved;
    moved = stores_progress() || moved;
    moved = send_edges() || moved;
    moved = take_snapshot() || moved;
    moved = report_finished() || moved;
    if (nic_error() != nic_ok) fail(exit_failed, nic_error_text(nic_error()));
    if (stores_failure() != NULL) fail(exit_failed, stores_failure());
    if (!moved && exchange.status == exit_passed && !nic_run_has_ended())
      cores_doze(&exchange.to_service, signals, something_has_happened);
  }
}

static void open_buddy(uint64_t interval) {
  const BuddyConfig config = {.protocol = buddy_semi_blocking,
                              .interval = interval,
                              .own_elsewhere = true,
                              .protected_elsewhere = true,
                              .restart_from_beginning = true,
                              .protected_later = true};
  const BuddyCalls calls = {.free_frames = transport_free_frames,
                            .send = transport_send,
                            .membership = transport_membership,
                            .now = now,
                            .mark = transport_mark,
                            .resumed = resumed,
                            .dumped = ignore,
                            .committed = ignore,
                            .application_message = handle_halo,
                            .keep = stores_keep,
                            .recall = stores_recall,
                            .drop = stores_drop,
                            .not_recoverable = not_recoverable};
  buddy_initialize(&buddy, &config, &calls);
  buddy_protect(&buddy, exchange.image, (uint64_t)exchange.image_pages * page_bytes, exchange.image);
}

static const char* open_all(uint64_t interval) {
  if (!nic_probe() || nic_ranks() == 0) return "this machine has no NIC in a cluster";
  if (!transport_open()) return "too little memory for the rings of the NIC";
  open_buddy(interval);
  const char* const missing = stores_open(&buddy);
  BuddyMembership membership;
  transport_membership(NULL, &membership);
  if (missing == NULL && membership.epoch != 0 && membership.rank != NO_RANK)
    stores_adopt(membership.rank, membership.ranks);
  return missing;
}

void service_run(unsigned core, unsigned cores, void* argument) {
  (void)cores;
  if (core != 0) return;
  const char* const missing = open_all(*(const uint64_t*)argument);
  if (missing == NULL)
    serve();
  else
    fail(exit_unavailable, missing);
  exchange_publish(has_ended, true);
  cores_signal(&exchange.to_program);
}
