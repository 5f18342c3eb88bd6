// The lattice program with checkpoints in the memory of a CXL expander: cxl, with the arguments of
// apps/lattice_level/lattice_level.c.
#include "drivers/cxl.h"

#include <stdio.h>

#include "apps/lattice_level/lattice_level.h"

static bool use(uint64_t bytes, unsigned ssd_every, bool incremental) {
  (void)incremental;
  const CheckpointStatus status = checkpoint_use_cxl(bytes, ssd_every);
  if (status == checkpoint_uncorrectable) printf("cxl: a checkpoint in the expander is poisoned\n");
  if (status == checkpoint_no_cxl) printf("cxl: this machine has no CXL expander with enough memory\n");
  return status != checkpoint_no_cxl;
}

static bool fits(uint32_t pages) {
  (void)pages;
  return true;
}

static void describe(void) {
  CxlMemory memory;
  cxl_probe(&memory);
  printf("%llu MiB of CXL memory that %s a loss of power\n", (unsigned long long)(memory.bytes >> 20),
         memory.keeps_contents ? "survives" : "does not survive");
}

const LatticeLevel lattice_level = {.name = "cxl",
                                    .level = checkpoint_cxl,
                                    .source = recovered_from_cxl,
                                    .use = use,
                                    .fits = fits,
                                    .describe = describe};
