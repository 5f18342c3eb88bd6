#include "manycore/manycore_config.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/fields.h"

namespace asterism {

static_assert(member_count<L2BankConfig>() == 2);
void describe(Fields& f, L2BankConfig& c) {
  f("latency", c.latency, "Of the cores' clock, from a request's turn to the answer or the miss",
    at_least(1_cycles));
  f("mshrs", c.mshrs,
    "Misses that a bank has under way; when all are, the bank's requests wait behind the next miss",
    within(1, 1024));
}

static_assert(member_count<MemoryControllerConfig>() == 5);
void describe(Fields& f, MemoryControllerConfig& c) {
  f("count", c.count,
    "Memory controllers, each a node of the fabric; the other nodes are tiles with core and L2 bank",
    within(1, 4096));
  f("nodes", c.nodes, "Node ids of the controllers; none: spread over the fabric");
  f("channels", c.channels, "DRAM channels of a controller; a block's address chooses", within(1, 64));
  f("bandwidth", c.bandwidth, "Of a channel, which one block after the other takes",
    within(1_MBps, 1'000_GBps));
  f("latency", c.latency, "Of an access, from its turn on the channel to the block on its way back",
    at_least(1_ps));
  f.check([&] { return c.nodes.empty() || c.nodes.size() == c.count; }, "nodes",
          "names count nodes, or none");
}

static_assert(member_count<ManycoreConfig>() == 6);
void describe(Fields& f, ManycoreConfig& c) {
  f("core", c.core, "Of all cores");
  f("l2", c.l2, "Of the L2 bank in every tile");
  f("memory", c.memory, "Memory controllers");
  f("instructions", c.instructions, "That each core executes; more of them make the figures steadier",
    within(1, 1'000'000'000'000));
  f("request_bits", c.request_bits,
    "Of a packet that asks for a block; in flits of the fabric's channel width", within(1, 4096));
  f("block", c.block,
    "That a packet with data carries, and nothing else: the flits' control has wires of its own",
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
