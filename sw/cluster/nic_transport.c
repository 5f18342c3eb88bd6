#include "cluster/nic_transport.h"

#include <string.h>

#include "asterism/platform.h"
#include "drivers/nic.h"

enum { send_entries = 128, receive_entries = 64 };
// Reserves space for a message to each rank, so that these do not wait behind parts of a state.
_Static_assert(send_entries > buddy_rank_limit + 1, "parts of states never find space");
_Static_assert(message_header_bytes + message_data_limit <= nic_frame_limit,
               "messages are longer than frames");
_Static_assert((int)buddy_application_queue == (int)nic_application &&
                   (int)buddy_checkpoint_queue == (int)nic_checkpoint,
               "queues differ");
_Static_assert(NO_RANK == NIC_NONE, "spares differ");
_Static_assert((int)buddy_mark_restored == NIC_MARK_WHAT_RESTORED &&
                   (int)buddy_mark_step_begun == NIC_MARK_WHAT_STEP_BEGUN &&
                   (int)buddy_mark_step_ended == NIC_MARK_WHAT_STEP_ENDED &&
                   (int)buddy_mark_stalled == NIC_MARK_WHAT_STALLED &&
                   (int)buddy_mark_dump_begun == NIC_MARK_WHAT_DUMP_BEGUN &&
                   (int)buddy_mark_dumped == NIC_MARK_WHAT_DUMPED &&
                   (int)buddy_mark_held_twice == NIC_MARK_WHAT_HELD_TWICE &&
                   (int)buddy_mark_committed == NIC_MARK_WHAT_COMMITTED &&
                   (int)buddy_mark_drain_begun == NIC_MARK_WHAT_DRAIN_BEGUN &&
                   (int)buddy_mark_drained == NIC_MARK_WHAT_DRAINED,
               "marks differ");

static uint32_t node_of_rank[buddy_rank_limit];  // in the epoch that transport_membership has returned last

bool transport_open(void) { return nic_open(send_entries, receive_entries); }

bool transport_receive(Buddy* buddy) {
  bool received = false;
  NicFrame frame;
  while (nic_receive(&frame)) {
    buddy_receive(buddy, frame.data, frame.bytes);
    nic_release();
    received = true;
  }
  return received;
}

size_t transport_free_frames(void* context, BuddyQueue queue) {
  (void)context;
  return nic_free_entries((NicQueue)queue);
}

// The network sends frames independently of their receivers, so that this loop ends; but not if the ring has
// stopped.
static bool wait_for_space(NicQueue queue) {
  for (;;) {
    nic_begin_poll();
    if (nic_free_entries(queue) != 0) return true;
    if (nic_error() != nic_ok) return false;
    nic_sleep();
  }
}

void transport_send(void* context, BuddyQueue queue, const MessageHeader* header, const void* data,
                    size_t bytes) {
  (void)context;
  const uint32_t node = header->to == STORAGE_RANK ? nic_storage_node() : node_of_rank[header->to];
  if (!wait_for_space((NicQueue)queue)) return;
  uint8_t* const buffer = nic_buffer((NicQueue)queue);
  message_encode(header, buffer);
  if (bytes != 0) memcpy(buffer + message_header_bytes, data, bytes);
  nic_send_buffer((NicQueue)queue, node, (uint32_t)(message_header_bytes + bytes));
}

void transport_mark(void* context, BuddyMark mark, uint64_t number) {
  (void)context;
  nic_mark((uint32_t)mark, number);
}

void transport_membership(void* context, BuddyMembership* membership) {
  (void)context;
  do {
    membership->epoch = nic_epoch();
    membership->rank = nic_rank();
    membership->ranks = nic_ranks();
    membership->has_storage = nic_storage_node() != NIC_NONE;
    for (uint32_t rank = 0; rank < membership->ranks && rank < buddy_rank_limit; ++rank)
      node_of_rank[rank] = nic_node_of(rank);
  } while (membership->epoch != nic_epoch());  // the epoch has changed meanwhile
}
