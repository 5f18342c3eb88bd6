#include "cluster/buddy.h"

#include <string.h>

enum {
  parts_per_call = 8,  // limits the work of one call, so that the core soon handles received messages again
  pair_bytes = 16,
};

uint32_t buddy_of(const Buddy* b) { return (b->membership.rank + 1) % b->membership.ranks; }
uint32_t protected_rank_of(const Buddy* b) {
  return (b->membership.rank + b->membership.ranks - 1) % b->membership.ranks;
}

void buddy_mark(Buddy* b, BuddyMark mark, uint64_t number) { b->calls.mark(b->calls.context, mark, number); }

// --- copies -----------------------------------------------------------------------------------------------

static bool is_whole(const Buddy* b, const BuddyCopy* copy) {
  return copy->version != 0 && copy->held == b->bytes && !copy->is_being_kept;
}

static void forget(Buddy* b, BuddyCopies* copies, BuddyCopy* copy) {
  if (copy->is_elsewhere || copy->is_being_kept) b->calls.drop(b->calls.context, copies->of, copy->version);
  copy->is_elsewhere = copy->is_being_kept = false;
  copy->version = 0;
  copy->held = 0;
}

static void drop_partial(Buddy* b, BuddyCopies* copies) {
  for (unsigned i = 0; i < buddy_versions; ++i)
    if (!is_whole(b, &copies->versions[i])) forget(b, copies, &copies->versions[i]);
}

static BuddyCopy* find(Buddy* b, BuddyCopies* copies, uint64_t version) {
  for (unsigned i = 0; i < buddy_versions; ++i)
    if (copies->versions[i].version == version && is_whole(b, &copies->versions[i]))
      return &copies->versions[i];
  return NULL;
}

// Stores a valid copy elsewhere if it is to be kept there. Returns false, and drops the copy, if that is
// impossible; also returns false if the copy is only valid later, when it is stored.
static bool keep(Buddy* b, BuddyCopies* copies, BuddyCopy* copy) {
  if (!copies->is_elsewhere || copy->is_elsewhere) return true;
  copies->loaded = copy->version;
  const bool later = b->config.protected_later && copies->of == buddy_protected;
  copy->is_being_kept = later;  // before the call, which may already end it
  if (!b->calls.keep(b->calls.context, copies->of, copy->version)) {
    copy->is_being_kept = false;
    forget(b, copies, copy);
    return false;
  }
  if (!later) copy->is_elsewhere = true;
  return !later;
}

// Reads a valid copy's bytes into its buffer. A copy that is being received there is dropped.
static bool recall(Buddy* b, BuddyCopies* copies, const BuddyCopy* copy) {
  if (!copy->is_elsewhere || copies->loaded == copy->version) return true;
  drop_partial(b, copies);
  copies->loaded = 0;
  if (!b->calls.recall(b->calls.context, copies->of, copy->version)) return false;
  copies->loaded = copy->version;
  return true;
}

static bool is_being_sent(const Buddy* b, const BuddyCopy* copy) {
  return (b->to_storage.is_open && b->to_storage.copy == copy) ||
         (b->global != 0 && b->global == copy->version);
}

// Selects the slot for a version that arrives. If there are two older versions, the newer of them is
// committed, since otherwise this one would not have been begun. A version newer than the one restored in
// this epoch is not needed.
static BuddyCopy* take_slot(Buddy* b, BuddyCopies* copies, uint64_t version) {
  BuddyCopy* taken = &copies->versions[0];
  for (unsigned i = 0; i < buddy_versions; ++i) {
    BuddyCopy* const copy = &copies->versions[i];
    if (copy->version == version) return copy;
    if (!is_whole(b, copy) || copy->version > version) forget(b, copies, copy);
    if (copy->version < taken->version) taken = copy;
  }
  return taken;
}

