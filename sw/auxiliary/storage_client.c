#include "auxiliary/storage_client.h"

#include <string.h>

#include "auxiliary/chunk_hash.h"

static const uint32_t nowhere = NO_BENEFACTOR;

static StorageStatus fail(StorageClient* client, StorageStatus status, uint32_t node, uint32_t chunk) {
  client->fault.node = node;
  client->fault.chunk = chunk;
  return status;
}

// ---- requests and answers ----

static uint64_t now(const StorageClient* client) { return client->calls.now(client->calls.context); }

static StorageRequest* free_request(StorageClient* client) {
  for (unsigned i = 0; i < client_window; ++i)
    if (!client->requests[i].open) return &client->requests[i];
  return NULL;
}

// The request names the buffer for the data of the answer.
static void ask(StorageClient* client, StorageRequest* request, uint32_t node, const StorageMessage* question,
                const void* data, uint32_t bytes) {
  request->open = true;
  request->answered = false;
  request->node = node;
  request->chunk = question->chunk;
  request->message = *question;
  request->message.number = ++client->last_number;
  request->message.client = client->number;
  request->deadline = now(client) + client->timeout;
  client->link.send(client->link.context, node, &request->message, data, bytes);
}

void client_handle_message(StorageClient* client, uint32_t node, const StorageMessage* message,
                           const uint8_t* data, size_t bytes) {
  if (message->kind != storage_answer) return;
  for (unsigned i = 0; i < client_window; ++i) {
    StorageRequest* const request = &client->requests[i];
    if (!request->open || request->answered || request->node != node ||
        request->message.number != message->number)
      continue;
    request->answered = true;
    request->message = *message;
    request->bytes = bytes < request->capacity ? (uint32_t)bytes : request->capacity;
    if (request->bytes != 0) memcpy(request->into, data, request->bytes);
    return;
  }
}

static void close_all(StorageClient* client) {
  for (unsigned i = 0; i < client_window; ++i) client->requests[i] = (StorageRequest){0};
}

// Closes a request that has its answer, or will not get one, and stores the answer in *answer. NULL: there is
// none.
static StorageRequest* next_ended(StorageClient* client, StorageStatus* status) {
  for (unsigned i = 0; i < client_window; ++i) {
    StorageRequest* const request = &client->requests[i];
    if (!request->open || (!request->answered && now(client) < request->deadline)) continue;
    *status = request->answered ? request->message.status : storage_silent;
    request->open = false;
    return request;
  }
  return NULL;
}

static bool wait(StorageClient* client, uint64_t until) {
  for (unsigned i = 0; i < client_window; ++i)
    if (client->requests[i].open && client->requests[i].deadline < until)
      until = client->requests[i].deadline;
  return client->calls.poll(client->calls.context, until);
}

static bool any_open(const StorageClient* client) {
  for (unsigned i = 0; i < client_window; ++i)
    if (client->requests[i].open) return true;
  return false;
}

// Sends a request to the manager; the answer replaces it.
static StorageStatus ask_manager(StorageClient* client, StorageMessage* message, void* into,
                                 uint32_t capacity) {
  const uint32_t node = client->calls.manager(client->calls.context);
  if (node == NO_BENEFACTOR) return fail(client, storage_no_manager, nowhere, nowhere);
  StorageRequest* const request = free_request(client);
  request->into = into;
  request->capacity = capacity;
  ask(client, request, node, message, NULL, 0);
  StorageStatus status = storage_ok;
  while (next_ended(client, &status) == NULL)
    if (!wait(client, UINT64_MAX)) {
      close_all(client);
      return fail(client, storage_gone, nowhere, nowhere);
    }
  *message = request->message;
  const uint32_t bytes = request->bytes;
  close_all(client);
  if (status != storage_ok) return fail(client, status, node, nowhere);
  return into != NULL && (message->count == 0 || bytes < message->count * sizeof *client->map)
             ? fail(client, storage_refused, node, nowhere)
             : storage_ok;
}

StorageStatus client_newest(StorageClient* client, uint64_t max_version, uint64_t* version) {
  StorageMessage message = {.kind = storage_newest, .version = max_version};
  const StorageStatus status = ask_manager(client, &message, NULL, 0);
  *version = message.version;
  return status;
}

StorageStatus client_remove(StorageClient* client, uint64_t version) {
  StorageMessage message = {.kind = storage_remove, .version = version};
  return ask_manager(client, &message, NULL, 0);
}

static StoragePart* part_of(StorageClient* client, uint32_t node) {
  for (uint32_t i = 0; i < client->part_count; ++i)
    if (client->parts[i].node == node) return &client->parts[i];
  return NULL;
}

