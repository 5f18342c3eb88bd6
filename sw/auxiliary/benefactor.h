// A benefactor: what it lends of this node's DIMM-SSD, for chunks of other nodes' files (li2010 section IV-A).
//
// Chunks of a file gather in memory, in a buffer for each client, until the client asks for them to be durable: then they go to the
// DIMM-SSD as one checkpoint, whole or not at all. To be fetched they are read back into the buffer. Of a client the newest two
// versions are kept, as many as the device keeps of a name. The benefactor never waits: the device works while it goes on.
//
// What lies where is known in memory only: a benefactor that starts anew has nothing of its files. Every chunk is kept with the
// hash that its client gave it; who fetches it compares.
#pragma once

#include "auxiliary/storage_message.h"

enum { benefactor_client_limit = 4 };  // clients whose files it takes: 0 to 3

// Finds the device and takes memory: `lent` chunks for each client. lent: 1 to checkpoint_chunk_limit, for all together. Whatever
// it had before it has nothing then. NULL, or what is missing.
const char* benefactor_prepare(const StorageLink* link, uint32_t lent, unsigned clients);

// A message for the benefactor from a node; others are left alone, and wrong ones refused.
void benefactor_handle_message(uint32_t node, const StorageMessage* message, const uint8_t* data,
                               size_t bytes);
// Tells the manager of its room and files: every so often, or it is forgotten.
void benefactor_announce(uint32_t manager_node);
// Goes on with what the device has ended, or has to do. False: it has nothing to do, or the device is at work.
bool benefactor_progress(void);
bool benefactor_device_has_ended(
    void);  // benefactor_progress has something to do; looks at no register of another device

typedef struct {
  uint64_t stored, fetched;             // chunks that came, and that were sent
  uint64_t written, read;               // files to the DIMM-SSD and from it
  uint64_t refused, forgotten, failed;  // chunks for which there was no room; files; commands of the device
  uint32_t lent, used;                  // chunks
} BenefactorCounts;
BenefactorCounts benefactor_counts(void);
