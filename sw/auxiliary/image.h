// Checkpoints that are stored as a whole: an image in memory, which consists of a header page and the chunks,
// becomes durable completely or not at all. Two versions of a name are kept. Only one core may call these
// functions at a time.
#pragma once

#include "auxiliary/block.h"

typedef struct {
  // Finds devices and allocates memory. Returns NULL, or a text that says what is missing.
  const char* (*prepare)(void);
  uint32_t chunk_limit;  // chunks in a checkpoint

  // The caller fills the image and then hands it over with start(); it must not change the image until
  // ended().
  void (*begin)(const CheckpointFile* file);
  uint64_t* (*chunk)(uint32_t chunk);  // the address of a chunk in the image
  void (*hash)(uint32_t chunk, uint64_t hash);
  bool (*start)(void);           // false: refused
  bool (*ended)(bool* durable);  // false: not yet
  bool (*ready)(void);           // whether ended() would return true
  void (*wait)(void);            // waits until it would

  bool (*find)(uint64_t name, uint64_t max_version, uint64_t* version);  // newest not above max_version
  bool (*open)(uint64_t name, uint64_t version, CheckpointFile* file);   // reads it back into the image
  bool (*read)(const CheckpointFile* file, Block* block);                // false: a chunk is damaged
  bool (*discard)(uint64_t name, uint64_t version);                      // false: no such checkpoint
} Image;

extern const Image ssd_image;         // on the DIMM-SSD
extern const Image benefactor_image;  // on the DIMM-SSDs of other nodes (benefactor_image.h)

// The header page. The hashes of all chunks would not fit into it, so that it has one hash over all of them.
typedef struct {
  uint64_t magic;
  CheckpointFile file;
  uint64_t contents, check;  // hash over the hashes of the chunks; hash over everything before it
} ImageHeader;

// Functions that both implementations share. `words` is the header page followed by the chunks; `hashes` are
// those of the chunks.
void image_begin(uint64_t* words, const CheckpointFile* file);
void image_seal(uint64_t* words, const uint64_t* hashes);
// Whether the header page is valid and that of this checkpoint.
bool image_has_header(const uint64_t* words, uint64_t name, uint64_t version);
bool image_is_whole(const uint64_t* words);  // whether the chunks are also those that were written
