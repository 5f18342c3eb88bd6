#include "checkpoint/cxl_ssd_store.h"

#include "checkpoint/memory_level.h"
#include "checkpoint/store.h"

enum { range = 1, page_bytes_of_store = 4096 };

static struct {
  CxlSsd ssd;
  uint8_t* first;
  uint64_t bytes;
  uint64_t version;  // written last
  CheckpointStatus status;
} level;

static bool make_durable(void) {
  if (!level.ssd.is_protected) return cxl_ssd_flush(level.first, level.bytes);
  cxl_ssd_clean(level.first, level.bytes);
  return true;
}

static CheckpointStatus write_pages(const char* name, uint64_t version, const uint64_t* pages,
                                    uint32_t count) {
  if (!memory_level_fits((uint64_t)count * page_bytes_of_store, count)) return checkpoint_too_large;
  if (!memory_level_begin(name, version)) return checkpoint_unreadable;
  if (!make_durable()) return checkpoint_worn_out;
  for (uint32_t i = 0; i < count; ++i)
    if (!memory_level_append((const void*)(uintptr_t)pages[i], page_bytes_of_store))
      return checkpoint_uncorrectable;
  if (!make_durable()) return checkpoint_worn_out;
  if (!memory_level_commit()) return checkpoint_unreadable;
  return make_durable() ? checkpoint_ok : checkpoint_worn_out;
}

static CheckpointStatus write(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                              uint32_t count) {
  memory_level_select(range);
  level.version = version;
  level.status = write_pages(name, version, pages, count);
  memory_level_select(0);
  return level.status;
}

static CheckpointStatus outcome(uint64_t version) {
  return version == level.version ? level.status : checkpoint_ok;
}

static void wait(void) {}

static CheckpointStatus find(const char name[checkpoint_name_bytes], uint64_t max_version,
                             uint64_t* version) {
  memory_level_select(range);
  const bool found = memory_level_newest(name, max_version, version);
  memory_level_select(0);
  return found ? checkpoint_ok : checkpoint_not_found;
}

static CheckpointStatus read(const char name[checkpoint_name_bytes], uint64_t version, const uint64_t* pages,
                             uint32_t count) {
  memory_level_select(range);
  CheckpointStatus status = memory_level_seek(name, version) ? checkpoint_ok : checkpoint_not_found;
  for (uint32_t i = 0; i < count && status == checkpoint_ok; ++i)
    if (!memory_level_read((void*)(uintptr_t)pages[i], page_bytes_of_store)) status = checkpoint_unreadable;
  if (status == checkpoint_unreadable) memory_level_discard(name, version);
  memory_level_select(0);
  return status;
}

static CheckpointStatus discard(const char name[checkpoint_name_bytes], uint64_t version) {
  memory_level_select(range);
  const bool was_there = memory_level_discard(name, version);
  memory_level_select(0);
  return was_there && make_durable() ? checkpoint_ok : checkpoint_not_found;
}

static void close(void) {
  memory_level_select(range);
  memory_level_close();
  memory_level_select(0);
}

static const CheckpointStore store = {.write = write,
                                      .outcome = outcome,
                                      .wait = wait,
                                      .find = find,
                                      .read = read,
                                      .discard = discard,
                                      .close = close};

CheckpointStatus checkpoint_use_cxl_ssd(uint64_t bytes) {
  // The header, and the fragments of regions that begin or end within a page.
  const uint64_t pages = bytes / page_bytes_of_store + 2 * checkpoint_region_limit + 1;
  const uint64_t size = memory_level_size(pages * page_bytes_of_store, (unsigned)pages);
  if (!cxl_ssd_probe(&level.ssd) || size > level.ssd.bytes) return checkpoint_no_cxl;
  const CheckpointStatus status = checkpoint_use_store(&store);
  if (status != checkpoint_ok) return status;
  level.first = (uint8_t*)(uintptr_t)(level.ssd.first + level.ssd.bytes - size);
  level.bytes = size;
  memory_level_select(range);
  const bool sound = memory_level_open(level.first, size);
  memory_level_select(0);
  return sound ? checkpoint_ok : checkpoint_uncorrectable;
}
