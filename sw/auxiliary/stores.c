#include <stddef.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "auxiliary/chunk_store.h"
#include "auxiliary/drain.h"
#include "auxiliary/image.h"
#include "auxiliary/plug_in.h"

const PlugIn pcram_plug_in = {.name = "pcram",
                              .kind = plug_in_store,
                              .prepare = chunk_store_prepare,
                              .open = chunk_store_begin,
                              .write = chunk_store_write,
                              .close = chunk_store_commit,
                              .find = chunk_store_find,
                              .open_stored = chunk_store_open,
                              .read = chunk_store_read,
                              .discard = chunk_store_discard};

// ---- checkpoints stored as a whole ----

static bool open_image(const Image* image, const CheckpointFile* file) {
  if (file->chunks > image->chunk_limit) return false;
  image->begin(file);
  return true;
}

static bool write_to_image(const Image* image, const Block* block) {
  memcpy(image->chunk(block->first), block->words, (size_t)block->chunks * chunk_bytes);
  for (uint32_t i = 0; i < block->chunks; ++i)
    image->hash(block->first + i, chunk_hash(block->words + (size_t)i * chunk_words, chunk_words));
  return true;
}

static bool close_image(const Image* image) {
  bool durable = false;
  if (!image->start()) return false;
  image->wait();
  return image->ended(&durable) && durable;
}

static bool open_on_ssd(const CheckpointFile* file) { return open_image(&ssd_image, file); }
static bool write_to_ssd(const CheckpointFile* file, Block* block) {
  (void)file;
  return write_to_image(&ssd_image, block);
}
static bool close_on_ssd(const CheckpointFile* file) {
  (void)file;
  return close_image(&ssd_image);
}

static bool open_at_benefactors(const CheckpointFile* file) { return open_image(&benefactor_image, file); }
static bool write_to_benefactors(const CheckpointFile* file, Block* block) {
  (void)file;
  return write_to_image(&benefactor_image, block);
}
static bool close_at_benefactors(const CheckpointFile* file) {
  (void)file;
  return close_image(&benefactor_image);
}

// ---- drains ----

static struct {
  const Image* to;
  bool filling, handed_over, any;
  CheckpointFile file;
  uint32_t next;          // the chunk to be copied next
  CheckpointFile newest;  // the newest one that was drained, or could not be drained
  DrainCounts counts;
} drain;

static bool is_same(const CheckpointFile* one, const CheckpointFile* other) {
  return one->version == other->version && one->name == other->name;
}

static void end(bool durable) {
  drain.filling = drain.handed_over = false;
  drain.any = true;
  drain.newest = drain.file;
  if (durable) {
    ++drain.counts.checkpoints;
    drain.counts.bytes += (uint64_t)drain.file.chunks * chunk_bytes;
  } else {
    ++drain.counts.failed;
  }
}

static bool copy_some(void) {
  const uint32_t left = drain.file.chunks - drain.next,
                 chunks = left < block_chunk_limit ? left : block_chunk_limit;
  if (!chunk_store_copy(drain.next, chunks, drain.to->chunk(drain.next))) return false;
  for (uint32_t i = 0; i < chunks; ++i) drain.to->hash(drain.next + i, chunk_store_hash(drain.next + i));
  drain.next += chunks;
  return true;
}

static void fill_on(void) {
  bool right = copy_some();
  if (right && drain.next == drain.file.chunks) right = drain.handed_over = drain.to->start();
  if (!right) end(false);
}

// The chunks being copied remain in place until the checkpoint after the next one begins; then the drain
// starts again with the newer one.
static BackgroundWork drain_work(void) {
  CheckpointFile newest;
  bool durable;
  if (drain.handed_over) {
    if (!drain.to->ended(&durable)) return work_waiting;
    end(durable);
    return work_more;
  }
  if (!chunk_store_newest(&newest) || (drain.any && is_same(&newest, &drain.newest))) return work_none;
  if (!drain.filling || !is_same(&drain.file, &newest)) {
    drain.filling = true;
    drain.file = newest;
    drain.next = 0;
    if (newest.chunks > drain.to->chunk_limit) {
      end(false);
      return work_more;
    }
    drain.to->begin(&newest);
  }
  fill_on();
  return work_more;
}

