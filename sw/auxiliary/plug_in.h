// The interface of a plug-in, an auxiliary application (li2010 section III): functions that are called as a
// program's checkpoint is written, like the paper's aux_app_write. Plug-ins form a chain (chain.h); functions
// that a plug-in does not need are NULL.
//
//   transform  processes single blocks, several of them in parallel on different cores: conversion, hashing
//   store      stores the blocks; one core runs all its functions
//   drain      moves checkpoints from a store to slower storage while no block waits; runs on the store's
// core
#pragma once

#include "auxiliary/block.h"

typedef enum { plug_in_transform, plug_in_store, plug_in_drain } PlugInKind;

typedef enum {
  work_none,     // nothing to do
  work_more,     // a part was done, and there is more
  work_waiting,  // a device works and will interrupt
} BackgroundWork;

typedef struct {
  const char* name;
  PlugInKind kind;

  // Finds devices and their contents. It runs on the core that then runs the other functions, even if another
  // core has called it before. Returns NULL, or a text that says what is missing.
  const char* (*prepare)(void);

  bool (*open)(const CheckpointFile* file);                 // false: the checkpoint cannot be stored
  bool (*write)(const CheckpointFile* file, Block* block);  // called once for each block
  bool (*close)(const CheckpointFile* file);                // true: the checkpoint survives a power loss

  BackgroundWork (*work)(void);
  bool (*ready)(void);  // after work_waiting: whether work() can proceed

  // Reading back. `name` is that of CheckpointFile.
  bool (*find)(uint64_t name, uint64_t max_version, uint64_t* version);  // newest not above max_version
  bool (*open_stored)(uint64_t name, uint64_t version, CheckpointFile* file);
  bool (*read)(const CheckpointFile* file, Block* block);  // reads a block as it was stored; false: damaged
  void (*undo)(const CheckpointFile* file, Block* block);  // reverses a conversion
  bool (*discard)(uint64_t name, uint64_t version);  // false: no such checkpoint, or it cannot be discarded
} PlugIn;

extern const PlugIn columns_plug_in;        // converts an array of records to arrays of their fields
extern const PlugIn big_endian_plug_in;     // reverses the byte order of 8-byte words
extern const PlugIn deduplication_plug_in;  // hashes chunks, so that the store keeps equal ones once
extern const PlugIn pcram_plug_in;
extern const PlugIn ssd_plug_in;                // the DIMM-SSD
extern const PlugIn benefactors_plug_in;        // the DIMM-SSDs of other nodes (benefactor_image.h)
extern const PlugIn drain_plug_in;              // from PCRAM to the DIMM-SSD
extern const PlugIn drain_benefactors_plug_in;  // from PCRAM to the DIMM-SSDs of other nodes
