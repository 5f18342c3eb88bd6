// An auxiliary application (li2010 section III): a few functions that see a program's checkpoint as it is written, as
// the paper's aux_app_write does. Plug-ins stand in a chain (chain.h); functions that one does not need are NULL.
//
//   transform  works on one block alone, and on several at once on different cores: conversion, hashing
//   store      keeps the blocks; one core runs all its functions
//   drain      moves what a store has kept to slower storage while no block waits; on the store's core
#pragma once

#include "auxiliary/block.h"

typedef enum { plug_in_transform, plug_in_store, plug_in_drain } PlugInKind;

typedef enum {
  work_none,     // nothing to do
  work_more,     // did a little, and there is more
  work_waiting,  // a device is at work: its interrupt comes
} BackgroundWork;

typedef struct {
  const char* name;
  PlugInKind kind;

  // Finds devices and what they hold; on the core that then runs the others, also after another core has done so.
  // Returns NULL, or what is missing.
  const char* (*prepare)(void);

  bool (*open)(const CheckpointFile* file);                 // false: cannot be stored
  bool (*write)(const CheckpointFile* file, Block* block);  // each block once
  bool (*close)(const CheckpointFile* file);                // true: it outlives a loss of power

  BackgroundWork (*work)(void);
  bool (*ready)(void);  // work_waiting is over

  // The way back. name: as of CheckpointFile.
  bool (*find)(uint64_t name, uint64_t max_version, uint64_t* version);  // the newest not above
  bool (*open_stored)(uint64_t name, uint64_t version, CheckpointFile* file);
  bool (*read)(const CheckpointFile* file, Block* block);  // as it was stored; false: not what was stored
  void (*undo)(const CheckpointFile* file, Block* block);  // of a conversion
  bool (*discard)(uint64_t name, uint64_t version);  // false: it was not there, or it cannot be given up
} PlugIn;

extern const PlugIn columns_plug_in;        // array of records to arrays of their fields
extern const PlugIn big_endian_plug_in;     // byte order of 8-byte words
extern const PlugIn deduplication_plug_in;  // hashes chunks: the store then keeps equal ones once
extern const PlugIn pcram_plug_in;
extern const PlugIn ssd_plug_in;                // the DIMM-SSD
extern const PlugIn benefactors_plug_in;        // the DIMM-SSDs of other nodes (benefactor_image.h)
extern const PlugIn drain_plug_in;              // from PCRAM to the DIMM-SSD
extern const PlugIn drain_benefactors_plug_in;  // from PCRAM to those of other nodes
