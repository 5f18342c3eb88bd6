#include "auxiliary/storage_manager.h"

#include <stddef.h>
#include <string.h>

void manager_initialize(StorageManager* manager, uint64_t silence) {
  memset(manager, 0, sizeof *manager);
  manager->silence = silence;
}

static Benefactor* find(StorageManager* manager, uint32_t node) {
  for (unsigned i = 0; i < manager->benefactor_count; ++i)
    if (manager->benefactors[i].node == node) return &manager->benefactors[i];
  return NULL;
}

static void forget_the_silent(StorageManager* manager, uint64_t now) {
  unsigned kept = 0;
  for (unsigned i = 0; i < manager->benefactor_count; ++i)
    if (now - manager->benefactors[i].last_announced <= manager->silence)
      manager->benefactors[kept++] = manager->benefactors[i];
  manager->benefactor_count = kept;
}

// The space reserved there for uncommitted files, also at a benefactor that was forgotten and returns.
static uint32_t reserved_at(const StorageManager* manager, uint32_t node) {
  uint32_t reserved = 0;
  for (unsigned i = 0; i < striped_file_limit; ++i) {
    const StripedFile* const file = &manager->files[i];
    for (uint32_t chunk = 0; file->used && !file->committed && chunk < file->chunks; ++chunk)
      for (uint32_t copy = 0; copy < file->copies; ++copy) reserved += file->nodes[chunk][copy] == node;
  }
  return reserved;
}

bool manager_announce(StorageManager* manager, uint32_t node, uint32_t free_chunks, uint64_t now) {
  forget_the_silent(manager, now);
  Benefactor* one = find(manager, node);
  if (one == NULL) {
    if (manager->benefactor_count == benefactor_limit) return false;
    one = &manager->benefactors[manager->benefactor_count++];
    *one = (Benefactor){.node = node, .reserved = reserved_at(manager, node)};
  }
  one->free = free_chunks;
  one->last_announced = now;
  return true;
}

unsigned manager_known(StorageManager* manager, uint64_t now) {
  forget_the_silent(manager, now);
  return manager->benefactor_count;
}

static uint32_t space_of(const Benefactor* one) {
  return one->free > one->reserved ? one->free - one->reserved : 0;
}

uint64_t manager_free(StorageManager* manager, uint64_t now) {
  forget_the_silent(manager, now);
  uint64_t space = 0;
  for (unsigned i = 0; i < manager->benefactor_count; ++i) space += space_of(&manager->benefactors[i]);
  return space;
}

static StripedFile* find_file(StorageManager* manager, uint32_t client, uint64_t version) {
  for (unsigned i = 0; i < striped_file_limit; ++i) {
    StripedFile* const file = &manager->files[i];
    if (file->used && file->client == client && file->version == version) return file;
  }
  return NULL;
}

static StripedFile* free_file(StorageManager* manager) {
  for (unsigned i = 0; i < striped_file_limit; ++i)
    if (!manager->files[i].used) return &manager->files[i];
  return NULL;
}

static bool is_better(const Benefactor* one, const Benefactor* other, uint32_t client) {
  if (other == NULL) return true;
  if ((one->node == client) != (other->node == client)) return one->node == client;
  return space_of(one) != space_of(other) ? space_of(one) > space_of(other) : one->node < other->node;
}

// The best benefactor with space that is not in `taken`; NULL if there is none.
static Benefactor* next_best(StorageManager* manager, Benefactor* const* taken, uint32_t count,
                             uint32_t own) {
  Benefactor* best = NULL;
  for (unsigned i = 0; i < manager->benefactor_count; ++i) {
    Benefactor* const one = &manager->benefactors[i];
    bool is_out = space_of(one) == 0;
    for (uint32_t k = 0; k < count && !is_out; ++k) is_out = taken[k] == one;
    if (!is_out && is_better(one, best, own)) best = one;
  }
  return best;
}

// If `arrived`, the reserved chunks occupy space until the next announcement.
static void end_reservation(StorageManager* manager, const StripedFile* file, bool arrived) {
  for (uint32_t chunk = 0; chunk < file->chunks; ++chunk)
    for (uint32_t copy = 0; copy < file->copies; ++copy) {
      Benefactor* const one = find(manager, file->nodes[chunk][copy]);
      if (one == NULL) continue;
      --one->reserved;
      if (arrived && one->free > 0) --one->free;
    }
}

