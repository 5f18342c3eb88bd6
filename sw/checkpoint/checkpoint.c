#include "checkpoint/checkpoint.h"

#include <stdbool.h>
#include <string.h>

#include "boot/device_address.h"
#include "boot/memory.h"
#include "checkpoint/asynchronous.h"
#include "checkpoint/checksum.h"
#include "checkpoint/controller.h"
#include "checkpoint/memory_level.h"
#include "checkpoint/pcram_level.h"
#include "checkpoint/status.h"
#include "checkpoint/store.h"
#include "drivers/cxl.h"
#include "drivers/dimm_ssd.h"
#include "drivers/memory_controller.h"
#include "drivers/pcram.h"

typedef struct {
  int64_t id;
  uint64_t bytes;
  uint64_t
      page_offset;  // of the first byte in its page: it determines the page of each byte in the checkpoint
} RegionEntry;

typedef struct {
  char magic[8];
  char name[32];
  uint64_t version;
  uint64_t region_count;
  RegionEntry regions[checkpoint_region_limit];
  uint64_t contents_checksum;  // over all regions in this order
  uint64_t header_checksum;    // over all before it
} Header;

typedef union {
  Header header;
  uint8_t bytes[page_bytes];
} HeaderPage;

enum { staging_bytes = checkpoint_region_limit * 2 * page_bytes };  // a head and a tail of every region
static const char magic[8] = {'A', 'S', 'T', 'C', 'K', 'P', 'T', '2'};

typedef struct {
  DimmSsdRequest request;
  uint64_t pages[checkpoint_page_limit];
} PageList;

// What the DIMM-SSD reads and writes besides the regions, so that it must be in the memory beside it.
static HeaderPage own_header_page __attribute__((aligned(page_bytes)));
static uint8_t own_staging[staging_bytes] __attribute__((aligned(page_bytes)));
static PageList own_list __attribute__((aligned(8)));

enum { strong_range = 0 };  // level 1's entry of the range table

// A level besides the DIMM-SSD. Levels and the controller are called through pointers that
// checkpoint_use_...() sets, so that a level which a program never uses is not linked into it.
typedef struct {
  bool (*is_open)(void);
  CheckpointStatus (*write)(uint64_t version);
  CheckpointStatus (*restore)(uint64_t version);
  CheckpointStatus lost;  // the status of restore() if the level has lost the checkpoint
  bool (*newest)(const char* name, uint64_t max_version, uint64_t* version);
  bool (*discard)(const char* name, uint64_t version);
  void (*close)(void);
} Level;

// The use of one DIMM-SSD.
typedef struct {
  HeaderPage* header_page;
  uint8_t* staging;
  PageList* list;
  bool present;
  const CheckpointStore* store;           // replaces the DIMM-SSD; NULL: the DIMM-SSD is used
  const Level* memory;                    // level 1, also after an error has closed it; NULL: not in use
  uint32_t (*count_memory_errors)(void);  // set with level 1
  uint64_t memory_bytes;                  // the size for which level 1 was set up
  unsigned ssd_every, ratio;              // ratio: every n-th to level 2 only; 0: not in use
  uint64_t writes;
  const Controller* controller;  // NULL: not in use
  const Level* pcram;            // NULL: not in use
  const Level* cxl;              // also after an error has closed it; NULL: not in use
  bool pcram_is_worn, pcram_increments;
  DimmSsdMethod method;
  CheckpointStatus level_status[5];
  unsigned region_count;
  uint8_t* addresses[checkpoint_region_limit];
  RegionEntry regions[checkpoint_region_limit];
} Use;

static Use use = {
    // of the selected DIMM-SSD
    .header_page = &own_header_page,
    .staging = own_staging,
    .list = &own_list,
};
static Use unselected[dimm_ssd_limit];
static unsigned selected;

// --- A region is a head fragment, whole pages, a tail fragment; any may be empty.

static size_t head_bytes(const RegionEntry* region) {
  const size_t to_boundary = (page_bytes - region->page_offset) % page_bytes;
  return to_boundary < region->bytes ? to_boundary : region->bytes;
}

static size_t whole_pages(const RegionEntry* region) {
  return (region->bytes - head_bytes(region)) / page_bytes;
}

static size_t tail_bytes(const RegionEntry* region) {
  return (region->bytes - head_bytes(region)) % page_bytes;
}

