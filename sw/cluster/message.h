// The messages between the nodes of a cluster: a header of 48 bytes, little-endian, followed by data. The
// format is that of models/cluster/message.h, which documents each kind of message.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  message_halo = 1,
  message_chunk,
  message_stored,
  message_complete,
  message_commit,
  message_offer,
  message_restore,
  message_fetch,
  message_state,
  message_ready,
  message_resume,
  message_global,
  message_global_stored,
  message_inventory,
  message_traffic,
} MessageKind;

enum { message_header_bytes = 48, message_data_limit = 4096 };
#define STORAGE_RANK 0xfffffffeu  // the global store
#define NO_RANK 0xffffffffu       // the rank of a spare

typedef struct {
  MessageKind kind;
  uint32_t epoch;
  uint32_t to, from;  // ranks
  uint64_t number, offset, total;
  uint32_t owner;  // rank
} MessageHeader;

void message_encode(const MessageHeader* header, uint8_t bytes[message_header_bytes]);
// Returns false if the payload is too short or its kind is unknown. The data follow the header.
bool message_decode(const uint8_t* payload, size_t bytes, MessageHeader* header);

void message_put_u64(uint8_t* bytes, uint64_t value);
uint64_t message_get_u64(const uint8_t* bytes);
