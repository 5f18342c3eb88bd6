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

// The messages of a directory protocol (MESI, with the directory in the L2 banks) beyond request and answer.
// The shares are those of the L1 misses, since the caches are not kept by content. With none of them, there
// are requests and answers only.
struct CoherenceConfig {
  double dirty = 0;           // replace a modified block: of the L1 misses, and of the L2 misses
  double owned = 0;           // find the block modified in another core's L1, which is asked for it
  double shared = 0;          // write to a block that other L1s share, whose copies are invalidated
  std::uint32_t sharers = 1;  // of such a block, without the core that writes
  Cycles latency = 2_cycles;  // of the cores' clock: an L1 that is asked
};
void describe(Fields& f, CoherenceConfig& config);

struct ManycoreConfig {
  TraceCoreConfig core = {};
  L2BankConfig l2 = {};
  MemoryControllerConfig memory = {};
  CoherenceConfig coherence = {};
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
