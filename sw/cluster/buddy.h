// In-memory double checkpointing with buddies (ni2012; Charm++'s CkStartMemCheckpoint, FTI's level 2, SCR's
// PARTNER): a checkpoint is a copy in the rank's own memory and one in the memory of its buddy, the rank to
// its right. This is the protocol engine of one rank. Transport, clock and application are supplied as
// BuddyCalls; message.h defines the messages.
//
//   buddy_initialize(&b, &config, &calls);
//   buddy_protect(&b, words, sizeof words, copies);         the contents of a checkpoint
//   for (;;) {
//     buddy_set_membership(&b, &membership);                whenever it has changed
//     buddy_receive(&b, frame, bytes);                      for each frame that arrives
//     if (buddy_is_running(&b)) ... compute; at the end of a step:
//       if (buddy_checkpoint(&b, step) == buddy_busy) ...   try again after the next event
//     buddy_progress(&b);                                   false: there is nothing to do before the next
//                                                           frame, space or epoch
//   }
//
// A version is committed when every rank's state is held twice; rank 0 announces it. In semi-blocking mode
// the application continues when the local copy is made (the dump), and the copy for the buddy follows in the
// checkpoint queue. In blocking mode the application stalls until the commit (buddy_holds_application). Only
// one version is open at a time: the next one can begin when the last one is committed.
//
// Each change of the membership begins an epoch: transfers in progress and incomplete copies are dropped. All
// ranks, and the global store, offer their copies to rank 0, which makes all ranks restore the newest version
// that is held of every rank. The application stalls from the beginning of an epoch until calls.resumed. In
// the first epoch it resumes at once.
//
// With own_elsewhere the protected bytes may themselves be the buffer of the rank's own copy: `data` is then
// `copies`, and a checkpoint copies nothing in memory. The application may then change the bytes only while
// no version is open (buddy_test), and there can be no global store.
//
// Limits: 2 to 64 ranks, which all protect the same number of bytes. A rank holds two versions of its own
// state and two of that of its protected rank (the rank to the left), so that copies take four times the
// protected bytes; one time less if its own copies are kept elsewhere, and one less if those of the protected
// rank are. The library allocates nothing; only rank 0 recurses, when it answers itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator.h"
#include "message.h"

enum { buddy_rank_limit = coordinator_rank_limit, buddy_versions = 2 };

typedef enum { buddy_blocking = 0, buddy_semi_blocking = 1 } BuddyProtocol;
typedef enum { buddy_application_queue = 0, buddy_checkpoint_queue = 1 } BuddyQueue;

typedef struct {
  BuddyProtocol protocol;
  uint64_t interval;            // versions are multiples of it
  bool own_elsewhere;           // calls.keep stores the rank's own copies; memory holds one
  bool protected_elsewhere;     // calls.keep stores the copies of the protected rank; memory can receive one
  uint64_t global_every;        // one in this many versions is also sent to the global store; 0: none
  bool restart_from_beginning;  // if no version is held of every rank, start again instead of ending
  bool protected_later;         // calls.keep only begins to store the protected rank's copies: buddy_kept()
} BuddyConfig;

typedef struct {
  uint32_t epoch;  // from 1
  uint32_t rank;   // NO_RANK: a spare, which holds nothing
  uint32_t ranks;
  bool has_storage;
} BuddyMembership;

typedef enum { buddy_own = 0, buddy_protected = 1 } BuddyCopyOf;

// Marks: what the rank does, reported at that instant. They have no effect on the protocol. A simulated NIC
// uses them to measure the cost of checkpoints (docs/nic.md).
typedef enum {
  buddy_mark_restored = 1,    // the protected bytes are those after step `number`
  buddy_mark_step_begun = 2,  // this one and the next two are reported by the application with buddy_mark
  buddy_mark_step_ended = 3,
  buddy_mark_stalled = 4,  // for a checkpoint, until the next step begins
  buddy_mark_dump_begun = 5,
  buddy_mark_dumped = 6,
  buddy_mark_held_twice = 7,  // the buddy has the copy
  buddy_mark_committed = 8,
  buddy_mark_drain_begun = 9,  // to the global store
  buddy_mark_drained = 10,
} BuddyMark;

