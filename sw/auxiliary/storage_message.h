// The messages between the nodes of a store: a header of 64 bytes, little-endian, followed by data. Clients
// request places for the chunks of a file from the manager, and storage from the benefactors. Each request
// has a number, which its answer repeats. Any message may be lost with a link or a node: a client that gets
// no answer in time repeats its request, or sends it elsewhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "auxiliary/block.h"

// `client` and `version` identify the file. The other members of a request, and its answer:
typedef enum {
  storage_answer = 1,  // answer to any request: number, status
  // From benefactor to manager, without a request. count: chunks for which it has space. Data: a
  // StorageFileName for each file of which it has chunks.
  storage_announce,
  storage_forget,  // from manager to benefactor, without a request: a file that the manager does not know
  // Requests to the manager.
  // Chunk: width; count: chunks; copies. Answer: count: known benefactors; chunk: chunks for which they have
  // space.
  storage_place,
  // Chunk: the first; count: how many. Answer: count, copies; data: uint32_t nodes[count][copy_limit].
  storage_map,
  storage_commit,  // all chunks of the file are durable
  storage_remove,
  storage_newest,  // the client's newest committed and complete file not above version. Answer: version
  // Requests to a benefactor.
  storage_store,  // chunk, hash; data: the chunk. The first chunk of another version starts that file
  storage_flush,  // count: chunks of the file that the benefactor must have. Makes them durable
  storage_open,   // makes the file readable. Answer: count: chunks of the file that the benefactor has
  storage_fetch,  // chunk, of an open file. Answer: hash; data: the chunk
} StorageKind;

typedef enum {
  storage_ok = 0,
  storage_pending,    // flush, open: the DIMM-SSD still works
  storage_no_space,   // the known benefactors, or this one, have no space
  storage_unknown,    // there is no such file, or no such chunk of it
  storage_exists,     // place: the file exists already
  storage_not_whole,  // commit: some chunk has no copy left; flush: chunks have not arrived
  storage_damaged,    // the chunk is not what was written, or cannot be read any more
  storage_failed,     // the DIMM-SSD refused the command
  storage_refused,    // the request is invalid
  // These are never sent; a client detects them itself.
  storage_silent,      // a node has not answered in time
  storage_no_manager,  // no node is the manager
  storage_gone,        // this node is not that of the client any more
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
// Returns false if the payload is too short or too long, or its kind is unknown. The data follow the header.
bool storage_decode(const uint8_t* payload, size_t bytes, StorageMessage* message);

// The function by which a node sends. It copies the data before it returns.
typedef struct {
  void* context;
  void (*send)(void* context, uint32_t node, const StorageMessage* message, const void* data, uint32_t bytes);
} StorageLink;

// Sends the answer to a request, with its file and number.
void storage_reply(const StorageLink* link, uint32_t node, const StorageMessage* question,
                   StorageStatus status);