size_t checkpoint_pages(void) {
  size_t fragments = 0;
  size_t pages = 1;  // the header
  for (unsigned i = 0; i < use.region_count; ++i) {
    fragments += head_bytes(&use.regions[i]) + tail_bytes(&use.regions[i]);
    pages += whole_pages(&use.regions[i]);
  }
  return pages + (fragments + page_bytes - 1) / page_bytes;
}

// Copies the fragments of all regions, one after the other, to the staging pages or back.
static size_t copy_fragments(bool to_staging) {
  size_t at = 0;
  for (unsigned i = 0; i < use.region_count; ++i) {
    const size_t head = head_bytes(&use.regions[i]);
    const size_t tail = tail_bytes(&use.regions[i]);
    uint8_t* const start = use.addresses[i];
    uint8_t* const end = start + use.regions[i].bytes - tail;
    memcpy(to_staging ? use.staging + at : start, to_staging ? start : use.staging + at, head);
    at += head;
    memcpy(to_staging ? use.staging + at : end, to_staging ? end : use.staging + at, tail);
    at += tail;
  }
  return at;
}

static uint64_t page_address(uintptr_t page) { return device_address((const void*)page, page_bytes); }

static void list_pages(size_t fragment_bytes) {
  uint32_t count = 0;
  use.list->pages[count++] = page_address((uintptr_t)use.header_page);
  for (unsigned i = 0; i < use.region_count; ++i) {
    const uintptr_t first = (uintptr_t)use.addresses[i] + head_bytes(&use.regions[i]);
    for (size_t page = 0; page < whole_pages(&use.regions[i]); ++page)
      use.list->pages[count++] = page_address(first + page * page_bytes);
  }
  for (size_t at = 0; at < fragment_bytes; at += page_bytes)
    use.list->pages[count++] = page_address((uintptr_t)use.staging + at);
  use.list->request.page_count = count;
}

static uint64_t contents_checksum(void) {
  uint64_t sum = CHECKSUM_START;
  for (unsigned i = 0; i < use.region_count; ++i) sum = checksum(sum, use.addresses[i], use.regions[i].bytes);
  return sum;
}

static bool has_level_2(void) { return use.present || use.store != NULL; }
static CheckpointLevel level_2(void) { return use.store != NULL ? checkpoint_chain : checkpoint_dimm_ssd; }

static CheckpointStatus request(const char* name, uint64_t version) {
  const size_t length = name != NULL ? strlen(name) : 0;
  if (!has_level_2() && use.memory == NULL && use.pcram == NULL && use.cxl == NULL)
    return checkpoint_no_device;
  if (length == 0 || length >= sizeof use.list->request.name) return checkpoint_bad_argument;
  memset(use.list->request.name, 0, sizeof use.list->request.name);
  memcpy(use.list->request.name, name, length);
  use.list->request.version = version;
  use.list->request.page_count = 0;
  return checkpoint_ok;
}

static uint32_t memory_errors(void) { return use.memory != NULL ? use.count_memory_errors() : 0; }

static CheckpointStatus execute(DimmSsdOperation operation) {
  if (!use.present) return checkpoint_no_device;
  const uint32_t errors = memory_errors();
  use.list->request.method = operation == dimm_ssd_checkpoint ? use.method : dimm_ssd_configured;
  const DimmSsdError error = dimm_ssd_execute(operation, &use.list->request);
  // Poison appears to the device as a bus error.
  if (error == dimm_ssd_bus_error && memory_errors() != errors) return checkpoint_uncorrectable;
  return status_of(error);
}

static CheckpointStatus note(CheckpointLevel level, CheckpointStatus status) {
  return use.level_status[level - 1] = status;
}

static void clear_level_status(void) {
  note(checkpoint_memory, checkpoint_not_asked);
  note(checkpoint_dimm_ssd, checkpoint_not_asked);
  note(checkpoint_pcram, checkpoint_not_asked);
  note(checkpoint_chain, checkpoint_not_asked);
  note(checkpoint_cxl, checkpoint_not_asked);
}

CheckpointStatus checkpoint_level_status(CheckpointLevel level) { return use.level_status[level - 1]; }

