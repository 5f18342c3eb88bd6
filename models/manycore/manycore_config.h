// The chip around a fabric: the number of tiles, and the parameters of L2 banks and memory controllers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "core/trace_core.h"

namespace asterism {

class Fields;

struct L2BankConfig {
  Cycles latency = 6_cycles;  // of the cores' clock; one request per cycle
  std::uint32_t mshrs = 32;   // misses in progress
};
void describe(Fields& f, L2BankConfig& config);

struct MemoryControllerConfig {
  std::uint32_t count = 24;
  std::vector<std::uint32_t> nodes = {};  // their positions; if empty, spread over the fabric
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

// The nodes of the memory controllers of a fabric with that many nodes. Spread: number i is in the i-th of
// equal runs of node ids, five places further in its run than the previous one, so that they do not gather in
// rows, columns or clusters. Throws std::invalid_argument for nodes that do not exist or are named twice, and
// if no node is left for a core.
std::vector<std::uint32_t> controller_nodes(const MemoryControllerConfig& config, std::uint32_t nodes);

}  // namespace asterism
