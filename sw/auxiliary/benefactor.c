#include "auxiliary/benefactor.h"

#include <stdio.h>
#include <string.h>

#include "auxiliary/chunk_hash.h"
#include "boot/memory.h"
#include "drivers/dimm_ssd.h"

enum { versions_kept = 2 };

// The chunks of a file are in the pages of the buffer, and on flash, in the order of their arrival.
typedef struct {
  bool used;
  bool doomed;  // is to be discarded
  uint64_t version;
  uint32_t count;
  uint32_t chunks[checkpoint_chunk_limit];
  uint64_t hashes[checkpoint_chunk_limit];
} KeptFile;

typedef enum { buffer_empty, buffer_gathers, buffer_holds } BufferState;
typedef enum { want_nothing, want_write, want_read } Want;

typedef struct {
  uint64_t* pages;
  uint32_t page_count;
  BufferState state;
  KeptFile gathered;             // in state buffer_gathers: the file that is not durable yet
  StorageStatus write_status;    // its status: storage_pending, or why it cannot become durable
  uint64_t held;                 // in state buffer_holds: the version
  KeptFile kept[versions_kept];  // durable
  Want want;
  uint64_t read_version;  // with want_read: the version to be read
  StorageStatus read_status;
} Client;

static struct {
  StorageLink link;
  uint32_t lent;
  unsigned clients;
  BenefactorCounts counts;
  // The command of the device.
  bool busy;
  DimmSsdOperation operation;
  unsigned client;
  KeptFile* file;  // the file of a discard
} self;

static Client all[benefactor_client_limit];

static struct {
  DimmSsdRequest request;
  uint64_t pages[checkpoint_chunk_limit];
} list __attribute__((aligned(8)));

static void forget_all(void) {
  if (self.busy) dimm_ssd_wait();
  self.busy = false;
  self.counts = (BenefactorCounts){0};
  for (unsigned i = 0; i < benefactor_client_limit; ++i) {
    uint64_t* const pages = all[i].pages;
    const uint32_t page_count = all[i].page_count;
    memset(&all[i], 0, sizeof all[i]);
    all[i].pages = pages;
    all[i].page_count = page_count;
  }
}

const char* benefactor_prepare(const StorageLink* link, uint32_t lent, unsigned clients) {
  self.link = *link;
  forget_all();
  if (!dimm_ssd_probe()) return "this machine has no DIMM-SSD";
  for (unsigned i = 0; i < clients; ++i) {
    if (all[i].page_count < lent) {
      all[i].pages = memory_allocate((size_t)lent * chunk_bytes);
      all[i].page_count = all[i].pages == NULL ? 0 : lent;
    }
    if (all[i].page_count < lent) return "too little memory for the chunks that are lent";
  }
  self.lent = lent;
  self.clients = clients;
  return NULL;
}

static uint32_t used_of(const Client* client) {
  uint32_t used = client->gathered.used ? client->gathered.count : 0;
  for (unsigned i = 0; i < versions_kept; ++i) used += client->kept[i].used ? client->kept[i].count : 0;
  return used;
}

static uint32_t used(void) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < self.clients; ++i) sum += used_of(&all[i]);
  return sum;
}

BenefactorCounts benefactor_counts(void) {
  self.counts.lent = self.lent;
  self.counts.used = used();
  return self.counts;
}

static KeptFile* kept_of(Client* client, uint64_t version) {
  for (unsigned i = 0; i < versions_kept; ++i)
    if (client->kept[i].used && !client->kept[i].doomed && client->kept[i].version == version)
      return &client->kept[i];
  return NULL;
}

static uint32_t index_of(const KeptFile* file, uint32_t chunk) {
  uint32_t at = 0;
  while (at < file->count && file->chunks[at] != chunk) ++at;
  return at;
}

// Whether and how the device uses the buffer of this client.
static bool device_has(const Client* client) {
  return self.busy && self.operation != dimm_ssd_discard && client == &all[self.client];
}

void benefactor_announce(uint32_t manager_node) {
  StorageFileName names[benefactor_client_limit * (versions_kept + 1)];
  uint32_t count = 0;
  for (unsigned i = 0; i < self.clients; ++i) {
    Client* const client = &all[i];
    if (client->gathered.used)
      names[count++] = (StorageFileName){.client = i, .version = client->gathered.version};
    for (unsigned k = 0; k < versions_kept; ++k)
      if (client->kept[k].used && !client->kept[k].doomed)
        names[count++] = (StorageFileName){.client = i, .version = client->kept[k].version};
  }
  const uint32_t taken = used();
  const StorageMessage announce = {.kind = storage_announce,
                                   .count = taken < self.lent ? self.lent - taken : 0};
  self.link.send(self.link.context, manager_node, &announce, names, count * (uint32_t)sizeof *names);
}

