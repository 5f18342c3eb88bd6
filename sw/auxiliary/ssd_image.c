#include "auxiliary/ssd_image.h"

#include <stddef.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"

// A header page: behind the header the chunks' hashes would not fit, so it has one over all of them.
typedef struct {
  uint64_t magic;
  CheckpointFile file;
  uint64_t contents, check;  // over the hashes of the chunks; over all before it
} Header;

static const uint64_t magic = 0x31474d4944535343;  // "CSSDIMG1"
static const char name[] = "auxiliary";

static struct {
  DimmSsdRequest request;
  uint64_t pages[1 + checkpoint_chunk_limit];
} list __attribute__((aligned(8)));

static struct {
  uint64_t* words;  // header page, chunks
  uint64_t hashes[checkpoint_chunk_limit];
  uint64_t durable[2];  // versions that are kept, the older first; UINT64_MAX: none
} image = {.durable = {UINT64_MAX, UINT64_MAX}};

static Header* header(void) { return (Header*)image.words; }
static uint64_t check_of_header(void) { return chunk_hash(image.words, offsetof(Header, check) / 8); }

static void ask(uint64_t version, uint32_t pages) {
  list.request = (DimmSsdRequest){.version = version, .page_count = pages, .method = dimm_ssd_stop_and_copy};
  memcpy(list.request.name, name, sizeof name);
  for (uint32_t i = 0; i < pages; ++i) list.pages[i] = (uintptr_t)(image.words + (size_t)i * chunk_words);
}

bool ssd_image_find(uint64_t max_version, uint64_t* version) {
  ask(max_version, 0);
  if (dimm_ssd_execute(dimm_ssd_find, &list.request) != dimm_ssd_ok) return false;
  *version = dimm_ssd_found_version();
  return true;
}

// Also of those that a run before this has left.
static void look_for_two(void) {
  image.durable[0] = image.durable[1] = UINT64_MAX;
  if (ssd_image_find(UINT64_MAX, &image.durable[1]) && image.durable[1] > 0)
    ssd_image_find(image.durable[1] - 1, &image.durable[0]);
}

const char* ssd_image_prepare(void) {
  if (!dimm_ssd_probe()) return "this machine has no DIMM-SSD";
  look_for_two();
  if (image.words == NULL) image.words = memory_allocate((size_t)(1 + checkpoint_chunk_limit) * chunk_bytes);
  return image.words == NULL ? "too little memory for the image of a checkpoint" : NULL;
}

uint64_t* ssd_image_chunk(uint32_t chunk) { return image.words + (size_t)(1 + chunk) * chunk_words; }
void ssd_image_hash(uint32_t chunk, uint64_t hash) { image.hashes[chunk] = hash; }

void ssd_image_begin(const CheckpointFile* file) {
  memset(image.words, 0, chunk_bytes);
  header()->magic = magic;
  header()->file = *file;
}

bool ssd_image_start(void) {
  header()->contents = chunk_hash(image.hashes, header()->file.chunks);
  header()->check = check_of_header();
  ask(header()->file.version, 1 + header()->file.chunks);
  return dimm_ssd_start(dimm_ssd_checkpoint, &list.request);
}

static void keep_two(uint64_t version) {
  if (version == image.durable[0] || version == image.durable[1]) return;
  if (image.durable[0] != UINT64_MAX) {
    ask(image.durable[0], 0);
    dimm_ssd_execute(dimm_ssd_discard, &list.request);
  }
  image.durable[0] = image.durable[1];
  image.durable[1] = version;
}

bool ssd_image_ended(bool* durable) {
  DimmSsdError error;
  if (!dimm_ssd_poll(&error)) return false;
  *durable = error == dimm_ssd_ok;
  if (*durable) keep_two(header()->file.version);
  return true;
}

bool ssd_image_open(uint64_t version, CheckpointFile* file) {
  ask(version, 0);
  if (dimm_ssd_execute(dimm_ssd_find, &list.request) != dimm_ssd_ok || dimm_ssd_found_version() != version ||
      dimm_ssd_found_pages() > 1 + checkpoint_chunk_limit)
    return false;
  ask(version, dimm_ssd_found_pages());
  if (dimm_ssd_execute(dimm_ssd_restore, &list.request) != dimm_ssd_ok) return false;
  *file = header()->file;
  if (header()->magic != magic || header()->check != check_of_header() || file->version != version ||
      file->chunks + 1 != list.request.page_count)
    return false;
  for (uint32_t i = 0; i < file->chunks; ++i) image.hashes[i] = chunk_hash(ssd_image_chunk(i), chunk_words);
  return header()->contents == chunk_hash(image.hashes, file->chunks);
}

bool ssd_image_read(const CheckpointFile* file, Block* block) {
  (void)file;
  memcpy(block->words, ssd_image_chunk(block->first), (size_t)block->chunks * chunk_bytes);
  return true;
}