CheckpointStatus checkpoint_initialize(void) {
  asynchronous_finish();
  asynchronous_clear();
  if (use.store != NULL) use.store->close();
  use.store = NULL;
  asynchronous_use_store(NULL);
  use.region_count = 0;
  if (use.memory != NULL) use.memory->close();
  use.memory = NULL;
  if (use.pcram != NULL) use.pcram->close();
  use.pcram = NULL;
  if (use.cxl != NULL) use.cxl->close();
  use.cxl = NULL;
  use.controller = NULL;
  use.ratio = 0;
  clear_level_status();
  use.present = dimm_ssd_probe();
  return use.present ? checkpoint_ok : checkpoint_no_device;
}

CheckpointStatus checkpoint_select(unsigned dimm_ssd, void* memory) {
  _Static_assert(sizeof(HeaderPage) + staging_bytes + sizeof(PageList) <= CHECKPOINT_OWN_BYTES, "");
  if (dimm_ssd >= dimm_ssd_limit) return checkpoint_no_device;
  const bool has_memory = dimm_ssd == selected || dimm_ssd == 0 || unselected[dimm_ssd].list != NULL;
  if ((!has_memory && memory == NULL) || (uintptr_t)memory % page_bytes != 0) return checkpoint_bad_argument;
  if (!dimm_ssd_select(dimm_ssd)) return checkpoint_no_device;
  unselected[selected] = use;
  use = unselected[dimm_ssd];
  selected = dimm_ssd;
  asynchronous_select(dimm_ssd);
  if (memory == NULL) return checkpoint_ok;
  use.header_page = memory;
  use.staging = (uint8_t*)memory + sizeof(HeaderPage);
  use.list = (PageList*)(use.staging + staging_bytes);
  return checkpoint_ok;
}

CheckpointStatus checkpoint_use_store(const CheckpointStore* used) {
  if (selected != 0) return checkpoint_bad_argument;
  if (use.pcram != NULL || use.cxl != NULL || use.ratio != 0 || use.controller != NULL)
    return checkpoint_bad_argument;
  asynchronous_finish();
  use.store = used;
  asynchronous_use_store(used);
  return checkpoint_ok;
}

CheckpointStatus checkpoint_use_controller(const CheckpointPolicy* policy) {
  if (use.store != NULL || use.cxl != NULL || !(policy->lifetime_years >= 0 && policy->overhead_percent >= 0))
    return checkpoint_bad_argument;
  if (!use.present) return checkpoint_no_device;
  if (use.memory == NULL) return checkpoint_no_strong_memory;
  use.ratio = 0;
  use.controller = controller_use(policy, use.memory_bytes);
  return checkpoint_ok;
}

CheckpointStatus checkpoint_use_ratio(unsigned every) {
  if (every == 0 || use.store != NULL || use.cxl != NULL) return checkpoint_bad_argument;
  if (!use.present) return checkpoint_no_device;
  if (use.memory == NULL) return checkpoint_no_strong_memory;
  use.controller = NULL;
  use.ratio = every;
  use.writes = 0;
  return checkpoint_ok;
}

static bool goes_to_one_level(void) { return use.controller != NULL || use.ratio != 0; }

void checkpoint_use_method(DimmSsdMethod wanted) { use.method = wanted; }

CheckpointStatus checkpoint_use_shadow(size_t pages) {
  if (!use.present) return checkpoint_no_device;
  if (pages == 0) pages = checkpoint_pages();
  void* const first = memory_allocate(pages * page_bytes);
  if (first == NULL) return checkpoint_too_large;
  dimm_ssd_use_shadow(first, (uint32_t)pages);
  return checkpoint_ok;
}

CheckpointStatus checkpoint_protect(int id, void* data, size_t bytes) {
  if (data == NULL || bytes == 0) return checkpoint_bad_argument;
  unsigned index = 0;
  while (index < use.region_count && use.regions[index].id != id) ++index;
  if (index == checkpoint_region_limit) return checkpoint_too_large;
  use.addresses[index] = data;
  use.regions[index] = (RegionEntry){id, bytes, (uintptr_t)data % page_bytes};
  if (index == use.region_count) ++use.region_count;
  return checkpoint_ok;
}

static void fill_header(uint64_t version) {
  Header* const header = &use.header_page->header;
  memset(use.header_page, 0, sizeof *use.header_page);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->name, use.list->request.name, sizeof header->name);
  header->version = version;
  header->region_count = use.region_count;
  memcpy(header->regions, use.regions, sizeof use.regions);
  header->contents_checksum = contents_checksum();
  header->header_checksum = checksum(CHECKSUM_START, header, offsetof(Header, header_checksum));
}

