// A benefactor: it lends a part of this node's DIMM-SSD for chunks of other nodes' files (li2010 section
// IV-A).
//
// The chunks of a file are collected in memory, in a buffer for each client, until the client requests that
// they become durable. Then they are written to the DIMM-SSD as one checkpoint, completely or not at all.
// Before they are fetched, they are read back into the buffer. The newest two versions of a client are kept,
// as many as the device keeps of a name. The benefactor never waits for the device.
//
// The directory of files is in memory only: a benefactor that restarts has none of its files. Every chunk is
// stored with the hash that its client supplied; the client that fetches it compares.
#pragma once

#include "auxiliary/storage_message.h"

enum { benefactor_client_limit = 4 };  // number of clients, 0 to 3, whose files it stores

// Finds the device, allocates `lent` chunks for each client, and starts without files. `lent` is 1 to
// checkpoint_chunk_limit, for all clients together. Returns NULL, or a text that says what is missing.
const char* benefactor_prepare(const StorageLink* link, uint32_t lent, unsigned clients);

// Handles a message from a node. Messages that are not for a benefactor are ignored, wrong ones are refused.
void benefactor_handle_message(uint32_t node, const StorageMessage* message, const uint8_t* data,
                               size_t bytes);
// Announces free space and files to the manager; call it periodically, or the manager forgets this
// benefactor.
void benefactor_announce(uint32_t manager_node);
// Proceeds when the device has ended a command, or starts the next one. False: there is nothing to do, or the
// device works.
bool benefactor_progress(void);
bool benefactor_device_has_ended(
    void);  // benefactor_progress has something to do; reads no register of another device

typedef struct {
  uint64_t stored, fetched;  // chunks received, and chunks sent
  uint64_t written, read;    // files written to the DIMM-SSD, and read from it
  uint64_t refused, forgotten,
      failed;           // chunks refused for lack of space; files dropped; failed commands of the device
  uint32_t lent, used;  // chunks
} BenefactorCounts;
BenefactorCounts benefactor_counts(void);
