#include "auxiliary/image.h"

#include <stddef.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"

static const uint64_t magic = 0x32474d4944535343;  // "CSSDIMG2"

static uint64_t check_of_header(const uint64_t* words) {
  return chunk_hash(words, offsetof(ImageHeader, check) / 8);
}

void image_begin(uint64_t* words, const CheckpointFile* file) {
  memset(words, 0, chunk_bytes);
  ImageHeader* const header = (ImageHeader*)words;
  header->magic = magic;
  header->file = *file;
}

void image_seal(uint64_t* words, const uint64_t* hashes) {
  ImageHeader* const header = (ImageHeader*)words;
  header->contents = chunk_hash(hashes, header->file.chunks);
  header->check = check_of_header(words);
}

bool image_has_header(const uint64_t* words, uint64_t name, uint64_t version) {
  const ImageHeader* const header = (const ImageHeader*)words;
  return header->magic == magic && header->check == check_of_header(words) && header->file.name == name &&
         header->file.version == version && header->file.chunks <= checkpoint_chunk_limit;
}

bool image_is_whole(const uint64_t* words) {
  static uint64_t hashes[checkpoint_chunk_limit];
  const ImageHeader* const header = (const ImageHeader*)words;
  for (uint32_t i = 0; i < header->file.chunks; ++i)
    hashes[i] = chunk_hash(words + (size_t)(1 + i) * chunk_words, chunk_words);
  return header->contents == chunk_hash(hashes, header->file.chunks);
}
