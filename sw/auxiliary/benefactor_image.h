// Checkpoints at the benefactors of a store of several nodes, which the plug-ins `benefactors` and `drain_benefactors` write there and
// read back: benefactor_image (image.h). A checkpoint is a file of the client, chunk 0 its header page, and so has a chunk less than
// others may.
//
// Writing blocks the core that stores; client->calls.poll is called meanwhile, in which blocks that wait can be taken
// (auxiliary_process_block). One that could not be kept is written anew, to the benefactors that are left, as long as `retry_limit` lasts.
#pragma once

#include "auxiliary/storage_client.h"

typedef struct {
  StorageClient* client;
  void (*take)(void);    // the calling core has the link from now on; NULL: nothing to do
  uint64_t retry_limit;  // as of client->calls.now
  uint64_t pause;        // between two tries: longer than between two announcements of a benefactor
} BenefactorLink;

void benefactor_image_use(const BenefactorLink* link);  // before the chain is prepared

typedef struct {
  uint64_t written, tries;  // checkpoints
  StorageStatus failure;    // of the last one that was not kept; storage_ok: all were
} BenefactorImageCounts;
BenefactorImageCounts benefactor_image_counts(void);
