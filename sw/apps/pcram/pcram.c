// The lattice program with checkpoints in PCRAM: pcram, with the arguments of
// apps/lattice_level/lattice_level.c.
#include "drivers/pcram.h"

#include <stdio.h>

#include "apps/lattice_level/lattice_level.h"
#include "checkpoint/pcram_level.h"

static bool use(uint64_t bytes, unsigned ssd_every, bool incremental) {
  (void)bytes;
  if (checkpoint_use_pcram(ssd_every, incremental) == checkpoint_ok) return true;
  printf("pcram: this machine has no PCRAM\n");
  return false;
}

static bool fits(uint32_t pages) {
  if (pcram_level_fits(pages)) return true;
  printf("pcram: two checkpoints of %u pages do not fit into %u pages of PCRAM\n", (unsigned)pages,
         (unsigned)pcram_pages());
  return false;
}

static void describe(void) {
  printf("%u pages of PCRAM%s\n", (unsigned)pcram_pages(),
         pcram_layer_pages() != 0 ? " on top of memory" : "");
}

static void report(void) { printf(", %llu pages copied", (unsigned long long)pcram_level_copied()); }

const LatticeLevel lattice_level = {.name = "pcram",
                                    .level = checkpoint_pcram,
                                    .source = recovered_from_pcram,
                                    .has_increments = true,
                                    .use = use,
                                    .fits = fits,
                                    .describe = describe,
                                    .report = report};
