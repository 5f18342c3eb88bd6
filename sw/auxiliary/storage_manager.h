// The manager of a store that nodes make of the space they can spare (li2010 section IV-A): who lends how much, and where the
// chunks of each file lie. Benefactors announce themselves every so often; one that has been silent for too long is forgotten with its
// space. This state is soft: a manager that starts anew has it back when each has announced itself once. The striping maps are not: a file
// is given up when it is removed.
//
// A file is striped over at most `width` benefactors: the client's own node first, then those with the most room; chunks go to
// them in turn, all of them to its own with a width of 1. One that is full leaves its place to the next best. With two copies
// the second one of a chunk goes to another benefactor, the client's own or the one with the most room, whatever the width. What was
// placed and not committed is held against what is announced, so that space is not promised twice. An announcement that was on
// its way while a file was committed promises too much until the next one: a benefactor refuses what it has no room for.
//
// Plain functions over one struct, without devices; storage_service.h calls them for messages.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "auxiliary/block.h"

enum { benefactor_limit = 64, striped_file_limit = 64, copy_limit = 2 };
#define NO_BENEFACTOR 0xffffffffu

typedef struct {
  uint32_t node;
  uint32_t free;      // chunks, as announced, less what was committed since
  uint32_t reserved;  // of them, for files that are not committed
  uint64_t heard;     // when it announced itself last
} Benefactor;

typedef struct {
  bool used, committed;
  uint32_t client;  // whose it is
  uint64_t version;
  uint32_t chunks, copies;
  uint32_t nodes[checkpoint_chunk_limit][copy_limit];  // benefactors of each chunk
} StripedFile;

typedef struct {
  uint32_t node;    // the client's own
  uint32_t width;   // from 1
  uint32_t copies;  // 1 or 2
} Striping;

typedef struct {
  uint64_t silence;
  unsigned benefactor_count;
  Benefactor benefactors[benefactor_limit];
  StripedFile files[striped_file_limit];
} StorageManager;

// silence: time, in any unit, after which a benefactor that did not announce itself is forgotten.
void manager_initialize(StorageManager* manager, uint64_t silence);

// False: benefactor_limit others are known.
bool manager_announce(StorageManager* manager, uint32_t node, uint32_t free_chunks, uint64_t now);
unsigned manager_known(StorageManager* manager, uint64_t now);  // benefactors
uint64_t manager_free(StorageManager* manager, uint64_t now);   // chunks that can be placed

// Places a file anew. False, and nothing has changed: there is not enough room, or for a second copy none at another benefactor; the
// file is too large or there already, no file is free, or the striping is none.
bool manager_place(StorageManager* manager, uint32_t client, uint64_t version, uint32_t chunks,
                   const Striping* striping, uint64_t now);
bool manager_has(StorageManager* manager, uint32_t client, uint64_t version);
// All its chunks have arrived. False: there is no such file, or of a chunk no copy is left by now.
bool manager_commit(StorageManager* manager, uint32_t client, uint64_t version, uint64_t now);
bool manager_remove(StorageManager* manager, uint32_t client, uint64_t version);  // false: was not there

// The striping map: the benefactors of `count` chunks from `first` on, copy_limit of each. NO_BENEFACTOR: no such copy, or its
// benefactor was forgotten. Returns how many chunks there are of these; 0: no such file.
uint32_t manager_map(StorageManager* manager, uint32_t client, uint64_t version, uint32_t first,
                     uint32_t count, uint32_t (*nodes)[copy_limit], uint64_t now);
// Newest committed version of a client, not above max_version, of which each chunk has a benefactor.
bool manager_newest(StorageManager* manager, uint32_t client, uint64_t max_version, uint64_t now,
                    uint64_t* version);
