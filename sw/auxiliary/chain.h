// The plug-ins that a checkpoint passes, in order: "columns,dedup,pcram,drain". Transforms come first, then one store,
// then a drain, if any; `dedup` and the drains need the store `pcram`. Transforms may come again.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "auxiliary/plug_in.h"

enum { chain_limit = 6 };

typedef struct {
  const PlugIn* plug_ins[chain_limit];
  unsigned count;
  unsigned transforms;   // the first ones
  uint64_t conversions;  // tells chains apart that change bytes in different ways
} Chain;

// False: `error` says which word is wrong and what was expected.
bool chain_parse(const char* text, Chain* chain, char* error, size_t error_bytes);
