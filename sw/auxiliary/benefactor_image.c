#include "auxiliary/benefactor_image.h"

#include <stddef.h>
#include <string.h>

#include "auxiliary/image.h"
#include "boot/memory.h"

static struct {
  BenefactorLink link;
  uint64_t* words;  // header page, chunks
  uint64_t hashes[checkpoint_chunk_limit];
  bool is_valid;        // the following members are valid
  uint64_t durable[2];  // versions that are kept, the older one first; UINT64_MAX: none
  BenefactorImageCounts counts;
} image;

static StorageClient* client(void) { return image.link.client; }
static const CheckpointFile* file_of_image(void) { return &((const ImageHeader*)image.words)->file; }

void benefactor_image_use(const BenefactorLink* link) { image.link = *link; }
BenefactorImageCounts benefactor_image_counts(void) { return image.counts; }

static const char* prepare(void) {
  if (client() == NULL) return "this machine is no client of a store of benefactors";
  if (image.link.take != NULL) image.link.take();
  image.is_valid = false;
  if (image.words == NULL) image.words = memory_allocate((size_t)checkpoint_chunk_limit * chunk_bytes);
  return image.words == NULL ? "too little memory for the image of a checkpoint" : NULL;
}

static uint64_t* chunk_at(uint32_t chunk) { return image.words + (size_t)(1 + chunk) * chunk_words; }
static void set_hash(uint32_t chunk, uint64_t hash) { image.hashes[chunk] = hash; }
static void begin(const CheckpointFile* file) { image_begin(image.words, file); }

static uint64_t now(void) { return client()->calls.now(client()->calls.context); }

static bool rest(void) {
  const uint64_t until = now() + image.link.pause;
  while (now() < until)
    if (!client()->calls.poll(client()->calls.context, until)) return false;
  return true;
}

// Also finds versions that an earlier node of this rank has left.
static void find_two_newest(void) {
  uint64_t* const newest = &image.durable[1];
  image.durable[0] = image.durable[1] = UINT64_MAX;
  if (client_newest(client(), UINT64_MAX, newest) != storage_ok)
    *newest = UINT64_MAX;
  else if (*newest == 0 || client_newest(client(), *newest - 1, &image.durable[0]) != storage_ok)
    image.durable[0] = UINT64_MAX;
  image.is_valid = true;
}

static void keep_two(uint64_t version) {
  if (version == image.durable[0] || version == image.durable[1]) return;
  if (image.durable[0] != UINT64_MAX) client_remove(client(), image.durable[0]);
  image.durable[0] = image.durable[1];
  image.durable[1] = version;
}

// Chunks of a failed attempt, or of an earlier attempt at this version, are removed, and their benefactors
// drop them during the pause; otherwise they would be counted in the next attempt.
static StorageStatus write_until(uint64_t version, uint64_t deadline) {
  for (;;) {
    ++image.counts.tries;
    const StorageStatus status = client_write(client(), version, image.words, 1 + file_of_image()->chunks);
    if (status == storage_ok || status == storage_gone) return status;
    if (client_remove(client(), version) == storage_gone || now() >= deadline || !rest()) return status;
  }
}

static bool start(void) {
  const uint64_t version = file_of_image()->version, deadline = now() + image.link.retry_limit;
  if (!image.is_valid) find_two_newest();
  image_seal(image.words, image.hashes);
  const StorageStatus status = write_until(version, deadline);
  if (status != storage_ok) {
    image.counts.failure = status;
    return false;
  }
  ++image.counts.written;
  keep_two(version);
  return true;
}

static bool ended(bool* durable) {  // start() has written it
  *durable = true;
  return true;
}
static bool ready(void) { return true; }
static void wait(void) {}

static bool find(uint64_t name, uint64_t max_version, uint64_t* version) {
  (void)name;  // open() checks it: a client is one program
  return client_newest(client(), max_version, version) == storage_ok;
}

static bool open(uint64_t name, uint64_t version, CheckpointFile* file) {
  if (client_read(client(), version, image.words, 1) != storage_ok ||
      !image_has_header(image.words, name, version))
    return false;
  *file = *file_of_image();
  return file->chunks < checkpoint_chunk_limit &&
         client_read(client(), version, image.words, 1 + file->chunks) == storage_ok &&
         image_is_whole(image.words);
}

static bool read(const CheckpointFile* file, Block* block) {
  (void)file;
  memcpy(block->words, chunk_at(block->first), (size_t)block->chunks * chunk_bytes);
  return true;
}

static bool discard(uint64_t name, uint64_t version) {
  (void)name;
  image.is_valid = false;
  return client_remove(client(), version) == storage_ok;
}

const Image benefactor_image = {.prepare = prepare,
                                .chunk_limit = checkpoint_chunk_limit - 1,
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