static void forget(Client* client, uint64_t version) {
  ++self.counts.forgotten;
  if (client->gathered.used && client->gathered.version == version && !device_has(client)) {
    client->gathered.used = false;
    client->state = buffer_empty;
    client->want = want_nothing;
  }
  KeptFile* const file = kept_of(client, version);
  if (file != NULL) file->doomed = true;
}

// ---- receiving chunks ----

static void begin_gathering(Client* client, uint64_t version) {
  client->state = buffer_gathers;
  client->want = want_nothing;
  client->gathered.used = true;
  client->gathered.version = version;
  client->gathered.count = 0;
  client->write_status = storage_ok;
}

static StorageStatus store(Client* client, const StorageMessage* message, const uint8_t* data, size_t bytes) {
  if (bytes != chunk_bytes || message->chunk >= checkpoint_chunk_limit) return storage_refused;
  if (device_has(client))
    return storage_pending;  // with an abandoned version: its client repeats the request
  KeptFile* const file = &client->gathered;
  if (!file->used || file->version != message->version || client->write_status != storage_ok)
    begin_gathering(client, message->version);
  const uint32_t at = index_of(file, message->chunk);
  if (at == file->count) {
    if (used() >= self.lent) {
      ++self.counts.refused;
      return storage_no_space;
    }
    file->chunks[at] = message->chunk;
    ++file->count;
  }
  file->hashes[at] = message->hash;
  uint64_t* const page = client->pages + (size_t)at * chunk_words;
  memcpy(page, data, chunk_bytes);
  ++self.counts.stored;
  return chunk_hash(page, chunk_words) == message->hash ? storage_ok : storage_damaged;
}

static StorageStatus flush(Client* client, const StorageMessage* message) {
  const KeptFile* const file = &client->gathered;
  if (!file->used || file->version != message->version) {
    const KeptFile* const kept = kept_of(client, message->version);
    return kept == NULL ? storage_unknown : kept->count == message->count ? storage_ok : storage_not_whole;
  }
  if (file->count != message->count) return storage_not_whole;
  if (client->write_status == storage_ok) {
    client->write_status = storage_pending;
    client->want = want_write;
  }
  return client->write_status;
}

// ---- sending chunks ----

static StorageStatus open_file(Client* client, uint64_t version) {
  if (client->state == buffer_holds && client->held == version) return storage_ok;
  if (kept_of(client, version) == NULL) return storage_unknown;
  if (device_has(client) || (client->want == want_read && client->read_version == version))
    return storage_pending;
  if (client->read_status != storage_ok && client->read_version == version) {
    const StorageStatus status = client->read_status;
    client->read_status = storage_ok;
    return status;
  }
  client->gathered.used = false;
  client->state = buffer_empty;
  client->want = want_read;
  client->read_version = version;
  client->read_status = storage_ok;
  return storage_pending;
}

static void fetch(Client* client, uint32_t node, const StorageMessage* message) {
  const KeptFile* const file = kept_of(client, message->version);
  const uint32_t at = file == NULL ? 0 : index_of(file, message->chunk);
  if (file == NULL || at == file->count || client->state != buffer_holds ||
      client->held != message->version) {
    storage_reply(&self.link, node, message, storage_unknown);
    return;
  }
  StorageMessage answer = *message;
  answer.kind = storage_answer;
  answer.status = storage_ok;
  answer.hash = file->hashes[at];
  ++self.counts.fetched;
  self.link.send(self.link.context, node, &answer, client->pages + (size_t)at * chunk_words, chunk_bytes);
}

void benefactor_handle_message(uint32_t node, const StorageMessage* message, const uint8_t* data,
                               size_t bytes) {
  if (message->kind != storage_forget && message->kind < storage_store) return;
  if (message->client >= self.clients) {
    if (message->kind != storage_forget) storage_reply(&self.link, node, message, storage_refused);
    return;
  }
  Client* const client = &all[message->client];
  switch (message->kind) {
    case storage_forget:
      forget(client, message->version);
      break;
    case storage_store:
      storage_reply(&self.link, node, message, store(client, message, data, bytes));
      break;
    case storage_flush:
      storage_reply(&self.link, node, message, flush(client, message));
      break;
    case storage_open:
      storage_reply(&self.link, node, message, open_file(client, message->version));
      break;
    default:
      fetch(client, node, message);
      break;
  }
}

