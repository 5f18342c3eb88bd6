// Measures what a checkpoint costs on one level: the copy alone, by the cores or by the device, and through
// the checkpoint library.
//
//   level_dump [level=memory|cxl|cxl_ssd|dimm_ssd] [pages=1024] [cores=N]
//
// The copy is durable as far as the level is: lines for a CXL device have left the caches of the cores, and a
// CXL SSD has been flushed. Before it is read back, memory is cleared, and the caches have nothing of it.
//
// Exit status: 0 everything was read back, 1 not, 2 a wrong argument, 3 the level is missing, or too little
// memory. result.txt has bytes, write_ns, read_ns, checkpoint_ns and restore_ns.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/result/result.h"
#include "boot/arguments.h"
#include "boot/cores.h"
#include "boot/exit_status.h"
#include "boot/memory.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/cxl_ssd_store.h"
#include "drivers/cxl.h"
#include "drivers/cxl_ssd.h"
#include "drivers/device_tree.h"
#include "drivers/dimm_ssd.h"
#include "drivers/generic_timer.h"

typedef unsigned long long Printable;
// The library has up to so many pages beside those of each of two checkpoints, and a line for each page.
enum { line_bytes = 64, page_words = page_bytes / 8, library_pages = 2 * checkpoint_region_limit + 16 };
enum { level_memory, level_cxl, level_cxl_ssd, level_dimm_ssd };

static const char* const level_names[] = {"memory", "cxl", "cxl_ssd", "dimm_ssd"};
static struct {
  ArgumentChoice level;
  uint64_t pages, cores;
} options = {.level = {level_names, 4, 0}, .pages = 1024};

static uint64_t bytes;
static uint64_t* memory;  // what is saved
static uint64_t* medium;  // where its copy is; NULL on the DIMM-SSD
static uint64_t end_of_medium;

// The request of the DIMM-SSD, which is followed by its pages.
static struct {
  DimmSsdRequest head;
  uint64_t pages[checkpoint_page_limit];
} request __attribute__((aligned(page_bytes))) = {.head = {.name = "dump", .version = 1}};

static bool failed(const char* what) {
  printf("level_dump: %s\n", what);
  return false;
}

static uint64_t nanoseconds(uint64_t ticks) {
  return (uint64_t)((double)ticks * 1e9 / (double)generic_timer_frequency());
}

typedef struct {
  uint64_t* to;
  const uint64_t* from;
  bool cleans;  // the destination
} Copy;

static uint64_t bytes_of_library(void) {
  return 2 * (options.pages + library_pages) * (page_bytes + line_bytes);
}

static void forget_lines(const void* first, uint64_t size) {
  for (uint64_t at = 0; at < size; at += line_bytes)
    __asm__ volatile("dc civac, %0" ::"r"((const uint8_t*)first + at) : "memory");
  __asm__ volatile("dsb sy" ::: "memory");
}

// A core copies its share of the pages, a line at a time.
static void copy_share(unsigned core, unsigned cores, void* argument) {
  const Copy* const copy = argument;
  const uint64_t first = options.pages * core / cores * page_words,
                 end = options.pages * (core + 1) / cores * page_words;
  for (uint64_t i = first; i < end; i += 8) {
    const uint64_t* const from = copy->from + i;
    uint64_t* const to = copy->to + i;
    const uint64_t a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6],
                   h = from[7];
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
    to[4] = e, to[5] = f, to[6] = g, to[7] = h;
    if (copy->cleans) __asm__ volatile("dc cvac, %0" ::"r"(to) : "memory");
  }
  __asm__ volatile("dsb sy" ::: "memory");
}

static bool copy_out(void) {
  if (medium == NULL)
    return dimm_ssd_execute(dimm_ssd_checkpoint, &request.head) == dimm_ssd_ok ||
           failed("the DIMM-SSD cannot be written");
  Copy copy = {medium, memory, options.level.index != level_memory};
  cores_run(copy_share, &copy);
  return options.level.index != level_cxl_ssd || cxl_ssd_flush(medium, line_bytes) ||
         failed("the CXL SSD cannot be flushed");
}

static bool copy_back(void) {
  if (medium == NULL)
    return dimm_ssd_execute(dimm_ssd_restore, &request.head) == dimm_ssd_ok ||
           failed("the DIMM-SSD cannot be read");
  Copy copy = {memory, medium, false};
  cores_run(copy_share, &copy);
  return true;
}

static void fill(uint64_t seed) {
  for (uint64_t i = 0; i < bytes / sizeof *memory; ++i) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    memory[i] = seed ^= seed << 17;
  }
}

static uint64_t sum_of_memory(void) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < bytes / sizeof *memory; ++i) sum = (sum ^ memory[i]) * 0x9e3779b97f4a7c15u;
  return sum;
}

static bool take_checkpoint(void) {
  const CheckpointStatus status = checkpoint_write("level_dump", 1);
  return status == checkpoint_ok || failed(checkpoint_text(status));
}

static bool restore_checkpoint(void) {
  const CheckpointStatus status = checkpoint_restore("level_dump", 1);
  return status == checkpoint_ok || failed(checkpoint_text(status));
}

