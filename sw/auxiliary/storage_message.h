// What the nodes of a store say to each other: a header of 64 bytes, little-endian, and data behind it. Clients ask the manager where
// the chunks of a file go, and the benefactors to keep them; each question has a number, which its answer carries. Who gets no
// answer in time asks again or elsewhere: any message may be lost with a link or a node.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxiliary/block.h"

// Of a file: client and version. What else a question carries, and its answer:
typedef enum {
  storage_answer = 1,  // to any question: number, status
  // Benefactor to manager, unasked. count: chunks that it has room for. Data: a StorageFileName for each file of which it has chunks.
  storage_announce,
  storage_forget,  // manager to benefactor, unasked: a file that the manager does not know
  // To the manager.
  storage_place,  // chunk: width; count: chunks; copies. Answer: count: benefactors known; chunk: chunks that they have room for
  storage_map,  // chunk: the first, count: how many. Answer: count, copies; data: uint32_t nodes[count][copy_limit]
  storage_commit,  // all its chunks are durable
  storage_remove,
  storage_newest,  // of the client, not above version, that is committed and whole. Answer: version
  // To a benefactor.
  storage_store,  // chunk, hash; data: the chunk. The first of another version begins that file anew
  storage_flush,  // count: chunks of the file that it shall have: durable?
  storage_open,   // whether it can be fetched from. Answer: count: chunks of the file that it has
  storage_fetch,  // chunk, of an open file. Answer: hash; data: the chunk
} StorageKind;

typedef enum {
  storage_ok = 0,
  storage_pending,    // of flush, open: the DIMM-SSD is at work
  storage_no_space,   // at the benefactors known, or at this one
  storage_unknown,    // no such file, or no such chunk of it
  storage_exists,     // of place: already
  storage_not_whole,  // of commit: of a chunk no copy is left; of flush: chunks have not come
  storage_damaged,    // the chunk is not what was written, or cannot be read any more
  storage_failed,     // the DIMM-SSD has refused
  storage_refused,    // the question asks for what there cannot be
  // Of no answer: what a client finds by itself.
  storage_silent,      // a node has not answered in time
  storage_no_manager,  // no node is the manager
  storage_gone,        // this node is not the client's any more
} StorageStatus;
const char* storage_text(StorageStatus status);

enum { storage_header_bytes = 64, storage_data_limit = chunk_bytes };

typedef struct {
  StorageKind kind;
  StorageStatus status;
  uint64_t number, version, hash;
  uint32_t client, chunk, count, copies;
} StorageMessage;

typedef struct {
  uint64_t version;
  uint32_t client, zero;
} StorageFileName;

void storage_encode(const StorageMessage* message, uint8_t bytes[storage_header_bytes]);
// False: too short or too long, or no kind of message. The data are what is behind the header.
bool storage_decode(const uint8_t* payload, size_t bytes, StorageMessage* message);

// How a node sends. The data are copied before it returns.
typedef struct {
  void* context;
  void (*send)(void* context, uint32_t node, const StorageMessage* message, const void* data, uint32_t bytes);
} StorageLink;

// Sends the answer to a question, with the file's name and number.
void storage_reply(const StorageLink* link, uint32_t node, const StorageMessage* question,
                   StorageStatus status);
