// The manager (storage_manager.h) as a service for the messages of storage_message.h. It notifies benefactors
// of files that it does not know, so that they free the space: files that were removed, or that only an
// earlier manager knew.
#pragma once

#include "auxiliary/storage_manager.h"
#include "auxiliary/storage_message.h"

typedef struct {
  StorageManager* manager;
  StorageLink link;
} StorageService;

// Handles a message from a node. Messages that are not for a manager are ignored, wrong ones are refused.
void service_handle_message(StorageService* service, uint32_t node, const StorageMessage* message,
                            const uint8_t* data, size_t bytes, uint64_t now);
