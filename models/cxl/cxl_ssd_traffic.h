// Loads a CXL SSD in a closed loop, behind its link: what a program gets of flash as memory, by how much of
// what it uses is in the cache.
//
// The host has a number of requests of whole lines under way; in the place of an answered one it issues the
// next one at once. The flash holds the working set before the measurement begins, and the cache is empty.
// Of random requests, only the second half of the answers is measured, when the cache is warm. The device
// holds requests as cxl_link.h says, also those that wait for flash.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

#include "base/enum_names.h"
#include "cxl/cxl_part.h"
#include "cxl/cxl_ssd_config.h"

namespace asterism {

enum class CxlSsdProgram { random, sequential, checkpoint };
constexpr auto enum_names(CxlSsdProgram) {
  return std::to_array<EnumName<CxlSsdProgram>>(
      {{CxlSsdProgram::random, "random", "lines of the working set at random, of which some are written"},
       {CxlSsdProgram::sequential, "sequential",
        "reads the working set from its beginning, as a restart does"},
       {CxlSsdProgram::checkpoint, "checkpoint",
        "writes the working set from its beginning, and flushes at its end"}});
}

struct CxlSsdLoad {
  CxlSsdProgram program = CxlSsdProgram::random;
  Bytes working_set = 32_MiB;
  std::uint32_t outstanding = 16;
  std::uint32_t write_permille = 0;  // of random
  std::uint64_t requests = 100'000;  // of random
  std::uint64_t seed = 1;
};

struct CxlSsdLoadResult {
  Picoseconds elapsed;    // of what is measured; with the flush
  Picoseconds hit, miss;  // the mean latency of a request that was answered from DRAM, and of one that waited
  std::uint64_t hits = 0, misses = 0;
  std::uint64_t lines = 0, lines_written = 0, pages_written = 0;
};

struct CxlSsdWornOut : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Called with the share that is done, from time to time. If it returns true, the run ends without a result.
using CxlSsdStop = std::function<bool(double share)>;

// Throws CxlSsdWornOut when the flash takes no further writes.
CxlSsdLoadResult run(const CxlSsdLoad& load, const CxlSsdConfig& config, const CxlPart& link,
                     const FlashPart& flash, const DramPart& dram, Picoseconds path, const CxlSsdStop& stop);

}  // namespace asterism