// Gets the map, and the nodes that occur in it.
static StorageStatus look_up(StorageClient* client, uint64_t version, uint32_t chunks) {
  for (uint32_t first = 0; first < chunks;) {
    StorageMessage message = {
        .kind = storage_map, .version = version, .chunk = first, .count = chunks - first};
    const StorageStatus status =
        ask_manager(client, &message, client->map[first], (chunks - first) * (uint32_t)sizeof *client->map);
    if (status != storage_ok) return status;
    first += message.count;
  }
  client->part_count = 0;
  for (uint32_t chunk = 0; chunk < chunks; ++chunk)
    for (unsigned copy = 0; copy < copy_limit; ++copy) {
      const uint32_t node = client->map[chunk][copy];
      if (node == NO_BENEFACTOR) continue;
      StoragePart* part = part_of(client, node);
      if (part == NULL && client->part_count == benefactor_limit)
        return fail(client, storage_refused, node, chunk);
      if (part == NULL) {
        part = &client->parts[client->part_count++];
        *part = (StoragePart){.node = node};
      }
      ++part->chunks;
    }
  return storage_ok;
}

// Repeats the request to all nodes whose part is pending until none is.
static StorageStatus await_parts(StorageClient* client, StorageKind kind, uint64_t version) {
  for (;;) {
    uint32_t pending = 0;
    for (uint32_t next = 0; next < client->part_count || any_open(client);) {
      StorageRequest* const request = next < client->part_count ? free_request(client) : NULL;
      if (request != NULL) {
        const StoragePart* const part = &client->parts[next++];
        if (part->status != storage_pending) continue;
        const StorageMessage question = {.kind = kind, .version = version, .count = part->chunks};
        request->capacity = 0;
        ask(client, request, part->node, &question, NULL, 0);
        continue;
      }
      StorageStatus status;
      const StorageRequest* const ended = next_ended(client, &status);
      if (ended != NULL) {
        part_of(client, ended->node)->status = status;
        pending += status == storage_pending;
      } else if (!wait(client, UINT64_MAX)) {
        close_all(client);
        return fail(client, storage_gone, nowhere, nowhere);
      }
    }
    if (pending == 0) return storage_ok;
    const uint64_t until = now(client) + client->poll_interval;
    while (now(client) < until)
      if (!wait(client, until)) return fail(client, storage_gone, nowhere, nowhere);
  }
}

// ---- writing ----

static StorageStatus place(StorageClient* client, uint64_t version, uint32_t chunks) {
  StorageMessage message = {.kind = storage_place,
                            .version = version,
                            .chunk = client->width,
                            .count = chunks,
                            .copies = client->copies};
  const StorageStatus status = ask_manager(client, &message, NULL, 0);
  client->fault.benefactors = message.count;
  client->fault.space = message.chunk;
  return status;
}

static StorageStatus store_all(StorageClient* client, uint64_t version, const uint64_t* words,
                               uint32_t chunks) {
  const uint32_t total = chunks * client->copies;
  uint64_t hash = 0;
  for (uint32_t next = 0; next < total || any_open(client);) {
    StorageRequest* const request = next < total ? free_request(client) : NULL;
    if (request != NULL) {
      const uint32_t chunk = next / client->copies, copy = next % client->copies;
      const uint64_t* const data = words + (size_t)chunk * chunk_words;
      if (copy == 0) hash = chunk_hash(data, chunk_words);
      const uint32_t node = client->map[chunk][copy];
      if (node == NO_BENEFACTOR) {  // forgotten since the file was placed
        close_all(client);
        return fail(client, storage_silent, nowhere, chunk);
      }
      const StorageMessage question = {
          .kind = storage_store, .version = version, .chunk = chunk, .hash = hash};
      request->capacity = 0;
      ask(client, request, node, &question, data, chunk_bytes);
      ++next;
      continue;
    }
    StorageStatus status;
    const StorageRequest* const ended = next_ended(client, &status);
    const bool goes_on = ended != NULL || wait(client, UINT64_MAX);
    if (ended != NULL && status == storage_ok) {
      ++client->counts.written;
    } else if (ended != NULL || !goes_on) {
      if (ended != NULL)
        fail(client, status, ended->node, ended->chunk);
      else
        status = fail(client, storage_gone, nowhere, nowhere);
      close_all(client);
      return status;
    }
  }
  return storage_ok;
}

