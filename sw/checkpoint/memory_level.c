#include "checkpoint/memory_level.h"

#include <string.h>

#include "boot/guarded_copy.h"
#include "boot/memory.h"
#include "checkpoint/checksum.h"

enum { slot_count = 2 };

// One block of memory. After a power loss its contents are random, which the checksum detects.
typedef struct {
  uint64_t magic;  // written last; 0: the slot is empty
  char name[memory_level_name_bytes];
  uint64_t version;
  uint64_t sequence;  // counts checkpoints: the smaller one is the older
  uint64_t check;     // checksum over name, version and sequence
} Record;

_Static_assert(sizeof(Record) == memory_level_align, "a record is one block");

static const uint64_t committed = 0x324d454d54504b43;  // "CKPTMEM2"

typedef struct {
  uint8_t* first;  // NULL: closed
  uint64_t slot_bytes;
  Record records[slot_count];  // what memory holds
  unsigned at;                 // slot that begin or seek has chosen
  uint64_t position;           // in it
} Level;

static Level levels[memory_level_ranges];
static Level* level = levels;

void memory_level_select(unsigned range) { level = &levels[range]; }

static uint64_t block_end(uint64_t bytes) {
  return (bytes + memory_level_align - 1) & ~(uint64_t)(memory_level_align - 1);
}

static uint8_t* slot(unsigned index) { return level->first + index * level->slot_bytes; }

static uint64_t check_of(const Record* record) {
  return checksum(CHECKSUM_START, record->name, offsetof(Record, check) - offsetof(Record, name));
}

static bool is_whole(const Record* record) {
  return record->magic == committed && record->check == check_of(record);
}

static bool is_of(const Record* record, const char* name, uint64_t version) {
  return record->magic == committed && record->version == version &&
         memcmp(record->name, name, memory_level_name_bytes) == 0;
}

// The slot that holds a version, or the later one of two; slot_count if there is none.
static unsigned find(const char* name, uint64_t version) {
  unsigned found = slot_count;
  for (unsigned i = 0; i < slot_count; ++i)
    if (is_of(&level->records[i], name, version) &&
        (found == slot_count || level->records[i].sequence > level->records[found].sequence))
      found = i;
  return found;
}

uint64_t memory_level_size(uint64_t bytes, unsigned pieces) {
  const uint64_t slot_bytes = sizeof(Record) + bytes + (uint64_t)pieces * memory_level_align;
  return slot_count * ((slot_bytes + page_bytes - 1) & ~(uint64_t)(page_bytes - 1));
}

bool memory_level_open(void* first, uint64_t bytes) {
  level->first = first;
  level->slot_bytes = bytes / slot_count;
  bool sound = true;
  for (unsigned i = 0; i < slot_count; ++i) {
    const bool read = memory_copy_guarded(&level->records[i], slot(i), sizeof(Record));
    if (!read || !is_whole(&level->records[i])) memset(&level->records[i], 0, sizeof(Record));
    sound = sound && read;
  }
  return sound;
}

void memory_level_close(void) { level->first = NULL; }
bool memory_level_is_open(void) { return level->first != NULL; }

bool memory_level_fits(uint64_t bytes, unsigned pieces) {
  return memory_level_size(bytes, pieces) <= slot_count * level->slot_bytes;
}

static unsigned older_slot(void) {
  for (unsigned i = 0; i < slot_count; ++i)
    if (level->records[i].magic != committed) return i;
  return level->records[0].sequence < level->records[1].sequence ? 0 : 1;
}

static bool empty(unsigned index) {
  level->records[index].magic = 0;
  return memory_copy_guarded(slot(index), &level->records[index].magic, sizeof level->records[index].magic);
}

bool memory_level_begin(const char name[memory_level_name_bytes], uint64_t version) {
  level->at = older_slot();
  level->position = sizeof(Record);
  Record* const record = &level->records[level->at];
  const uint64_t other = level->records[1 - level->at].sequence;
  record->version = version;
  record->sequence = (record->sequence > other ? record->sequence : other) + 1;
  memcpy(record->name, name, sizeof record->name);
  record->check = check_of(record);
  return empty(level->at);
}

bool memory_level_append(const void* data, size_t bytes) {
  if (bytes > level->slot_bytes - level->position) return false;
  uint8_t* const to = slot(level->at) + level->position;
  level->position = block_end(level->position + bytes);
  return memory_copy_guarded(to, data, bytes);
}

bool memory_level_commit(void) {
  Record* const record = &level->records[level->at];
  uint8_t* const to = slot(level->at);
  const size_t word = sizeof record->magic;
  if (!memory_copy_guarded(to + word, (const uint8_t*)record + word, sizeof *record - word)) return false;
  // A guarded copy returns only when its data are in memory.
  if (!memory_copy_guarded(to, &committed, word)) return false;
  record->magic = committed;
  if (is_of(&level->records[1 - level->at], record->name, record->version)) empty(1 - level->at);
  return true;
}

bool memory_level_newest(const char name[memory_level_name_bytes], uint64_t max_version, uint64_t* version) {
  bool found = false;
  for (unsigned i = 0; i < slot_count && memory_level_is_open(); ++i) {
    const Record* const record = &level->records[i];
    if (record->magic != committed || memcmp(record->name, name, sizeof record->name) != 0) continue;
    if (record->version > max_version || (found && record->version < *version)) continue;
    found = true;
    *version = record->version;
  }
  return found;
}

bool memory_level_seek(const char name[memory_level_name_bytes], uint64_t version) {
  level->at = memory_level_is_open() ? find(name, version) : slot_count;
  level->position = sizeof(Record);
  return level->at != slot_count;
}

bool memory_level_read(void* data, size_t bytes) {
  if (bytes > level->slot_bytes - level->position) return false;
  const uint8_t* const from = slot(level->at) + level->position;
  level->position = block_end(level->position + bytes);
  return memory_copy_guarded(data, from, bytes);
}

bool memory_level_discard(const char name[memory_level_name_bytes], uint64_t version) {
  if (!memory_level_seek(name, version)) return false;
  empty(level->at);  // if the record is poisoned, the checkpoint is lost anyway
  return true;
}

bool memory_level_commit_beside(void) {
  Record* const other = &level->records[1 - level->at];
  const uint64_t magic = other->magic;
  other->magic = 0;  // memory_level_commit() does not see it
  const bool is_written = memory_level_commit();
  other->magic = magic;
  return is_written;
}

bool memory_level_discard_earlier(void) {
  const Record* const record = &level->records[level->at];
  const bool is_there = is_of(&level->records[1 - level->at], record->name, record->version);
  if (is_there) empty(1 - level->at);
  return is_there;
}
