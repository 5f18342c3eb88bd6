#include "apps/training/streams.h"

#include <string.h>

#include "boot/memory.h"

typedef struct {
  uint32_t epoch;
  uint64_t step, held;  // bytes, from the first one on
  uint8_t* data;
} Stream;

static unsigned ranks;
static uint64_t sizes[stream_kinds];
static Stream incoming[stream_kinds][2][stream_rank_limit];

bool streams_prepare(unsigned count, const uint64_t bytes[stream_kinds]) {
  if (count > stream_rank_limit) return false;
  ranks = count;
  for (int kind = 0; kind < stream_kinds; ++kind) {
    sizes[kind] = bytes[kind];
    for (int step = 0; step < 2; ++step)
      for (unsigned rank = 0; rank < ranks; ++rank)
        if ((incoming[kind][step][rank].data = memory_allocate(bytes[kind])) == NULL) return false;
  }
  return true;
}

void streams_send(Buddy* buddy, StreamKind kind, uint64_t step, uint32_t to, const void* data) {
  for (uint64_t offset = 0; offset < sizes[kind]; offset += message_data_limit) {
    const uint64_t left = sizes[kind] - offset;
    const MessageHeader header = {.kind = message_halo,
                                  .to = to,
                                  .number = step,
                                  .offset = offset,
                                  .total = sizes[kind],
                                  .owner = (uint32_t)kind};
    buddy_send(buddy, header, (const uint8_t*)data + offset,
               left < message_data_limit ? left : message_data_limit);
  }
}

void streams_receive(const MessageHeader* header, const uint8_t* data, size_t bytes) {
  if (header->owner >= stream_kinds || header->from >= ranks || header->total != sizes[header->owner] ||
      header->offset > header->total || bytes > header->total - header->offset)
    return;
  Stream* const stream = &incoming[header->owner][header->number % 2][header->from];
  if (header->offset == 0) {
    stream->epoch = header->epoch;
    stream->step = header->number;
    stream->held = 0;
  }
  if (stream->epoch != header->epoch || stream->step != header->number || stream->held != header->offset)
    return;
  memcpy(stream->data + header->offset, data, bytes);
  stream->held += bytes;
}

bool streams_have_come(const Buddy* buddy, StreamKind kind, uint64_t step) {
  for (unsigned rank = 0; rank < ranks; ++rank) {
    if (rank == buddy->membership.rank) continue;
    const Stream* const stream = &incoming[kind][step % 2][rank];
    if (stream->epoch != buddy->membership.epoch || stream->step != step || stream->held != sizes[kind])
      return false;
  }
  return true;
}

const uint8_t* streams_of(StreamKind kind, uint64_t step, uint32_t from) {
  return incoming[kind][step % 2][from].data;
}
