#include "cluster/ring.h"

void ring_resume(Ring* ring, uint64_t version) {
  ring->program.rank = ring->buddy->membership.rank;
  ring->program.done = 0;
  if (version == 0) ring_program_begin(&ring->program);
  ring->step = version;
  ring->sent = 0;
  ring->activity = ring_at_boundary;
  ring->is_stalled = false;
}

void ring_handle_message(Ring* ring, const MessageHeader* header, const uint8_t* data, size_t bytes) {
  if (header->kind != message_halo || header->offset > ring_from_right || bytes < 8) return;
  RingHalo* const halo = &ring->halos[header->offset][header->number % 2];
  if (halo->epoch == header->epoch && halo->step > header->number)
    return;  // from a neighbour that started again
  *halo = (RingHalo){.epoch = header->epoch, .step = header->number, .word = message_get_u64(data)};
}

static const RingHalo* halo(const Ring* ring, unsigned side) {
  const RingHalo* const found = &ring->halos[side][ring->step % 2];
  return found->epoch == ring->buddy->membership.epoch && found->step == ring->step ? found : NULL;
}

static void send_halo(Ring* ring, uint32_t to, uint64_t side, uint64_t word) {
  uint8_t data[8];
  message_put_u64(data, word);
  buddy_send(ring->buddy,
             (MessageHeader){.kind = message_halo,
                             .to = to,
                             .number = ring->step,
                             .offset = side,
                             .total = sizeof data,
                             .owner = ring->program.rank},
             data, sizeof data);
}

static bool checkpoint_is_due(const Ring* ring) {
  return ring->step != 0 && ring->step != ring->steps && ring->step % ring->buddy->config.interval == 0 &&
         buddy_test(ring->buddy, ring->step) != buddy_ok && ring->buddy->open != ring->step;
}

static bool leave_boundary(Ring* ring) {
  if (checkpoint_is_due(ring)) {
    if (!ring->is_stalled) buddy_mark(ring->buddy, buddy_mark_stalled, ring->step);
    ring->is_stalled = true;
    return buddy_checkpoint(ring->buddy, ring->step) == buddy_ok;
  }
  if (buddy_holds_application(ring->buddy)) return false;
  if (ring->step == ring->steps) {
    ring->activity = ring_finished;
    return true;
  }
  ring->is_stalled = false;
  buddy_mark(ring->buddy, buddy_mark_step_begun, ring->step + 1);
  send_halo(ring, buddy_of(ring->buddy), ring_from_left, ring_program_last(&ring->program));
  send_halo(ring, protected_rank_of(ring->buddy), ring_from_right, ring_program_first(&ring->program));
  ring->activity = ring_exchanging;
  return true;
}

// Sends until this number of the step's messages have been sent, if the queue has space.
static bool send_messages(Ring* ring, uint64_t until) {
  static const uint8_t nothing[message_data_limit];
  const bool any = ring->sent < until && buddy_may_send(ring->buddy);
  while (ring->sent < until && buddy_may_send(ring->buddy)) {
    const uint32_t to = ring->sent % 2 == 0 ? protected_rank_of(ring->buddy) : buddy_of(ring->buddy);
    buddy_send(ring->buddy,
               (MessageHeader){.kind = message_traffic,
                               .to = to,
                               .number = ring->step,
                               .total = ring->message_bytes,
                               .owner = ring->program.rank},
               nothing, (size_t)ring->message_bytes);
    ++ring->sent;
  }
  return any;
}

static void compute(Ring* ring, uint64_t at_most) {
  const RingHalo *const left = halo(ring, ring_from_left), *const right = halo(ring, ring_from_right);
  if (ring_program_step(&ring->program, left->word, right->word, at_most)) {
    ring->activity = ring_sending;
    return;
  }
  send_messages(ring, ring->messages * ring->program.done / ring->program.count);
}

static bool finish_step(Ring* ring) {
  const bool sent = send_messages(ring, ring->messages);
  if (ring->sent != ring->messages) return sent;
  ring->sent = 0;
  ++ring->step;
  buddy_mark(ring->buddy, buddy_mark_step_ended, ring->step);
  ring->activity = ring_at_boundary;
  return true;
}

bool ring_advance(Ring* ring, uint64_t at_most) {
  if (!buddy_is_running(ring->buddy)) return false;
  switch (ring->activity) {
    case ring_at_boundary:
      return leave_boundary(ring);
    case ring_exchanging:
      if (halo(ring, ring_from_left) == NULL || halo(ring, ring_from_right) == NULL) return false;
      ring->activity = ring_computing;
      return true;
    case ring_computing:
      compute(ring, at_most);
      return true;
    case ring_sending:
      return finish_step(ring);
    case ring_finished:
      return false;
  }
  return false;
}