static bool drain_ready(void) { return drain.handed_over && drain.to->ready(); }

// Checkpoints that an earlier run has drained count as drained.
static const char* prepare_drain_to(const Image* to) {
  const char* const missing = to->prepare();
  uint64_t version;
  drain.to = to;
  drain.filling = drain.handed_over = false;
  drain.newest = (CheckpointFile){0};
  drain.any = missing == NULL && chunk_store_newest(&drain.newest) &&
              to->find(drain.newest.name, drain.newest.version, &version) && version == drain.newest.version;
  return missing;
}

static const char* prepare_drain_to_ssd(void) { return prepare_drain_to(&ssd_image); }
static const char* prepare_drain_to_benefactors(void) { return prepare_drain_to(&benefactor_image); }

DrainCounts drain_counts(void) { return drain.counts; }

static const char* prepare_ssd(void) { return ssd_image.prepare(); }
static bool find_on_ssd(uint64_t name, uint64_t max_version, uint64_t* version) {
  return ssd_image.find(name, max_version, version);
}
static bool open_stored_on_ssd(uint64_t name, uint64_t version, CheckpointFile* file) {
  return ssd_image.open(name, version, file);
}
static bool read_from_ssd(const CheckpointFile* file, Block* block) { return ssd_image.read(file, block); }
static bool discard_on_ssd(uint64_t name, uint64_t version) { return ssd_image.discard(name, version); }

static const char* prepare_benefactors(void) { return benefactor_image.prepare(); }
static bool find_at_benefactors(uint64_t name, uint64_t max_version, uint64_t* version) {
  return benefactor_image.find(name, max_version, version);
}
static bool open_stored_at_benefactors(uint64_t name, uint64_t version, CheckpointFile* file) {
  return benefactor_image.open(name, version, file);
}
static bool read_from_benefactors(const CheckpointFile* file, Block* block) {
  return benefactor_image.read(file, block);
}
static bool discard_at_benefactors(uint64_t name, uint64_t version) {
  return benefactor_image.discard(name, version);
}

const PlugIn ssd_plug_in = {.name = "ssd",
                            .kind = plug_in_store,
                            .prepare = prepare_ssd,
                            .open = open_on_ssd,
                            .write = write_to_ssd,
                            .close = close_on_ssd,
                            .find = find_on_ssd,
                            .open_stored = open_stored_on_ssd,
                            .read = read_from_ssd,
                            .discard = discard_on_ssd};

const PlugIn benefactors_plug_in = {.name = "benefactors",
                                    .kind = plug_in_store,
                                    .prepare = prepare_benefactors,
                                    .open = open_at_benefactors,
                                    .write = write_to_benefactors,
                                    .close = close_at_benefactors,
                                    .find = find_at_benefactors,
                                    .open_stored = open_stored_at_benefactors,
                                    .read = read_from_benefactors,
                                    .discard = discard_at_benefactors};

const PlugIn drain_plug_in = {.name = "drain",
                              .kind = plug_in_drain,
                              .prepare = prepare_drain_to_ssd,
                              .work = drain_work,
                              .ready = drain_ready,
                              .find = find_on_ssd,
                              .open_stored = open_stored_on_ssd,
                              .read = read_from_ssd,
                              .discard = discard_on_ssd};

const PlugIn drain_benefactors_plug_in = {.name = "drain_benefactors",
                                          .kind = plug_in_drain,
                                          .prepare = prepare_drain_to_benefactors,
                                          .work = drain_work,
                                          .ready = drain_ready,
                                          .find = find_at_benefactors,
                                          .open_stored = open_stored_at_benefactors,
                                          .read = read_from_benefactors,
                                          .discard = discard_at_benefactors};
