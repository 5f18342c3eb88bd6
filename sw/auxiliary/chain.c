#include "auxiliary/chain.h"

#include <stdio.h>
#include <string.h>

enum { plug_in_count = 8 };
static const PlugIn* const plug_ins[plug_in_count] = {
    &columns_plug_in, &big_endian_plug_in,  &deduplication_plug_in, &pcram_plug_in,
    &ssd_plug_in,     &benefactors_plug_in, &drain_plug_in,         &drain_benefactors_plug_in};

// The index of the plug-in whose name begins at `text`; plug_in_count if there is none.
static unsigned find(const char* text, size_t length) {
  unsigned i = 0;
  while (i < plug_in_count &&
         (strlen(plug_ins[i]->name) != length || strncmp(plug_ins[i]->name, text, length) != 0))
    ++i;
  return i;
}

static const char* problem_of_order(const Chain* chain) {
  bool deduplicates = false, stored = false, drained = false;
  for (unsigned i = 0; i < chain->count; ++i) {
    const PlugIn* const one = chain->plug_ins[i];
    if (one->kind == plug_in_transform && stored) return "a transform stands behind the store";
    if (one->kind == plug_in_store && stored) return "there is one store";
    if (one->kind == plug_in_drain && (drained || i == 0 || chain->plug_ins[i - 1] != &pcram_plug_in))
      return "a drain stands once, behind 'pcram'";
    if (one->kind == plug_in_store && one != &pcram_plug_in && deduplicates)
      return "'dedup' needs the store 'pcram'";
    deduplicates = deduplicates || one == &deduplication_plug_in;
    stored = stored || one->kind == plug_in_store;
    drained = drained || one->kind == plug_in_drain;
  }
  return stored ? NULL : "there is no store: 'pcram', 'ssd' or 'benefactors'";
}

bool chain_parse(const char* text, Chain* chain, char* error, size_t error_bytes) {
  *chain = (Chain){.count = 0};
  for (const char* word = text;; ++word) {
    const size_t length = strcspn(word, ",");
    const unsigned which = find(word, length);
    if (which == plug_in_count) {
      snprintf(error, error_bytes,
               "there is no plug-in '%.*s', but columns, big_endian, dedup, pcram, ssd, benefactors, drain, "
               "drain_benefactors",
               (int)length, word);
      return false;
    }
    if (chain->count == chain_limit) {
      snprintf(error, error_bytes, "a chain has at most %d plug-ins", chain_limit);
      return false;
    }
    const PlugIn* const one = plug_ins[which];
    chain->plug_ins[chain->count++] = one;
    if (one->kind == plug_in_transform) chain->transforms = chain->count;
    if (one->undo != NULL) chain->conversions = chain->conversions * plug_in_count + which + 1;
    word += length;
    if (*word == 0) break;
  }
  const char* const problem = problem_of_order(chain);
  if (problem != NULL) snprintf(error, error_bytes, "%s", problem);
  return problem == NULL;
}
