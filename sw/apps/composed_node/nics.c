#include "apps/composed_node/nics.h"

#include <string.h>

#include "drivers/nic.h"

enum { entries = 4 };

static uint32_t numbers[nic_limit];  // of the NICs on their network

bool nics_open(unsigned nic) {
  if (!nic_select(nic) || !nic_probe() || !nic_open(entries, entries)) return false;
  numbers[nic] = nic_node();
  return true;
}

bool nics_send(unsigned from, unsigned to, const void* data, uint32_t bytes) {
  nic_select(from);
  if (nic_free_entries(nic_application) == 0) return false;
  memcpy(nic_buffer(nic_application), data, bytes);
  nic_send_buffer(nic_application, numbers[to], bytes);
  return true;
}

bool nics_receive(unsigned at, unsigned from, void* data, uint32_t bytes) {
  NicFrame frame;
  nic_select(at);
  for (;;) {
    nic_begin_poll();
    if (nic_receive(&frame)) break;
    nic_select(from);
    const bool has_failed = nic_error() != nic_ok;
    nic_select(at);
    if (has_failed || nic_error() != nic_ok) return false;
    nic_sleep();
  }
  const bool right = frame.source == numbers[from] && frame.bytes == bytes;
  if (right) memcpy(data, frame.data, bytes);
  nic_release();
  return right;
}