// A store to a part of a block reads the block first. An error found there is counted and raises no SError,
// but the store is lost.
static CheckpointStatus write_to_memory(uint64_t version, uint32_t (*count_errors)(void)) {
  const uint32_t errors = count_errors();
  bool sound = memory_level_begin(use.list->request.name, version) && count_errors() == errors &&
               memory_level_append(&use.header_page->header, sizeof(Header));
  for (unsigned i = 0; i < use.region_count && sound; ++i)
    sound = count_errors() == errors && memory_level_append(use.addresses[i], use.regions[i].bytes);
  sound = sound && memory_level_commit();
  if (sound && count_errors() == errors) return checkpoint_ok;
  memory_level_discard(use.list->request.name, version);
  return checkpoint_uncorrectable;
}

static bool fits_into_memory(void) {
  uint64_t bytes = sizeof(Header);
  for (unsigned i = 0; i < use.region_count; ++i) bytes += use.regions[i].bytes;
  return memory_level_fits(bytes, use.region_count + 1);
}

// After an error level 1 stays closed: a permanent fault would cost time at every write.
static CheckpointStatus write_to_level_1(uint64_t version) {
  if (!memory_level_is_open()) return checkpoint_uncorrectable;
  if (!fits_into_memory()) return checkpoint_too_large;
  const CheckpointStatus status = write_to_memory(version, memory_errors);
  if (status != checkpoint_ok) memory_level_close();
  return status;
}

static void stage(void) { list_pages(copy_fragments(true)); }

static const uint64_t* pages(void) { return use.list->pages; }
static uint32_t page_count(void) { return use.list->request.page_count; }

// As for the DIMM-SSD, memory that cannot be read appears to the device as a bus error.
static CheckpointStatus status_since(uint32_t errors, PcramError error) {
  if (error == pcram_bus_error && memory_errors() != errors) return checkpoint_uncorrectable;
  return status_of_pcram(error);
}

// The pages must be staged. When cells are worn out, PCRAM is not written any more: each write would cost a
// slot.
static CheckpointStatus write_to_pcram(uint64_t version) {
  if (use.pcram_is_worn) return checkpoint_worn_out;
  if (!pcram_level_fits(page_count())) return checkpoint_too_large;
  const uint32_t errors = memory_errors();
  const PcramError error =
      pcram_level_write(use.list->request.name, version, pages(), page_count(), use.pcram_increments);
  use.pcram_is_worn = error == pcram_worn_out;
  return status_since(errors, error);
}

// The pages must be staged. Returns the result of the command; a version that is handed over is pending. It
// is added to the list before the device reports anything more about it.
static CheckpointStatus hand_over(bool reported) {
  const uint64_t version = use.list->request.version;
  CheckpointStatus status;
  if (use.store != NULL) {
    status = use.store->write(use.list->request.name, version, pages(), page_count());
  } else {
    status = execute(dimm_ssd_checkpoint);
    if (status == checkpoint_ok && !dimm_ssd_stops_software(use.method)) status = checkpoint_pending;
  }
  const bool failed = status != checkpoint_ok && status != checkpoint_pending;
  asynchronous_add(version, status, reported || failed);
  if (has_level_2()) asynchronous_update();
  return status;
}

static CheckpointStatus status_to_begin(const char* name, uint64_t version) {
  const CheckpointStatus status = request(name, version);
  if (status != checkpoint_ok) return status;
  if (use.region_count == 0 || version == checkpoint_any_version) return checkpoint_bad_argument;
  if (checkpoint_pages() > checkpoint_page_limit) return checkpoint_too_large;
  if (!has_level_2()) return checkpoint_ok;
  asynchronous_update();
  if (asynchronous_is_pending(version)) asynchronous_finish();
  return asynchronous_unreported_failure();
}

static CheckpointStatus safe_on_a_level(void) {
  const CheckpointStatus on_ssd = use.level_status[level_2() - 1];
  const CheckpointStatus in_memory = use.level_status[checkpoint_memory - 1];
  const CheckpointStatus in_pcram = use.level_status[checkpoint_pcram - 1];
  if (on_ssd == checkpoint_ok || on_ssd == checkpoint_pending) return on_ssd;
  const CheckpointStatus in_cxl = use.level_status[checkpoint_cxl - 1];
  if (in_pcram == checkpoint_ok || in_memory == checkpoint_ok || in_cxl == checkpoint_ok)
    return checkpoint_ok;
  if (in_memory != checkpoint_not_asked) return in_memory;
  if (in_cxl != checkpoint_not_asked) return in_cxl;
  return in_pcram != checkpoint_not_asked ? in_pcram : on_ssd;
}