// Parts arrive in order; the one at offset 0 restarts the copy. Returns the copy if this part made it valid,
// or if it is the last part of a copy that was already valid.
static BuddyCopy* receive_part(Buddy* b, BuddyCopies* copies, const MessageHeader* h, const uint8_t* data,
                               size_t bytes) {
  if (h->number == 0 || h->total != b->bytes || bytes == 0 || h->offset > h->total ||
      bytes > h->total - h->offset)
    return NULL;
  BuddyCopy* copy = NULL;
  if (h->offset == 0) {
    copy = take_slot(b, copies, h->number);
    forget(b, copies, copy);
    copy->version = h->number;
    copy->held = 0;
    copies->loaded = 0;
  } else {
    for (unsigned i = 0; i < buddy_versions; ++i)
      if (copies->versions[i].version == h->number) copy = &copies->versions[i];
    if (copy != NULL && is_whole(b, copy)) return h->offset + bytes == h->total ? copy : NULL;
    if (copy == NULL || copy->held != h->offset) return NULL;
  }
  memcpy(copy->data + h->offset, data, bytes);
  copy->held += bytes;
  return is_whole(b, copy) && keep(b, copies, copy) ? copy : NULL;
}

// --- messages ---------------------------------------------------------------------------------------------

static void send_to(Buddy* b, uint32_t to, MessageKind kind, uint64_t number, uint32_t owner,
                    const void* data, size_t bytes) {
  const MessageHeader header = {.kind = kind,
                                .epoch = b->membership.epoch,
                                .to = to,
                                .from = b->membership.rank,
                                .number = number,
                                .owner = owner};
  b->calls.send(b->calls.context, buddy_application_queue, &header, data, bytes);
}

void buddy_send(Buddy* b, MessageHeader header, const void* data, size_t bytes) {
  header.epoch = b->membership.epoch;
  header.from = b->membership.rank;
  b->calls.send(b->calls.context, buddy_application_queue, &header, data, bytes);
}

static void handle_rank_message(Buddy* b, MessageKind kind, uint64_t number, const uint8_t* data,
                                size_t bytes);

static void send_to_all(Buddy* b, MessageKind kind, uint64_t number, const uint8_t* data, size_t bytes) {
  for (uint32_t rank = 1; rank < b->membership.ranks; ++rank)
    send_to(b, rank, kind, number, rank, data, bytes);
  handle_rank_message(b, kind, number, data, bytes);
}

static void decide(Buddy* b) {
  RestorePlan plan;
  coordinator_plan(&b->coordinator, b->config.restart_from_beginning, &plan);
  if (plan.is_possible) {
    send_to_all(b, message_restore, plan.version, plan.lacks, b->membership.ranks);
    return;
  }
  b->phase = buddy_lost;
  b->calls.not_recoverable(b->calls.context, plan.lost);
}

// Handles a message for rank 0's coordinator, from any rank, itself included, or from storage.
static void handle_coordinator_message(Buddy* b, MessageKind kind, uint32_t from, uint64_t number,
                                       const uint8_t* data, size_t bytes) {
  if (b->membership.rank != 0) return;
  if (kind == message_offer && number <= bytes / pair_bytes) {
    if (coordinator_offer(&b->coordinator, from, data, (size_t)number)) decide(b);
  } else if (kind == message_ready && number == b->restored) {
    if (coordinator_ready(&b->coordinator, from)) send_to_all(b, message_resume, number, NULL, 0);
  } else if (kind == message_complete) {
    if (coordinator_complete(&b->coordinator, from, number)) send_to_all(b, message_commit, number, NULL, 0);
  }
}

static void send_to_coordinator(Buddy* b, MessageKind kind, uint64_t number, const uint8_t* data,
                                size_t bytes) {
  if (b->membership.rank == 0)
    handle_coordinator_message(b, kind, 0, number, data, bytes);
  else
    send_to(b, 0, kind, number, b->membership.rank, data, bytes);
}

// --- transfers --------------------------------------------------------------------------------------------

static void open_transfer(BuddyTransfer* t, MessageKind kind, uint32_t to, uint32_t owner, BuddyCopies* from,
                          const BuddyCopy* copy) {
  *t = (BuddyTransfer){.is_open = true,
                       .kind = kind,
                       .to = to,
                       .owner = owner,
                       .from = from,
                       .copy = copy,
                       .version = copy->version};
}

