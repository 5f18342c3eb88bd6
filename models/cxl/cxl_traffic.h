// Loads a memory in a closed loop, directly or behind a CXL link: what a pointer chase and STREAM would
// measure on it (McCalpin's Copy, Scale, Add and Triad), and what a checkpoint to it and a restart from it
// take.
//
// The memory is the exact engine. The host has a number of requests of 64 bytes under way; in the place of an
// answered one it issues the next one at once. It reads a line before it writes it, except in a checkpoint:
// the write is issued when the read has been answered. It counts as STREAM does: without these reads.
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "cxl/cxl_link.h"
#include "memory/dram_system.h"

namespace asterism {

enum class CxlProgram { chase, copy, add, write, read };
constexpr auto enum_names(CxlProgram) {
  return std::to_array<EnumName<CxlProgram>>(
      {{CxlProgram::chase, "chase", "a chain of loads at random, each of which waits for the one before"},
       {CxlProgram::copy, "copy", "STREAM's Copy and Scale: reads one array and writes another"},
       {CxlProgram::add, "add", "STREAM's Add and Triad: reads two arrays and writes a third"},
       {CxlProgram::write, "write", "a checkpoint by DMA: writes an array, whose lines it does not read"},
       {CxlProgram::read, "read", "a restart by DMA: reads an array"}});
}

struct CxlLoad {
  CxlProgram program = CxlProgram::chase;
  std::uint32_t threads = 1;      // of STREAM, each with its part of the arrays
  std::uint32_t outstanding = 1;  // requests of the host under way, of all threads
  Bytes array = 64_MiB;           // of STREAM
  std::uint64_t requests = 100'000;
  std::uint64_t seed = 1;
};

struct CxlLoadResult {
  Picoseconds elapsed;
  Picoseconds latency;                               // mean of the reads, from issue to answer
  std::uint64_t reads = 0, writes = 0, counted = 0;  // lines; those that STREAM counts
};

// `link` is nullptr for memory beside the host. `path` is what a read takes within the host.
CxlLoadResult run(const CxlLoad& load, DramSystem& memory, CxlLink* link, Picoseconds path);

}  // namespace asterism
