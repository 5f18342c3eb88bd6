// In-memory double checkpointing with buddies (ni2012; Charm++'s CkStartMemCheckpoint, FTI's level 2, SCR's PARTNER): a
// checkpoint is a copy in the rank's own memory and one in that of its buddy, the rank to its right. This is one rank's side,
// without a transport, a clock or an application of its own: these are BuddyCalls. The bytes on the network are message.h's.
//
//   buddy_initialize(&b, &config, &calls);
//   buddy_protect(&b, words, sizeof words, copies);         what a checkpoint holds
//   for (;;) {
//     buddy_set_membership(&b, &membership);                whenever it has changed
//     buddy_receive(&b, frame, bytes);                      each frame that comes
//     if (buddy_is_running(&b)) ... compute; at a step's end:
//       if (buddy_checkpoint(&b, step) == buddy_busy) ...   again when something has happened
//     buddy_progress(&b);                                   false: nothing to do until a frame, room or an epoch comes
//   }
//
// A version is committed when every rank's is held twice: rank 0 says so. Semi-blocking, the application goes on when the local
// copy is made (the dump), and the copy for the buddy follows in the checkpoint queue; blocking, it stands still until the
// commit (buddy_holds_application). A version at a time: the next begins when the last is committed.
//
// Each change of who is who begins an epoch: what is under way is dropped and copies that are not whole with it. Rank 0 is
// offered what everyone holds, the global store too, and has all go back to the newest version that is held of every rank. The
// application stands still from the epoch's beginning until calls.resumed. The first epoch is the beginning: it resumes at once.
//
// Limits: 2 to 64 ranks; two versions of its own and two of its ward's (the rank to the left), so copies take four times the
// protected bytes: one less where its own are kept elsewhere, one less where the ward's are; the same number of bytes in all
// ranks. No allocation, no recursion but rank 0's answers to itself.
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
  uint64_t interval;            // of versions: they are its multiples
  bool own_elsewhere;           // its own copies are kept by calls.keep; in memory is room for one
  bool protected_elsewhere;     // its ward's are; in memory is room to receive one
  uint64_t global_every;        // each so many-th version goes to the global store too; 0: none
  bool restart_from_beginning;  // where no version is held of every rank
} BuddyConfig;

typedef struct {
  uint32_t epoch;  // from 1
  uint32_t rank;   // NO_RANK: a spare, which holds nothing
  uint32_t ranks;
  bool has_storage;
} BuddyMembership;

typedef enum { buddy_own = 0, buddy_protected = 1 } BuddyCopyOf;

// What the rank does, told at the instant: nothing depends on it. A simulated NIC takes it and measures by it what checkpoints
// cost (docs/nic.md).
typedef enum {
  buddy_mark_restored = 1,    // the protected bytes are those after step `number`
  buddy_mark_step_begun = 2,  // the application's three: by buddy_mark
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
  // How many frames the queue takes now.
  size_t (*room)(void* context, BuddyQueue queue);
  // To header->to, a rank or STORAGE_RANK. Parts of states are sent only where there is room, in the application queue
  // only when as much is left as there are ranks; for any other message it waits.
  void (*send)(void* context, BuddyQueue queue, const MessageHeader* header, const void* data, size_t bytes);
  // As it is now: asked when a message of a newer epoch comes.
  void (*membership)(void* context, BuddyMembership* membership);
  uint64_t (*now)(void* context);                                // of a clock, in any unit: for BuddyCounts
  void (*mark)(void* context, BuddyMark mark, uint64_t number);  // of a version or a step

  // The protected bytes are as they were after step `version`; 0: the application makes its first state. It goes on.
  void (*resumed)(void* context, uint64_t version);
  void (*dumped)(void* context, uint64_t version);  // by buddy_checkpoint; the copy for the buddy follows
  void (*committed)(void* context, uint64_t version);
  // A message of the application in the present epoch; before `resumed`, too: a neighbour may be earlier.
  void (*application_message)(void* context, const MessageHeader* header, const uint8_t* data, size_t bytes);
  // With own_elsewhere or protected_elsewhere: keeps a copy, all its bytes, which are at buddy_copy_data; reads it back to there;
  // drops it. False: it cannot. A copy that was not kept does not count, and all wait for it until a new epoch begins. So
  // whoever implements these ends the node then, as apps/buddy_ring does.
  bool (*keep)(void* context, BuddyCopyOf of, uint64_t version);
  bool (*recall)(void* context, BuddyCopyOf of, uint64_t version);
  void (*drop)(void* context, BuddyCopyOf of, uint64_t version);
  // Rank 0 only: no version is held of all ranks. Of these, a bit each, none is; 0: of each is one. Nothing more happens in this
  // epoch.
  void (*not_recoverable)(void* context, uint64_t ranks);
} BuddyCalls;

