// The data that pass through the chain of plug-ins: a checkpoint in blocks of chunks.
//
// A chunk is a page. A block has as many chunks as the program's record has 8-byte words, so that it holds
// chunk_words whole records; the last block of a checkpoint may have fewer.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
  chunk_bytes = 4096,
  chunk_words = chunk_bytes / 8,
  block_chunk_limit = 16,
  checkpoint_chunk_limit = 1024,  // 4 MiB
};

// Plug-ins handle a checkpoint as a file: it is opened, written block by block in any order, and closed.
typedef struct {
  uint64_t version;
  uint32_t chunks;
  uint32_t block_chunks;
  uint64_t conversions;  // identifies the conversions that were applied to its blocks (chain.h)
  uint64_t name;         // a hash of the program's name for it
} CheckpointFile;

typedef struct {
  uint32_t first;  // its first chunk in the file
  uint32_t chunks;
  bool hashed;  // `hash` holds the hash of each chunk, and the store searches for duplicates
  uint64_t hash[block_chunk_limit];
  uint64_t* words;    // chunks * chunk_words, page aligned
  uint64_t* scratch;  // a second buffer of the same size; a plug-in may exchange the two
} Block;

static inline uint32_t file_blocks(const CheckpointFile* file) {
  return (file->chunks + file->block_chunks - 1) / file->block_chunks;
}
static inline uint32_t block_chunks_at(const CheckpointFile* file, uint32_t first) {
  const uint32_t left = file->chunks - first;
  return left < file->block_chunks ? left : file->block_chunks;
}
