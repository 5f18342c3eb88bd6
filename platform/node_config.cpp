#include "platform/node_config.h"

#include "base/fields.h"

namespace asterism {

static_assert(member_count<NodeConfig>() == 9);
void describe(Fields& f, NodeConfig& c) {
  f.reusable("nodes");
  f("quantum", c.quantum,
    "How far a core may run ahead of the others: a longer one is faster, and cores see each other's stores "
    "and "
    "interrupts up to that much later",
    within(1_ns, 1_s));
  f("cores", c.cores, "The A64 cores");
  f("fabric", c.fabric, "What connects cores, devices and memory");
  f("memory", c.memory, "Memory controller and DRAM");
  f("dimm_ssd", c.dimm_ssd, "The DIMM-SSD that keeps checkpoints");
  f("uart0", c.uart0, "Console UART (PL011)");
  f("rtc", c.rtc, "Real-time clock (PL031)");
  f("address_map", c.address_map, "Moves devices of the standard map, by name (asterism list devices)");
  f("log", c.log, "Levels by instance, \"node\" for all: what guests do wrong is told as warning");
}

}  // namespace asterism