// Since buddy_initialize.
typedef struct {
  uint64_t checkpoints;               // dumped
  uint64_t committed;                 // of these and of others in which the rank took part
  uint64_t recoveries;                // resumed in an epoch after the first
  uint64_t from_buddy, from_storage;  // states that the rank had to fetch
  uint64_t globals;                   // copies that the global store has taken, or had
  uint64_t dropped_messages;          // of older epochs, for others, or no message
  uint64_t dump_time;                 // of the dumps, added up
  uint64_t overlap_time;              // from their ends until the buddies held the copies, added up
} BuddyCounts;

typedef struct {
  uint64_t version;   // 0: none
  uint64_t held;      // bytes; whole when all are
  bool is_elsewhere;  // kept by calls.keep: data may be of another version, or of none
  uint8_t* data;
} BuddyCopy;

// Both copies of a state. Kept elsewhere they share their data, which are of `loaded`.
typedef struct {
  BuddyCopy versions[buddy_versions];
  BuddyCopyOf of;
  bool is_elsewhere;
  uint64_t loaded;  // 0: none, or one that is being received
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
  buddy_offering,  // has told rank 0 what it holds
  buddy_fetching,  // its state, from its buddy or from storage
  buddy_copying,   // its state, to its buddy
  buddy_ready,     // has told rank 0
  buddy_running,
  buddy_lost,  // not recoverable
} BuddyPhase;

typedef struct {
  BuddyConfig config;
  BuddyCalls calls;
  uint8_t* data;  // protected
  uint64_t bytes;

  BuddyMembership membership;
  BuddyPhase phase;
  uint64_t restored;     // the version that the epoch goes back to
  bool buddy_lacks;      // it
  bool is_from_storage;  // it, to this rank
  uint64_t open;         // the version that is not committed yet; 0: none
  uint64_t committed;
  uint64_t global;  // the version that waits to go to storage; 0: none
  uint64_t dump_end;
  BuddyCopies own, protected_copies;
  BuddyTransfer to_buddy, to_protected_rank, to_storage;
  Coordinator coordinator;  // rank 0's
  BuddyCounts counts;
} Buddy;

typedef enum { buddy_ok, buddy_busy, buddy_bad_argument } BuddyStatus;

void buddy_initialize(Buddy* b, const BuddyConfig* config, const BuddyCalls* calls);
// Bytes (1 or more) that a checkpoint holds. Copies lie in memory of buddy_copy_bytes(b, bytes), 8-byte aligned. Before the first
// membership.
void buddy_protect(Buddy* b, void* data, uint64_t bytes, void* copies);
uint64_t buddy_copy_bytes(const Buddy* b, uint64_t bytes);
uint8_t* buddy_copy_data(Buddy* b, BuddyCopyOf of);  // where calls.keep and recall find the bytes

// Nothing happens in an epoch that is known or older. buddy_bad_argument: not 2 to 64 ranks.
BuddyStatus buddy_set_membership(Buddy* b, const BuddyMembership* membership);
void buddy_receive(Buddy* b, const uint8_t* payload, size_t bytes);
// Sends parts of what is under way, a few at a time, where there is room. True: some were sent.
bool buddy_progress(Buddy* b);

bool buddy_is_running(const Buddy* b);
// Dumps the protected bytes as a version, the step after which it is taken, and hands the copy for the buddy over. buddy_busy:
// the last one is not committed, its predecessor is still on its way to storage, or it cannot be kept; nothing has happened.
// buddy_bad_argument: not running, or not newer than the last one.
BuddyStatus buddy_checkpoint(Buddy* b, uint64_t version);
// buddy_ok when the version is committed, or a newer one; else buddy_busy.
BuddyStatus buddy_test(const Buddy* b, uint64_t version);
bool buddy_holds_application(const Buddy* b);  // blocking, and a version is not committed

// To another rank of the application, in its queue; waits where there is no room.
bool buddy_may_send(const Buddy* b);  // there is, and some is left for the protocol
void buddy_send(Buddy* b, MessageHeader header, const void* data, size_t bytes);

void buddy_mark(Buddy* b, BuddyMark mark, uint64_t number);  // what the application does, to calls.mark

uint32_t buddy_of(const Buddy* b);           // the rank to the right, which holds its second copy
uint32_t protected_rank_of(const Buddy* b);  // the rank to the left, whose second copy it holds