static uint64_t rank_of(unsigned region) {
  return (uint64_t)use.regions[region].id % use.controller->ranks();
}

static uint64_t bytes_of_the_largest_rank(void) {
  uint64_t largest = 0;
  for (unsigned i = 0; i < use.region_count; ++i) {
    uint64_t bytes = 0;
    for (unsigned j = 0; j < use.region_count; ++j)
      if (rank_of(j) == rank_of(i)) bytes += use.regions[j].bytes;
    if (bytes > largest) largest = bytes;
  }
  return largest;
}

static bool write_to_memory_alone(uint64_t version) {
  const CheckpointStatus status = note(checkpoint_memory, use.memory->write(version));
  if (status == checkpoint_ok) asynchronous_add(version, status, true);
  return status == checkpoint_ok;
}

static CheckpointStatus begin_at(Location location, uint64_t version) {
  if (location == location_none) {
    asynchronous_add(version, checkpoint_skipped, true);
    return checkpoint_skipped;
  }
  fill_header(version);
  if (location == location_ramdisk && write_to_memory_alone(version)) return checkpoint_ok;
  stage();
  const CheckpointStatus ssd = note(checkpoint_dimm_ssd, hand_over(false));
  if (ssd != checkpoint_ok && ssd != checkpoint_pending && location == location_ssd)
    write_to_memory_alone(version);
  return safe_on_a_level();
}

// Every ssd_every-th checkpoint, and every one that no level before could keep.
static bool goes_to_ssd(CheckpointStatus on_last_level) {
  if (use.memory == NULL && use.pcram == NULL && use.cxl == NULL) return true;
  if (use.ssd_every == 0) return false;
  return ++use.writes % use.ssd_every == 0 || on_last_level != checkpoint_ok;
}

static CheckpointStatus begin(const char* name, uint64_t version) {
  clear_level_status();
  const CheckpointStatus status = status_to_begin(name, version);
  if (status != checkpoint_ok) return status;
  if (use.controller != NULL)
    return begin_at(use.controller->decide(version, bytes_of_the_largest_rank()), version);
  if (use.ratio != 0)
    return begin_at(++use.writes % use.ratio == 0 ? location_ssd : location_ramdisk, version);
  fill_header(version);
  CheckpointStatus in_memory = checkpoint_not_asked, in_cxl = checkpoint_not_asked,
                   in_pcram = checkpoint_not_asked;
  if (use.memory != NULL) in_memory = note(checkpoint_memory, use.memory->write(version));
  CheckpointStatus last = in_memory;
  if (use.cxl != NULL) last = in_cxl = note(checkpoint_cxl, use.cxl->write(version));
  if (use.pcram != NULL) {
    stage();
    last = in_pcram = note(checkpoint_pcram, use.pcram->write(version));
  }
  if (goes_to_ssd(last)) {
    if (use.pcram == NULL) stage();
    note(level_2(),
         hand_over(in_memory == checkpoint_ok || in_cxl == checkpoint_ok || in_pcram == checkpoint_ok));
  } else {
    asynchronous_add(version, safe_on_a_level(), true);
  }
  return safe_on_a_level();
}

static void time_begins(void) {
  if (use.controller != NULL) use.controller->checkpoint_begins();
}
static void time_ends(void) {
  if (use.controller != NULL) use.controller->checkpoint_ends();
}

CheckpointStatus checkpoint_begin(const char* name, uint64_t version) {
  time_begins();
  const CheckpointStatus status = begin(name, version);
  time_ends();
  return status == checkpoint_pending ? checkpoint_ok : status;
}

static CheckpointStatus wait_for_level_2(uint64_t version) {
  const CheckpointStatus on_ssd = note(level_2(), asynchronous_wait(version));
  const bool is_elsewhere = use.level_status[checkpoint_memory - 1] != checkpoint_not_asked;
  if (on_ssd != checkpoint_ok && goes_to_one_level() && !is_elsewhere) write_to_memory_alone(version);
  return safe_on_a_level();
}

