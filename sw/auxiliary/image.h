// Checkpoints kept whole: an image in memory, a header page and the chunks, that somebody then makes durable or not at all. Two versions
// of a name are kept. All calls are of one core, at a time.
#pragma once

#include "auxiliary/block.h"

typedef struct {
  const char* (*prepare)(void);  // finds devices, takes memory. Returns NULL, or what is missing
  uint32_t chunk_limit;          // of a checkpoint

  // The image is filled, then handed over; until that has ended it is not the caller's.
  void (*begin)(const CheckpointFile* file);
  uint64_t* (*chunk)(uint32_t chunk);  // where it belongs
  void (*hash)(uint32_t chunk, uint64_t hash);
  bool (*start)(void);           // false: refused
  bool (*ended)(bool* durable);  // false: not yet
  bool (*ready)(void);           // ended() would say true
  void (*wait)(void);            // until then

  bool (*find)(uint64_t name, uint64_t max_version, uint64_t* version);  // the newest not above
  bool (*open)(uint64_t name, uint64_t version, CheckpointFile* file);   // brings it back into the image
  bool (*read)(const CheckpointFile* file, Block* block);                // false: not what was stored
  bool (*discard)(uint64_t name, uint64_t version);                      // false: it was not there
} Image;

extern const Image ssd_image;         // on the DIMM-SSD
extern const Image benefactor_image;  // on the DIMM-SSDs of other nodes (benefactor_image.h)

// The header page: hashes of so many chunks would not fit behind it, so that it has one over all of them.
typedef struct {
  uint64_t magic;
  CheckpointFile file;
  uint64_t contents, check;  // over the hashes of the chunks; over all before it
} ImageHeader;

// What both have in common. words: the header page, then the chunks. hashes: of the chunks.
void image_begin(uint64_t* words, const CheckpointFile* file);
void image_seal(uint64_t* words, const uint64_t* hashes);
// The header page is one, of this checkpoint.
bool image_has_header(const uint64_t* words, uint64_t name, uint64_t version);
bool image_is_whole(const uint64_t* words);  // and the chunks are those that were written
