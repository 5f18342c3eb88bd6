// Functional partitioning, FP(X, Y): sweeps a lattice Boltzmann stencil on the node's Y compute cores. Its
// checkpoints, taken with the checkpoint library, pass through plug-ins on the node's X auxiliary cores
// (`cores.auxiliary`), or on the compute cores themselves if X is 0. After a power loss it resumes with an
// identical result.
//
//   partition [columns=96] [rows=64] [sweeps=24] [interval=4] [mesh=36] [chain=columns,dedup,pcram,drain]
//             [buffers=8]
//
// mesh: pages of the checkpoint that the program only reads; they are found to be duplicates. chain: see
// auxiliary/chain.h; a record is the nine populations of a cell.
//
// At the end the newest checkpoint is read back from each place in which the chain has stored it, and
// compared. Exit status: 0 verified, 1 not, 2 a wrong argument, 3 a device is missing or too little memory.
// result.txt holds exact bits by which two runs are compared.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "apps/stencil/lattice.h"
#include "auxiliary/checkpoint_chain.h"
#include "auxiliary/chunk_hash.h"
#include "auxiliary/chunk_store.h"
#include "auxiliary/drain.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "drivers/generic_timer.h"
#include "drivers/power.h"

typedef unsigned long long Printable;

static struct {
  uint64_t columns, rows, sweeps, interval, mesh, buffers;
  const char* chain;
} options = {.columns = 96,
             .rows = 64,
             .sweeps = 24,
             .interval = 4,
             .mesh = 36,
             .buffers = 8,
             .chain = "columns,dedup,pcram,drain"};

static const char name[] = "partition";
static Chain chain;
static uint64_t* mesh;
static uint64_t compute_ticks, stalled_ticks, run_ticks;

