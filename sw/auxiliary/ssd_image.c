#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "auxiliary/image.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"

static struct {
  DimmSsdRequest request;
  uint64_t pages[1 + checkpoint_chunk_limit];
} list __attribute__((aligned(8)));

static struct {
  uint64_t* words;  // header page, chunks
  uint64_t hashes[checkpoint_chunk_limit];
  bool is_valid;        // the two members below are valid
  uint64_t name;        // of the checkpoint that was written last
  uint64_t durable[2];  // its versions that are kept, the older one first; UINT64_MAX: none
} image;

static const CheckpointFile* file_of_image(void) { return &((const ImageHeader*)image.words)->file; }

static void ask(uint64_t name, uint64_t version, uint32_t pages) {
  list.request = (DimmSsdRequest){.version = version, .page_count = pages, .method = dimm_ssd_stop_and_copy};
  snprintf(list.request.name, sizeof list.request.name, "auxiliary%016llx", (unsigned long long)name);
  for (uint32_t i = 0; i < pages; ++i) list.pages[i] = (uintptr_t)(image.words + (size_t)i * chunk_words);
}

static bool find(uint64_t name, uint64_t max_version, uint64_t* version) {
  ask(name, max_version, 0);
  if (dimm_ssd_execute(dimm_ssd_find, &list.request) != dimm_ssd_ok) return false;
  *version = dimm_ssd_found_version();
  return true;
}

// Also finds versions that an earlier run has left.
static void find_two_newest(uint64_t name) {
  image.durable[0] = image.durable[1] = UINT64_MAX;
  if (find(name, UINT64_MAX, &image.durable[1]) && image.durable[1] > 0)
    find(name, image.durable[1] - 1, &image.durable[0]);
  image.name = name;
  image.is_valid = true;
}

static const char* prepare(void) {
  if (!dimm_ssd_probe()) return "this machine has no DIMM-SSD";
  image.is_valid = false;
  if (image.words == NULL) image.words = memory_allocate((size_t)(1 + checkpoint_chunk_limit) * chunk_bytes);
  return image.words == NULL ? "too little memory for the image of a checkpoint" : NULL;
}

static uint64_t* chunk_at(uint32_t chunk) { return image.words + (size_t)(1 + chunk) * chunk_words; }
static void set_hash(uint32_t chunk, uint64_t hash) { image.hashes[chunk] = hash; }

static void begin(const CheckpointFile* file) {
  if (!image.is_valid || image.name != file->name) find_two_newest(file->name);
  image_begin(image.words, file);
}

static bool start(void) {
  image_seal(image.words, image.hashes);
  ask(file_of_image()->name, file_of_image()->version, 1 + file_of_image()->chunks);
  return dimm_ssd_start(dimm_ssd_checkpoint, &list.request);
}

static void keep_two(uint64_t version) {
  if (version == image.durable[0] || version == image.durable[1]) return;
  if (image.durable[0] != UINT64_MAX) {
    ask(image.name, image.durable[0], 0);
    dimm_ssd_execute(dimm_ssd_discard, &list.request);
  }
  image.durable[0] = image.durable[1];
  image.durable[1] = version;
}

static bool ended(bool* durable) {
  DimmSsdError error;
  if (!dimm_ssd_poll(&error)) return false;
  *durable = error == dimm_ssd_ok;
  if (*durable) keep_two(file_of_image()->version);
  return true;
}

static bool ready(void) {
  DimmSsdError error;
  return dimm_ssd_poll(&error);
}

static void wait(void) { dimm_ssd_wait(); }

static bool open(uint64_t name, uint64_t version, CheckpointFile* file) {
  ask(name, version, 0);
  if (dimm_ssd_execute(dimm_ssd_find, &list.request) != dimm_ssd_ok || dimm_ssd_found_version() != version ||
      dimm_ssd_found_pages() > 1 + checkpoint_chunk_limit)
    return false;
  ask(name, version, dimm_ssd_found_pages());
  if (dimm_ssd_execute(dimm_ssd_restore, &list.request) != dimm_ssd_ok) return false;
  *file = *file_of_image();
  return image_has_header(image.words, name, version) && file->chunks + 1 == list.request.page_count &&
         image_is_whole(image.words);
}

static bool read(const CheckpointFile* file, Block* block) {
  (void)file;
  memcpy(block->words, chunk_at(block->first), (size_t)block->chunks * chunk_bytes);
  return true;
}

static bool discard(uint64_t name, uint64_t version) {
  image.is_valid = false;
  ask(name, version, 0);
  return dimm_ssd_execute(dimm_ssd_discard, &list.request) == dimm_ssd_ok;
}

const Image ssd_image = {.prepare = prepare,
                         .chunk_limit = checkpoint_chunk_limit,
                         .begin = begin,
                         .chunk = chunk_at,
                         .hash = set_hash,
                         .start = start,
                         .ended = ended,
                         .ready = ready,
                         .wait = wait,
                         .find = find,
                         .open = open,
                         .read = read,
                         .discard = discard};
