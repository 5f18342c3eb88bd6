#include <stddef.h>

#include "auxiliary/chunk_hash.h"
#include "auxiliary/plug_in.h"

static void exchange(Block* block) {
  uint64_t* const words = block->words;
  block->words = block->scratch;
  block->scratch = words;
}

// A partial block remains unchanged.
static bool has_records(const CheckpointFile* file, const Block* block) {
  return block->chunks == file->block_chunks && block->chunks > 1;
}

// Field f of all records of the block goes to its chunk f, like a chunked array of a scientific file format.
static bool to_columns(const CheckpointFile* file, Block* block) {
  if (!has_records(file, block)) return true;
  const uint64_t* record = block->words;
  for (uint32_t i = 0; i < chunk_words; ++i, record += block->chunks)
    for (uint32_t field = 0; field < block->chunks; ++field)
      block->scratch[field * chunk_words + i] = record[field];
  exchange(block);
  return true;
}

static void to_records(const CheckpointFile* file, Block* block) {
  if (!has_records(file, block)) return;
  uint64_t* record = block->scratch;
  for (uint32_t i = 0; i < chunk_words; ++i, record += block->chunks)
    for (uint32_t field = 0; field < block->chunks; ++field)
      record[field] = block->words[field * chunk_words + i];
  exchange(block);
}

const PlugIn columns_plug_in = {
    .name = "columns", .kind = plug_in_transform, .write = to_columns, .undo = to_records};

static void swap_bytes(const CheckpointFile* file, Block* block) {
  (void)file;
  uint64_t* const end = block->words + (size_t)block->chunks * chunk_words;
  for (uint64_t* word = block->words; word < end; ++word) *word = __builtin_bswap64(*word);
}

static bool to_big_endian(const CheckpointFile* file, Block* block) {
  swap_bytes(file, block);
  return true;
}

const PlugIn big_endian_plug_in = {
    .name = "big_endian", .kind = plug_in_transform, .write = to_big_endian, .undo = swap_bytes};

static bool hash_chunks(const CheckpointFile* file, Block* block) {
  (void)file;
  for (uint32_t i = 0; i < block->chunks; ++i)
    block->hash[i] = chunk_hash(block->words + (size_t)i * chunk_words, chunk_words);
  block->hashed = true;
  return true;
}

const PlugIn deduplication_plug_in = {.name = "dedup", .kind = plug_in_transform, .write = hash_chunks};