static bool read_options(int argc, char** argv) {
  const Argument table[] = {
      {"columns", argument_number, &options.columns, 8, 4096, "cells in a row"},
      {"rows", argument_number, &options.rows, 8, 4096, "rows of cells"},
      {"sweeps", argument_number, &options.sweeps, 1, 1000000, "over all cells"},
      {"interval", argument_number, &options.interval, 1, 1000000, "sweeps between two checkpoints"},
      {"mesh", argument_number, &options.mesh, 1, checkpoint_chunk_limit, "pages that are only read"},
      {"chain", argument_text, &options.chain, 1, 100, "plug-ins"},
      {"buffers", argument_number, &options.buffers, 1, buffer_limit, "blocks in progress"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return false;
  char error[160];
  if (chain_parse(options.chain, &chain, error, sizeof error)) return true;
  printf("partition: argument 'chain=%s' is wrong: %s\n", options.chain, error);
  return false;
}

static uint64_t mesh_words(void) { return options.mesh * chunk_words; }
// No two chunks are equal.
static uint64_t mesh_word(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15u; }

static uint64_t image_hash(const Lattice* lattice) {
  const uint64_t hashes[] = {
      chunk_hash((const uint64_t*)lattice->cells, lattice_cell_bytes(lattice) / 8),
      chunk_hash(mesh, mesh_words()),
      lattice->state.sweeps,
  };
  return chunk_hash(hashes, 3);
}

static void after_sweep(Lattice* lattice) { (void)lattice; }

static void begin(Lattice* lattice) {
  cores_run(lattice_begin, lattice);
  for (uint64_t i = 0; i < mesh_words(); ++i) mesh[i] = mesh_word(i);
}

static bool is_of_this_lattice(const LatticeState* state) {
  return state->columns == options.columns && state->rows == options.rows && state->sweeps <= options.sweeps;
}

static const char* name_of(AuxiliarySource source) {
  return source == auxiliary_from_store ? chain.plug_ins[chain.transforms]->name : "dimm_ssd";
}

static RecoverySource recovery_of(AuxiliarySource source) {
  const bool pcram = source == auxiliary_from_store && chain.plug_ins[chain.transforms] == &pcram_plug_in;
  return pcram ? recovered_from_pcram : recovered_from_dimm_ssd;
}

// Restores the newest checkpoint that can be read and belongs to this lattice.
static bool restore_newest(Lattice* lattice, uint64_t* version) {
  for (uint64_t limit = checkpoint_any_version; checkpoint_find_newest(name, limit, version) == checkpoint_ok;
       limit = *version - 1) {
    if (checkpoint_restore(name, *version) == checkpoint_ok && is_of_this_lattice(&lattice->state))
      return true;
    if (*version == 0) return false;
  }
  return false;
}

static void restore(Lattice* lattice, bool has_power) {
  uint64_t version;
  begin(lattice);
  const LatticeState at_the_start = lattice->state;
  if (!restore_newest(lattice, &version)) {
    lattice->state = at_the_start;
    begin(lattice);  // a refused checkpoint may have left its contents
    return;
  }
  printf("partition: resumes from sweep %llu, from %s\n", (Printable)version,
         name_of(checkpoint_chain_source()));
  if (has_power) power_recovered(recovery_of(checkpoint_chain_source()));
}

static void checkpoint(uint64_t sweeps) {
  const uint64_t start = generic_timer_now();
  const CheckpointStatus status = checkpoint_begin(name, sweeps);
  stalled_ticks += generic_timer_now() - start;
  if (status != checkpoint_ok)
    printf("partition: checkpoint %llu not written: %s\n", (Printable)sweeps, checkpoint_text(status));
}

static void run(Lattice* lattice) {
  const uint64_t start = generic_timer_now();
  while (lattice->state.sweeps < options.sweeps) {
    const uint64_t next = (lattice->state.sweeps / options.interval + 1) * options.interval;
    lattice->sweep_limit = next < options.sweeps ? next : options.sweeps;
    const uint64_t before = generic_timer_now();
    cores_run(lattice_run, lattice);
    compute_ticks += generic_timer_now() - before;
    checkpoint(lattice->state.sweeps);
  }
  run_ticks = generic_timer_now() - start;
}

static double milliseconds(uint64_t ticks) { return 1e3 * (double)ticks / (double)generic_timer_frequency(); }
static double megabytes_a_second(uint64_t bytes, uint64_t ticks) {
  return ticks == 0 ? 0 : (double)bytes / milliseconds(ticks) / 1e3;
}

static void print_table(unsigned cores, uint64_t finish_ticks) {
  const AuxiliaryCounts counts = auxiliary_counts();
  const ChunkStoreCounts chunks = chunk_store_counts();
  const DrainCounts drained = drain_counts();
  printf(
      "            run compute stalled  waited  finish  written  duplicates  stored  drained\n"
      "             ms      ms      ms      ms      ms      KiB         KiB     KiB      KiB\n");
  printf("FP(%u,%u) %7.3f %7.3f %7.3f %7.3f %7.3f %8llu %11llu %7llu %8llu\n", cores_auxiliary(), cores,
         milliseconds(run_ticks), milliseconds(compute_ticks), milliseconds(stalled_ticks),
         milliseconds(counts.waited_ticks), milliseconds(finish_ticks), (Printable)counts.bytes / 1024,
         (Printable)chunks.duplicates * chunk_bytes / 1024, (Printable)chunks.stored * chunk_bytes / 1024,
         (Printable)drained.bytes / 1024);
  printf("partition: %llu checkpoints written, %llu not, %llu drained, %llu not; %llu waits for a buffer\n",
         (Printable)counts.written, (Printable)counts.failed, (Printable)drained.checkpoints,
         (Printable)drained.failed, (Printable)counts.waits);
  for (unsigned i = 0; i < chain.count; ++i)
    if (chain.plug_ins[i]->kind ==
        plug_in_drain)  // the DIMM-SSD works independently: it has no rate of its own
      printf("partition: %s kept its core busy for %.3f ms\n", chain.plug_ins[i]->name,
             milliseconds(counts.plug_in_ticks[i]));
    else
      printf("partition: %s %.1f MB/s\n", chain.plug_ins[i]->name,
             megabytes_a_second(counts.bytes, counts.plug_in_ticks[i]));
  printf("partition: comparing %.1f MB/s, saving %.1f MB/s, whole chain %.1f MB/s\n",
         megabytes_a_second(chunks.duplicates * chunk_bytes, chunks.compare_ticks),
         megabytes_a_second(chunks.stored * chunk_bytes, chunks.save_ticks),
         megabytes_a_second(counts.bytes, counts.passed_ticks));
}

// Checks that the newest checkpoint, read from one place, equals memory at the time when it was written.
static bool comes_back(Lattice* lattice, AuxiliarySource source) {
  const uint64_t before = image_hash(lattice);
  memset(lattice->cells, 0, lattice_cell_bytes(lattice));
  memset(mesh, 0, mesh_words() * 8);
  memset(&lattice->state, 0, sizeof lattice->state);
  uint64_t version = 0;
  checkpoint_chain_ask(source);
  const bool same = checkpoint_find_newest(name, checkpoint_any_version, &version) == checkpoint_ok &&
                    version == options.sweeps && checkpoint_restore(name, version) == checkpoint_ok &&
                    image_hash(lattice) == before;
  printf("partition: checkpoint %llu from %s is %s\n", (Printable)version, name_of(source),
         same ? "what was written" : "NOT what was written");
  return same;
}

static bool near(double value, double wanted, double tolerance) {
  return __builtin_fabs(value - wanted) <= tolerance;
}

static bool report(Lattice* lattice) {
  bool right = comes_back(lattice, auxiliary_from_store);
  if (chain.plug_ins[chain.count - 1]->kind == plug_in_drain)
    right = comes_back(lattice, auxiliary_from_drain) && right;
  for (uint64_t i = 0; i < mesh_words(); ++i) right = right && mesh[i] == mesh_word(i);
  cores_run(lattice_measure, lattice);
  const LatticeSums* const sums = &lattice->sums;
  const double cells = (double)options.columns * (double)options.rows,
               rounding = 1e-15 * cells * (1000 + (double)options.sweeps);
  right = right && near(sums->mass, cells, rounding) && near(sums->momentum_x, 0, rounding) &&
          near(sums->momentum_y, 0, rounding);
  const uint64_t hash = chunk_hash((const uint64_t*)lattice->cells, lattice_cell_bytes(lattice) / 8);
  printf("partition: after %llu sweeps: %s, lattice hash 0x%016llx\n", (Printable)lattice->state.sweeps,
         right ? "verified" : "WRONG", (Printable)hash);
  char text[160];
  snprintf(text, sizeof text, "sweeps %llu\nvortex 0x%016llx\nlattice 0x%016llx\n",
           (Printable)lattice->state.sweeps, (Printable)result_bits(sums->vortex), (Printable)hash);
  const bool written = result_write(text);
  if (!written) printf("partition: result.txt cannot be written\n");
  return right && written && auxiliary_counts().failed == 0;
}

static bool allocate(Lattice* lattice) {
  mesh = memory_allocate(mesh_words() * 8);
  return mesh != NULL && lattice_allocate(lattice);
}

int main(int argc, char** argv) {
  if (!read_options(argc, argv)) return exit_usage;
  const unsigned cores = cores_start(MAX_CORES);
  const bool has_power = power_probe();
  if (has_power)
    printf("partition: reset cause %s, boot %u\n", power_reset_cause_text(), (unsigned)power_boot_count());
  static Lattice lattice = {.after_sweep = after_sweep};
  lattice.columns = (uint32_t)options.columns;
  lattice.rows = (uint32_t)options.rows;
  const char* missing = allocate(&lattice) ? NULL : "too little memory";
  checkpoint_initialize();  // whether a DIMM-SSD is needed depends on the chain
  if (missing == NULL) missing = checkpoint_use_chain(&chain, (unsigned)options.buffers, lattice_velocities);
  if (missing != NULL) {
    printf("partition: %s\n", missing);
    return exit_unavailable;
  }
  checkpoint_protect(0, lattice.cells, lattice_cell_bytes(&lattice));
  checkpoint_protect(1, mesh, mesh_words() * 8);
  checkpoint_protect(2, &lattice.state, sizeof lattice.state);
  if (checkpoint_pages() > checkpoint_chunk_limit) {
    printf("partition: a checkpoint has at most %d pages\n", checkpoint_chunk_limit);
    return exit_usage;
  }
  restore(&lattice, has_power);
  run(&lattice);
  const uint64_t end = generic_timer_now();
  checkpoint_chain_finish();
  print_table(cores, generic_timer_now() - end);
  return report(&lattice) ? exit_passed : exit_failed;
}
