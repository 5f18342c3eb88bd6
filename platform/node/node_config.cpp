#include "platform/node/node_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NodeRtcConfig>() == 2);
void describe(Fields& f, NodeRtcConfig& c) {
  describe(f, c.device);
  describe(f, c.swap);
}

static_assert(member_count<NodeConfig>() == 18);
void describe(Fields& f, NodeConfig& c) {
  f.reusable("nodes");
  f("runs", c.runs, "What the cores execute. It also selects the kind of cores and the rest of the node.",
    one_of<NodeProgram>());
  f("fabric", c.fabric, "The interconnect between cores, devices and memory.");
  f.when("runs", c.runs, NodeProgram::firmware, [&] {
    f("quantum", c.quantum,
      "The time that a core may run ahead of the others. A longer quantum makes the simulation faster, but "
      "cores see each "
      "other's stores and interrupts later by up to a quantum.",
      within(1_ns, 1_s));
    f("cores", c.cores, "The A64 cores.");
    f("memory", c.memory, "The memory controller and the DRAM.");
    f("dimm_ssd", c.dimm_ssd, "The DIMM-SSD, which stores checkpoints.");
    f("gpu", c.gpu, "The GPUs, with snapshots of their memory.");
    f("pcram", c.pcram, "The phase-change memory, which stores checkpoints.");
    f("nic", c.nic, "The network interface to the other nodes of a cluster.");
    f("uart0", c.uart0, "The console UART (PL011).");
    f("rtc", c.rtc, "The real-time clock (PL031), or RTL of one.");
    f("nor_flash", c.nor_flash,
      "The NOR flash, for firmware that starts from it or stores its settings there.");
    f("checks", c.checks,
      "Mistakes of the firmware that have no effect of their own: whether they are found, and what happens "
      "then.");
    f("address_map", c.address_map,
      "Devices by name whose address or interrupt differs from the standard map (see `asterism list "
      "devices`).");
    f("placement", c.placement,
      "The fabric nodes of cores and devices, by name. By default devices are placed along the edge of the "
      "chip, and "
      "cores are spread over the rest.");
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
              c.fabric.fidelity == Fidelity::loose,
          "fabric.fidelity",
          "is loose for a crossbar; the topology swizzle_switch models a crossbar flit by flit");
  f.check(c.runs != NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar ||
              c.memory.fabric_nodes == ControllerNodes::one,
          "memory.fabric_nodes", "is one on a crossbar, because a crossbar has no nodes");
  f.check(c.runs == NodeProgram::firmware || c.fabric.topology != TopologyKind::crossbar, "fabric",
          "has routers, to which trace cores are attached: any topology except the crossbar");
}

}  // namespace asterism
