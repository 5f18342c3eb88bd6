#include "auxiliary/storage_message.h"

const char* storage_text(StorageStatus status) {
  static const char* const texts[] = {
      "ok",
      "not done yet",
      "no space",
      "no such file",
      "the file is there already",
      "chunks are missing",
      "a chunk cannot be read as it was written",
      "the DIMM-SSD has failed",
      "the request was refused",
      "no answer in time",
      "there is no manager",
      "the rank is another node's",
  };
  return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

static void put(uint8_t* bytes, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t* bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= (uint64_t)bytes[i] << 8 * i;
  return value;
}

void storage_encode(const StorageMessage* message, uint8_t bytes[storage_header_bytes]) {
  put(bytes, message->kind, 4);
  put(bytes + 4, message->status, 4);
  put(bytes + 8, message->number, 8);
  put(bytes + 16, message->version, 8);
  put(bytes + 24, message->hash, 8);
  put(bytes + 32, message->client, 4);
  put(bytes + 36, message->chunk, 4);
  put(bytes + 40, message->count, 4);
  put(bytes + 44, message->copies, 4);
  put(bytes + 48, 0, 8);
  put(bytes + 56, 0, 8);
}

bool storage_decode(const uint8_t* payload, size_t bytes, StorageMessage* message) {
  if (bytes < storage_header_bytes || bytes > storage_header_bytes + storage_data_limit) return false;
  const uint64_t kind = get(payload, 4), status = get(payload + 4, 4);
  if (kind < storage_answer || kind > storage_fetch || status > storage_refused) return false;
  *message = (StorageMessage){.kind = (StorageKind)kind,
                              .status = (StorageStatus)status,
                              .number = get(payload + 8, 8),
                              .version = get(payload + 16, 8),
                              .hash = get(payload + 24, 8),
                              .client = (uint32_t)get(payload + 32, 4),
                              .chunk = (uint32_t)get(payload + 36, 4),
                              .count = (uint32_t)get(payload + 40, 4),
                              .copies = (uint32_t)get(payload + 44, 4)};
  return true;
}

void storage_reply(const StorageLink* link, uint32_t node, const StorageMessage* question,
                   StorageStatus status) {
  const StorageMessage answer = {.kind = storage_answer,
                                 .status = status,
                                 .number = question->number,
                                 .version = question->version,
                                 .client = question->client};
  link->send(link->context, node, &answer, NULL, 0);
}
