// The manager of a store that consists of space lent by several nodes (li2010 section IV-A): it records which
// node lends how much, and where the chunks of each file are. Benefactors announce themselves periodically;
// one that has been silent for too long is forgotten with its space. This state is soft: a manager that
// restarts has it again after one announcement of each benefactor. The striping maps are not soft: they exist
// until the file is removed.
//
// A file is striped over at most `width` benefactors: first the client's own node, then those with the most
// free space. Chunks are assigned to them round robin; with a width of 1 all go to the client's own node. A
// full benefactor is replaced by the next best one. With two copies, the second copy of a chunk goes to
// another benefactor, the client's own or the one with the most free space, whatever the width. Space that is
// placed but not committed is subtracted from the announced space, so that it is not promised twice. An
// announcement that was sent while a file was committed promises too much until the next one: a benefactor
// refuses chunks for which it has no space.
//
// These are plain functions on one struct, without devices; storage_service.h calls them for messages.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "auxiliary/block.h"

enum { benefactor_limit = 64, striped_file_limit = 64, copy_limit = 2 };
#define NO_BENEFACTOR 0xffffffffu

typedef struct {
  uint32_t node;
  uint32_t free;            // chunks: as announced, less those committed since
  uint32_t reserved;        // chunks of these for files that are not committed
  uint64_t last_announced;  // time of the last announcement
} Benefactor;

typedef struct {
  bool used, committed;
  uint32_t client;  // its owner
  uint64_t version;
  uint32_t chunks, copies;
  uint32_t nodes[checkpoint_chunk_limit][copy_limit];  // the benefactors that hold each chunk
} StripedFile;

typedef struct {
  uint32_t node;    // the client's own node
  uint32_t width;   // 1 or more
  uint32_t copies;  // 1 or 2
} Striping;

typedef struct {
  uint64_t silence;
  unsigned benefactor_count;
  Benefactor benefactors[benefactor_limit];
  StripedFile files[striped_file_limit];
} StorageManager;

// `silence` is the time, in any unit, after which a benefactor without an announcement is forgotten.
void manager_initialize(StorageManager* manager, uint64_t silence);

// Takes an announcement; false if benefactor_limit others are known.
bool manager_announce(StorageManager* manager, uint32_t node, uint32_t free_chunks, uint64_t now);
unsigned manager_known(StorageManager* manager, uint64_t now);  // number of benefactors
uint64_t manager_free(StorageManager* manager, uint64_t now);   // number of chunks that can be placed

// Places a new file. Returns false and changes nothing if there is not enough space, or none for a second
// copy at another benefactor; if the file is too large or exists already; if the table of files is full; or
// if the striping is invalid.
bool manager_place(StorageManager* manager, uint32_t client, uint64_t version, uint32_t chunks,
                   const Striping* striping, uint64_t now);
bool manager_has(StorageManager* manager, uint32_t client, uint64_t version);
// Commits a file whose chunks have all arrived. False: there is no such file, or some chunk has no copy left.
bool manager_commit(StorageManager* manager, uint32_t client, uint64_t version, uint64_t now);
bool manager_remove(StorageManager* manager, uint32_t client, uint64_t version);  // false: no such file

// Gets the striping map: the benefactors of `count` chunks from `first` on, copy_limit of each.
// NO_BENEFACTOR: there is no such copy, or its benefactor was forgotten. Returns the number of these chunks
// that exist; 0: no such file.
uint32_t manager_map(StorageManager* manager, uint32_t client, uint64_t version, uint32_t first,
                     uint32_t count, uint32_t (*nodes)[copy_limit], uint64_t now);
// Finds the newest committed version of a client, not above max_version, of which every chunk has a
// benefactor.
bool manager_newest(StorageManager* manager, uint32_t client, uint64_t max_version, uint64_t now,
                    uint64_t* version);
