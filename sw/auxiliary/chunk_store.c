#include "auxiliary/chunk_store.h"

#include <stddef.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "drivers/generic_timer.h"
#include "drivers/pcram.h"

enum { map_count = 2, place_limit = 3 * checkpoint_chunk_limit, no_place = UINT32_MAX };

typedef struct {
  uint64_t hash, place;
} Entry;

typedef struct {
  uint64_t magic;
  CheckpointFile file;
  uint64_t entries_check, check;  // checksum over the entries; checksum over everything before it
} Header;

typedef struct {
  union {
    Header header;
    uint64_t words[chunk_words];
  };
  Entry entries[checkpoint_chunk_limit];
} Map;

enum { map_pages = sizeof(Map) / chunk_bytes };

static const uint64_t magic = 0x3150414d4b4e4843;  // "CHNKMAP1"

static Map maps[map_count] __attribute__((aligned(chunk_bytes)));
static uint64_t loaded[chunk_words] __attribute__((aligned(chunk_bytes)));

static struct {
  bool sound[map_count];
  unsigned newest;  // the newest valid map; map_count if none
  unsigned open;    // the map that is being read
  uint32_t places;  // number of places for chunks, after the maps
  uint32_t next;    // where the search for a free place continues
  uint16_t uses[place_limit];
  uint16_t index[chunk_index_slots];  // place + 1; 0: empty
  uint64_t hashes[place_limit];       // for places in use
  ChunkStoreCounts counts;
} store;

static uint32_t page_of_map(unsigned map) { return map * map_pages; }
static uint32_t page_of_place(uint32_t place) { return map_count * map_pages + place; }
static uint32_t used_pages(const CheckpointFile* file) {
  return 1 + (uint32_t)((file->chunks * sizeof(Entry) + chunk_bytes - 1) / chunk_bytes);
}

static uint64_t check_of_entries(const Map* map) {
  return chunk_hash((const uint64_t*)map->entries, map->header.file.chunks * sizeof(Entry) / 8);
}
static uint64_t check_of_header(const Map* map) {
  return chunk_hash(map->words, offsetof(Header, check) / 8);
}

static uint32_t index_slot(uint64_t hash) { return (uint32_t)hash % chunk_index_slots; }

static void index_add(uint64_t hash, uint32_t place) {
  uint32_t slot = index_slot(hash);
  while (store.index[slot] != 0 && store.index[slot] != place + 1) slot = (slot + 1) % chunk_index_slots;
  store.index[slot] = (uint16_t)(place + 1);
  store.hashes[place] = hash;
}

static bool load_map(unsigned which) {
  Map* const map = &maps[which];
  const Header* const header = &map->header;
  if (pcram_load(map, 1, page_of_map(which)) != pcram_ok || header->magic != magic ||
      header->check != check_of_header(map) || header->file.chunks > checkpoint_chunk_limit)
    return false;
  if (pcram_load(map->entries, used_pages(&header->file) - 1, page_of_map(which) + 1) != pcram_ok ||
      header->entries_check != check_of_entries(map))
    return false;
  for (uint32_t i = 0; i < header->file.chunks; ++i)
    if (map->entries[i].place >= store.places) return false;
  return true;
}

static void find_newest(void) {
  store.newest = map_count;
  for (unsigned i = 0; i < map_count; ++i)
    if (store.sound[i] &&
        (store.newest == map_count || maps[i].header.file.version > maps[store.newest].header.file.version))
      store.newest = i;
}

const char* chunk_store_prepare(void) {
  if (!pcram_probe()) return "this machine has no PCRAM";
  if (pcram_layer_pages() != 0) return "the PCRAM is a stack, which has no free places for chunks";
  const uint32_t pages = pcram_pages();
  if (pages <= map_count * map_pages) return "the PCRAM is too small";
  const uint32_t behind = pages - map_count * map_pages;
  store.places = behind < place_limit ? behind : place_limit;
  for (unsigned i = 0; i < map_count; ++i) {
    store.sound[i] = load_map(i);
  }
  find_newest();
  return NULL;
}

