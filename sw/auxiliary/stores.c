#include <stddef.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "auxiliary/chunk_store.h"
#include "auxiliary/drain.h"
#include "auxiliary/plug_in.h"
#include "auxiliary/ssd_image.h"
#include "drivers/dimm_ssd.h"

const PlugIn pcram_plug_in = {.name = "pcram",
                              .kind = plug_in_store,
                              .prepare = chunk_store_prepare,
                              .open = chunk_store_begin,
                              .write = chunk_store_write,
                              .close = chunk_store_commit,
                              .find = chunk_store_find,
                              .open_stored = chunk_store_open,
                              .read = chunk_store_read};

static bool open_on_ssd(const CheckpointFile* file) {
  if (file->chunks > checkpoint_chunk_limit) return false;
  ssd_image_begin(file);
  return true;
}

static bool write_to_ssd(const CheckpointFile* file, Block* block) {
  (void)file;
  memcpy(ssd_image_chunk(block->first), block->words, (size_t)block->chunks * chunk_bytes);
  for (uint32_t i = 0; i < block->chunks; ++i)
    ssd_image_hash(block->first + i, chunk_hash(block->words + (size_t)i * chunk_words, chunk_words));
  return true;
}

static bool close_on_ssd(const CheckpointFile* file) {
  (void)file;
  bool durable = false;
  if (!ssd_image_start()) return false;
  dimm_ssd_wait();
  return ssd_image_ended(&durable) && durable;
}

const PlugIn ssd_plug_in = {.name = "ssd",
                            .kind = plug_in_store,
                            .prepare = ssd_image_prepare,
                            .open = open_on_ssd,
                            .write = write_to_ssd,
                            .close = close_on_ssd,
                            .find = ssd_image_find,
                            .open_stored = ssd_image_open,
                            .read = ssd_image_read};

static struct {
  bool filling, handed_over, any;
  CheckpointFile file;
  uint32_t next;    // chunk to be copied
  uint64_t newest;  // version that was drained, or could not be
  DrainCounts counts;
} drain;

static void end(bool durable) {
  drain.filling = drain.handed_over = false;
  drain.any = true;
  drain.newest = drain.file.version;
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
  if (!chunk_store_copy(drain.next, chunks, ssd_image_chunk(drain.next))) return false;
  for (uint32_t i = 0; i < chunks; ++i) ssd_image_hash(drain.next + i, chunk_store_hash(drain.next + i));
  drain.next += chunks;
  return true;
}

static void fill_on(void) {
  bool right = copy_some();
  if (right && drain.next == drain.file.chunks) right = drain.handed_over = ssd_image_start();
  if (!right) end(false);
}

// What is being copied stays where it is until the checkpoint after the next one begins: then it is begun anew, with the
// newer one.
static BackgroundWork drain_work(void) {
  CheckpointFile newest;
  bool durable;
  if (drain.handed_over) {
    if (!ssd_image_ended(&durable)) return work_waiting;
    end(durable);
    return work_more;
  }
  if (!chunk_store_newest(&newest) || (drain.any && newest.version == drain.newest)) return work_none;
  if (!drain.filling || drain.file.version != newest.version) {
    drain.filling = true;
    drain.file = newest;
    drain.next = 0;
    ssd_image_begin(&newest);
  }
  fill_on();
  return work_more;
}

static bool drain_ready(void) {
  DimmSsdError error;
  return drain.handed_over && dimm_ssd_poll(&error);
}

// What a run before this has drained is drained.
static const char* drain_prepare(void) {
  const char* const missing = ssd_image_prepare();
  CheckpointFile newest = {0};
  uint64_t version;
  drain.filling = drain.handed_over = false;
  drain.any = missing == NULL && chunk_store_newest(&newest) && ssd_image_find(newest.version, &version) &&
              version == newest.version;
  drain.newest = newest.version;
  return missing;
}

DrainCounts drain_counts(void) { return drain.counts; }

const PlugIn drain_plug_in = {.name = "drain",
                              .kind = plug_in_drain,
                              .prepare = drain_prepare,
                              .work = drain_work,
                              .ready = drain_ready,
                              .find = ssd_image_find,
                              .open_stored = ssd_image_open,
                              .read = ssd_image_read};
