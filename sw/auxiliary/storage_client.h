// A client of the store: it stores files of chunks at benefactors and reads them back, by the maps of the
// manager.
//
//   client_write(&client, version, words, chunks)      returns when all copies are durable and the manager
//                                                      knows it
//   client_read(&client, version, words, chunks)       reads each chunk from its first copy, or from the
// second
//
// Every function blocks, calling `poll`, and returns how it ended; client.fault says where it failed. Only
// reads are tried again, at the remaining copies; the caller decides whether to write a file again. A node
// that does not answer within `timeout` counts as lost for that call.
#pragma once

#include "auxiliary/storage_manager.h"
#include "auxiliary/storage_message.h"

enum { client_window = 16 };  // requests in flight

typedef struct {
  void* context;
  uint64_t (*now)(void* context);
  // Delivers messages to client_handle_message, until some have arrived or the time is `until`. False: the
  // client must give up.
  bool (*poll)(void* context, uint64_t until);
  uint32_t (*manager)(void* context);  // the node of the manager; NO_BENEFACTOR if there is none
} StorageClientCalls;

typedef struct {
  bool open, answered;
  uint32_t node, chunk;
  uint64_t deadline;
  StorageMessage message;  // the request, then the answer
  void* into;              // buffer for the data of the answer, at most `capacity` bytes
  uint32_t capacity, bytes;
} StorageRequest;

typedef struct {
  uint32_t node, chunks;
  bool asked;  // for a read: was requested to open the file
  StorageStatus status;
} StoragePart;

typedef struct {
  uint32_t number;  // by which benefactors and manager identify it
  uint32_t width, copies;
  uint64_t timeout;        // for an answer, in the unit of calls.now
  uint64_t poll_interval;  // between two requests whether a DIMM-SSD has finished
  StorageLink link;
  StorageClientCalls calls;

  // Where the last call failed: the node and the chunk; all ones if none. After storage_no_space: the number
  // of benefactors and the space that the manager knows.
  struct {
    uint32_t node, chunk, benefactors, space;
  } fault;
  struct {
    uint64_t written, read, second_copies;  // chunks, each copy counted
  } counts;

  // Private.
  uint64_t last_number;
  StorageRequest requests[client_window];
  uint32_t map[checkpoint_chunk_limit][copy_limit];
  bool has[checkpoint_chunk_limit];
  StoragePart parts[benefactor_limit];
  uint32_t part_count;
} StorageClient;

// Before the first call the caller must fill in the public members, and clear the private ones.
StorageStatus client_write(StorageClient* client, uint64_t version, const uint64_t* words, uint32_t chunks);
StorageStatus client_read(StorageClient* client, uint64_t version, uint64_t* words, uint32_t chunks);
StorageStatus client_newest(StorageClient* client, uint64_t max_version, uint64_t* version);
StorageStatus client_remove(StorageClient* client, uint64_t version);

// Handles an answer from a node; other messages are ignored.
void client_handle_message(StorageClient* client, uint32_t node, const StorageMessage* message,
                           const uint8_t* data, size_t bytes);
