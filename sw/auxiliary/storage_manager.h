// The manager of a store that nodes make of the space they can spare (li2010 section IV-A): who lends how much, and where the
// chunks of each file lie. Benefactors announce themselves every so often; one that has been silent for too long is forgotten with its
// space. This state is soft: a manager that starts anew has it back when each has announced itself once. The striping maps are not: a file
// is given up when it is removed.
//
// A file is striped over at most `width` benefactors: the client's own node first, then those with the most room; chunks go to
// them in turn, all of them to its own with a width of 1. One that is full leaves its place to the next best. What was placed and
// not committed is held against what is announced, so that space is not promised twice. An announcement that was on its way
// while a file was committed promises too much until the next one: a benefactor refuses what it has no room for.
//
// Plain functions over one struct, without devices: whoever carries the messages calls them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "auxiliary/block.h"

enum { benefactor_limit = 64, striped_file_limit = 64 };
#define NO_BENEFACTOR 0xffffffffu

typedef struct {
  uint32_t node;
  uint32_t free;      // chunks, as announced, less what was committed since
  uint32_t reserved;  // of them, for files that are not committed
  uint64_t heard;     // when it announced itself last
} Benefactor;

typedef struct {
  bool used, committed;
  uint32_t client;  // node that writes it
  uint64_t version;
  uint32_t chunks;
  uint32_t nodes[checkpoint_chunk_limit];  // benefactor of each chunk
} StripedFile;

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

// Places a file anew. False, and nothing has changed: there is not enough room, the file is too large or there already, no file is
// free, or width is 0.
bool manager_place(StorageManager* manager, uint32_t client, uint64_t version, uint32_t chunks,
                   uint32_t width, uint64_t now);
// All its chunks have arrived. False: there is no such file, or it lacks one by now.
bool manager_commit(StorageManager* manager, uint32_t client, uint64_t version, uint64_t now);
bool manager_remove(StorageManager* manager, uint32_t client, uint64_t version);  // false: was not there

// The striping map. NO_BENEFACTOR: no such file or chunk, or the benefactor was forgotten.
uint32_t manager_benefactor_of(StorageManager* manager, uint32_t client, uint64_t version, uint32_t chunk,
                               uint64_t now);
// Newest committed version of a client of which no chunk lacks its benefactor.
bool manager_newest(StorageManager* manager, uint32_t client, uint64_t now, uint64_t* version);
