// The manager (storage_manager.h) as the messages of storage_message.h reach it. It tells benefactors which files it does not
// know, so that they give their room back: files that were removed, or that a manager before it knew.
#pragma once

#include "auxiliary/storage_manager.h"
#include "auxiliary/storage_message.h"

typedef struct {
  StorageManager* manager;
  StorageLink link;
} StorageService;

// A message for the manager from a node; others are left alone, and wrong ones refused.
void service_handle_message(StorageService* service, uint32_t node, const StorageMessage* message,
                            const uint8_t* data, size_t bytes, uint64_t now);