typedef struct {
  void* context;
  // The number of frames that the queue can take now.
  size_t (*free_frames)(void* context, BuddyQueue queue);
  // Sends a message to header->to, a rank or STORAGE_RANK. Parts of states are sent only if the queue has
  // space; in the application queue, only if it has space for one more frame per rank. For any other message
  // this function must wait for space.
  void (*send)(void* context, BuddyQueue queue, const MessageHeader* header, const void* data, size_t bytes);
  // Gets the current membership; called when a message of a newer epoch arrives.
  void (*membership)(void* context, BuddyMembership* membership);
  uint64_t (*now)(void* context);                                // a clock for BuddyCounts, in any unit
  void (*mark)(void* context, BuddyMark mark, uint64_t number);  // `number` is that of a version or step

  // The application continues. The protected bytes are those after step `version`; 0: it must make its
  // initial state.
  void (*resumed)(void* context, uint64_t version);
  void (*dumped)(void* context,
                 uint64_t version);  // called by buddy_checkpoint; the copy for the buddy follows
  void (*committed)(void* context, uint64_t version);
  // A message for the application in the current epoch. It may arrive before `resumed`, since a neighbour may
  // be ahead.
  void (*application_message)(void* context, const MessageHeader* header, const uint8_t* data, size_t bytes);
  // Needed with own_elsewhere or protected_elsewhere: `keep` stores all bytes of a copy from buddy_copy_data,
  // `recall` reads them back to there, `drop` removes the copy. They return false if that is impossible. A
  // copy that was not kept is not valid, and all ranks wait for it until a new epoch begins: an
  // implementation should end the node then, as apps/buddy_ring does.
  //
  // With protected_later, `keep` only begins to store a copy of the protected rank, and the rank continues
  // meanwhile. When the copy is stored, or could not be, the implementation calls buddy_kept(). Until then
  // the bytes of buddy_copy_data do not change; if the copy is not needed any more, `drop` is called, which
  // then also ends the storing.
  bool (*keep)(void* context, BuddyCopyOf of, uint64_t version);
  bool (*recall)(void* context, BuddyCopyOf of, uint64_t version);
  void (*drop)(void* context, BuddyCopyOf of, uint64_t version);
  // Rank 0 only: no version is held of all ranks. `ranks` has a bit for each rank of which no version is held
  // at all. Nothing more happens in this epoch.
  void (*not_recoverable)(void* context, uint64_t ranks);
} BuddyCalls;

// Since buddy_initialize.
typedef struct {
  uint64_t checkpoints;               // versions dumped
  uint64_t committed;                 // versions committed while the rank took part
  uint64_t recoveries;                // times that the application resumed in an epoch after the first
  uint64_t from_buddy, from_storage;  // states that the rank had to fetch
  uint64_t globals;                   // copies that the global store holds, confirmed by it
  uint64_t dropped_messages;          // messages of older epochs, for other ranks, or malformed
  uint64_t dump_time;                 // sum over all dumps, in the unit of calls.now
  uint64_t overlap_time;              // sum of the times from the end of a dump until the buddy held the copy
} BuddyCounts;

typedef struct {
  uint64_t version;    // 0: none
  uint64_t held;       // bytes received; the copy is valid when all are
  bool is_elsewhere;   // stored by calls.keep: `data` may hold another version, or none
  bool is_being_kept;  // calls.keep has begun to store it: it is not valid yet
  uint8_t* data;
} BuddyCopy;

// Both copies of a state. Copies that are kept elsewhere share one buffer, which holds the version `loaded`.
typedef struct {
  BuddyCopy versions[buddy_versions];
  BuddyCopyOf of;
  bool is_elsewhere;
  uint64_t loaded;  // 0: none, or a version that is being received
} BuddyCopies;

// A copy that is being sent in parts.
typedef struct {
  bool is_open;
  MessageKind kind;
  uint32_t to, owner;
  BuddyCopies* from;
  const BuddyCopy* copy;
  uint64_t version, sent;
} BuddyTransfer;

