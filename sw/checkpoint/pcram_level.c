#include "checkpoint/pcram_level.h"

#include <string.h>

#include "boot/memory.h"
#include "checkpoint/checksum.h"

enum { slot_count = 2 };

typedef struct {
  uint64_t magic, version, page_count, state_bytes;
  uint64_t pages_checksum;
  uint8_t state[pcram_level_state_bytes];
  uint64_t check;  // over all before it
} Header;

static const uint64_t magic = 0x324d415243505453;  // "STPCRAM2"

static union {
  Header header;
  uint8_t bytes[page_bytes];
} page __attribute__((aligned(page_bytes)));

static struct {
  void* pages;
  uint32_t count;
  void* state;
  size_t state_bytes;
  uint32_t copied;
  unsigned newest;  // slot that holds it; slot_count: none
} level;

static uint32_t place_of_pages(unsigned slot) {
  return pcram_layer_pages() != 0 ? pcram_place_of(level.pages, slot) : slot * (level.count + 1);
}
static uint32_t place_of_header(unsigned slot) {
  return pcram_layer_pages() != 0 ? pcram_place_of(&page, slot) : place_of_pages(slot) + level.count;
}

static uint64_t pages_checksum(void) {
  return checksum(CHECKSUM_START, level.pages, (size_t)level.count * page_bytes);
}
static uint64_t header_check(void) { return checksum(CHECKSUM_START, &page.header, offsetof(Header, check)); }

bool pcram_level_prepare(void* pages, uint32_t count, void* state, size_t state_bytes) {
  level.pages = pages;
  level.count = count;
  level.state = state;
  level.state_bytes = state_bytes;
  level.newest = slot_count;
  const uint64_t layer = pcram_layer_pages(), all = pcram_pages();
  const bool fits = layer != 0 ? all / layer >= slot_count : all / slot_count > count;
  return fits && count != 0 && state_bytes <= sizeof page.header.state;
}

PcramError pcram_level_write(uint64_t version, bool incremental) {
  const unsigned slot = level.newest == 0 ? 1 : 0;
  PcramError error = pcram_save(level.pages, level.count, place_of_pages(slot), incremental);
  level.copied = pcram_copied();
  if (error != pcram_ok) return error;
  memset(&page, 0, sizeof page);
  Header* const header = &page.header;
  header->magic = magic;
  header->version = version;
  header->page_count = level.count;
  header->state_bytes = level.state_bytes;
  header->pages_checksum = pages_checksum();
  memcpy(header->state, level.state, level.state_bytes);
  header->check = header_check();
  error = pcram_save(&page, 1, place_of_header(slot), false);
  if (error == pcram_ok) level.newest = slot;
  return error;
}

uint32_t pcram_level_copied(void) { return level.copied; }

static bool load_header(unsigned slot) {
  const Header* const header = &page.header;
  return pcram_load(&page, 1, place_of_header(slot)) == pcram_ok && header->magic == magic &&
         header->check == header_check() && header->page_count == level.count &&
         header->state_bytes == level.state_bytes;
}

static bool load(unsigned slot, uint64_t* version) {
  if (!load_header(slot) || pcram_load(level.pages, level.count, place_of_pages(slot)) != pcram_ok)
    return false;
  if (page.header.pages_checksum != pages_checksum()) return false;
  memcpy(level.state, page.header.state, level.state_bytes);
  *version = page.header.version;
  level.newest = slot;
  return true;
}

bool pcram_level_restore(uint64_t* version) {
  uint64_t versions[slot_count];
  bool sound[slot_count];
  for (unsigned slot = 0; slot < slot_count; ++slot) {
    sound[slot] = load_header(slot);
    versions[slot] = page.header.version;
  }
  const unsigned first = sound[1] && (!sound[0] || versions[1] > versions[0]) ? 1 : 0;
  return (sound[first] && load(first, version)) || (sound[1 - first] && load(1 - first, version));
}
