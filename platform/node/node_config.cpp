#include "platform/node/node_config.h"

#include "base/fields.h"

namespace asterism {

DeviceEntry NodeMemoryConfig::entry() const {
  DeviceEntry entry;
  entry.become("memory");
  entry.base.values = {base};
  dynamic_cast<DeviceConfigOf<MemoryConfig, MemoryParts>&>(*entry.config).config = controller;
  return entry;
}

static_assert(member_count<NodeMemoryConfig>() == 2);
void describe(Fields& f, NodeMemoryConfig& c) {
  f("base", c.base,
    "The first address of the memory. The firmware of this tree is linked for 0x4000_0000, where QEMU's virt "
    "machine has its memory.");
  describe(f, c.controller);
}

static_assert(member_count<NodeConfig>() == 11);
void describe(Fields& f, NodeConfig& c) {
  f.abbreviates("devices");
  f.reusable("nodes");
  f("runs", c.runs, "What the cores execute. It also selects the kind of cores and the rest of the node.",
    one_of<NodeProgram>());
  f("fabric", c.fabric, "The interconnect between cores, devices and memory.");
  f.when("runs", c.runs, NodeProgram::firmware, [&] {
    f("quantum", c.quantum,
      "The time that a core may run ahead of the others. A longer quantum makes the simulation faster, but "
      "cores see each other's stores and interrupts later by up to a quantum.",
      within(1_ns, 1_s));
    f("cores", c.cores, "The A64 cores.");
    f("memory", c.memory, "The main memory with its controllers.");
    f("devices", c.devices,
      "The devices by instance name. A key that begins with such a name stands for the device: uart0.input "
      "is devices.uart0.input. null removes a device of the node that is used.");
    f("checks", c.checks,
      "Mistakes of the firmware that have no effect of their own: whether they are found, and what happens "
      "then.");
    f("placement", c.placement,
      "The fabric nodes of cores and devices, by name. By default devices are placed along the edge of the "
      "chip, and cores are spread over the rest.");
  });
  f.when("runs", c.runs, NodeProgram::workload, [&] {
    f("chip", c.chip, "The trace cores, L2 banks and memory controllers, each on a node of the fabric.");
    f("workload", c.workload, "The rates of cache misses of the cores: a file in configs/workloads.",
      names_file("workloads"));
  });
  f("log", c.log,
    "The log level of each instance; \"node\" stands for all. Errors of the guest software are logged as "
    "warnings.");
  f.check(c.placement.empty() || c.fabric.topology != TopologyKind::crossbar, "placement",
          "is set only if the fabric has routers, that is, on every topology except the crossbar");
  f.check(c.runs != NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar ||
              c.fabric.fidelity != Fidelity::flit,
          "fabric.fidelity",
          "is loose or contended for a crossbar; the topology swizzle_switch models a crossbar flit by flit");
  f.check(c.runs != NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar ||
              c.memory.controller.fabric_nodes == ControllerNodes::one,
          "memory.fabric_nodes", "is one on a crossbar, because a crossbar has no nodes");
  f.check(c.runs == NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar, "fabric",
          "has routers, to which trace cores are attached: any topology except the crossbar");
}

}  // namespace asterism
