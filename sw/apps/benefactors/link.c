#include "apps/benefactors/link.h"

#include <string.h>

#include "drivers/nic.h"

enum { send_entries = 64, receive_entries = 64, frames_per_call = 16 };
_Static_assert(storage_header_bytes + storage_data_limit <= nic_frame_limit,
               "messages are longer than frames");

static uint64_t dropped;

bool link_open(void) { return nic_open(send_entries, receive_entries); }
uint64_t link_dropped(void) { return dropped; }

// The network sends frames independently of their receivers, so that this loop ends; but not if the ring has
// stopped.
static bool wait_for_space(NicQueue queue) {
  while (nic_free_entries(queue) == 0) {
    nic_begin_poll();
    if (nic_error() != nic_ok) return false;
    if (nic_free_entries(queue) == 0) nic_sleep();
  }
  return true;
}

static void send(void* context, uint32_t node, const StorageMessage* message, const void* data,
                 uint32_t bytes) {
  (void)context;
  const NicQueue queue = bytes == chunk_bytes ? nic_checkpoint : nic_application;
  if (node >= nic_nodes() || bytes > storage_data_limit || !wait_for_space(queue)) return;
  uint8_t* const buffer = nic_buffer(queue);
  storage_encode(message, buffer);
  if (bytes != 0) memcpy(buffer + storage_header_bytes, data, bytes);
  nic_send_buffer(queue, node, storage_header_bytes + bytes);
}

const StorageLink nic_link = {.send = send};

bool link_receive(LinkHandler handle) {
  unsigned frames = 0;
  for (NicFrame frame; frames < frames_per_call && nic_receive(&frame); ++frames) {
    StorageMessage message;
    if (storage_decode(frame.data, frame.bytes, &message))
      handle(frame.source, &message, frame.data + storage_header_bytes, frame.bytes - storage_header_bytes);
    else
      ++dropped;
    nic_release();
  }
  return frames != 0;
}