static Map* map_being_written(void) { return &maps[store.newest == 0 ? 1 : 0]; }

// Only the places of the newest checkpoint are in use, and in the index.
static void forget_all_but_newest(void) {
  memset(store.uses, 0, sizeof store.uses);
  memset(store.index, 0, sizeof store.index);
  if (store.newest == map_count) return;
  const Map* const newest = &maps[store.newest];
  for (uint32_t i = 0; i < newest->header.file.chunks; ++i) {
    const uint32_t place = (uint32_t)newest->entries[i].place;
    if (store.uses[place]++ == 0) index_add(newest->entries[i].hash, place);
  }
}

bool chunk_store_begin(const CheckpointFile* file) {
  if (file->chunks > checkpoint_chunk_limit || file->chunks > store.places / 2) return false;
  forget_all_but_newest();
  Map* const map = map_being_written();
  store.sound[map - maps] = false;
  memset(map->words, 0, sizeof map->words);
  map->header.magic = magic;
  map->header.file = *file;
  return true;
}

static bool holds(uint32_t place, const uint64_t* words) {
  if (pcram_load(loaded, 1, page_of_place(place)) != pcram_ok) return false;
  for (uint32_t i = 0; i < chunk_words; ++i)
    if (loaded[i] != words[i]) return false;
  return true;
}

static uint32_t place_that_holds(uint64_t hash, const uint64_t* words) {
  for (uint32_t slot = index_slot(hash); store.index[slot] != 0; slot = (slot + 1) % chunk_index_slots) {
    const uint32_t place = store.index[slot] - 1u;
    if (store.hashes[place] != hash) continue;
    if (holds(place, words)) return place;
    ++store.counts.collisions;
  }
  return no_place;
}

// Each checkpoint uses at most half of the places.
static uint32_t take_free_place(void) {
  for (uint32_t tried = 0; tried < store.places; ++tried) {
    const uint32_t place = store.next;
    store.next = place + 1 == store.places ? 0 : place + 1;
    if (store.uses[place] == 0) return place;
  }
  return no_place;
}

// Finds or allocates a place for each chunk. Returns a bit for each chunk that is new.
static uint32_t take_places(Block* block, Entry* entries) {
  uint32_t fresh = 0;
  for (uint32_t i = 0; i < block->chunks; ++i) {
    const uint64_t* const words = block->words + (size_t)i * chunk_words;
    uint32_t place = block->hashed ? place_that_holds(block->hash[i], words) : no_place;
    if (!block->hashed) block->hash[i] = chunk_hash(words, chunk_words);
    if (place == no_place) {
      place = take_free_place();
      fresh |= 1u << i;
    }
    ++store.uses[place];
    entries[i] = (Entry){block->hash[i], place};
  }
  return fresh;
}

// The number of new chunks from chunk i on that are in adjacent places.
static uint32_t run_length(const Block* block, const Entry* entries, uint32_t fresh, uint32_t i) {
  uint32_t length = 1;
  while (i + length < block->chunks && (fresh >> (i + length) & 1) != 0 &&
         entries[i + length].place == entries[i].place + length)
    ++length;
  return length;
}

static bool save_fresh(const Block* block, const Entry* entries, uint32_t fresh) {
  for (uint32_t i = 0, length; i < block->chunks; i += length) {
    length = 1;
    if ((fresh >> i & 1) == 0) continue;
    length = run_length(block, entries, fresh, i);
    if (pcram_save(block->words + (size_t)i * chunk_words, length, page_of_place((uint32_t)entries[i].place),
                   false) != pcram_ok)
      return false;
    for (uint32_t k = i; k < i + length; ++k) index_add(entries[k].hash, (uint32_t)entries[k].place);
    store.counts.stored += length;
  }
  return true;
}