CheckpointStatus checkpoint_write(const char* name, uint64_t version) {
  time_begins();
  CheckpointStatus status = begin(name, version);
  if (status == checkpoint_pending) status = wait_for_level_2(version);
  time_ends();
  return status;
}

CheckpointStatus checkpoint_test(uint64_t version) {
  if (has_level_2()) asynchronous_update();
  return asynchronous_status(version);
}

CheckpointStatus checkpoint_wait(uint64_t version) {
  if (version != checkpoint_any_version) return asynchronous_wait(version);
  asynchronous_finish();
  return asynchronous_unreported_failure();
}

CheckpointStatus checkpoint_abort(void) {
  if (use.store != NULL) {
    asynchronous_finish();
    asynchronous_unreported_failure();
    return checkpoint_ok;
  }
  if (!use.present) return checkpoint_no_device;
  use.list->request.page_count = 0;
  const CheckpointStatus status = execute(dimm_ssd_abort);
  asynchronous_update();
  asynchronous_unreported_failure();
  return status;
}

static CheckpointStatus find_on_level_2(uint64_t max_version, uint64_t* version) {
  if (use.store != NULL) return use.store->find(use.list->request.name, max_version, version);
  use.list->request.version = max_version;
  use.list->request.page_count = 0;
  const CheckpointStatus status = execute(dimm_ssd_find);
  if (status == checkpoint_ok) *version = dimm_ssd_found_version();
  return status;
}

CheckpointStatus checkpoint_find_newest(const char* name, uint64_t max_version, uint64_t* version) {
  const CheckpointStatus status = request(name, max_version);
  if (status != checkpoint_ok) return status;
  uint64_t there;
  const char* const key = use.list->request.name;
  bool found = use.memory != NULL && use.memory->newest(key, max_version, version);
  if (use.cxl != NULL && use.cxl->newest(key, max_version, &there) && (!found || there > *version)) {
    *version = there;
    found = true;
  }
  if (use.pcram != NULL && use.pcram->newest(key, max_version, &there) && (!found || there > *version)) {
    *version = there;
    found = true;
  }
  const CheckpointStatus ssd = find_on_level_2(max_version, &there);
  if (ssd == checkpoint_ok && (!found || there > *version)) *version = there;
  return found ? checkpoint_ok : ssd;
}

static CheckpointStatus check_header(uint64_t version) {
  const Header* const header = &use.header_page->header;
  if (memcmp(header->magic, magic, sizeof magic) != 0 ||
      memcmp(header->name, use.list->request.name, sizeof header->name) != 0 || header->version != version ||
      header->header_checksum != checksum(CHECKSUM_START, header, offsetof(Header, header_checksum)))
    return checkpoint_torn;
  if (header->region_count != use.region_count ||
      memcmp(header->regions, use.regions, use.region_count * sizeof *use.regions) != 0)
    return checkpoint_other_regions;
  return checkpoint_ok;
}

static CheckpointStatus check_contents(void) {
  return contents_checksum() == use.header_page->header.contents_checksum ? checkpoint_ok : checkpoint_torn;
}

static CheckpointStatus restore_from_memory(uint64_t version) {
  if (!memory_level_seek(use.list->request.name, version)) return checkpoint_not_found;
  if (!memory_level_read(&use.header_page->header, sizeof(Header))) return checkpoint_uncorrectable;
  const CheckpointStatus status = check_header(version);
  if (status != checkpoint_ok) return status;
  for (unsigned i = 0; i < use.region_count; ++i)
    if (!memory_level_read(use.addresses[i], use.regions[i].bytes)) return checkpoint_uncorrectable;
  return check_contents();
}

// Checks the pages after a restore, and copies the fragments to their regions.
static CheckpointStatus check_pages(uint64_t version) {
  const CheckpointStatus status = check_header(version);
  if (status != checkpoint_ok) return status;
  copy_fragments(false);
  return check_contents();
}

static CheckpointStatus restore_from_pcram(uint64_t version) {
  const char* const name = use.list->request.name;
  if (!pcram_level_has(name, version)) return checkpoint_not_found;
  stage();
  if (!pcram_level_is_of(name, version, pages(), page_count())) return checkpoint_other_regions;
  const uint32_t errors = memory_errors();
  const CheckpointStatus status =
      status_since(errors, pcram_level_read(name, version, pages(), page_count()));
  return status == checkpoint_ok ? check_pages(version) : status;
}

