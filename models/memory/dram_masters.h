// Masters that load one channel of DRAM in a closed loop, on the exact engine and on a contended channel:
// what the curves of a part are fitted with, and measured by (dram_fit.h).
//
// Each master has up to `in_flight` reads under way, and does not wait for writes that the queue takes. When
// as many are, it continues with the answer to the oldest, as a core does that retires instructions in order.
// Its next request comes a while later, on average after `gap` clocks.
#pragma once

#include <cstdint>

#include "memory/dram_channel.h"
#include "memory/dram_curves.h"

namespace asterism {

struct DramLoad {
  enum class Places : std::uint8_t {
    random,
    streams,  // each master reads one block after the other, and writes so elsewhere
    mixed,    // every second master at random
  };
  Places places = Places::random;
  std::uint32_t masters = 1, in_flight = 1;
  Tick gap = 0;                   // from half of it to one and a half
  double writes = 0;              // share
  std::uint32_t requests = 1000;  // of each master
  std::uint64_t seed = 1;
};

struct DramLoadResult {
  std::uint64_t reads = 0;
  double latency = 0;  // mean of the reads, in clocks
  Tick ended = 0;      // when the last request was answered
};

DramLoadResult run_exact(const DramLoad& load, const DramConfig& config, const DramPart& part);
// The masters run one after the other, ahead of each other by up to `quantum`.
DramLoadResult run_contended(const DramLoad& load, const DramConfig& config, const DramPart& part,
                             const DramCurves& curves, Tick quantum);

}  // namespace asterism
