// The configuration space of a bus with one function, as an ECAM window of 1 MiB shows it: a type 0 header
// (PCI Local Bus Specification 3.0, section 6.1) with one 64-bit BAR, INTA and no capabilities. The other 31
// devices of the bus are absent.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct PciFunctionRegisters : RegisterBank {
  static constexpr std::uint32_t absent = 0xFFFF'FFFF;
  // clang-format off
  Register id;
  struct Command : Register {
    using Register::Register;
    FieldOf<bool> memory{*this, {"memory", 1, 1, "The BAR is decoded. The model always decodes it"}};
    FieldOf<bool> master{*this, {"master", 2, 1, "The function may access memory. The model always may"}};
    FieldOf<bool> no_interrupt{*this, {"no_interrupt", 10, 1, "The line of the interrupt stays low"}};
    FieldOf<bool> interrupt{*this, {"interrupt", 19, 1, "The function requests an interrupt"}};
  } command{*this, 0x04, "COMMAND", Access::read_write, 0, "What the function may do, and in the upper half its state"};
  Register class_code;
  Register header{*this, 0x0C, "HEADER", Access::read_write, 0, "The size of cache lines, the latency timer, and the type of the header: 0"};
  Register bar0_low{*this, 0x10, "BAR0_LOW", Access::read_write, 4, "The address of the device's registers, bits 31:0; 64 bits wide, not prefetchable"};
  Register bar0_high{*this, 0x14, "BAR0_HIGH", Access::read_write, 0, "The address of the device's registers, bits 63:32"};
  Register bars{*this, 0x18, "BARS", Access::read_write, 0, "BARs that the function does not have", {}, 4};
  Register cis{*this, 0x28, "CIS", Access::read_only, 0, "Not used"};
  Register subsystem{*this, 0x2C, "SUBSYSTEM", Access::read_only, 0, "The vendor of the subsystem: none"};
  Register rom{*this, 0x30, "ROM", Access::read_write, 0, "The ROM that the function does not have"};
  Register capabilities{*this, 0x34, "CAPABILITIES", Access::read_only, 0, "The first capability: none"};
  Register unused{*this, 0x38, "UNUSED", Access::read_only, 0, "Not used"};
  Register interrupt{*this, 0x3C, "INTERRUPT", Access::read_write, 0x100, "A note of software, and the pin: INTA"};
  Register rest{*this, 0x40, "REST", Access::read_only, 0, "What belongs to capabilities", {}, 48};
  Register others{*this, 0x8000, "OTHERS", Access::read_only, absent, "The vendors of devices 1 to 31: none", {}, 31, 0x8000};
  // clang-format on

  PciFunctionRegisters(std::string device, std::string meaning, std::uint32_t identity, std::uint32_t kind)
      : RegisterBank(std::move(device), 1_MiB, std::move(meaning)),
        id(*this, 0x00, "ID", Access::read_only, identity, "The vendor, and in the upper half the device"),
        class_code(*this, 0x08, "CLASS", Access::read_only, kind, "The revision, and above it the class") {
    for (Register* each : {&id, static_cast<Register*>(&command), &class_code, &header, &bar0_low, &bar0_high,
                           &bars, &cis, &subsystem, &rom, &capabilities, &unused, &interrupt, &rest, &others})
      each->any_width();
  }
};

}  // namespace asterism
