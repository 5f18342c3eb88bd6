// A client of the store: keeps files of chunks at benefactors and reads them back, by the maps of the manager.
//
//   client_write(&client, version, words, chunks)      all copies are durable, and the manager knows it
//   client_read(&client, version, words, chunks)       each chunk from its first copy, or from the second
//
// Every call blocks, in `turn`, and says how it ended; client.fault says where. Nothing is tried twice but a read, at the
// copies that are left: the caller knows whether to write a file anew. A node that does not answer in `timeout` counts as
// lost for that call.
#pragma once

#include "auxiliary/storage_manager.h"
#include "auxiliary/storage_message.h"

enum { client_window = 16 };  // questions on their way

typedef struct {
  void* context;
  uint64_t (*now)(void* context);
  // Lets messages come to client_handle_message, until some have or it is `until`. False: the client has to give up.
  bool (*poll)(void* context, uint64_t until);
  uint32_t (*manager)(void* context);  // its node, NO_BENEFACTOR: there is none
} StorageClientCalls;

typedef struct {
  bool open, answered;
  uint32_t node, chunk;
  uint64_t deadline;
  StorageMessage message;  // the question, then the answer
  void* into;              // where the answer's data go, `room` bytes at most
  uint32_t room, bytes;
} StorageRequest;

typedef struct {
  uint32_t node, chunks;
  bool asked;  // of a read: to open the file
  StorageStatus status;
} StoragePart;

typedef struct {
  uint32_t number;  // as which benefactors and manager know it
  uint32_t width, copies;
  uint64_t timeout;        // of an answer
  uint64_t poll_interval;  // between two looks whether a DIMM-SSD is done
  StorageLink link;
  StorageClientCalls calls;

  // Where the last call failed: the node, the chunk; all ones: of none. Of storage_no_space: what the manager knows.
  struct {
    uint32_t node, chunk, benefactors, room;
  } fault;
  struct {
    uint64_t written, read, second_copies;  // chunks, each copy counted
  } counts;

  // Its own.
  uint64_t last_number;
  StorageRequest requests[client_window];
  uint32_t map[checkpoint_chunk_limit][copy_limit];
  bool has[checkpoint_chunk_limit];
  StoragePart parts[benefactor_limit];
  uint32_t part_count;
} StorageClient;

// The caller fills the part above "its own" first, the rest with zeros.
StorageStatus client_write(StorageClient* client, uint64_t version, const uint64_t* words, uint32_t chunks);
StorageStatus client_read(StorageClient* client, uint64_t version, uint64_t* words, uint32_t chunks);
StorageStatus client_newest(StorageClient* client, uint64_t max_version, uint64_t* version);
StorageStatus client_remove(StorageClient* client, uint64_t version);

// An answer that has come from a node; others are left alone.
void client_handle_message(StorageClient* client, uint32_t node, const StorageMessage* message,
                           const uint8_t* data, size_t bytes);
