// The chip around a fabric: how many tiles, what an L2 bank and a memory controller take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "core/trace_core.h"

namespace asterism {

class Fields;

struct L2BankConfig {
  Cycles latency = 6_cycles;  // of the cores' clock; one request a cycle
  std::uint32_t mshrs = 32;   // misses under way
};
void describe(Fields& f, L2BankConfig& config);

struct MemoryControllerConfig {
  std::uint32_t count = 24;
  std::vector<std::uint32_t> nodes = {};  // where they are; none: spread over the fabric
  std::uint32_t channels = 4;             // each
  Bandwidth bandwidth = 16_GBps;          // of a channel
  Picoseconds latency = 80_ns;            // from the channel's grant to the block
};
void describe(Fields& f, MemoryControllerConfig& config);

struct ManycoreConfig {
  TraceCoreConfig core = {};
  L2BankConfig l2 = {};
  MemoryControllerConfig memory = {};
  std::uint64_t instructions = 100'000;  // of each core
  std::uint32_t request_bits = 128;      // of the packet that asks
  Bytes block = 64_B;                    // of the one that brings the data
};
void describe(Fields& f, ManycoreConfig& config);

// Where the memory controllers of a fabric with so many nodes are. Spread: number i stands in the i-th of
// equal runs of node ids, five places further in its run than the one before, so that neither rows nor
// columns of a grid nor clusters gather them. Throws std::invalid_argument for nodes that there are not or
// that are named twice, and when no node is left for a core.
std::vector<std::uint32_t> controller_nodes(const MemoryControllerConfig& config, std::uint32_t nodes);

}  // namespace asterism
