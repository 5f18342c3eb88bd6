#include "apps/snapshot_tiers/stores.h"

#include <stdio.h>
#include <string.h>

#include "apps/snapshot_tiers/exchange.h"
#include "boot/memory.h"
#include "checkpoint/pcram_level.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"
#include "drivers/pcram.h"

enum { page_limit = 8192 };

typedef enum { ssd_idle, ssd_handing_over, ssd_copying } SsdState;

static Buddy* buddy;
static uint64_t own_pages[page_limit];
static struct {
  DimmSsdRequest request;
  uint64_t pages[page_limit];
} list __attribute__((aligned(8)));
static struct {
  SsdState state;
  uint64_t version, begin;
} ssd;
static const char* failure;
static StoreCounts counts;

static void fill(uint64_t* pages, const uint8_t* image) {
  for (uint32_t i = 0; i < exchange.image_pages; ++i) pages[i] = (uintptr_t)image + (uint64_t)i * page_bytes;
}

const char* stores_open(Buddy* of) {
  buddy = of;
  if (exchange.image_pages > page_limit) return "images of this size are not supported";
  if (!pcram_probe() || !pcram_level_open()) return "this machine has no PCRAM";
  if (!pcram_level_fits(exchange.image_pages)) return "two images do not fit into the PCRAM";
  if (!dimm_ssd_probe()) return "this machine has no DIMM-SSD";
  fill(own_pages, exchange.image);
  fill(list.pages, buddy_copy_data(buddy, buddy_protected));
  return NULL;
}

static void name_own(char name[pcram_level_name_bytes], uint32_t rank) {
  memset(name, 0, pcram_level_name_bytes);
  snprintf(name, pcram_level_name_bytes, "rank %u", (unsigned)rank);
}

static void ask(uint32_t rank, uint64_t version, uint32_t pages) {
  memset(&list.request, 0, sizeof list.request);
  snprintf(list.request.name, sizeof list.request.name, "rank %u", (unsigned)rank);
  list.request.version = version;
  list.request.page_count = pages;
  list.request.method = dimm_ssd_configured;
}

static bool find_own(uint32_t rank, uint64_t limit, uint64_t* version) {
  char name[pcram_level_name_bytes];
  name_own(name, rank);
  return pcram_level_newest(name, limit, version) &&
         pcram_level_is_of(name, *version, own_pages, exchange.image_pages);
}

static bool find_protected(uint32_t rank, uint64_t limit, uint64_t* version) {
  ask(rank, limit, 0);
  if (dimm_ssd_execute(dimm_ssd_find, &list.request) != dimm_ssd_ok) return false;
  *version = dimm_ssd_found_version();
  return dimm_ssd_found_pages() == exchange.image_pages;
}

void stores_adopt(uint32_t rank, uint32_t ranks) {
  const uint32_t protected_rank = (rank + ranks - 1) % ranks;
  uint64_t limit = UINT64_MAX, version;
  for (unsigned i = 0; i < buddy_versions && find_own(rank, limit, &version); ++i, limit = version - 1)
    buddy_adopt(buddy, rank, ranks, buddy_own, version);
  limit = UINT64_MAX;
  for (unsigned i = 0; i < buddy_versions && find_protected(protected_rank, limit, &version);
       ++i, limit = version - 1)
    buddy_adopt(buddy, rank, ranks, buddy_protected, version);
}

// ---- PCRAM ----

static bool save(uint64_t version) {
  char name[pcram_level_name_bytes];
  name_own(name, buddy->membership.rank);
  const uint64_t begin = generic_timer_now();
  const PcramError error = pcram_level_write(name, version, own_pages, exchange.image_pages, false);
  counts.saved_ticks += generic_timer_now() - begin;
  ++counts.saved;
  if (error != pcram_ok) failure = pcram_error_text(error);
  return error == pcram_ok;
}

static bool load(uint64_t version) {
  char name[pcram_level_name_bytes];
  name_own(name, buddy->membership.rank);
  return pcram_level_has(name, version) &&
         pcram_level_read(name, version, own_pages, exchange.image_pages) == pcram_ok;
}

// ---- DIMM-SSD ----

static bool start_writing(uint64_t version) {
  ask(protected_rank_of(buddy), version, exchange.image_pages);
  ssd.version = version;
  ssd.begin = generic_timer_now();
  ssd.state = ssd_handing_over;
  if (dimm_ssd_start(dimm_ssd_checkpoint, &list.request)) return true;
  ssd.state = ssd_idle;
  failure = "the DIMM-SSD takes no image";
  return false;
}

// The protected rank's image is durable, or it could not be stored.
static void end_writing(bool is_durable) {
  ssd.state = ssd_idle;
  if (is_durable) {
    ++counts.written;
    counts.written_ticks += generic_timer_now() - ssd.begin;
  } else {
    failure = "the DIMM-SSD cannot store an image";
  }
  buddy_kept(buddy, ssd.version, is_durable);
}

static bool has_failed(const DimmSsdProgress* progress) {
  return progress->failed && progress->failed_version <= ssd.version;
}

bool stores_progress(void) {
  DimmSsdError error = dimm_ssd_ok;
  if (ssd.state == ssd_idle) return false;
  if (ssd.state == ssd_handing_over) {
    if (!dimm_ssd_poll(&error)) return false;
    ssd.state = ssd_copying;
  } else if (!dimm_ssd_has_progressed()) {
    return false;
  }
  const DimmSsdProgress progress = dimm_ssd_progress();
  if (error != dimm_ssd_ok || has_failed(&progress))
    end_writing(false);
  else if (progress.open == 0)
    end_writing(true);
  return true;
}

bool stores_are_ready(void) {
  return (ssd.state == ssd_handing_over && dimm_ssd_has_ended()) ||
         (ssd.state == ssd_copying && dimm_ssd_has_progressed());
}

// An image that is being written is abandoned; it may have become durable meanwhile. The device itself drops
// the versions before the newest two; only after a return to an older version are there newer ones, which
// must go.
static void drop_protected(uint64_t version) {
  const bool is_being_written = ssd.state != ssd_idle && ssd.version == version;
  if (is_being_written) {
    ask(protected_rank_of(buddy), 0, 0);
    dimm_ssd_execute(dimm_ssd_abort, &list.request);
    dimm_ssd_progress();
    ssd.state = ssd_idle;
  }
  if (is_being_written || !buddy_is_running(buddy) || version > buddy->committed) {
    ask(protected_rank_of(buddy), version, 0);
    dimm_ssd_execute(dimm_ssd_discard, &list.request);
  }
}

// ---- both ----

bool stores_keep(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  return of == buddy_own ? save(version) : start_writing(version);
}

bool stores_recall(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  const uint64_t begin = generic_timer_now();
  bool is_read;
  if (of == buddy_own) {
    is_read = load(version);
  } else {
    ask(protected_rank_of(buddy), version, exchange.image_pages);
    is_read = dimm_ssd_execute(dimm_ssd_restore, &list.request) == dimm_ssd_ok;
  }
  counts.loaded_ticks += generic_timer_now() - begin;
  if (!is_read) failure = "an image cannot be read back";
  return is_read;
}

void stores_drop(void* context, BuddyCopyOf of, uint64_t version) {
  (void)context;
  char name[pcram_level_name_bytes];
  name_own(name, buddy->membership.rank);
  if (of == buddy_own)
    pcram_level_discard(name, version);
  else
    drop_protected(version);
}

const char* stores_failure(void) { return failure; }
StoreCounts stores_counts(void) { return counts; }
