// Where the service core keeps images: the node's own in PCRAM, those of its protected rank on the DIMM-SSD.
// Call all functions on the service core.
#pragma once

#include "cluster/buddy.h"

// Finds the devices. NULL, or a text that says what is missing.
const char* stores_open(Buddy* buddy);
// Passes the images that PCRAM and DIMM-SSD still hold of this rank to buddy_adopt().
void stores_adopt(uint32_t rank, uint32_t ranks);

// For BuddyCalls, with protected_later; the context is not used.
bool stores_keep(void* context, BuddyCopyOf of, uint64_t version);
bool stores_recall(void* context, BuddyCopyOf of, uint64_t version);
void stores_drop(void* context, BuddyCopyOf of, uint64_t version);

bool stores_progress(void);        // proceeds with the image for the DIMM-SSD; false: there was nothing to do
bool stores_are_ready(void);       // stores_progress has something to do; reads no register
const char* stores_failure(void);  // why an image could not be kept; NULL

typedef struct {
  uint64_t saved, saved_ticks;      // images saved to PCRAM
  uint64_t written, written_ticks;  // images that became durable on the DIMM-SSD
  uint64_t loaded_ticks;            // reading images back, from both
} StoreCounts;
StoreCounts stores_counts(void);
