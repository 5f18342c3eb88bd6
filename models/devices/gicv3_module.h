// A GICv3 as a SystemC module: sockets for distributor and redistributors, and input and output wires, around
// the GicV3 engine (gicv3.h). Cores access system registers by calls: read() and write(), at the core's own
// time, in its thread.
//
//   uart.interrupt.bind(gic.spi[1]);                  // device (sc_out<bool>) to distributor
//   core.virtual_timer.bind(gic.ppi(0, 27));
//   core.irq.bind(gic.irq(0));                        // CPU interface to core (sc_in<bool>)
//
// The module owns its wires as signals, which are low until something is bound to them. A wire follows a
// register access or an input in the next delta cycle. Redistributors are contiguous, 128 KiB per core, in
// two regions as on QEMU's virt machine, the first of up to 123 (address map "gicr", "gicr2"). Source: Arm
// IHI 0069H.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <memory>
#include <systemc>
#include <vector>

#include "devices/gicv3.h"
#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/register_socket.h"

namespace asterism {

struct GicV3DistributorRegisters : RegisterBank {
  explicit GicV3DistributorRegisters(unsigned spis = 32);

  const unsigned spis, words;  // words: of one bit per interrupt
  // clang-format off
  Register control{*this, 0x000, "CTLR", Access::read_write, GicV3::affinity_routing | GicV3::one_security_state, "Which groups are forwarded to the cores",
      {{"enable_group0", 0, 1, "Interrupts of group 0"}, {"enable_group1", 1, 1, "Interrupts of group 1"},
       {"affinity_routing", 4, 1, "Reads as one"}, {"one_security_state", 6, 1, "Reads as one"}}};
  Register type{*this, 0x004, "TYPER", Access::read_only, 0x0378'0000 | (words - 1), "The properties of this controller",
      {{"lines", 0, 5, "32 * (n + 1) interrupts"}, {"id_bits", 19, 5, "n + 1 bits in an interrupt's id"},
       {"affinity3", 24, 1, "Aff3 may be other than zero"}, {"no_1_of_n", 25, 1, "An SPI goes to one core by its affinity"}}};
  Register implementer{*this, 0x008, "IIDR", Access::read_only, 0x43B, "Implementer: Arm"};
  Register more_types{*this, 0x00C, "TYPER2", Access::read_only, 0, "No virtual interrupts of GICv4.1"};
  Register group{*this, 0x080, "IGROUPR", Access::read_write, 0, "One bit per interrupt, register n for interrupts from 32 * n on: its group. Register 0 reads as zero, here and below", {}, words};
  Register set_enable{*this, 0x100, "ISENABLER", Access::write_one_to_set, 0, "One bit per interrupt: writing one enables it; reads as the enabled interrupts", {}, words};
  Register clear_enable{*this, 0x180, "ICENABLER", Access::write_one_to_clear, 0, "One bit per interrupt: writing one disables it; reads as the enabled interrupts", {}, words};
  Register set_pending{*this, 0x200, "ISPENDR", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it pending; reads as the pending interrupts", {}, words};
  Register clear_pending{*this, 0x280, "ICPENDR", Access::write_one_to_clear, 0, "One bit per interrupt: writing one clears its pending state; reads as the pending interrupts", {}, words};
  Register set_active{*this, 0x300, "ISACTIVER", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it active; reads as the active interrupts", {}, words};
  Register clear_active{*this, 0x380, "ICACTIVER", Access::write_one_to_clear, 0, "One bit per interrupt: writing one ends its active state; reads as the active interrupts", {}, words};
  Register priority{*this, 0x400, "IPRIORITYR", Access::read_write, 0, "One byte per interrupt, four per register: its priority, of which five bits are implemented; lower values are more urgent", {}, 8 * words};
  Register config{*this, 0xC00, "ICFGR", Access::read_write, 0, "Two bits per interrupt, 16 per register: 0 level, 2 edge", {}, 2 * words};
  Register group_modifier{*this, 0xD00, "IGRPMODR", Access::read_write, 0, "Reads as zero: there is one security state", {}, words};
  Register route{*this, 0x6100, "IROUTER", Access::read_write, 0,
      "Two registers per interrupt from 32 on: the affinity of its target core, Aff2 to Aff0 in the first, Aff3 in the second", {}, 2 * spis};
  Register identity{*this, 0xFFE8, "PIDR2", Access::read_only, 0x3B, "Architecture revision 3"};
  // clang-format on
};

// The registers of one core; the accessor's "master" is the number of the redistributor.
struct GicV3RedistributorRegisters : RegisterBank {
  // clang-format off
  Register control{*this, 0x000, "CTLR", Access::read_only, 0, "LPIs, which are not implemented"};
  Register implementer{*this, 0x004, "IIDR", Access::read_only, 0x43B, "Implementer: Arm"};
  struct Type : Register {
    using Register::Register;
    FieldOf<bool> last{*this, {"last", 4, 1, "The redistributor is the last one in its region"}};
    FieldOf<std::uint32_t> number{*this, {"number", 8, 16, "The core's number"}};
  } type{*this, 0x008, "TYPER", Access::read_only, varies, "The core of this redistributor"};
  Register affinity{*this, 0x00C, "TYPER_HIGH", Access::read_only, varies, "The upper half of TYPER: the core's affinity, as in MPIDR_EL1",
      {{"affinity0", 0, 8, "The core in its cluster"}, {"affinity1", 8, 8, "The cluster"}}};
  struct Waker : Register {
    using Register::Register;
    FieldOf<bool> processor_sleep{*this, {"processor_sleep", 1, 1, "Firmware clears it before its first interrupt"}};
    FieldOf<bool> children_asleep{*this, {"children_asleep", 2, 1, "Follows processor_sleep immediately"}};
  } waker{*this, 0x014, "WAKER", Access::read_write, 6,
      "Whether the redistributor sleeps: silicon signals no interrupt then, but QEMU and this model do"};
  Register identity{*this, 0xFFE8, "PIDR2", Access::read_only, 0x3B, "Architecture revision 3"};
  Register group{*this, 0x1'0080, "IGROUPR0", Access::read_write, 0, "One bit per interrupt, SGIs and PPIs: its group"};
  Register set_enable{*this, 0x1'0100, "ISENABLER0", Access::write_one_to_set, 0, "One bit per interrupt: writing one enables it; reads as the enabled interrupts"};
  Register clear_enable{*this, 0x1'0180, "ICENABLER0", Access::write_one_to_clear, 0, "One bit per interrupt: writing one disables it; reads as the enabled interrupts"};
  Register set_pending{*this, 0x1'0200, "ISPENDR0", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it pending; reads as the pending interrupts"};
  Register clear_pending{*this, 0x1'0280, "ICPENDR0", Access::write_one_to_clear, 0, "One bit per interrupt: writing one clears its pending state; reads as the pending interrupts"};
  Register set_active{*this, 0x1'0300, "ISACTIVER0", Access::write_one_to_set, 0, "One bit per interrupt: writing one makes it active; reads as the active interrupts"};
  Register clear_active{*this, 0x1'0380, "ICACTIVER0", Access::write_one_to_clear, 0, "One bit per interrupt: writing one ends its active state; reads as the active interrupts"};
  Register priority{*this, 0x1'0400, "IPRIORITYR", Access::read_write, 0, "One byte per interrupt, four per register: its priority, of which five bits are implemented; lower values are more urgent", {}, 8};
  Register config{*this, 0x1'0C00, "ICFGR", Access::read_write, 0, "Two bits per interrupt, 16 per register: 0 level, 2 edge. SGIs, the first register, are always edge-triggered", {}, 2};
  Register group_modifier{*this, 0x1'0D00, "IGRPMODR0", Access::read_write, 0, "Reads as zero: there is one security state"};
  // clang-format on
  GicV3RedistributorRegisters();
};

struct GicV3Config {
  unsigned spis = 32;
};
void describe(Fields& f, GicV3Config& c);

class GicV3Module final : public sc_core::sc_module, public Device, public InterruptController {
 public:
  using Config = GicV3Config;
  static DeviceShape shape(const Config& config, const NodeFacts& facts);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  using Wire = InterruptController::Wire;
  using RedistributorSocket = tlm_utils::simple_target_socket_tagged<GicV3Module>;
  static constexpr Bytes redistributor_size = 128_KiB;
  static constexpr unsigned max_in_first_region = 123;
  static unsigned in_first_region(unsigned cores) { return std::min(cores, max_in_first_region); }

  GicV3Module(const sc_core::sc_module_name& name, unsigned cores, unsigned spis = 32);
  GicV3Module(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context)
      : GicV3Module(name, context.node.cores(), config.spis) {}

  GicV3DistributorRegisters distributor_registers;
  GicV3RedistributorRegisters redistributor_registers;
  RegisterSocket distributor;
  RedistributorSocket redistributors;                        // of the first cores
  std::unique_ptr<RedistributorSocket> more_redistributors;  // of the other cores, if any

  sc_core::sc_vector<Wire> spi;           // by SPI number
  sc_core::sc_vector<Wire> irqs, fiqs;    // by core
  Wire& ppi(unsigned core, unsigned id);  // id 16..31; during elaboration

  // ICC_* of a core, as in the engine. Wires follow in the next delta cycle.
  std::optional<std::uint64_t> read(unsigned core, GicV3::CpuRegister which);
  bool write(unsigned core, GicV3::CpuRegister which, std::uint64_t value);

  Wire& shared_line(unsigned number) override { return spi.at(number); }
  Wire& private_line(unsigned core, unsigned id) override { return ppi(core, id); }
  Wire& irq(unsigned core) override { return irqs[core]; }
  std::string why_none_reaches(unsigned core) const override { return std::string(gic_.why_no_irq(core)); }
  std::optional<std::uint64_t> read_system_register(unsigned core, std::uint16_t code) override {
    return read(core, static_cast<GicV3::CpuRegister>(code));
  }
  bool write_system_register(unsigned core, std::uint16_t code, std::uint64_t value) override {
    return write(core, static_cast<GicV3::CpuRegister>(code), value);
  }
  std::vector<tlm::tlm_target_socket<>*> targets() override;
  // Like that of the engine; the input wires keep their levels.
  void reset(Reset kind) override;
  void report(Statistics& statistics) const override { gic_.report(statistics); }

 private:
  void connect_distributor();
  void connect_redistributors();
  void transport(int first, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int first, tlm::tlm_generic_payload& payload);
  Bytes region(int first) const;
  void serve(RedistributorSocket& socket, unsigned first);
  template <class Follow>
  void watch(Wire& wire, Follow follow);
  void drive(unsigned core);
  void drive();

  GicV3 gic_;
  std::vector<std::vector<std::unique_ptr<Wire>>> ppis_;  // by core and id - 16; created on demand
};

}  // namespace asterism
