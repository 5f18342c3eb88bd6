#include "cluster/message.h"

static void put_u32(uint8_t* bytes, uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get_u32(const uint8_t* bytes) {
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= (uint32_t)bytes[i] << 8 * i;
  return value;
}

void message_put_u64(uint8_t* bytes, uint64_t value) {
  put_u32(bytes, (uint32_t)value);
  put_u32(bytes + 4, (uint32_t)(value >> 32));
}

uint64_t message_get_u64(const uint8_t* bytes) { return get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32; }

void message_encode(const MessageHeader* header, uint8_t bytes[message_header_bytes]) {
  put_u32(bytes, (uint32_t)header->kind);
  put_u32(bytes + 4, header->epoch);
  put_u32(bytes + 8, header->to);
  put_u32(bytes + 12, header->from);
  message_put_u64(bytes + 16, header->number);
  message_put_u64(bytes + 24, header->offset);
  message_put_u64(bytes + 32, header->total);
  put_u32(bytes + 40, header->owner);
  put_u32(bytes + 44, 0);
}

bool message_decode(const uint8_t* payload, size_t bytes, MessageHeader* header) {
  if (bytes < message_header_bytes) return false;
  const uint32_t kind = get_u32(payload);
  if (kind < message_halo || kind > message_traffic) return false;
  header->kind = (MessageKind)kind;
  header->epoch = get_u32(payload + 4);
  header->to = get_u32(payload + 8);
  header->from = get_u32(payload + 12);
  header->number = message_get_u64(payload + 16);
  header->offset = message_get_u64(payload + 24);
  header->total = message_get_u64(payload + 32);
  header->owner = get_u32(payload + 40);
  return true;
}
