// The error registers of the DDR controllers of NXP's QorIQ processors, as which Linux finds the errors of a
// memory: its driver layerscape_edac counts them (EDAC), and says where they are. The memory keeps its own
// log and registers, which this device does not change.
//
// A corrected error increments ERR_SBE.counter. When that equals ERR_SBE.threshold, it returns to 0 and
// ERR_DETECT.single is set; an uncorrectable error sets ERR_DETECT.multiple. The capture registers keep the
// error that has set the first of these bits, or the uncorrectable one, until software clears the bits; a
// further error of the same kind only sets ERR_DETECT.more. The interrupt line is the level of ERR_DETECT and
// ERR_INT_EN.
//
// CAPTURE_ECC: the codes of the node's memories differ from that of these controllers, which corrects one bit
// of 64 by 8 check bits. The register has the check bits that they would have written with the captured data,
// with the wrong bits of what the chips delivered beside them. Software that computes the wrong bit from
// both, as Linux does, finds the right one if only one bit was wrong; if more were, it finds another one, or
// none.
//
// reset: every kind sets all registers to their reset values.
//
// Sources: Freescale MPC8308 PowerQUICC II Pro Processor Reference Manual, Rev. 1, sections 9.4.1 and 9.5.11
// to 9.5.12; drivers/edac/fsl_ddr_edac.h and fsl_ddr_edac.c of Linux 6.1, whose bits are numbered from the
// lowest. Assumed: that the counter returns to 0, and which of two errors is captured.
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "tlm/device.h"
#include "tlm/device_roles.h"
#include "tlm/register_socket.h"

