#include "checkpoint/pcram_level.h"

#include <string.h>

#include "boot/memory.h"
#include "checkpoint/checksum.h"

enum { slot_count = 2 };

typedef struct {
  uint64_t magic;  // 0: the slot is empty
  char name[pcram_level_name_bytes];
  uint64_t version;
  uint64_t sequence;  // counts checkpoints: the smaller one is the older
  uint64_t page_count;
  uint64_t places;  // with a stack, a checksum over the addresses of the pages
  uint64_t check;   // over all before it
} Header;

static const uint64_t whole = 0x324d415243505453;  // "STPCRAM2"

static union {
  Header header;
  uint8_t bytes[page_bytes];
} page __attribute__((aligned(page_bytes)));

static struct {
  bool is_open;
  uint64_t copied;
  uint64_t sequence;  // the largest of all headers in the cells, of those that could not be cleared, too
  Header headers[slot_count];  // what the slots hold
  bool may_be_whole
      [slot_count];  // the header in the cells, whatever came of the last attempt to clear or to save it
} level;

static bool is_stack(void) { return pcram_layer_pages() != 0; }

static uint32_t place_of_header(unsigned slot) {
  return is_stack() ? pcram_place_of(&page, slot) : slot * (pcram_pages() / slot_count);
}
static uint32_t place_of_page(unsigned slot, uint64_t address, uint32_t index) {
  return is_stack() ? pcram_place_of((const void*)(uintptr_t)address, slot)
                    : place_of_header(slot) + 1 + index;
}

static uint64_t check_of(const Header* header) {
  return checksum(CHECKSUM_START, header, offsetof(Header, check));
}
static uint64_t places_of(const uint64_t* pages, uint32_t count) {
  return is_stack() ? checksum(CHECKSUM_START, pages, count * sizeof *pages) : 0;
}

static bool is_of(const Header* header, const char* name, uint64_t version) {
  return header->magic == whole && header->version == version &&
         memcmp(header->name, name, sizeof header->name) == 0;
}

// The slot that holds a version, or the later one of two; slot_count if there is none.
static unsigned find(const char* name, uint64_t version) {
  unsigned found = slot_count;
  for (unsigned slot = 0; slot < slot_count && level.is_open; ++slot)
    if (is_of(&level.headers[slot], name, version) &&
        (found == slot_count || level.headers[slot].sequence > level.headers[found].sequence))
      found = slot;
  return found;
}

static uint64_t next_sequence(void) { return ++level.sequence; }

static PcramError save_header(unsigned slot, const Header* header) {
  memset(&page, 0, sizeof page);
  page.header = *header;
  return pcram_save(&page, 1, place_of_header(slot), false);
}

static PcramError empty(unsigned slot) {
  Header* const header = &level.headers[slot];
  memset(header, 0, sizeof *header);
  if (!level.may_be_whole[slot]) return pcram_ok;
  const PcramError error = save_header(slot, header);
  level.may_be_whole[slot] = error != pcram_ok;
  return error;
}

static unsigned older_slot(void) { return level.headers[0].sequence < level.headers[1].sequence ? 0 : 1; }

// A version was written again, and the write ended before it could discard the earlier checkpoint.
static void discard_what_was_replaced(void) {
  const Header* const first = &level.headers[0];
  if (first->magic == whole && is_of(&level.headers[1], first->name, first->version)) empty(older_slot());
}

bool pcram_level_open(void) {
  level.copied = level.sequence = 0;
  level.is_open = is_stack() ? pcram_pages() / pcram_layer_pages() >= slot_count : pcram_pages() > slot_count;
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    Header* const header = &level.headers[slot];
    memset(header, 0, sizeof *header);
    level.may_be_whole[slot] = true;
    if (!level.is_open || pcram_load(&page, 1, place_of_header(slot)) != pcram_ok) continue;
    level.may_be_whole[slot] = page.header.magic == whole && page.header.check == check_of(&page.header);
    if (level.may_be_whole[slot]) *header = page.header;
    if (header->sequence > level.sequence) level.sequence = header->sequence;
  }
  discard_what_was_replaced();
  return level.is_open;
}

void pcram_level_close(void) { level.is_open = false; }
bool pcram_level_is_open(void) { return level.is_open; }

bool pcram_level_fits(uint32_t count) { return is_stack() || count < pcram_pages() / slot_count; }

// Transfers adjacent pages by one command. The copied pages are summed over all commands.
static PcramError transfer(bool save, unsigned slot, const uint64_t* pages, uint32_t count,
                           bool incremental) {
  for (uint32_t first = 0, next = 0; first < count; first = next) {
    while (++next < count && pages[next] == pages[next - 1] + page_bytes) {
    }
    void* const memory = (void*)(uintptr_t)pages[first];
    const uint32_t place = place_of_page(slot, pages[first], first);
    const PcramError error =
        save ? pcram_save(memory, next - first, place, incremental) : pcram_load(memory, next - first, place);
    if (save) level.copied += pcram_copied();
    if (error != pcram_ok) return error;
  }
  return pcram_ok;
}

static unsigned slot_to_write(void) {
  for (unsigned slot = 0; slot < slot_count; ++slot)
    if (level.headers[slot].magic != whole) return slot;
  return older_slot();
}

PcramError pcram_level_write(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                             uint32_t count, bool incremental) {
  const unsigned slot = slot_to_write();
  Header header = {.magic = whole,
                   .version = version,
                   .sequence = next_sequence(),
                   .page_count = count,
                   .places = places_of(pages, count)};
  memcpy(header.name, name, sizeof header.name);
  header.check = check_of(&header);
  PcramError error = empty(slot);
  if (error == pcram_ok) error = transfer(true, slot, pages, count, incremental);
  if (error != pcram_ok) return error;
  level.may_be_whole[slot] = true;
  error = save_header(slot, &header);
  if (error != pcram_ok) return error;
  level.headers[slot] = header;
  const unsigned other = 1 - slot;
  return is_of(&level.headers[other], name, version) ? empty(other) : pcram_ok;
}

uint64_t pcram_level_copied(void) { return level.copied; }

bool pcram_level_newest(const char name[pcram_level_name_bytes], uint64_t max_version, uint64_t* version) {
  bool found = false;
  for (unsigned slot = 0; slot < slot_count && level.is_open; ++slot) {
    const Header* const header = &level.headers[slot];
    if (header->magic != whole || memcmp(header->name, name, sizeof header->name) != 0) continue;
    if (header->version > max_version || (found && header->version < *version)) continue;
    found = true;
    *version = header->version;
  }
  return found;
}

bool pcram_level_has(const char name[pcram_level_name_bytes], uint64_t version) {
  return find(name, version) != slot_count;
}

bool pcram_level_is_of(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                       uint32_t count) {
  const Header* const header = &level.headers[find(name, version)];
  return header->page_count == count && header->places == places_of(pages, count);
}

PcramError pcram_level_read(const char name[pcram_level_name_bytes], uint64_t version, const uint64_t* pages,
                            uint32_t count) {
  const unsigned slot = find(name, version);
  const PcramError error = transfer(false, slot, pages, count, false);
  if (error == pcram_ok) level.headers[slot].sequence = next_sequence();
  return error;
}

bool pcram_level_discard(const char name[pcram_level_name_bytes], uint64_t version) {
  const unsigned slot = find(name, version);
  if (slot == slot_count) return false;
  empty(slot);  // worn-out cells keep the header; then the checkpoint is hidden only until the next start
  return true;
}
