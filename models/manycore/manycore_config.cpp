#include "manycore/manycore_config.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<L2BankConfig>() == 2);
void describe(Fields& f, L2BankConfig& c) {
  f("latency", c.latency,
    "The cycles of the cores' clock from the start of a request to the answer or the miss.",
    at_least(1_cycles));
  f("mshrs", c.mshrs,
    "The number of misses that a bank can have in progress. When all are in use, requests wait behind the "
    "next miss.",
    within(1, 1024));
}

static_assert(member_count<MemoryControllerConfig>() == 5);
void describe(Fields& f, MemoryControllerConfig& c) {
  f("count", c.count,
    "The number of memory controllers, each a node of the fabric. The other nodes are tiles with core and L2 "
    "bank.",
    within(1, 4096));
  f("nodes", c.nodes, "The node ids of the controllers. If empty, they are spread over the fabric.");
  f("channels", c.channels,
    "The number of DRAM channels of a controller. The address of a block selects one.", within(1, 64));
  f("bandwidth", c.bandwidth, "The bandwidth of a channel, which transfers one block after the other.",
    within(1_MBps, 1'000_GBps));
  f("latency", c.latency,
    "The latency of an access, from its start on the channel until the block is sent back.", at_least(1_ps));
  f.check([&] { return c.nodes.empty() || c.nodes.size() == c.count; }, "nodes",
          "names as many nodes as there are controllers, or none");
}

static_assert(member_count<CoherenceConfig>() == 5);
void describe(Fields& f, CoherenceConfig& c) {
  f("dirty", c.dirty,
    "The share of the blocks that a miss replaces which are modified, in L1 and in L2. They are written back "
    "to the bank or to the memory.",
    within(0.0, 1.0));
  f("owned", c.owned,
    "The share of the L1 misses whose block is modified in another core's L1. The bank forwards the request "
    "to that core, which sends the block.",
    within(0.0, 1.0));
  f("shared", c.shared,
    "The share of the L1 misses that write to a block which other cores share. The bank has their copies "
    "invalidated, and the core waits for their answers.",
    within(0.0, 1.0));
  f("sharers", c.sharers, "The number of copies that such a write invalidates.", within(1, 64));
  f("latency", c.latency, "The cycles of the cores' clock that an L1 needs to answer another core.",
    at_least(1_cycles));
  f.check([&] { return c.owned + c.shared <= 1; }, "shared",
          "is at most what `owned` leaves: a block that one core has modified has no sharers");
}

static_assert(member_count<ManycoreConfig>() == 7);
void describe(Fields& f, ManycoreConfig& c) {
  f("core", c.core, "The clock of all cores.");
  f("l2", c.l2, "The L2 bank in every tile.");
  f("memory", c.memory, "The memory controllers.");
  f("coherence", c.coherence, "The messages that keep the caches coherent.");
  f("instructions", c.instructions,
    "The number of instructions that each core executes. More of them make the results steadier.",
    within(1, 1'000'000'000'000));
  f("request_bits", c.request_bits,
    "The size of a packet that requests a block. It is sent in flits of the fabric's channel width.",
    within(1, 4096));
  f("block", c.block, "The bytes of a packet with data. The flits' control information has separate wires.",
    within(1_B, 4_KiB));
}

std::vector<std::uint32_t> controller_nodes(const MemoryControllerConfig& config, std::uint32_t nodes) {
  if (config.count >= nodes)
    throw std::invalid_argument(std::to_string(config.count) +
                                " memory controllers leave no core on a fabric of " + std::to_string(nodes) +
                                " nodes");
  std::vector<std::uint32_t> chosen = config.nodes;
  if (chosen.empty()) {
    for (std::uint32_t i = 0; i < config.count; ++i) {
      const std::uint64_t first = std::uint64_t{nodes} * i / config.count;
      const std::uint64_t run = std::uint64_t{nodes} * (i + 1) / config.count - first;
      chosen.push_back(static_cast<std::uint32_t>(first + std::uint64_t{5} * i % run));
    }
  }
  std::vector<std::uint32_t> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.back() >= nodes)
    throw std::invalid_argument("there is no node " + std::to_string(sorted.back()) +
                                " for a memory controller");
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw std::invalid_argument("node " + std::to_string(*twice) + " has two memory controllers");
  return chosen;
}

}  // namespace asterism
