#include "auxiliary/storage_service.h"

#include <string.h>

static void announced(StorageService* service, uint32_t node, const StorageMessage* message,
                      const uint8_t* data, size_t bytes, uint64_t now) {
  manager_announce(service->manager, node, message->count, now);
  for (size_t at = 0; at + sizeof(StorageFileName) <= bytes; at += sizeof(StorageFileName)) {
    StorageFileName name;
    memcpy(&name, data + at, sizeof name);
    if (manager_has(service->manager, name.client, name.version)) continue;
    const StorageMessage forget = {.kind = storage_forget, .client = name.client, .version = name.version};
    service->link.send(service->link.context, node, &forget, NULL, 0);
  }
}

static void place(StorageService* service, uint32_t node, const StorageMessage* message, uint64_t now) {
  StorageManager* const manager = service->manager;
  const Striping striping = {.node = node, .width = message->chunk, .copies = message->copies};
  StorageMessage answer = *message;
  answer.kind = storage_answer;
  if (striping.width == 0 || striping.copies == 0 || striping.copies > copy_limit || message->count == 0 ||
      message->count > checkpoint_chunk_limit)
    answer.status = storage_refused;
  else if (manager_has(manager, message->client, message->version))
    answer.status = storage_exists;
  else if (manager_place(manager, message->client, message->version, message->count, &striping, now))
    answer.status = storage_ok;
  else
    answer.status = storage_no_space;
  const uint64_t space = manager_free(manager, now);
  answer.chunk = space > UINT32_MAX ? UINT32_MAX : (uint32_t)space;
  answer.count = manager_known(manager, now);
  service->link.send(service->link.context, node, &answer, NULL, 0);
}

static void map(StorageService* service, uint32_t node, const StorageMessage* message, uint64_t now) {
  static uint32_t nodes[storage_data_limit / (4 * copy_limit)][copy_limit];
  const uint32_t most = sizeof nodes / sizeof *nodes;
  StorageMessage answer = *message;
  answer.kind = storage_answer;
  answer.count = manager_map(service->manager, message->client, message->version, message->chunk,
                             message->count < most ? message->count : most, nodes, now);
  answer.copies = copy_limit;
  answer.status = answer.count != 0 ? storage_ok : storage_unknown;
  service->link.send(service->link.context, node, &answer, nodes, answer.count * sizeof *nodes);
}

static void newest(StorageService* service, uint32_t node, const StorageMessage* message, uint64_t now) {
  StorageMessage answer = *message;
  answer.kind = storage_answer;
  answer.status = manager_newest(service->manager, message->client, message->version, now, &answer.version)
                      ? storage_ok
                      : storage_unknown;
  service->link.send(service->link.context, node, &answer, NULL, 0);
}

void service_handle_message(StorageService* service, uint32_t node, const StorageMessage* message,
                            const uint8_t* data, size_t bytes, uint64_t now) {
  StorageManager* const manager = service->manager;
  const uint32_t client = message->client;
  const uint64_t version = message->version;
  switch (message->kind) {
    case storage_announce:
      announced(service, node, message, data, bytes, now);
      break;
    case storage_place:
      place(service, node, message, now);
      break;
    case storage_map:
      map(service, node, message, now);
      break;
    case storage_newest:
      newest(service, node, message, now);
      break;
    case storage_commit:
      storage_reply(&service->link, node, message,
                    !manager_has(manager, client, version)          ? storage_unknown
                    : manager_commit(manager, client, version, now) ? storage_ok
                                                                    : storage_not_whole);
      break;
    case storage_remove:
      storage_reply(&service->link, node, message,
                    manager_remove(manager, client, version) ? storage_ok : storage_unknown);
      break;
    default:
      break;
  }
}