static bool has_space(const Buddy* b, BuddyQueue queue) {
  const size_t kept = queue == buddy_application_queue ? b->membership.ranks : 0;
  return b->calls.free_frames(b->calls.context, queue) > kept;
}

static bool progress(Buddy* b, BuddyTransfer* t) {
  const BuddyQueue queue = t->kind == message_state ? buddy_application_queue : buddy_checkpoint_queue;
  bool sent = false;
  for (unsigned i = 0; i < parts_per_call && t->is_open && has_space(b, queue); ++i) {
    if (t->copy->version != t->version || !is_whole(b, t->copy) || !recall(b, t->from, t->copy)) {
      t->is_open = false;
      break;
    }
    const uint64_t left = b->bytes - t->sent;
    const size_t bytes = left < message_data_limit ? (size_t)left : message_data_limit;
    const MessageHeader header = {.kind = t->kind,
                                  .epoch = b->membership.epoch,
                                  .to = t->to,
                                  .from = b->membership.rank,
                                  .number = t->version,
                                  .offset = t->sent,
                                  .total = b->bytes,
                                  .owner = t->owner};
    b->calls.send(b->calls.context, queue, &header, t->copy->data + t->sent, bytes);
    t->sent += bytes;
    t->is_open = t->sent < b->bytes;
    sent = true;
  }
  return sent;
}

static bool is_global(const Buddy* b, uint64_t version) {
  return b->membership.has_storage && b->config.global_every != 0 && version != 0 &&
         version / b->config.interval % b->config.global_every == 0;
}

static void begin_global(Buddy* b) {
  if (b->global == 0 || b->to_storage.is_open) return;
  const BuddyCopy* const copy = find(b, &b->own, b->global);
  b->global = 0;
  if (copy == NULL) return;
  buddy_mark(b, buddy_mark_drain_begun, copy->version);
  open_transfer(&b->to_storage, message_global, STORAGE_RANK, b->membership.rank, &b->own, copy);
}

bool buddy_progress(Buddy* b) {
  if (b->phase == buddy_spare || b->phase == buddy_lost) return false;
  const bool state = progress(b, &b->to_protected_rank), chunks = progress(b, &b->to_buddy);
  begin_global(b);
  return (!b->to_buddy.is_open && progress(b, &b->to_storage)) || state || chunks;
}

// --- recovery ---------------------------------------------------------------------------------------------

static void drop_newer(Buddy* b, BuddyCopies* copies, uint64_t version) {
  for (unsigned i = 0; i < buddy_versions; ++i)
    if (copies->versions[i].version > version) forget(b, copies, &copies->versions[i]);
}

static void drop_older(Buddy* b, BuddyCopies* copies, uint64_t version) {
  for (unsigned i = 0; i < buddy_versions; ++i) {
    BuddyCopy* const copy = &copies->versions[i];
    if (copy->version < version && !is_being_sent(b, copy)) forget(b, copies, copy);
  }
}

static size_t list_whole(const Buddy* b, const BuddyCopies* copies, uint32_t owner, uint8_t* pairs,
                         size_t count) {
  for (unsigned i = 0; i < buddy_versions; ++i) {
    if (!is_whole(b, &copies->versions[i])) continue;
    message_put_u64(pairs + count * pair_bytes, owner);
    message_put_u64(pairs + count * pair_bytes + 8, copies->versions[i].version);
    ++count;
  }
  return count;
}

static void offer(Buddy* b) {
  uint8_t pairs[2 * buddy_versions * pair_bytes];
  size_t count = list_whole(b, &b->own, b->membership.rank, pairs, 0);
  count = list_whole(b, &b->protected_copies, protected_rank_of(b), pairs, count);
  send_to_coordinator(b, message_offer, count, pairs, count * pair_bytes);
}

static void become_ready(Buddy* b) {
  b->phase = buddy_ready;
  send_to_coordinator(b, message_ready, b->restored, NULL, 0);
}

