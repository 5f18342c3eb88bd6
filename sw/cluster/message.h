// What the nodes of a cluster say to each other: a header of 48 bytes, little-endian, and data behind it. The same bytes as
// of models/cluster/message.h, which says what each kind carries and when.
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
#define STORAGE_RANK 0xfffffffeu  // of the global store
#define NO_RANK 0xffffffffu       // of a spare

typedef struct {
  MessageKind kind;
  uint32_t epoch;
  uint32_t to, from;  // ranks
  uint64_t number, offset, total;
  uint32_t owner;  // rank
} MessageHeader;

void message_encode(const MessageHeader* header, uint8_t bytes[message_header_bytes]);
// False: too short, or no kind of message. The data are what is behind the header.
bool message_decode(const uint8_t* payload, size_t bytes, MessageHeader* header);

void message_put_u64(uint8_t* bytes, uint64_t value);
uint64_t message_get_u64(const uint8_t* bytes);