// Returns false if no other benefactor has space for the second copy of the chunk.
static bool place_chunk(StorageManager* manager, StripedFile* file, Benefactor* first, uint32_t own) {
  Benefactor* const second = file->copies == 1 ? NULL : next_best(manager, &first, 1, own);
  if (file->copies != 1 && second == NULL) return false;
  uint32_t* const nodes = file->nodes[file->chunks++];
  nodes[0] = first->node;
  nodes[1] = NO_BENEFACTOR;
  ++first->reserved;
  if (second == NULL) return true;
  nodes[1] = second->node;
  ++second->reserved;
  return true;
}

bool manager_place(StorageManager* manager, uint32_t client, uint64_t version, uint32_t chunks,
                   const Striping* striping, uint64_t now) {
  StripedFile* const file = free_file(manager);
  if (file == NULL || striping->width == 0 || striping->copies == 0 || striping->copies > copy_limit ||
      chunks > checkpoint_chunk_limit || manager_free(manager, now) < (uint64_t)chunks * striping->copies ||
      find_file(manager, client, version) != NULL)
    return false;
  Benefactor* stripe[benefactor_limit] = {NULL};
  const uint32_t width = striping->width > benefactor_limit ? benefactor_limit : striping->width;
  for (uint32_t k = 0; k < width; ++k) stripe[k] = next_best(manager, stripe, k, striping->node);
  file->chunks = 0;
  file->copies = striping->copies;
  for (uint32_t k = 0; file->chunks < chunks; ++k) {
    Benefactor** const one = &stripe[k % width];
    if (*one != NULL && space_of(*one) == 0) *one = next_best(manager, stripe, width, striping->node);
    if (*one == NULL) continue;  // fewer than `width` benefactors have space, but together they have enough
    if (place_chunk(manager, file, *one, striping->node)) continue;
    end_reservation(manager, file, false);
    return false;
  }
  file->used = true;
  file->committed = false;
  file->client = client;
  file->version = version;
  return true;
}

bool manager_has(StorageManager* manager, uint32_t client, uint64_t version) {
  return find_file(manager, client, version) != NULL;
}

static bool is_whole(StorageManager* manager, const StripedFile* file) {
  for (uint32_t chunk = 0; chunk < file->chunks; ++chunk) {
    bool is_left = false;
    for (uint32_t copy = 0; copy < file->copies && !is_left; ++copy)
      is_left = find(manager, file->nodes[chunk][copy]) != NULL;
    if (!is_left) return false;
  }
  return true;
}

bool manager_commit(StorageManager* manager, uint32_t client, uint64_t version, uint64_t now) {
  forget_the_silent(manager, now);
  StripedFile* const file = find_file(manager, client, version);
  if (file == NULL || !is_whole(manager, file)) return false;
  if (!file->committed) end_reservation(manager, file, true);
  file->committed = true;
  return true;
}

bool manager_remove(StorageManager* manager, uint32_t client, uint64_t version) {
  StripedFile* const file = find_file(manager, client, version);
  if (file == NULL) return false;
  if (!file->committed) end_reservation(manager, file, false);
  file->used = false;
  return true;
}

uint32_t manager_map(StorageManager* manager, uint32_t client, uint64_t version, uint32_t first,
                     uint32_t count, uint32_t (*nodes)[copy_limit], uint64_t now) {
  forget_the_silent(manager, now);
  const StripedFile* const file = find_file(manager, client, version);
  if (file == NULL || first >= file->chunks) return 0;
  if (count > file->chunks - first) count = file->chunks - first;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t copy = 0; copy < copy_limit; ++copy) {
      const uint32_t node = file->nodes[first + i][copy];
      nodes[i][copy] = find(manager, node) != NULL ? node : NO_BENEFACTOR;
    }
  return count;
}

bool manager_newest(StorageManager* manager, uint32_t client, uint64_t max_version, uint64_t now,
                    uint64_t* version) {
  forget_the_silent(manager, now);
  bool found = false;
  for (unsigned i = 0; i < striped_file_limit; ++i) {
    const StripedFile* const file = &manager->files[i];
    if (!file->used || !file->committed || file->client != client || file->version > max_version ||
        !is_whole(manager, file))
      continue;
    if (found && file->version < *version) continue;
    *version = file->version;
    found = true;
  }
  return found;
}
