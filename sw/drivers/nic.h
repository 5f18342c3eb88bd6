// Driver of the node's NIC: frames to and from the other nodes of a cluster, and the membership of the
// cluster (docs/nic.md).
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
//     if (nothing was done) nic_sleep();       sleeps in WFI until something has happened since
//                                              nic_begin_poll
//   }
//
// There are two send queues; the network of the cluster selects the one that sends next
// (models/cluster/network.h). Frames of one queue to one node arrive in order. Frames are lost only when a
// link or a node fails; frames that a node does not receive wait for it.
//
// A ring stops at a wrong descriptor, until nic_open(); nic_error() returns the reason. Call all functions on
// the core that called nic_probe().
//
// A node may have several NICs. All functions are about the one that is selected, at first the first one in
// the device tree, except nic_begin_poll() and nic_sleep(), which are about all that have been probed.
// Memory for rings is that of memory_allocate(), which must be the memory that the NIC accesses
// (device_tree_memory_of()).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { nic_frame_limit = 4160, nic_entries_limit = 1024 };
#define NIC_NONE 0xffffffffu  // no rank (a spare), or no such node

typedef enum { nic_application = 0, nic_checkpoint = 1 } NicQueue;

typedef enum {
  nic_ok = 0,
  nic_bad_descriptor = 1,  // the length is 0 or too large, or the destination does not exist
  nic_bad_ring = 2,
  nic_no_memory = 3,  // data or slots are not in memory, cannot be read, or a DIMM-SSD has yet to copy them
} NicError;
const char* nic_error_text(NicError error);

enum { nic_limit = 4 };
// Selects NIC `instance` of the device tree; nic_probe() must have been called since the start for each one
// that is used. False: there is none, and the selection is as before.
bool nic_select(unsigned instance);
bool nic_probe(
    void);  // finds the NIC in the device tree; call the other functions only after it has returned true
// Opens all rings again, empty, with memory from memory_allocate(). The numbers of entries are powers of two
// up to nic_entries_limit; a later call cannot use more entries than the first one. One entry of each ring
// always stays free. Returns false if there is no memory or a number is wrong. Frames that wait to be sent
// are dropped; frames that have arrived and wait in the NIC are kept.
bool nic_open(uint32_t send_entries, uint32_t receive_entries);
NicError nic_error(void);  // why a ring has stopped; nic_ok if none has

// ---- sending ----

uint32_t nic_free_entries(NicQueue queue);  // number of frames that the queue can take now
// Sends from memory that must not change until the frame has been sent: until nic_sent() exceeds the value
// that nic_given() had before this call. The queue must have a free entry.
void nic_send(NicQueue queue, uint32_t node, const void* data, uint32_t bytes);
// Sends from a buffer of the driver, to which this restriction does not apply: nic_buffer() returns that of
// the next frame, nic_frame_limit bytes, 16-byte aligned. The queue must have a free entry.
void* nic_buffer(NicQueue queue);
void nic_send_buffer(NicQueue queue, uint32_t node, uint32_t bytes);
uint64_t nic_given(NicQueue queue);  // frames passed to nic_send and nic_send_buffer since nic_open
uint64_t nic_sent(NicQueue queue);   // frames of these that have been read from memory and sent

// ---- receiving ----

typedef struct {
  uint32_t source;  // node
  uint32_t bytes;
  const uint8_t* data;  // 16-byte aligned, valid until nic_release
} NicFrame;
bool nic_receive(NicFrame* frame);  // the oldest frame, the same one until nic_release; false: there is none
void nic_release(void);             // releases the slot of this frame

// ---- waiting ----

void nic_begin_poll(void);  // must be called before the queues are examined
void nic_sleep(void);       // sleeps until something has happened since nic_begin_poll
// Like nic_sleep(), but also returns when `ready` returns true. `ready` is called again after every interrupt
// of this core, so that it can depend on a handler, or on a deadline for which an alarm is set
// (generic_timer.h).
void nic_sleep_unless(bool (*ready)(void));
// Whether something has happened since nic_begin_poll(), for a core that also sleeps for something else. It
// reads no register.
bool nic_has_happened(void);

// ---- the cluster ----

uint32_t nic_node(void);
uint32_t nic_nodes(void);
uint32_t nic_epoch(
    void);                // grows with each change of the membership; 0: the run has not begun, or no cluster
uint32_t nic_rank(void);  // the rank of this node; NIC_NONE for a spare
uint32_t nic_ranks(void);  // number of ranks; 0: no cluster
uint32_t nic_node_of(uint32_t rank);
uint32_t nic_storage_node(void);
// Sets the tickets of the two queues for the lottery; each is at least 1.
void nic_set_tickets(uint32_t application, uint32_t checkpoint);

void nic_report_finished(uint64_t result);        // this node's rank has finished with this result
void nic_report_not_recoverable(uint64_t ranks);  // a bit for each rank of which no copy is left
// Reports what this node's rank does: one of NIC_MARK_WHAT_* (asterism/platform.h), and the number of the
// version or step. It is used for statistics only.
void nic_mark(uint32_t what, uint64_t number);
bool nic_run_has_ended(void);  // all ranks have finished, or nothing can be recovered