namespace asterism {

struct QoriqEdacConfig {
  std::string memory = main_memory;
};
void describe(Fields& f, QoriqEdacConfig& c);

struct QoriqEdacRegisters : RegisterBank {
  // clang-format off
  struct Bounds : Register {
    using Register::Register;
    FieldOf<std::uint32_t> end{*this, {"end", 0, 16, "Its last 16 MiB: bits 39:24 of their addresses"}};
    FieldOf<std::uint32_t> start{*this, {"start", 16, 16, "Its first 16 MiB"}};
  } bounds{*this, 0x000, "CS0_BNDS", Access::read_only, varies, "The addresses of chip select 0, which has the whole memory"};
  Register bounds1{*this, 0x008, "CS1_BNDS", Access::read_only, 0, "The addresses of chip select 1: none"};
  Register bounds2{*this, 0x010, "CS2_BNDS", Access::read_only, 0, "The addresses of chip select 2: none"};
  Register bounds3{*this, 0x018, "CS3_BNDS", Access::read_only, 0, "The addresses of chip select 3: none"};
  struct Config : Register {
    using Register::Register;
    FieldOf<std::uint32_t> bus{*this, {"bus", 19, 2, "The width of the data bus", {{"bits_64", 0}}}};
    FieldOf<std::uint32_t> type{*this, {"type", 24, 3, "The kind of DRAM", {{"unknown", 0}}}};
    FieldOf<bool> ecc{*this, {"ecc", 29, 1, "The memory has an error-correcting code"}};
    FieldOf<bool> enabled{*this, {"enabled", 31, 1, "Reads as one"}};
  } config{*this, 0x110, "DDR_SDRAM_CFG", Access::read_only, varies, "What the memory is"};
  Register inject_high{*this, 0xe00, "DATA_ERR_INJECT_HI", Access::read_write, 0, "Errors in data that are written, bits 63:32",
      {{"mask", 0, 32, "The power and fault controller injects faults", {}, Field::Kind::not_modelled}}};
  Register inject_low{*this, 0xe04, "DATA_ERR_INJECT_LO", Access::read_write, 0, "Errors in data that are written, bits 31:0",
      {{"mask", 0, 32, "The power and fault controller injects faults", {}, Field::Kind::not_modelled}}};
  Register inject_control{*this, 0xe08, "ECC_ERR_INJECT", Access::read_write, 0, "Whether errors are injected",
      {{"enable", 0, 32, "The power and fault controller injects faults", {}, Field::Kind::not_modelled}}};
  Register data_high{*this, 0xe20, "CAPTURE_DATA_HI", Access::read_write, 0, "The captured data, bits 63:32"};
  Register data_low{*this, 0xe24, "CAPTURE_DATA_LO", Access::read_write, 0, "The captured data, bits 31:0"};
  Register ecc{*this, 0xe28, "CAPTURE_ECC", Access::read_write, 0, "The check bits of the captured data"};
  struct Detect : Register {
    using Register::Register;
    FieldOf<bool> select{*this, {"select", 0, 1, "An access to no chip select: never set"}};
    FieldOf<bool> single{*this, {"single", 2, 1, "As many errors were corrected as ERR_SBE.threshold says"}};
    FieldOf<bool> multiple{*this, {"multiple", 3, 1, "An error could not be corrected"}};
    FieldOf<bool> more{*this, {"more", 31, 1, "There was a further error while the bit of its kind was set"}};
  } detect{*this, 0xe40, "ERR_DETECT", Access::write_one_to_clear, 0, "The errors since the bits were cleared"};
  struct Kinds : Register {
    using Register::Register;
    FieldOf<bool> select{*this, {"select", 0, 1, "Accesses to no chip select"}};
    FieldOf<bool> single{*this, {"single", 2, 1, "Corrected errors"}};
    FieldOf<bool> multiple{*this, {"multiple", 3, 1, "Uncorrectable errors"}};
  };
  Kinds disable{*this, 0xe44, "ERR_DISABLE", Access::read_write, 0, "The kinds of errors that are ignored"};
  Kinds interrupt_enable{*this, 0xe48, "ERR_INT_EN", Access::read_write, 0, "The enabled interrupts: the line is high while a bit is set here and in ERR_DETECT"};
  struct Attributes : Register {
    using Register::Register;
    FieldOf<bool> valid{*this, {"valid", 0, 1, "The capture registers have an error"}};
  } attributes{*this, 0xe4c, "CAPTURE_ATTRIBUTES", Access::read_write, 0, "What was captured"};
  Register address{*this, 0xe50, "CAPTURE_ADDRESS", Access::read_write, 0, "The physical address of the captured data, bits 31:0"};
  Register address_high{*this, 0xe54, "CAPTURE_EXT_ADDRESS", Access::read_write, 0, "The physical address of the captured data, bits 63:32"};
  struct Single : Register {
    using Register::Register;
    FieldOf<std::uint32_t> counter{*this, {"counter", 0, 8, "The number of corrected errors since ERR_DETECT.single was last set"}};
    FieldOf<std::uint32_t> threshold{*this, {"threshold", 16, 8, "The number at which ERR_DETECT.single is set; 0 is 256"}};
  } single{*this, 0xe58, "ERR_SBE", Access::read_write, 0, "The count of corrected errors"};
  // clang-format on
  QoriqEdacRegisters()
      : RegisterBank("QORIQ_EDAC", 4_KiB,
                     "Error registers of a QorIQ DDR controller (Freescale MPC8308 reference manual, section "
                     "9.4.1), which show the errors of a memory to Linux.") {}
};

class QoriqEdac final : public sc_core::sc_module, public Device {
 public:
  using Config = QoriqEdacConfig;
  static DeviceShape shape(const Config&, const NodeFacts&);
  static void check(const Config& config, const NodeView& node, const DevicePlace&, DeviceProblems& problems);
  static std::vector<DeviceTreeNode> device_tree(const Config&, const DevicePlace& place);

  QoriqEdac(const sc_core::sc_module_name& name, const Config& config, const DeviceContext& context);

  QoriqEdacRegisters registers;
  RegisterSocket target{"target", registers};
  sc_core::sc_out<bool> interrupt{"interrupt"};

  std::vector<tlm::tlm_target_socket<>*> targets() override { return {&target}; }
  std::vector<sc_core::sc_out<bool>*> interrupts() override { return {&interrupt}; }
  void connect(const DevicePeers& peers) override;
  void reset(Reset) override;
  void report(Statistics& statistics) const override;

  // The check bits that these controllers write with 64 bits of data.
  static std::uint8_t check_bits(std::uint64_t data);

 private:
  void found(const FoundError& error);
  bool is_threshold_reached();
  void capture(const FoundError& error);
  void update();

  const Config config_;
  const AddressRange memory_;
  bool has_decoder_ = false;
  std::uint64_t corrected_ = 0, uncorrectable_ = 0;
};

}  // namespace asterism
