#include "platform/node_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NodeRtcConfig>() == 2);
void describe(Fields& f, NodeRtcConfig& c) {
  describe(f, c.device);
  describe(f, c.swap);
}

static_assert(member_count<NodeConfig>() == 17);
void describe(Fields& f, NodeConfig& c) {
  f.reusable("nodes");
  f("runs", c.runs, "What the cores execute, and with it what they are and what the rest of the machine is",
    one_of<NodeProgram>());
  f("fabric", c.fabric, "What connects cores, devices and memory");
  f.when("runs", c.runs, NodeProgram::firmware, [&] {
    f("quantum", c.quantum,
      "How far a core may run ahead of the others: a longer one is faster, and cores see each other's stores "
      "and interrupts up to that much later",
      within(1_ns, 1_s));
    f("cores", c.cores, "The A64 cores");
    f("memory", c.memory, "Memory controller and DRAM");
    f("dimm_ssd", c.dimm_ssd, "The DIMM-SSD that keeps checkpoints");
    f("gpu", c.gpu, "GPUs, with snapshots of their memory");
    f("pcram", c.pcram, "Phase-change memory that keeps checkpoints");
    f("nic", c.nic, "Network interface between the nodes of a cluster");
    f("uart0", c.uart0, "Console UART (PL011)");
    f("rtc", c.rtc, "Real-time clock (PL031), or RTL of one");
    f("nor_flash", c.nor_flash, "NOR flash, for firmware that starts from it or keeps its settings there");
    f("address_map", c.address_map, "Moves devices of the standard map, by name (asterism list devices)");
    f("placement", c.placement,
      "Nodes of the fabric that cores and devices sit on, by name; without it devices stand along the chip's "
      "edge and "
      "cores are spread over the rest");
  });
  f.when("runs", c.runs, NodeProgram::workload, [&] {
    f("chip", c.chip, "Trace cores, L2 banks and memory controllers, each on a node of the fabric");
    f("workload", c.workload, "How often the cores miss their caches: a file in configs/workloads",
      names_file("workloads"));
  });
  f("log", c.log, "Levels by instance, \"node\" for all: what guests do wrong is told as warning");
  f.check(c.placement.empty() || c.fabric.topology != TopologyKind::crossbar, "placement",
          "stands only where the fabric has routers: on any topology but the crossbar");
  f.check(c.runs != NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar ||
              c.fabric.fidelity == Fidelity::loose,
          "fabric.fidelity",
          "is loose for a crossbar; the topology swizzle_switch is a crossbar flit by flit");
  f.check(c.runs != NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar ||
              c.memory.fabric_nodes == ControllerNodes::one,
          "memory.fabric_nodes", "is one on a crossbar, which has no nodes");
  f.check(c.runs == NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar, "fabric",
          "has routers for trace cores to sit on: any topology but the crossbar");
}

}  // namespace asterism
