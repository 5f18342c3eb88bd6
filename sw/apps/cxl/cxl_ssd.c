// The lattice program with checkpoints in the memory of a CXL SSD: cxl_ssd, with the arguments of
// apps/lattice_level/lattice_level.c. There is no DIMM-SSD beside it: with memory=on, every ssd_every-th
// checkpoint, or each if that is 0, goes to the CXL SSD.
#include "drivers/cxl_ssd.h"

#include <stdio.h>

#include "apps/lattice_level/lattice_level.h"
#include "checkpoint/cxl_ssd_store.h"

static bool use(uint64_t bytes, unsigned ssd_every, bool incremental) {
  (void)ssd_every;
  (void)incremental;
  const CheckpointStatus status = checkpoint_use_cxl_ssd(bytes);
  if (status == checkpoint_uncorrectable) printf("cxl_ssd: a checkpoint in the CXL SSD cannot be read\n");
  if (status == checkpoint_no_cxl) printf("cxl_ssd: this machine has no CXL SSD with enough memory\n");
  return status == checkpoint_ok || status == checkpoint_uncorrectable;
}

static bool fits(uint32_t pages) {
  (void)pages;
  return true;
}

static void describe(void) {
  CxlSsd ssd;
  cxl_ssd_probe(&ssd);
  printf("%u MiB of flash as memory, %u KiB of cache that %s a loss of power\n", (unsigned)(ssd.bytes >> 20),
         (unsigned)(ssd.cache_bytes >> 10), ssd.is_protected ? "survives" : "does not survive");
}

static void report(void) {
  printf(", %u lines in %u flash pages, %u misses", (unsigned)cxl_ssd_lines_written(),
         (unsigned)cxl_ssd_pages_written(), (unsigned)cxl_ssd_misses());
}

const LatticeLevel lattice_level = {.name = "cxl_ssd",
                                    .level = checkpoint_chain,
                                    .source = recovered_from_cxl,
                                    .replaces_ssd = true,
                                    .use = use,
                                    .fits = fits,
                                    .describe = describe,
                                    .report = report};