static void load(Buddy* b) {
  const BuddyCopy* const copy = find(b, &b->own, b->restored);
  if (copy == NULL) return;  // lost since it was offered: the next epoch will begin
  if (!recall(b, &b->own, copy)) return;
  if (b->data != copy->data) memcpy(b->data, copy->data, (size_t)b->bytes);
  buddy_mark(b, buddy_mark_restored, b->restored);
  if (!b->buddy_lacks) {
    become_ready(b);
    return;
  }
  b->phase = buddy_copying;
  open_transfer(&b->to_buddy, message_chunk, buddy_of(b), b->membership.rank, &b->own, copy);
}

static void restore(Buddy* b, uint64_t version, uint8_t lacks) {
  b->restored = version;
  b->is_from_storage = (lacks & state_from_storage) != 0;
  drop_newer(b, &b->own, version);
  drop_newer(b, &b->protected_copies, version);
  if (version == 0) {
    become_ready(b);
    return;
  }
  b->buddy_lacks = (lacks & buddy_lacks_copy) != 0;
  if ((lacks & lacks_state) == 0) {
    load(b);
    return;
  }
  ++*(b->is_from_storage ? &b->counts.from_storage : &b->counts.from_buddy);
  b->phase = buddy_fetching;
  send_to(b, b->is_from_storage ? STORAGE_RANK : buddy_of(b), message_fetch, version, b->membership.rank,
          NULL, 0);
}

static void resume(Buddy* b, uint64_t version) {
  b->phase = buddy_running;
  b->committed = version;
  drop_older(b, &b->own, version);
  drop_older(b, &b->protected_copies, version);
  // The epoch dropped the copy in progress.
  if (is_global(b, version) && !b->is_from_storage) b->global = version;
  if (b->membership.epoch > 1) ++b->counts.recoveries;
  if (version == 0) buddy_mark(b, buddy_mark_restored, 0);
  b->calls.resumed(b->calls.context, version);
}

static void commit(Buddy* b, uint64_t version) {
  b->committed = version;
  if (b->open == version) b->open = 0;
  ++b->counts.committed;
  buddy_mark(b, buddy_mark_committed, version);
  if (is_global(b, version)) b->global = version;
  drop_older(b, &b->own, version);
  drop_older(b, &b->protected_copies, version);
  b->calls.committed(b->calls.context, version);
}

// Handles a message from rank 0.
static void handle_rank_message(Buddy* b, MessageKind kind, uint64_t number, const uint8_t* data,
                                size_t bytes) {
  if (kind == message_restore && b->phase == buddy_offering && bytes >= b->membership.ranks)
    restore(b, number, data[b->membership.rank]);
  else if (kind == message_resume && b->phase == buddy_ready && number == b->restored)
    resume(b, number);
  else if (kind == message_commit && b->phase == buddy_running && number > b->committed)
    commit(b, number);
}

static bool holds_any(const Buddy* b) {
  for (unsigned i = 0; i < buddy_versions; ++i)
    if (is_whole(b, &b->own.versions[i]) || is_whole(b, &b->protected_copies.versions[i])) return true;
  return false;
}

static void close_transfers(Buddy* b) {
  b->to_buddy.is_open = b->to_protected_rank.is_open = b->to_storage.is_open = false;
  b->open = b->global = 0;
}

BuddyStatus buddy_set_membership(Buddy* b, const BuddyMembership* m) {
  if (m->epoch <= b->membership.epoch) return buddy_ok;
  if (m->ranks < 2 || m->ranks > buddy_rank_limit) return buddy_bad_argument;
  close_transfers(b);
  const bool same = m->rank == b->membership.rank && m->ranks == b->membership.ranks;
  for (unsigned i = 0; i < buddy_versions && !same; ++i) {
    forget(b, &b->own, &b->own.versions[i]);
    forget(b, &b->protected_copies, &b->protected_copies.versions[i]);
  }
  drop_partial(b, &b->own);
  drop_partial(b, &b->protected_copies);
  b->own.loaded = b->protected_copies.loaded = 0;  // copies that are kept elsewhere are read from there
  b->membership = *m;
  b->phase = m->rank == NO_RANK ? buddy_spare : buddy_offering;
  b->restored = b->committed = 0;
  if (b->phase == buddy_spare) return buddy_ok;
  if (m->rank == 0) coordinator_begin(&b->coordinator, m->ranks, m->has_storage);
  if (m->epoch == 1 && !holds_any(b)) {
    resume(b, 0);
    return buddy_ok;
  }
  if (m->rank == 0 && m->has_storage) send_to(b, STORAGE_RANK, message_inventory, 0, 0, NULL, 0);
  offer(b);
  return buddy_ok;
}