typedef enum {
  buddy_spare,
  buddy_offering,  // has sent its offer to rank 0
  buddy_fetching,  // fetches its state from its buddy or from storage
  buddy_copying,   // copies its state to its buddy
  buddy_ready,     // has reported `ready` to rank 0
  buddy_running,
  buddy_lost,  // nothing can be recovered
} BuddyPhase;

typedef struct {
  BuddyConfig config;
  BuddyCalls calls;
  uint8_t* data;  // protected
  uint64_t bytes;

  BuddyMembership membership;
  BuddyPhase phase;
  uint64_t restored;     // the version that is restored in this epoch
  bool buddy_lacks;      // the buddy has no copy of it
  bool is_from_storage;  // this rank gets it from storage
  uint64_t open;         // the version that is not committed yet; 0: none
  uint64_t committed;
  uint64_t global;  // the version that waits to be sent to storage; 0: none
  uint64_t dump_end;
  BuddyCopies own, protected_copies;
  BuddyTransfer to_buddy, to_protected_rank, to_storage;
  Coordinator coordinator;  // rank 0's
  BuddyCounts counts;
} Buddy;

typedef enum { buddy_ok, buddy_busy, buddy_bad_argument } BuddyStatus;

void buddy_initialize(Buddy* b, const BuddyConfig* config, const BuddyCalls* calls);
// Sets the bytes (1 or more) that a checkpoint holds. `copies` is 8-byte aligned memory of
// buddy_copy_bytes(b, bytes) bytes. Call it before the first membership.
void buddy_protect(Buddy* b, void* data, uint64_t bytes, void* copies);
uint64_t buddy_copy_bytes(const Buddy* b, uint64_t bytes);
uint8_t* buddy_copy_data(Buddy* b, BuddyCopyOf of);  // the buffer for calls.keep and calls.recall

// After a restart of the node, before the first membership: calls.keep stored this copy before, for the rank
// that the node has, and calls.recall can read it. At most buddy_versions of each kind. The rank then offers
// them in the first epoch that it learns of, and waits for the restart of the others.
void buddy_adopt(Buddy* b, uint32_t rank, uint32_t ranks, BuddyCopyOf of, uint64_t version);

// Begins an epoch, unless this one is already known or older. Returns buddy_bad_argument unless there are 2
// to 64 ranks.
BuddyStatus buddy_set_membership(Buddy* b, const BuddyMembership* membership);
void buddy_receive(Buddy* b, const uint8_t* payload, size_t bytes);
// Sends a few further parts of the transfers in progress if the queues have space. Returns whether it sent
// any.
bool buddy_progress(Buddy* b);

// With protected_later: the copy of this version of the protected rank is stored, or could not be.
void buddy_kept(Buddy* b, uint64_t version, bool is_stored);

bool buddy_is_running(const Buddy* b);
// Dumps the protected bytes as a version, which is the number of the step after which it is taken, and starts
// to send the copy to the buddy. Returns buddy_busy, without any effect, if the last version is not
// committed, if the one before it is still being sent to storage, or if the copy cannot be kept. Returns
// buddy_bad_argument if the application does not run, or if the version is not newer than the last one.
BuddyStatus buddy_checkpoint(Buddy* b, uint64_t version);
// Returns buddy_ok if this version or a newer one is committed, else buddy_busy.
BuddyStatus buddy_test(const Buddy* b, uint64_t version);
bool buddy_holds_application(
    const Buddy* b);  // whether the application must stall: blocking mode, version not committed

// Sends a message to the application on another rank, in the application queue; waits if the queue is full.
bool buddy_may_send(const Buddy* b);  // whether the queue has space, beyond that reserved for the protocol
void buddy_send(Buddy* b, MessageHeader header, const void* data, size_t bytes);

void buddy_mark(Buddy* b, BuddyMark mark, uint64_t number);  // passes a mark of the application to calls.mark

uint32_t buddy_of(const Buddy* b);           // the rank to the right, which holds this rank's second copy
uint32_t protected_rank_of(const Buddy* b);  // the rank to the left, whose second copy this rank holds