// The times of both ways; the contents are compared.
static bool measure(uint64_t seed, bool (*save)(void), bool (*restore)(void), uint64_t* save_ns,
                    uint64_t* restore_ns) {
  fill(seed);
  const uint64_t sum = sum_of_memory();
  forget_lines(memory, bytes);
  const uint64_t start = generic_timer_now();
  if (!save()) return false;
  *save_ns = nanoseconds(generic_timer_now() - start);
  memset(memory, 0, bytes);
  forget_lines(memory, bytes);
  if (medium != NULL) {
    forget_lines(medium, bytes);
    forget_lines((const void*)(uintptr_t)(end_of_medium - bytes_of_library()), bytes_of_library());
  }
  const uint64_t again = generic_timer_now();
  if (!restore()) return false;
  *restore_ns = nanoseconds(generic_timer_now() - again);
  return sum_of_memory() == sum || failed("the contents that were read back are WRONG");
}

static void print(const char* what, uint64_t ns) {
  printf("level_dump: %-10s %6u pages %9.1f us %8.3f GB/s\n", what, (unsigned)options.pages, (double)ns / 1e3,
         (double)bytes / (double)ns);
}

static bool report(const uint64_t ns[4]) {
  static const char* const ways[] = {"write", "read", "checkpoint", "restore"};
  char text[200];
  int length = snprintf(text, sizeof text, "bytes %llu\n", (Printable)bytes);
  for (int i = 0; i < 4; ++i) {
    print(ways[i], ns[i]);
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "%s_ns %llu\n", ways[i], (Printable)ns[i]);
  }
  return result_write(text) || failed("result.txt cannot be written");
}

static bool needs_memory_of(const char* device) {
  printf("level_dump: %u pages need %s with %llu bytes\n", (unsigned)options.pages, device,
         (Printable)(bytes + bytes_of_library()));
  return false;
}

// Starts to use the level, and finds the place of the copy. The library has the last pages of each medium.
static bool use_level(void) {
  Device dram = {0};
  CxlMemory cxl;
  CxlSsd ssd;
  const uint64_t needed = bytes + bytes_of_library();
  device_tree_memory(&dram);
  end_of_medium = dram.base + dram.size;
  checkpoint_initialize();
  switch (options.level.index) {
    case level_memory:
      if (checkpoint_use_memory(bytes, 0) == checkpoint_no_strong_memory)
        return failed("this machine has no memory under strong ECC");
      break;
    case level_cxl:
      if (!cxl_probe(&cxl) || cxl.bytes < needed || checkpoint_use_cxl(bytes, 0) == checkpoint_no_cxl)
        return needs_memory_of("a CXL expander");
      medium = (uint64_t*)(uintptr_t)cxl.first;
      end_of_medium = cxl.first + cxl.bytes;
      break;
    case level_cxl_ssd:
      if (!cxl_ssd_probe(&ssd) || ssd.bytes < needed || checkpoint_use_cxl_ssd(bytes) == checkpoint_no_cxl)
        return needs_memory_of("a CXL SSD");
      medium = (uint64_t*)(uintptr_t)ssd.first;
      end_of_medium = ssd.first + ssd.bytes;
      break;
    default:
      if (!dimm_ssd_probe()) return failed("this machine has no DIMM-SSD");
  }
  memory = memory_allocate(bytes);
  if (options.level.index == level_memory) medium = memory_allocate(bytes);
  if (memory == NULL || (options.level.index == level_memory && medium == NULL))
    return failed("the pages do not fit into the memory of this machine");
  request.head.page_count = (uint32_t)options.pages;
  for (uint32_t i = 0; i < options.pages; ++i)
    request.pages[i] = (uint64_t)(uintptr_t)memory + (uint64_t)i * page_bytes;
  return true;
}

int main(int argc, char** argv) {
  const Argument table[] = {
      {"level", argument_choice, &options.level, 0, 0, "where checkpoints go"},
      {"pages", argument_number, &options.pages, 10, 4000, "pages of 4 KiB in a checkpoint"},
      {"cores", argument_number, &options.cores, 1, MAX_CORES, "cores that copy; all by default"},
  };
  if (!arguments_read(argc, argv, table, sizeof table / sizeof *table)) return exit_usage;
  const unsigned cores = cores_start(options.cores == 0 ? MAX_CORES : (unsigned)options.cores);
  if (cores < options.cores) {
    printf("level_dump: argument 'cores=%llu' is wrong: this machine has %u\n", (Printable)options.cores,
           cores);
    return exit_usage;
  }
  bytes = options.pages * page_bytes;
  if (!use_level()) return exit_unavailable;
  uint64_t ns[4];
  if (!measure(1, copy_out, copy_back, &ns[0], &ns[1])) return exit_failed;
  checkpoint_protect(0, memory, bytes);
  if (!measure(2, take_checkpoint, restore_checkpoint, &ns[2], &ns[3])) return exit_failed;
  return report(ns) ? exit_passed : exit_failed;
}
