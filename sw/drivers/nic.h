// The NIC of the node: frames to and from the other nodes of a cluster, and who holds which rank (docs/nic.md).
//
//   if (!nic_probe() || !nic_open(32, 32)) ...
//   for (;;) {
//     nic_begin_poll();
//     NicFrame frame;
//     while (nic_receive(&frame)) { ... frame.data, in its slot ...; nic_release(); }
//     while (nic_free_entries(nic_application) > 0 && ...) {
//       memcpy(nic_buffer(nic_application), message, bytes);
//       nic_send_buffer(nic_application, node, bytes);
//     }
//     if (nothing was done) nic_sleep();       in WFI, until something has happened since nic_begin_poll
//   }
//
// Two queues to send: the cluster's network says which goes next (models/cluster/network.h). Frames of one queue to one node
// arrive in order. None is lost but by a link or a node that fails; what a node does not take waits for it.
//
// A ring that got a wrong descriptor stops: nic_error(), until nic_open. All calls are of the core that probed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { nic_frame_limit = 4160, nic_entries_limit = 1024 };
#define NIC_NONE 0xffffffffu  // no rank: a spare; no such node

typedef enum { nic_application = 0, nic_checkpoint = 1 } NicQueue;

typedef enum {
  nic_ok = 0,
  nic_bad_descriptor = 1,  // no bytes or too many, or a node that there is not
  nic_bad_ring = 2,
  nic_no_memory = 3,  // data or slots are not memory, cannot be read, or a DIMM-SSD still has to copy them
} NicError;
const char* nic_error_text(NicError error);

bool nic_probe(void);  // finds it in the device tree; the others only after it has said true
// Opens all rings anew, empty, with memory of memory_allocate for so many entries: powers of two up to nic_entries_limit, the first
// time the most. One of each always stays free. False: no memory, or no such numbers. What was to be sent and waits is
// given up; frames that have arrived and wait in the NIC are kept.
bool nic_open(uint32_t send_entries, uint32_t receive_entries);
NicError nic_error(void);  // why a ring has stopped; nic_ok: none has

// ---- to send ----

uint32_t nic_free_entries(NicQueue queue);  // frames that it takes now
// From memory that stays as it is until the frame has left: nic_sent counts further than nic_given did before. There is room.
void nic_send(NicQueue queue, uint32_t node, const void* data, uint32_t bytes);
// Without that care: a buffer of nic_frame_limit bytes, 16-byte aligned, of the next frame. There is room.
void* nic_buffer(NicQueue queue);
void nic_send_buffer(NicQueue queue, uint32_t node, uint32_t bytes);
uint64_t nic_given(NicQueue queue);  // frames to nic_send and nic_send_buffer, since nic_open
uint64_t nic_sent(NicQueue queue);   // of these, that have left memory

// ---- to receive ----

typedef struct {
  uint32_t source;  // node
  uint32_t bytes;
  const uint8_t* data;  // 16-byte aligned, until nic_release
} NicFrame;
bool nic_receive(NicFrame* frame);  // the oldest; false: none. The same again before nic_release
void nic_release(void);             // its slot may be filled again

// ---- to wait ----

void nic_begin_poll(void);
void nic_sleep(void);
// Also returns when `ready` says so, which is asked again after every interrupt of this core: a handler, or a deadline with
// an alarm set for it (generic_timer.h).
void nic_sleep_unless(bool (*ready)(void));

// ---- the cluster ----

uint32_t nic_node(void);
uint32_t nic_nodes(void);
uint32_t nic_epoch(void);  // changes with who holds which rank; 0: not begun, or no cluster
uint32_t nic_rank(void);   // NIC_NONE: a spare
uint32_t nic_ranks(void);  // 0: no cluster
uint32_t nic_node_of(uint32_t rank);
uint32_t nic_storage_node(void);
// Of a lottery between the queues, at least 1.
void nic_set_tickets(uint32_t application, uint32_t checkpoint);

void nic_report_finished(uint64_t result);        // of this node's rank
void nic_report_not_recoverable(uint64_t ranks);  // a bit each, of which nothing is left
// What this node's rank does, one of NIC_MARK_WHAT_* (asterism/platform.h), and of which version or step: for statistics only.
void nic_mark(uint32_t what, uint64_t number);
bool nic_run_has_ended(void);  // all have finished, or nothing can be recovered
