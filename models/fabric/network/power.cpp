#include "fabric/network/power.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace asterism {
namespace {

void check(const Topology& topology, const FlitNetwork::Load& load, Picoseconds measured) {
  if (measured == 0_ps) throw std::invalid_argument("power is energy per time, and the time must not be 0");
  const std::size_t routers = topology.routers.size(), nodes = topology.nodes.size();
  if (load.router_flits.size() != routers || load.powered_time.size() != routers ||
      load.channel_flits.size() != topology.channels.size() || load.injected_flits.size() != nodes ||
      load.ejected_flits.size() != nodes)
    throw std::invalid_argument("the load does not belong to the topology " + topology.name);
}

// Flits times millimetres, over all channels and both channels of every node.
double flit_millimetres(const Topology& topology, const FlitNetwork::Load& load) {
  double sum = 0;
  const auto add = [&](Micrometres length, std::uint64_t flits) {
    sum += static_cast<double>(length.count()) / 1e3 * static_cast<double>(flits);
  };
  for (std::size_t c = 0; c < topology.channels.size(); ++c)
    add(topology.channels[c].length, load.channel_flits[c]);
  for (std::size_t n = 0; n < topology.nodes.size(); ++n)
    add(topology.nodes[n].length, load.injected_flits[n] + load.ejected_flits[n]);
  return sum;
}

double static_watts(const Topology& topology, const SwitchTechnology& technology,
                    const FlitNetwork::Load& load, Picoseconds measured) {
  const unsigned bits = topology.channel_bits;
  double watts = 0;
  const auto add = [&](SquareMicrometres area, Picoseconds powered) {
    watts += technology.static_watts(area) * static_cast<double>(powered.count()) /
             static_cast<double>(measured.count());
  };
  for (std::size_t r = 0; r < topology.routers.size(); ++r)
    add(technology.area(topology.routers[r].radix, bits), load.powered_time[r]);
  for (const Topology::Channel& channel : topology.channels)
    add(technology.link_area(channel.length, bits),
        std::min(load.powered_time[channel.from], load.powered_time[channel.to]));
  return watts;
}

}  // namespace

FabricPower fabric_power(const Topology& topology, const SwitchTechnology& technology,
                         const FlitNetwork::Load& load, Picoseconds measured) {
  check(topology, load, measured);
  const unsigned bits = topology.channel_bits;
  const double picoseconds = static_cast<double>(measured.count());  // picojoules over picoseconds are watts

  FabricPower power;
  power.static_watts = static_watts(topology, technology, load, measured);
  for (std::size_t r = 0; r < topology.routers.size(); ++r) {
    const unsigned radix = topology.routers[r].radix;
    const double flits = static_cast<double>(load.router_flits[r]);
    power.buffer_watts += technology.buffer_picojoules(bits) * flits / picoseconds;
    power.switch_watts += technology.switch_picojoules(radix, bits) * flits / picoseconds;
  }
  power.link_watts =
      technology.link_picojoules(1000_um, bits) * flit_millimetres(topology, load) / picoseconds;

  const std::uint64_t delivered =
      std::accumulate(load.ejected_flits.begin(), load.ejected_flits.end(), std::uint64_t{0}) * bits;
  if (delivered != 0) power.picojoules_per_bit = power.watts() * picoseconds / static_cast<double>(delivered);
  return power;
}

SquareMicrometres fabric_area(const Topology& topology, const SwitchTechnology& technology) {
  SquareMicrometres area;
  for (const Topology::Router& router : topology.routers)
    area += technology.area(router.radix, topology.channel_bits);
  for (const Topology::Channel& channel : topology.channels)
    area += technology.link_area(channel.length, topology.channel_bits);
  return area;
}

}  // namespace asterism