bool chunk_store_write(const CheckpointFile* file, Block* block) {
  (void)file;
  Entry* const entries = map_being_written()->entries + block->first;
  const uint64_t start = generic_timer_now();
  const uint32_t fresh = take_places(block, entries);
  const uint64_t taken = generic_timer_now();
  const bool saved = save_fresh(block, entries, fresh);
  store.counts.duplicates += block->chunks - (uint32_t)__builtin_popcount(fresh);
  store.counts.compare_ticks += taken - start;
  store.counts.save_ticks += generic_timer_now() - taken;
  return saved;
}

bool chunk_store_commit(const CheckpointFile* file) {
  Map* const map = map_being_written();
  const unsigned which = (unsigned)(map - maps);
  map->header.entries_check = check_of_entries(map);
  map->header.check = check_of_header(map);
  const uint64_t start = generic_timer_now();
  // The header is saved last; with it the checkpoint becomes valid.
  const bool saved =
      pcram_save(map->entries, used_pages(file) - 1, page_of_map(which) + 1, false) == pcram_ok &&
      pcram_save(map, 1, page_of_map(which), false) == pcram_ok;
  store.counts.save_ticks += generic_timer_now() - start;
  if (!saved) return false;
  store.sound[which] = true;
  store.newest = which;
  return true;
}

bool chunk_store_find(uint64_t name, uint64_t max_version, uint64_t* version) {
  bool found = false;
  for (unsigned i = 0; i < map_count; ++i) {
    const uint64_t one = maps[i].header.file.version;
    if (!store.sound[i] || maps[i].header.file.name != name || one > max_version ||
        (found && one <= *version))
      continue;
    *version = one;
    found = true;
  }
  return found;
}

bool chunk_store_open(uint64_t name, uint64_t version, CheckpointFile* file) {
  for (store.open = 0; store.open < map_count; ++store.open) {
    *file = maps[store.open].header.file;
    if (store.sound[store.open] && file->name == name && file->version == version) return true;
  }
  return false;
}

bool chunk_store_discard(uint64_t name, uint64_t version) {
  CheckpointFile file;
  if (!chunk_store_open(name, version, &file)) return false;
  Map* const map = &maps[store.open];
  store.sound[store.open] = false;
  find_newest();
  memset(map->words, 0, sizeof map->words);
  pcram_save(map, 1, page_of_map(store.open), false);  // worn-out cells keep it until the next start
  return true;
}

static bool copy(const Map* map, uint32_t first, uint32_t chunks, uint64_t* to) {
  const Entry* const entries = map->entries + first;
  for (uint32_t i = 0, length; i < chunks; i += length) {
    length = 1;
    while (i + length < chunks && entries[i + length].place == entries[i].place + length) ++length;
    if (pcram_load(to + (size_t)i * chunk_words, length, page_of_place((uint32_t)entries[i].place)) !=
        pcram_ok)
      return false;
  }
  return true;
}

bool chunk_store_read(const CheckpointFile* file, Block* block) {
  (void)file;
  const Map* const map = &maps[store.open];
  if (!copy(map, block->first, block->chunks, block->words)) return false;
  for (uint32_t i = 0; i < block->chunks; ++i)
    if (chunk_hash(block->words + (size_t)i * chunk_words, chunk_words) !=
        map->entries[block->first + i].hash)
      return false;
  return true;
}

bool chunk_store_newest(CheckpointFile* file) {
  if (store.newest == map_count) return false;
  *file = maps[store.newest].header.file;
  return true;
}

bool chunk_store_copy(uint32_t first, uint32_t chunks, void* to) {
  return copy(&maps[store.newest], first, chunks, to);
}

uint64_t chunk_store_hash(uint32_t chunk) { return maps[store.newest].entries[chunk].hash; }

ChunkStoreCounts chunk_store_counts(void) { return store.counts; }