static CheckpointStatus restore_from_ssd(uint64_t version) {
  uint64_t found;
  CheckpointStatus status = find_on_level_2(version, &found);
  if (status != checkpoint_ok) return status;
  if (found != version) return checkpoint_not_found;
  // A different number of pages is refused before the device writes to a region.
  if (dimm_ssd_found_pages() != checkpoint_pages()) return checkpoint_other_regions;
  stage();
  status = execute(dimm_ssd_restore);
  return status == checkpoint_ok ? check_pages(version) : status;
}

static CheckpointStatus restore_from_store(uint64_t version) {
  stage();
  const CheckpointStatus status = use.store->read(use.list->request.name, version, pages(), page_count());
  return status == checkpoint_ok ? check_pages(version) : status;
}

// Restores from a level besides the DIMM-SSD; the level discards a checkpoint that it has lost.
// checkpoint_not_found means that the next level must be tried.
static CheckpointStatus restore_from(const Level* level, CheckpointLevel number, uint64_t version) {
  if (level == NULL || !level->is_open()) return checkpoint_not_found;
  const CheckpointStatus status = note(number, level->restore(version));
  if (status == level->lost || status == checkpoint_torn) level->discard(use.list->request.name, version);
  return status;
}

CheckpointStatus checkpoint_restore(const char* name, uint64_t version) {
  clear_level_status();
  CheckpointStatus status = request(name, version);
  if (status != checkpoint_ok) return status;
  if (use.region_count == 0) return checkpoint_bad_argument;
  if (checkpoint_pages() > checkpoint_page_limit) return checkpoint_too_large;
  asynchronous_finish();
  const CheckpointStatus in_memory = restore_from(use.memory, checkpoint_memory, version);
  if (in_memory == checkpoint_ok) return in_memory;
  const CheckpointStatus in_cxl = restore_from(use.cxl, checkpoint_cxl, version);
  if (in_cxl == checkpoint_ok) return in_cxl;
  const CheckpointStatus in_pcram = restore_from(use.pcram, checkpoint_pcram, version);
  if (in_pcram == checkpoint_ok) return in_pcram;
  const CheckpointStatus on_ssd =
      note(level_2(), use.store != NULL ? restore_from_store(version) : restore_from_ssd(version));
  if (on_ssd == checkpoint_ok) return on_ssd;
  if (in_memory != checkpoint_not_found) return in_memory;
  if (in_cxl != checkpoint_not_found) return in_cxl;
  return in_pcram != checkpoint_not_found ? in_pcram : on_ssd;
}

CheckpointStatus checkpoint_discard(const char* name, uint64_t version) {
  const CheckpointStatus status = request(name, version);
  if (status != checkpoint_ok) return status;
  if (asynchronous_is_pending(version)) asynchronous_finish();
  const bool in_memory =
      use.memory != NULL && use.memory->is_open() && use.memory->discard(use.list->request.name, version);
  const bool in_cxl =
      use.cxl != NULL && use.cxl->is_open() && use.cxl->discard(use.list->request.name, version);
  const bool in_pcram = use.pcram != NULL && use.pcram->discard(use.list->request.name, version);
  const CheckpointStatus ssd =
      use.store != NULL ? use.store->discard(use.list->request.name, version) : execute(dimm_ssd_discard);
  return in_memory || in_cxl || in_pcram ? checkpoint_ok : ssd;
}

static const Level memory_functions = {.is_open = memory_level_is_open,
                                       .write = write_to_level_1,
                                       .restore = restore_from_memory,
                                       .lost = checkpoint_uncorrectable,
                                       .newest = memory_level_newest,
                                       .discard = memory_level_discard,
                                       .close = memory_level_close};

