// The plug-ins through which a checkpoint passes, in order: "columns,dedup,pcram,drain". Transforms come
// first, then one store, then optionally a drain; `dedup` and the drains need the store `pcram`. A transform
// may occur more than once.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "auxiliary/plug_in.h"

enum { chain_limit = 6 };

typedef struct {
  const PlugIn* plug_ins[chain_limit];
  unsigned count;
  unsigned transforms;   // number of transforms, which are the first plug-ins
  uint64_t conversions;  // identifies the conversions of bytes that the chain makes
} Chain;

// Returns false if the text is wrong; `error` then says which word is wrong and what was expected.
bool chain_parse(const char* text, Chain* chain, char* error, size_t error_bytes);
