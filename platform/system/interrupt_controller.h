// The node's interrupt controller, a GIC-400 or a GICv3 (key cores.gic), with the interrupt wires that all
// blocks are bound to.
#pragma once

#include <functional>
#include <optional>
#include <systemc>
#include <tlm>

#include "core/core_config.h"
#include "core/core_module.h"
#include "devices/gic400.h"
#include "devices/gicv3_module.h"
#include "platform/node/address_map.h"

namespace asterism {

class InterruptController final : private CpuInterface {
  std::optional<Gic400>
      gic400_;  // exactly one of the two exists; constructed before the references to its wires
  std::optional<GicV3Module> gicv3_;

 public:
  using Wire = Gic400::Wire;

  // May be constructed during elaboration only.
  InterruptController(const char* name, const CoreConfig& cores);

  sc_core::sc_vector<Wire>& spi;          // by SPI number
  Wire& ppi(unsigned core, unsigned id);  // id 16..31
  // Binds a core's interrupt wires. A GICv3 also gives the core its system registers.
  void connect(CoreModule& core);
  // Calls `visit` with each target socket and its name in the address map.
  void for_each_target(const std::function<void(tlm::tlm_target_socket<>&, const char*)>& visit);

  void reset(Reset kind);
  void report(Statistics& statistics) const;
  DeviceTreeNode device_tree(const AddressMap& map) const;

 private:
  std::optional<std::uint64_t> read(unsigned core, SystemRegister which) override;
  bool write(unsigned core, SystemRegister which, std::uint64_t value) override;
};

}  // namespace asterism
