// Checkpoints at the benefactors of a store of several nodes: the plug-ins `benefactors` and
// `drain_benefactors` write and read them through benefactor_image (image.h). A checkpoint is a file of the
// client whose chunk 0 is the header page, so that it has one chunk less than other checkpoints may have.
//
// Writing blocks the core that stores. Meanwhile client->calls.poll is called, which can process waiting
// blocks (auxiliary_process_block). A checkpoint that could not be stored is written again to the remaining
// benefactors, until `retry_limit` has passed.
#pragma once

#include "auxiliary/storage_client.h"

typedef struct {
  StorageClient* client;
  void (*take)(void);    // called when the calling core becomes the user of the link; may be NULL
  uint64_t retry_limit;  // time limit for all attempts, in the unit of client->calls.now
  uint64_t pause;        // between two attempts: longer than the interval of announcements
} BenefactorLink;

void benefactor_image_use(const BenefactorLink* link);  // before the chain is prepared

typedef struct {
  uint64_t written, tries;  // checkpoints
  StorageStatus failure;    // of the last checkpoint that could not be stored; storage_ok if all were
} BenefactorImageCounts;
BenefactorImageCounts benefactor_image_counts(void);
