#include "checkpoint/cxl_ssd_store.h"

#include "boot/guarded_copy.h"
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

// Stores zeros where lines are poisoned: the device does not write the rest of their pages before. What was
// there is lost anyway, and a checkpoint with a gap is found by its checksums.
static void fill_gaps(void) {
  static const uint8_t zeros[memory_level_align];
  uint8_t line[memory_level_align];
  for (uint64_t at = 0; at < level.bytes; at += sizeof line)
    if (!memory_copy_guarded(line, level.first + at, sizeof line))
      memory_copy_guarded(level.first + at, zeros, sizeof zeros);
}

static bool make_durable(void) {
  if (level.ssd.is_protected) {
    cxl_ssd_clean(level.first, level.bytes);
    return true;
  }
  if (cxl_ssd_flush(level.first, level.bytes)) return true;
  if (!cxl_ssd_has_lost()) return false;
  fill_gaps();
  return cxl_ssd_flush(level.first, level.bytes);
}

static CheckpointStatus write_pages(const char* name, uint64_t version, const uint64_t* pages,
                                    uint32_t count) {
  if (!memory_level_fits((uint64_t)count * page_bytes_of_store, count)) return checkpoint_too_large;
  if (cxl_ssd_has_lost()) fill_gaps();
  if (!memory_level_begin(name, version)) return checkpoint_unreadable;
  if (!make_durable()) return checkpoint_worn_out;
  for (uint32_t i = 0; i < count; ++i)
    if (!memory_level_append((const void*)(uintptr_t)pages[i], page_bytes_of_store))
      return checkpoint_uncorrectable;
  if (!make_durable()) return checkpoint_worn_out;
  if (!memory_level_commit_beside()) return checkpoint_unreadable;
  if (!make_durable()) return checkpoint_worn_out;
  // An earlier checkpoint of this version may go only now: the device writes pages in any order.
  return !memory_level_discard_earlier() || make_durable() ? checkpoint_ok : checkpoint_worn_out;
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
  if (status == checkpoint_unreadable && memory_level_discard(name, version)) make_durable();
  memory_level_select(0);
  return status;
}

static CheckpointStatus discard(const char name[checkpoint_name_bytes], uint64_t version) {
  memory_level_select(range);
  const bool was_there = memory_level_discard(name, version);
  memory_level_select(0);
  if (!was_there) return checkpoint_not_found;
  return make_durable() ? checkpoint_ok : checkpoint_worn_out;
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
  if (!cxl_ssd_probe(&level.ssd)) return checkpoint_no_cxl;
  // Each of two slots has flash pages of its own, so that one which cannot be read costs one checkpoint.
  const uint64_t unit = 2 * (uint64_t)level.ssd.page_bytes;
  const uint64_t least = memory_level_size(pages * page_bytes_of_store, (unsigned)pages);
  const uint64_t size = (least + unit - 1) / unit * unit;
  if (size > level.ssd.bytes) return checkpoint_no_cxl;
  const CheckpointStatus status = checkpoint_use_store(&store);
  if (status != checkpoint_ok) return status;
  level.first = (uint8_t*)(uintptr_t)(level.ssd.first + level.ssd.bytes - size);
  level.bytes = size;
  memory_level_select(range);
  const bool sound = memory_level_open(level.first, size);
  memory_level_select(0);
  return sound ? checkpoint_ok : checkpoint_uncorrectable;
}