// --- received messages ------------------------------------------------------------------------------------

static void handle_chunk_message(Buddy* b, const MessageHeader* h, const uint8_t* data, size_t bytes) {
  if (h->owner != protected_rank_of(b)) return;
  if (receive_part(b, &b->protected_copies, h, data, bytes) == NULL) return;
  send_to(b, h->owner, message_stored, h->number, h->owner, NULL, 0);
}

void buddy_kept(Buddy* b, uint64_t version, bool is_stored) {
  for (unsigned i = 0; i < buddy_versions; ++i) {
    BuddyCopy* const copy = &b->protected_copies.versions[i];
    if (copy->version != version || !copy->is_being_kept) continue;
    copy->is_being_kept = false;
    copy->is_elsewhere = is_stored;
    if (!is_stored)
      forget(b, &b->protected_copies, copy);
    else
      send_to(b, protected_rank_of(b), message_stored, version, protected_rank_of(b), NULL, 0);
  }
}

static void handle_stored_message(Buddy* b, const MessageHeader* h) {
  if (h->from != buddy_of(b)) return;
  if (b->phase == buddy_copying && h->number == b->restored) {
    become_ready(b);
  } else if (b->phase == buddy_running && h->number == b->open) {
    buddy_mark(b, buddy_mark_held_twice, h->number);
    b->counts.overlap_time += b->calls.now(b->calls.context) - b->dump_end;
    send_to_coordinator(b, message_complete, h->number, NULL, 0);
  }
}

static void handle_fetch_message(Buddy* b, const MessageHeader* h) {
  const BuddyCopy* const copy = find(b, &b->protected_copies, h->number);
  if (h->from != protected_rank_of(b) || copy == NULL) return;
  open_transfer(&b->to_protected_rank, message_state, h->from, h->from, &b->protected_copies, copy);
}

static void handle_message(Buddy* b, const MessageHeader* h, const uint8_t* data, size_t bytes) {
  switch (h->kind) {
    case message_halo:
      b->calls.application_message(b->calls.context, h, data, bytes);
      break;
    case message_chunk:
      handle_chunk_message(b, h, data, bytes);
      break;
    case message_stored:
      handle_stored_message(b, h);
      break;
    case message_fetch:
      handle_fetch_message(b, h);
      break;
    case message_state:
      if (b->phase == buddy_fetching && h->number == b->restored && h->owner == b->membership.rank &&
          receive_part(b, &b->own, h, data, bytes) != NULL)
        load(b);
      break;
    case message_global_stored:
      ++b->counts.globals;
      buddy_mark(b, buddy_mark_drained, h->number);
      break;
    case message_offer:
    case message_ready:
    case message_complete:
      handle_coordinator_message(b, h->kind, h->from, h->number, data, bytes);
      break;
    case message_restore:
    case message_resume:
    case message_commit:
      handle_rank_message(b, h->kind, h->number, data, bytes);
      break;
    case message_global:
    case message_inventory:  // for storage
    case message_traffic:
      break;
  }
}

void buddy_receive(Buddy* b, const uint8_t* payload, size_t bytes) {
  MessageHeader h;
  if (!message_decode(payload, bytes, &h)) {
    ++b->counts.dropped_messages;
    return;
  }
  if (h.epoch > b->membership.epoch) {
    BuddyMembership membership;
    b->calls.membership(b->calls.context, &membership);
    buddy_set_membership(b, &membership);
  }
  if (h.epoch != b->membership.epoch || h.to != b->membership.rank || b->phase == buddy_spare)
    ++b->counts.dropped_messages;
  else
    handle_message(b, &h, payload + message_header_bytes, bytes - message_header_bytes);
}

// --- interface of the application -------------------------------------------------------------------------