// ---- the device ----

static bool start(DimmSsdOperation operation, unsigned client, uint64_t version, uint32_t pages) {
  list.request = (DimmSsdRequest){.version = version, .page_count = pages, .method = dimm_ssd_stop_and_copy};
  snprintf(list.request.name, sizeof list.request.name, "client%u", client);
  for (uint32_t i = 0; i < pages; ++i)
    list.pages[i] = (uintptr_t)(all[client].pages + (size_t)i * chunk_words);
  self.busy = dimm_ssd_start(operation, &list.request);
  self.operation = operation;
  self.client = client;
  return self.busy;
}

static StorageStatus status_of(DimmSsdError error) {
  switch (error) {
    case dimm_ssd_ok:
      return storage_ok;
    case dimm_ssd_no_space:
      return storage_no_space;
    case dimm_ssd_uncorrectable:
      return storage_damaged;
    case dimm_ssd_not_found:
      return storage_unknown;
    default:
      return storage_failed;
  }
}

// The slot of a version: its own, a free one, or that of the oldest version, which the device discards for
// it.
static KeptFile* place_for(Client* client, uint64_t version) {
  KeptFile* place = NULL;
  for (unsigned i = 0; i < versions_kept; ++i) {
    KeptFile* const file = &client->kept[i];
    if (file->used && file->version == version) return file;
    if (place == NULL || (place->used && (!file->used || file->version < place->version))) place = file;
  }
  return place;
}

static void written(Client* client, StorageStatus status) {
  client->write_status = status;
  if (status != storage_ok) return;
  ++self.counts.written;
  KeptFile* const place = place_for(client, client->gathered.version);
  *place = client->gathered;
  place->doomed = false;
  client->gathered.used = false;
  client->state = buffer_empty;  // it will be read from the device
}

static void read_back(Client* client, StorageStatus status) {
  client->read_status = status;
  if (status != storage_ok) return;
  ++self.counts.read;
  client->state = buffer_holds;
  client->held = client->read_version;
}

static void ended(DimmSsdError error) {
  Client* const client = &all[self.client];
  self.busy = false;
  if (error != dimm_ssd_ok) ++self.counts.failed;
  if (self.operation == dimm_ssd_checkpoint)
    written(client, status_of(error));
  else if (self.operation == dimm_ssd_restore)
    read_back(client, status_of(error));
  else
    self.file->used = self.file->doomed = false;
}

static bool discard_next(unsigned i) {
  for (unsigned k = 0; k < versions_kept; ++k) {
    KeptFile* const file = &all[i].kept[k];
    if (!file->used || !file->doomed) continue;
    if (all[i].state == buffer_holds && all[i].held == file->version) all[i].state = buffer_empty;
    self.file = file;
    return start(dimm_ssd_discard, i, file->version, 0);
  }
  return false;
}

// A third version of a client replaces the oldest one, which is discarded first.
static void write_for(unsigned i) {
  Client* const client = &all[i];
  const KeptFile* const gathered = &client->gathered;
  KeptFile* const place = place_for(client, gathered->version);
  if (place->used && place->version != gathered->version) {
    place->doomed = true;
    discard_next(i);
  } else if (start(dimm_ssd_checkpoint, i, gathered->version, gathered->count)) {
    client->want = want_nothing;
  }
}

static void read_for(unsigned i) {
  Client* const client = &all[i];
  const KeptFile* const file = kept_of(client, client->read_version);
  if (file != NULL && !start(dimm_ssd_restore, i, file->version, file->count)) return;
  if (file == NULL) client->read_status = storage_unknown;
  client->want = want_nothing;
}

static void serve(unsigned i) {
  if (discard_next(i)) return;
  if (all[i].want == want_write) write_for(i);
  if (all[i].want == want_read) read_for(i);
}

bool benefactor_device_has_ended(void) {
  DimmSsdError error;
  return self.busy && dimm_ssd_poll(&error);
}

bool benefactor_progress(void) {
  DimmSsdError error;
  if (self.busy && !dimm_ssd_poll(&error)) return false;
  const bool moved = self.busy;
  if (moved) ended(error);
  static unsigned next;
  for (unsigned i = 0; i < self.clients && !self.busy; ++i, ++next) serve(next % self.clients);
  return moved || self.busy;
}