CheckpointStatus checkpoint_use_memory(uint64_t bytes, unsigned every) {
  if (selected != 0) return checkpoint_bad_argument;
  if (!memory_controller_probe()) return checkpoint_no_strong_memory;
  const uint64_t size = memory_level_size(bytes + sizeof(Header), checkpoint_region_limit + 1);
  const EccRange wanted = {.first = memory_end() - size, .bytes = size, .mode = ecc_strong};
  const EccRange there = memory_controller_range(strong_range);
  const bool same = there.mode == wanted.mode && there.first == wanted.first && there.bytes == wanted.bytes;
  if (!same && memory_controller_set_range(strong_range, wanted) != range_ok)
    return checkpoint_no_strong_memory;
  memory_keep_from(wanted.first);
  use.memory = &memory_functions;
  use.count_memory_errors = memory_controller_uncorrectable;
  use.memory_bytes = bytes;
  use.ssd_every = every;
  use.ratio = 0;
  use.writes = 0;
  return memory_level_open((void*)(uintptr_t)wanted.first, size) ? checkpoint_ok : checkpoint_uncorrectable;
}

static const Level pcram_functions = {.is_open = pcram_level_is_open,
                                      .write = write_to_pcram,
                                      .restore = restore_from_pcram,
                                      .lost = checkpoint_unreadable,
                                      .newest = pcram_level_newest,
                                      .discard = pcram_level_discard,
                                      .close = pcram_level_close};

CheckpointStatus checkpoint_use_pcram(unsigned every, bool incremental) {
  if (use.store != NULL || use.cxl != NULL || selected != 0) return checkpoint_bad_argument;
  if (!pcram_probe() || !pcram_level_open()) return checkpoint_no_pcram;
  use.controller = NULL;
  use.pcram = &pcram_functions;
  use.pcram_is_worn = false;
  use.pcram_increments = incremental;
  use.ssd_every = every;
  use.ratio = 0;
  use.writes = 0;
  return checkpoint_ok;
}

// --- The memory of a CXL expander: a second range of the level in memory.

enum { cxl_range = 1 };
static uint64_t cxl_first, cxl_bytes;

static bool cxl_is_open(void) {
  memory_level_select(cxl_range);
  const bool is_open = memory_level_is_open();
  memory_level_select(0);
  return is_open;
}

// After an error it stays closed, as level 1 does.
static CheckpointStatus write_to_cxl(uint64_t version) {
  memory_level_select(cxl_range);
  CheckpointStatus status = checkpoint_uncorrectable;
  if (memory_level_is_open() && !fits_into_memory()) {
    status = checkpoint_too_large;
  } else if (memory_level_is_open()) {
    cxl_clear_poison(cxl_first, cxl_bytes);
    status = write_to_memory(version, cxl_poisoned);
    if (status != checkpoint_ok) memory_level_close();
  }
  memory_level_select(0);
  return status;
}

static CheckpointStatus restore_from_cxl(uint64_t version) {
  memory_level_select(cxl_range);
  const CheckpointStatus status = restore_from_memory(version);
  memory_level_select(0);
  return status;
}

static bool newest_in_cxl(const char* name, uint64_t max_version, uint64_t* version) {
  memory_level_select(cxl_range);
  const bool found = memory_level_newest(name, max_version, version);
  memory_level_select(0);
  return found;
}

static bool discard_in_cxl(const char* name, uint64_t version) {
  memory_level_select(cxl_range);
  const bool was_there = memory_level_discard(name, version);
  memory_level_select(0);
  return was_there;
}

static void close_cxl(void) {
  memory_level_select(cxl_range);
  memory_level_close();
  memory_level_select(0);
}

static const Level cxl_functions = {.is_open = cxl_is_open,
                                    .write = write_to_cxl,
                                    .restore = restore_from_cxl,
                                    .lost = checkpoint_uncorrectable,
                                    .newest = newest_in_cxl,
                                    .discard = discard_in_cxl,
                                    .close = close_cxl};

CheckpointStatus checkpoint_use_cxl(uint64_t bytes, unsigned every) {
  if (selected != 0 || use.store != NULL || use.pcram != NULL || use.controller != NULL || use.ratio != 0)
    return checkpoint_bad_argument;
  CxlMemory memory;
  const uint64_t size = memory_level_size(bytes + sizeof(Header), checkpoint_region_limit + 1);
  if (!cxl_probe(&memory) || size > memory.bytes) return checkpoint_no_cxl;
  cxl_first = memory.first + memory.bytes - size;
  cxl_bytes = size;
  use.cxl = &cxl_functions;
  use.ssd_every = every;
  use.writes = 0;
  memory_level_select(cxl_range);
  const bool sound = memory_level_open((void*)(uintptr_t)cxl_first, size);
  memory_level_select(0);
  return sound ? checkpoint_ok : checkpoint_uncorrectable;
}
