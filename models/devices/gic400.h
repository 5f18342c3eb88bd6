// GIC-400 as a SystemC module: two register sockets and input and output wires around the Gic engine (gic.h).
//
// The module owns its wires as signals, which are low until something is bound to them, so unused ones need
// no connection:
//
//   uart.interrupt.bind(gic.spi[1]);                  // device (sc_out<bool>) to distributor
//   core.virtual_timer.bind(gic.ppi(0, 27));
//   core.irq.bind(gic.irq(0));                        // CPU interface to core (sc_in<bool>)
//
// Banked registers are selected by the payload's master (tlm/initiator_extension.h). A master that is no
// core has none of them: they read as zero, IAR and HPPIR as no interrupt, and writes are ignored with a
// log line. A wire follows a register access or an input in the next delta cycle. Source: Arm IHI 0048B
// (GICv2), DDI 0471B (GIC-400); the behaviour that software sees was compared with QEMU 7.2's virt machine.
#pragma once

#include <memory>
#include <systemc>

#include "devices/gic.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/register_socket.h"

namespace asterism {

struct GicDistributorRegisters : RegisterBank {
  explicit GicDistributorRegisters(unsigned spis = 32);

  const unsigned words;  // of one bit per interrupt
  // clang-format off
  Register control{*this, 0x000, "CTLR", Access::read_write, 0, "Which groups are forwarded to the cores",
      {{"enable_group0", 0, 1, "Interrupts of group 0"}, {"enable_group1", 1, 1, "Interrupts of group 1"}}};
  Register type{*this, 0x004, "TYPER", Access::read_only, varies, "The properties of this controller",
      {{"lines", 0, 5, "32 * (n + 1) interrupts"}, {"cores", 5, 3, "n + 1 CPU interfaces (node.cores.count)"}}};
  Register implementer{*this, 0x008, "IIDR", Access::read_only, 0x43B, "Implementer: Arm"};
  Register group{*this, 0x080, "IGROUPR", Access::read_write, 0, "One bit per interrupt, register n for interrupts from 32 * n on: its group", {}, words};
  Register set_enable{*this, 0x100, "ISENABLER", Access::write_one_to_set, 0, "One bit per interrupt: writing one enables it; reads as the enabled interrupts", {}, words};
  Register clear_enable{*this, 0x180, "ICENABLER", Access::write_one_to_clear, 0, "One bit per interrupt: writing one disables it; reads as the enabled interrupts",
      {}, words};
  Register set_pending{*this, 0x200, "ISPENDR", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it pending; reads as the pending interrupts",
      {}, words};
  Register clear_pending{*this, 0x280, "ICPENDR", Access::write_one_to_clear, 0, "One bit per interrupt: writing one clears its pending state; reads as the pending interrupts",
      {}, words};
  Register set_active{*this, 0x300, "ISACTIVER", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it active; reads as the active interrupts",
      {}, words};
  Register clear_active{*this, 0x380, "ICACTIVER", Access::write_one_to_clear, 0, "One bit per interrupt: writing one ends its active state; reads as the active interrupts",
      {}, words};
  Register priority{*this, 0x400, "IPRIORITYR", Access::read_write, 0,
      "One byte per interrupt, four per register: its priority; lower values are more urgent",
      {}, 8 * words};
  Register targets{*this, 0x800, "ITARGETSR", Access::read_write, varies,
      "One byte per interrupt, four per register, with one bit per target core. Those of interrupts 0 to 31 read as the core that reads",
      {}, 8 * words};
  Register config{*this, 0xC00, "ICFGR", Access::read_write, 0,
      "Two bits per interrupt, 16 per register: 0 level, 2 edge. SGIs are always edge-triggered",
      {}, 2 * words};
  Register private_lines{*this, 0xD00, "PPISR", Access::read_only, 0,
      "Levels of the PPIs of the core that reads: id 16 in bit 0"};
  Register shared_lines{*this, 0xD04, "SPISR", Access::read_only, 0, "Levels of the SPIs, register n for SPIs from 32 * n on", {}, words - 1};
  Register send{*this, 0xF00, "SGIR", Access::write_only, 0, "Sends a software-generated interrupt",
      {{"id", 0, 4, "The number of the SGI"}, {"nsatt", 15, 1, "Security extensions", {}, Field::Kind::not_modelled},
       {"targets", 16, 8, "One bit per core, for the filter targets"},
       {"filter", 24, 2, "Which cores receive it", {{"targets", 0, "the cores of the field targets"}, {"all_others", 1, "all cores except the one that writes"},
           {"self", 2, "the core that writes"}}}}};
  Register clear_sgi{*this, 0xF10, "CPENDSGIR", Access::write_one_to_clear, 0,
      "One byte per SGI, four per register, with one bit per source core: writing ones clears pending SGIs",
      {}, 4};
  Register set_sgi{*this, 0xF20, "SPENDSGIR", Access::write_one_to_set, 0,
      "One byte per SGI, four per register, with one bit per source core: writing ones makes SGIs pending",
      {}, 4};
  Register identity{*this, 0xFD0, "ID", Access::read_only, 0, "Peripheral id 4 to 7, 0 to 3, then component id 0 to 3: one byte each",
      {}, 12};
  // clang-format on
};

struct GicCpuRegisters : RegisterBank {
  // clang-format off
  Register control{*this, 0x000, "CTLR", Access::read_write, 0, "Which interrupts are signalled to this core",
      {{"enable_group0", 0, 1, "Interrupts of group 0"}, {"enable_group1", 1, 1, "Interrupts of group 1"}, {"ack_ctl", 2, 1, "IAR also acknowledges interrupts of group 1"},
       {"fiq_enable", 3, 1, "Group 0 is signalled as FIQ"}, {"cbpr", 4, 1, "BPR applies to both groups"},
       {"bypass", 5, 4, "Bypass of legacy signals", {}, Field::Kind::not_modelled},
       {"eoi_mode", 9, 1, "EOIR only drops the priority, DIR deactivates"}}};
  Register priority_mask{*this, 0x004, "PMR", Access::read_write, 0, "Only interrupts of a lower priority value are signalled"};
  Register binary_point{*this, 0x008, "BPR", Access::read_write, 0,
      "The boundary between group priority and subpriority"};
  Register acknowledge{*this, 0x00C, "IAR", Access::read_only, 0x3FF,
      "A read acknowledges the most urgent pending interrupt, which becomes active",
      {{"id", 0, 10, "The interrupt; 1023: none"}, {"source", 10, 3, "The core that sent an SGI"}}};
  Register end{*this, 0x010, "EOIR", Access::write_only, 0, "Ends an interrupt; takes the value that IAR returned"};
  Register running{*this, 0x014, "RPR", Access::read_only, 0xFF,
      "Priority of the most urgent active interrupt; 255: none"};
  Register pending{*this, 0x018, "HPPIR", Access::read_only, 0x3FF, "The most urgent pending interrupt, as IAR would return it; 1023: none"};
  Register aliased_binary_point{*this, 0x01C, "ABPR", Access::read_write, 1, "Binary point of group 1, like BPR"};
  Register aliased_acknowledge{*this, 0x020, "AIAR", Access::read_only, 0x3FF, "A read acknowledges the most urgent pending interrupt of group 1, like IAR"};
  Register aliased_end{*this, 0x024, "AEOIR", Access::write_only, 0, "Ends an interrupt of group 1, like EOIR"};
  Register aliased_pending{*this, 0x028, "AHPPIR", Access::read_only, 0x3FF, "The most urgent pending interrupt of group 1, like HPPIR"};
  Register active_priorities{*this, 0x0D0, "APR", Access::read_write, 0, "Active priorities of group 0",
      {}, 4};
  Register active_priorities1{*this, 0x0E0, "NSAPR", Access::read_write, 0, "Active priorities of group 1",
      {}, 4};
  Register implementer{*this, 0x0FC, "IIDR", Access::read_only, 0x0002'043B,
      "Implementer Arm, architecture 2"};
  Register deactivate{*this, 0x1000, "DIR", Access::write_only, 0,
      "Deactivates an interrupt after EOIR, with CTLR.eoi_mode; takes the value that IAR returned"};
  // clang-format on
  GicCpuRegisters();
};

// The frame of a GICv2m, in which a device writes the number of an interrupt instead of driving a wire:
// message-signalled interrupts. Source: Arm DEN0029 (Server Base System Architecture), GICv2m.
struct GicMessageRegisters : RegisterBank {
  // clang-format off
  Register type{*this, 0x008, "MSI_TYPER", Access::read_only, varies, "The interrupts of the frame",
      {{"count", 0, 10, "How many there are"}, {"first", 16, 10, "The id of the first one"}}};
  Register set{*this, 0x040, "MSI_SETSPI_NS", Access::write_only, 0, "A device writes the id of an interrupt, which then is pending, if it is edge-triggered",
      {{"id", 0, 10, "The interrupt"}}};
  Register implementer{*this, 0xFCC, "MSI_IIDR", Access::read_only, 0x43B, "Implementer: Arm"};
  // clang-format on
  GicMessageRegisters()
      : RegisterBank("GICV2M", 4_KiB,
                     "Frame of message-signalled interrupts (GICv2m, Arm DEN0029): a device raises an "
                     "interrupt by a write") {}
};

struct Gic400Config {
  unsigned spis = 32;
  unsigned message_interrupts = 0;  // behind the wires
};
void describe(Fields& f, Gic400Config& c);

class Gic400 final : public sc_core::sc_module, public Device, public InterruptController {
 public:
  using Config = Gic400Config;
  static DeviceShape shape(const Config& config, const NodeFacts&);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  Gic400(const sc_core::sc_module_name& name, unsigned cores, unsigned spis = 32,
         unsigned message_interrupts = 0);
  Gic400(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
      : Gic400(name, context.node.cores(), config.spis, config.message_interrupts) {}

  GicDistributorRegisters distributor_registers;
  GicCpuRegisters cpu_registers;
  RegisterSocket distributor;
  RegisterSocket cpu_interface;
  GicMessageRegisters message_registers;
  std::unique_ptr<RegisterSocket> messages;  // with message_interrupts

  using Wire = InterruptController::Wire;
  sc_core::sc_vector<Wire> spi;           // by SPI number
  sc_core::sc_vector<Wire> irqs, fiqs;    // by core
  Wire& ppi(unsigned core, unsigned id);  // id 16..31

  Wire& shared_line(unsigned number) override { return spi.at(number); }
  Wire& private_line(unsigned core, unsigned id) override { return ppi(core, id); }
  Wire& irq(unsigned core) override { return irqs[core]; }
  std::string why_none_reaches(unsigned core) const override { return std::string(gic_.why_no_irq(core)); }
  std::vector<tlm::tlm_target_socket<>*> targets() override;
  // Like that of the engine; the input wires keep their levels.
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override { gic_.report(statistics); }

 private:
  using Getter = std::uint32_t (Gic::*)(unsigned word, unsigned core) const;
  using Setter = void (Gic::*)(unsigned word, std::uint32_t value, unsigned core);
  // The first `banked` words of the register belong to a core.
  void connect_register(Register&, unsigned banked, Getter, Setter);
  void connect_distributor();
  void connect_cpu_interface();
  void connect_messages();
  void watch(Wire& wire, unsigned id, unsigned core);
  bool has_bank(Accessor who) const { return who.master < gic_.cores(); }
  // Calls read(core) or write(core) if the accessor is a core.
  template <class Read>
  std::uint32_t read_banked(Accessor who, Read read, std::uint32_t otherwise = 0) const {
    return has_bank(who) ? read(who.master) : otherwise;
  }
  template <class Write>
  void write_banked(Register& reg, Accessor who, Write write);
  void drive();

  const unsigned message_interrupts_;
  Gic gic_;
  sc_core::sc_vector<Wire> ppis_;  // 16 per core
};

}  // namespace asterism
