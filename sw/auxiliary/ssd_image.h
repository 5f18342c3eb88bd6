// Checkpoints on the DIMM-SSD, each whole: an image in memory, one header page and then the chunks, that the device makes
// durable or not at all. Two versions are kept. All calls are of one core, at a time (drivers/dimm_ssd.h).
#pragma once

#include "auxiliary/block.h"

const char* ssd_image_prepare(void);  // finds the device, takes memory. Returns NULL, or what is missing.

// The image is filled, then handed over; until the device has ended it is the device's.
void ssd_image_begin(const CheckpointFile* file);
uint64_t* ssd_image_chunk(uint32_t chunk);  // where it belongs
void ssd_image_hash(uint32_t chunk, uint64_t hash);
bool ssd_image_start(void);           // false: refused
bool ssd_image_ended(bool* durable);  // false: the device is at work

bool ssd_image_find(uint64_t max_version, uint64_t* version);   // the newest not above
bool ssd_image_open(uint64_t version, CheckpointFile* file);    // restores it into the image
bool ssd_image_read(const CheckpointFile* file, Block* block);  // false: not what was stored