void buddy_initialize(Buddy* b, const BuddyConfig* config, const BuddyCalls* calls) {
  memset(b, 0, sizeof *b);
  b->config = *config;
  b->calls = *calls;
  b->membership.rank = NO_RANK;
}

static uint64_t slot_bytes(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

uint64_t buddy_copy_bytes(const Buddy* b, uint64_t bytes) {
  const uint64_t own = b->config.own_elsewhere ? 1 : buddy_versions,
                 protected_copies = b->config.protected_elsewhere ? 1 : buddy_versions;
  return (own + protected_copies) * slot_bytes(bytes);
}

void buddy_protect(Buddy* b, void* data, uint64_t bytes, void* copies) {
  b->data = data;
  b->bytes = bytes;
  const uint64_t slot = slot_bytes(bytes);
  uint8_t* const own = copies;
  uint8_t* const protected_copies = own + (b->config.own_elsewhere ? 1 : buddy_versions) * slot;
  b->own = (BuddyCopies){.of = buddy_own, .is_elsewhere = b->config.own_elsewhere};
  b->protected_copies = (BuddyCopies){.of = buddy_protected, .is_elsewhere = b->config.protected_elsewhere};
  for (unsigned i = 0; i < buddy_versions; ++i) {
    b->own.versions[i].data = own + (b->own.is_elsewhere ? 0 : i * slot);
    b->protected_copies.versions[i].data =
        protected_copies + (b->protected_copies.is_elsewhere ? 0 : i * slot);
  }
}

void buddy_adopt(Buddy* b, uint32_t rank, uint32_t ranks, BuddyCopyOf of, uint64_t version) {
  b->membership.rank = rank;
  b->membership.ranks = ranks;
  BuddyCopies* const copies = of == buddy_own ? &b->own : &b->protected_copies;
  for (unsigned i = 0; i < buddy_versions; ++i) {
    BuddyCopy* const copy = &copies->versions[i];
    if (copy->version != 0) continue;
    copy->version = version;
    copy->held = b->bytes;
    copy->is_elsewhere = true;
    return;
  }
}

uint8_t* buddy_copy_data(Buddy* b, BuddyCopyOf of) {
  return (of == buddy_own ? &b->own : &b->protected_copies)->versions[0].data;
}

bool buddy_may_send(const Buddy* b) { return has_space(b, buddy_application_queue); }

bool buddy_is_running(const Buddy* b) { return b->phase == buddy_running; }

BuddyStatus buddy_checkpoint(Buddy* b, uint64_t version) {
  if (b->phase != buddy_running || version <= b->committed) return buddy_bad_argument;
  if (b->open != 0) return buddy_busy;
  BuddyCopy* slot = NULL;
  for (unsigned i = 0; i < buddy_versions; ++i) {
    BuddyCopy* const copy = &b->own.versions[i];
    if (copy->version == 0 || (copy->version < b->committed && !is_being_sent(b, copy))) slot = copy;
  }
  if (slot == NULL) return buddy_busy;
  buddy_mark(b, buddy_mark_dump_begun, version);
  const uint64_t start = b->calls.now(b->calls.context);
  forget(b, &b->own, slot);
  if (slot->data != b->data) memcpy(slot->data, b->data, (size_t)b->bytes);
  slot->version = version;
  slot->held = b->bytes;
  if (!keep(b, &b->own, slot)) return buddy_busy;
  b->open = version;
  b->dump_end = b->calls.now(b->calls.context);
  b->counts.dump_time += b->dump_end - start;
  buddy_mark(b, buddy_mark_dumped, version);
  ++b->counts.checkpoints;
  open_transfer(&b->to_buddy, message_chunk, buddy_of(b), b->membership.rank, &b->own, slot);
  b->calls.dumped(b->calls.context, version);
  return buddy_ok;
}

BuddyStatus buddy_test(const Buddy* b, uint64_t version) {
  return b->phase == buddy_running && version <= b->committed ? buddy_ok : buddy_busy;
}

bool buddy_holds_application(const Buddy* b) { return b->config.protocol == buddy_blocking && b->open != 0; }
