#include "auxiliary/checkpoint_chain.h"

#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "boot/cores.h"
#include "checkpoint/store.h"

static struct {
  bool runs;  // auxiliary_start was called
  uint64_t pages[checkpoint_chunk_limit];
  struct {
    uint64_t version;
    CheckpointStatus status;
  } written[2];  // the last one is the first entry
  AuxiliarySource asked, source;
} level;

static uint64_t hash_of(const char* name) {
  uint64_t words[checkpoint_name_bytes / sizeof(uint64_t)];
  memcpy(words, name, sizeof words);
  return chunk_hash(words, sizeof words / sizeof *words);
}

// The header is the last page.
static bool use_pages(const char* name, const uint64_t* pages, uint32_t count) {
  if (count > checkpoint_chunk_limit) return false;
  for (uint32_t i = 0; i < count; ++i) level.pages[i] = pages[(i + 1) % count];
  return auxiliary_use_pages(hash_of(name), level.pages, count);
}

static void await_stored(void) {
  if (level.written[0].status == checkpoint_pending)
    level.written[0].status = auxiliary_wait() ? checkpoint_ok : checkpoint_not_stored;
}

static void start(void) {
  if (!level.runs) auxiliary_start();
  level.runs = true;
}

static CheckpointStatus write(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                              uint32_t count) {
  await_stored();
  if (!use_pages(name, pages, count)) return checkpoint_too_large;
  start();
  level.written[1] = level.written[0];
  level.written[0].version = version;
  const bool sound = auxiliary_write(version);
  level.written[0].status = cores_auxiliary() != 0 ? checkpoint_pending
                            : sound                ? checkpoint_ok
                                                   : checkpoint_not_stored;
  return level.written[0].status;
}

static CheckpointStatus outcome(uint64_t version) {
  if (auxiliary_is_done()) await_stored();
  return level.written[level.written[0].version == version ? 0 : 1].status;
}

// Core 0 then uses the devices.
static void rest(void) {
  if (level.runs) auxiliary_finish();
  level.runs = false;
  await_stored();
}

void checkpoint_chain_finish(void) {
  start();  // checkpoints that an earlier run has stored may not be drained yet
  rest();
}

// The number of pages may differ: the checkpoint may have been written by another program of this name.
static CheckpointStatus find(const char name[checkpoint_name_bytes], uint64_t max_version,
                             uint64_t* version) {
  rest();
  auxiliary_use_pages(hash_of(name), level.pages, 0);
  return auxiliary_find(level.asked, max_version, version) ? checkpoint_ok : checkpoint_not_found;
}

static CheckpointStatus read(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                             uint32_t count) {
  rest();
  if (!use_pages(name, pages, count)) return checkpoint_too_large;
  switch (auxiliary_read(level.asked, version, &level.source)) {
    case auxiliary_read_all:
      return checkpoint_ok;
    case auxiliary_not_there:
      return checkpoint_not_found;
    case auxiliary_other_pages:
      return checkpoint_other_regions;
    case auxiliary_damaged:
      break;
  }
  return checkpoint_unreadable;
}

static CheckpointStatus discard(const char name[checkpoint_name_bytes], uint64_t version) {
  rest();
  auxiliary_use_pages(hash_of(name), level.pages, 0);
  return auxiliary_discard(version) ? checkpoint_ok : checkpoint_not_found;
}

static const CheckpointStore store = {.write = write,
                                      .outcome = outcome,
                                      .wait = await_stored,
                                      .find = find,
                                      .read = read,
                                      .discard = discard,
                                      .close = rest};

const char* checkpoint_use_chain(const Chain* chain, unsigned buffers, unsigned record_words) {
  rest();
  level.asked = auxiliary_any;
  const char* const missing = auxiliary_initialize(chain, buffers, record_words);
  if (missing != NULL) return missing;
  return checkpoint_use_store(&store) == checkpoint_ok
             ? NULL
             : "PCRAM, a ratio or the controller of the checkpoint library is in use";
}

void checkpoint_chain_ask(AuxiliarySource source) { level.asked = source; }
AuxiliarySource checkpoint_chain_source(void) { return level.source; }