StorageStatus client_write(StorageClient* client, uint64_t version, const uint64_t* words, uint32_t chunks) {
  if (chunks == 0 || chunks > checkpoint_chunk_limit) return fail(client, storage_refused, nowhere, nowhere);
  StorageStatus status = place(client, version, chunks);
  if (status == storage_ok) status = look_up(client, version, chunks);
  if (status == storage_ok) status = store_all(client, version, words, chunks);
  if (status != storage_ok) return status;
  for (uint32_t i = 0; i < client->part_count; ++i) client->parts[i].status = storage_pending;
  status = await_parts(client, storage_flush, version);
  if (status != storage_ok) return status;
  for (uint32_t i = 0; i < client->part_count; ++i)
    if (client->parts[i].status != storage_ok)
      return fail(client, client->parts[i].status, client->parts[i].node, nowhere);
  StorageMessage commit = {.kind = storage_commit, .version = version};
  return ask_manager(client, &commit, NULL, 0);
}

// ---- reading ----

// The copy of a chunk to be read; copy_limit if none is left.
static unsigned copy_to_read(StorageClient* client, uint32_t chunk) {
  for (unsigned copy = 0; copy < copy_limit; ++copy) {
    const uint32_t node = client->map[chunk][copy];
    if (node == NO_BENEFACTOR) continue;
    const StoragePart* const part = part_of(client, node);
    if (!part->asked || part->status == storage_pending || part->status == storage_ok) return copy;
  }
  return copy_limit;
}

// Why no copy of a chunk can be read: the status from the last of its benefactors.
static StorageStatus why_not(StorageClient* client, uint32_t chunk) {
  StorageStatus status = storage_unknown;
  uint32_t at = nowhere;
  for (unsigned copy = 0; copy < copy_limit; ++copy) {
    const uint32_t node = client->map[chunk][copy];
    if (node == NO_BENEFACTOR) continue;
    at = node;
    status = part_of(client, node)->status;
  }
  return fail(client, at == nowhere ? storage_silent : status, at, chunk);
}

static StorageStatus open_parts(StorageClient* client, uint64_t version, uint32_t chunks) {
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const unsigned copy = client->has[chunk] ? copy_limit : copy_to_read(client, chunk);
    if (copy == copy_limit) {
      if (!client->has[chunk]) return why_not(client, chunk);
      continue;
    }
    StoragePart* const part = part_of(client, client->map[chunk][copy]);
    if (part->asked) continue;
    part->asked = true;
    part->status = storage_pending;
  }
  return await_parts(client, storage_open, version);
}

static void fetched(StorageClient* client, const StorageRequest* request, StorageStatus status) {
  const uint32_t chunk = request->chunk;
  if (status == storage_ok &&
      (request->bytes != chunk_bytes || chunk_hash(request->into, chunk_words) != request->message.hash))
    status = storage_damaged;
  if (status != storage_ok) {
    part_of(client, request->node)->status = status;
    return;
  }
  client->has[chunk] = true;
  ++client->counts.read;
  client->counts.second_copies += request->node != client->map[chunk][0];
}

// Fetches chunks of open parts. Those that fail are left for another copy.
static StorageStatus fetch_all(StorageClient* client, uint64_t version, uint64_t* words, uint32_t chunks) {
  for (uint32_t next = 0; next < chunks || any_open(client);) {
    StorageRequest* const request = next < chunks ? free_request(client) : NULL;
    if (request != NULL) {
      const uint32_t chunk = next++;
      const unsigned copy = client->has[chunk] ? copy_limit : copy_to_read(client, chunk);
      if (copy == copy_limit || !part_of(client, client->map[chunk][copy])->asked) continue;
      const StorageMessage question = {.kind = storage_fetch, .version = version, .chunk = chunk};
      request->into = words + (size_t)chunk * chunk_words;
      request->capacity = chunk_bytes;
      ask(client, request, client->map[chunk][copy], &question, NULL, 0);
      continue;
    }
    StorageStatus status;
    const StorageRequest* const ended = next_ended(client, &status);
    if (ended != NULL) {
      fetched(client, ended, status);
    } else if (!wait(client, UINT64_MAX)) {
      close_all(client);
      return fail(client, storage_gone, nowhere, nowhere);
    }
  }
  return storage_ok;
}

StorageStatus client_read(StorageClient* client, uint64_t version, uint64_t* words, uint32_t chunks) {
  if (chunks == 0 || chunks > checkpoint_chunk_limit) return fail(client, storage_refused, nowhere, nowhere);
  StorageStatus status = look_up(client, version, chunks);
  memset(client->has, 0, sizeof client->has);
  for (uint32_t left = chunks; status == storage_ok && left != 0;) {
    status = open_parts(client, version, chunks);
    if (status == storage_ok) status = fetch_all(client, version, words, chunks);
    left = 0;
    for (uint32_t chunk = 0; chunk < chunks; ++chunk) left += !client->has[chunk];
  }
  return status;
}
