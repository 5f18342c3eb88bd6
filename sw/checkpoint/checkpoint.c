#include "checkpoint/checkpoint.h"

#include <stdbool.h>
#include <string.h>

#include "boot/memory.h"
#include "checkpoint/checksum.h"
#include "drivers/dimm_ssd.h"

typedef struct {
  int64_t id;
  uint64_t bytes;
  uint64_t
      page_offset;  // of the first byte in its page: fixes which bytes lie in which page of the checkpoint
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
static const char magic[8] = {'A', 'S', 'T', 'C', 'K', 'P', 'T', '1'};

static HeaderPage header_page __attribute__((aligned(page_bytes)));
static uint8_t staging[staging_bytes] __attribute__((aligned(page_bytes)));

static bool present;
static unsigned region_count;
static uint8_t* addresses[checkpoint_region_limit];
static RegionEntry regions[checkpoint_region_limit];

static struct {
  DimmSsdRequest request;
  uint64_t pages[checkpoint_page_limit];
} descriptor __attribute__((aligned(8)));

const char* checkpoint_text(CheckpointStatus status) {
  switch (status) {
    case checkpoint_ok:
      return "ok";
    case checkpoint_no_device:
      return "no DIMM-SSD";
    case checkpoint_bad_argument:
      return "bad argument";
    case checkpoint_too_large:
      return "too many regions or pages";
    case checkpoint_not_found:
      return "no such checkpoint";
    case checkpoint_other_regions:
      return "made of other regions";
    case checkpoint_torn:
      return "contents are not what was written";
    case checkpoint_no_space:
      return "no space on the device";
    case checkpoint_unreadable:
      return "uncorrectable flash error";
    case checkpoint_device_error:
      return "request refused by the device";
  }
  return "unknown status";
}

static CheckpointStatus from_device(DimmSsdError error) {
  switch (error) {
    case dimm_ssd_ok:
      return checkpoint_ok;
    case dimm_ssd_no_space:
      return checkpoint_no_space;
    case dimm_ssd_not_found:
      return checkpoint_not_found;
    case dimm_ssd_uncorrectable:
      return checkpoint_unreadable;
    case dimm_ssd_bad_descriptor:
    case dimm_ssd_bus_error:
    case dimm_ssd_busy:
      return checkpoint_device_error;
  }
  return checkpoint_device_error;
}

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

static size_t all_pages(void) {
  size_t fragments = 0;
  size_t pages = 1;  // the header
  for (unsigned i = 0; i < region_count; ++i) {
    fragments += head_bytes(&regions[i]) + tail_bytes(&regions[i]);
    pages += whole_pages(&regions[i]);
  }
  return pages + (fragments + page_bytes - 1) / page_bytes;
}

// Copies the fragments of all regions, one behind the other, to the staging pages or back.
static size_t copy_fragments(bool to_staging) {
  size_t at = 0;
  for (unsigned i = 0; i < region_count; ++i) {
    const size_t head = head_bytes(&regions[i]);
    const size_t tail = tail_bytes(&regions[i]);
    uint8_t* const start = addresses[i];
    uint8_t* const end = start + regions[i].bytes - tail;
    memcpy(to_staging ? staging + at : start, to_staging ? start : staging + at, head);
    at += head;
    memcpy(to_staging ? staging + at : end, to_staging ? end : staging + at, tail);
    at += tail;
  }
  return at;
}

static void list_pages(size_t fragment_bytes) {
  uint32_t count = 0;
  descriptor.pages[count++] = (uintptr_t)&header_page;
  for (unsigned i = 0; i < region_count; ++i) {
    const uintptr_t first = (uintptr_t)addresses[i] + head_bytes(&regions[i]);
    for (size_t page = 0; page < whole_pages(&regions[i]); ++page)
      descriptor.pages[count++] = first + page * page_bytes;
  }
  for (size_t at = 0; at < fragment_bytes; at += page_bytes)
    descriptor.pages[count++] = (uintptr_t)staging + at;
  descriptor.request.page_count = count;
}

static uint64_t contents_checksum(void) {
  uint64_t sum = CHECKSUM_START;
  for (unsigned i = 0; i < region_count; ++i) sum = checksum(sum, addresses[i], regions[i].bytes);
  return sum;
}

static CheckpointStatus request(const char* name, uint64_t version) {
  const size_t length = name != NULL ? strlen(name) : 0;
  if (!present) return checkpoint_no_device;
  if (length == 0 || length >= sizeof descriptor.request.name) return checkpoint_bad_argument;
  memset(descriptor.request.name, 0, sizeof descriptor.request.name);
  memcpy(descriptor.request.name, name, length);
  descriptor.request.version = version;
  descriptor.request.page_count = 0;
  descriptor.request.reserved = 0;
  return checkpoint_ok;
}

static CheckpointStatus execute(DimmSsdOperation operation) {
  return from_device(dimm_ssd_execute(operation, &descriptor.request));
}

CheckpointStatus checkpoint_initialize(void) {
  region_count = 0;
  present = dimm_ssd_probe();
  return present ? checkpoint_ok : checkpoint_no_device;
}

CheckpointStatus checkpoint_protect(int id, void* data, size_t bytes) {
  if (data == NULL || bytes == 0) return checkpoint_bad_argument;
  unsigned index = 0;
  while (index < region_count && regions[index].id != id) ++index;
  if (index == checkpoint_region_limit) return checkpoint_too_large;
  addresses[index] = data;
  regions[index] = (RegionEntry){id, bytes, (uintptr_t)data % page_bytes};
  if (index == region_count) ++region_count;
  return checkpoint_ok;
}

CheckpointStatus checkpoint_write(const char* name, uint64_t version) {
  const CheckpointStatus status = request(name, version);
  if (status != checkpoint_ok) return status;
  if (region_count == 0 || version == checkpoint_any_version) return checkpoint_bad_argument;
  if (all_pages() > checkpoint_page_limit) return checkpoint_too_large;
  Header* const header = &header_page.header;
  memset(&header_page, 0, sizeof header_page);
  memcpy(header->magic, magic, sizeof magic);
  memcpy(header->name, descriptor.request.name, sizeof header->name);
  header->version = version;
  header->region_count = region_count;
  memcpy(header->regions, regions, sizeof regions);
  header->contents_checksum = contents_checksum();
  header->header_checksum = checksum(CHECKSUM_START, header, offsetof(Header, header_checksum));
  list_pages(copy_fragments(true));
  return execute(dimm_ssd_checkpoint);
}

CheckpointStatus checkpoint_find_newest(const char* name, uint64_t max_version, uint64_t* version) {
  CheckpointStatus status = request(name, max_version);
  if (status == checkpoint_ok) status = execute(dimm_ssd_find);
  if (status == checkpoint_ok) *version = dimm_ssd_found_version();
  return status;
}

static bool header_is_whole(const Header* header, uint64_t version) {
  return memcmp(header->magic, magic, sizeof magic) == 0 &&
         memcmp(header->name, descriptor.request.name, sizeof header->name) == 0 &&
         header->version == version &&
         header->header_checksum == checksum(CHECKSUM_START, header, offsetof(Header, header_checksum));
}

CheckpointStatus checkpoint_restore(const char* name, uint64_t version) {
  uint64_t found;
  CheckpointStatus status = checkpoint_find_newest(name, version, &found);
  if (status != checkpoint_ok) return status;
  if (found != version) return checkpoint_not_found;
  if (region_count == 0) return checkpoint_bad_argument;
  // Another number of pages: refused before the device could touch a region.
  if (dimm_ssd_found_pages() != all_pages()) return checkpoint_other_regions;
  list_pages(copy_fragments(true));
  status = execute(dimm_ssd_restore);
  if (status != checkpoint_ok) return status;
  const Header* const header = &header_page.header;
  if (!header_is_whole(header, version)) return checkpoint_torn;
  if (header->region_count != region_count ||
      memcmp(header->regions, regions, region_count * sizeof *regions) != 0)
    return checkpoint_other_regions;
  copy_fragments(false);
  return contents_checksum() == header->contents_checksum ? checkpoint_ok : checkpoint_torn;
}

CheckpointStatus checkpoint_discard(const char* name, uint64_t version) {
  const CheckpointStatus status = request(name, version);
  return status == checkpoint_ok ? execute(dimm_ssd_discard) : status;
}
