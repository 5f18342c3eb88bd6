// A StorageLink over the NIC: messages are frames; chunks use the checkpoint queue, all others the
// application queue.
#pragma once

#include "auxiliary/storage_message.h"

bool link_open(void);  // false: there is no memory for its rings
extern const StorageLink nic_link;

// Passes each received message to `handle`, a limited number at a time. Returns false if there was none.
// Frames that are not messages are dropped and counted.
typedef void (*LinkHandler)(uint32_t node, const StorageMessage* message, const uint8_t* data, size_t bytes);
bool link_receive(LinkHandler handle);
uint64_t link_dropped(void);
