// StorageLink by a NIC: messages as frames, chunks in the queue for checkpoints and all else in the application's.
#pragma once

#include "auxiliary/storage_message.h"

bool link_open(void);  // false: no memory for its rings
extern const StorageLink nic_link;

// Gives each message that has come to `handle`, some of them at a time. False: none had. Frames that are no messages are dropped and
// counted.
typedef void (*LinkHandler)(uint32_t node, const StorageMessage* message, const uint8_t* data, size_t bytes);
bool link_receive(LinkHandler handle);
uint64_t link_dropped(void);
