// The configuration space of a bus with one function, as an ECAM window of 1 MiB shows it: a type 0 header
// (PCI Local Bus Specification 3.0, section 6.1) with one 64-bit BAR, INTA, and the capability MSI-X
// (6.8.2) if the function has it. The other 31 devices of the bus are absent.
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
    FieldOf<bool> has_capabilities{*this, {"capabilities", 20, 1, "The function has capabilities"}};
  } command{*this, 0x04, "COMMAND", Access::read_write, varies, "What the function may do, and in the upper half its state"};
  Register class_code;
  Register header{*this, 0x0C, "HEADER", Access::read_write, 0, "The size of cache lines, the latency timer, and the type of the header: 0"};
  Register bar0_low{*this, 0x10, "BAR0_LOW", Access::read_write, 4, "The address of the device's registers, bits 31:0; 64 bits wide, not prefetchable"};
  Register bar0_high{*this, 0x14, "BAR0_HIGH", Access::read_write, 0, "The address of the device's registers, bits 63:32"};
  Register bars{*this, 0x18, "BARS", Access::read_write, 0, "BARs that the function does not have", {}, 4};
  Register cis{*this, 0x28, "CIS", Access::read_only, 0, "Not used"};
  Register subsystem{*this, 0x2C, "SUBSYSTEM", Access::read_only, 0, "The vendor of the subsystem: none"};
  Register rom{*this, 0x30, "ROM", Access::read_write, 0, "The ROM that the function does not have"};
  Register capabilities{*this, 0x34, "CAPABILITIES", Access::read_only, varies, "The offset of the first capability: 0x40, MSI-X, or none"};
  Register unused{*this, 0x38, "UNUSED", Access::read_only, 0, "Not used"};
  Register interrupt{*this, 0x3C, "INTERRUPT", Access::read_write, 0x100, "A note of software, and the pin: INTA"};
  struct Msix : Register {
    using Register::Register;
    FieldOf<std::uint32_t> kind{*this, {"kind", 0, 8, "The capability: 0x11"}};
    FieldOf<std::uint32_t> next{*this, {"next", 8, 8, "The next capability: none"}};
    FieldOf<std::uint32_t> last{*this, {"last", 16, 11, "The last vector"}};
    FieldOf<bool> masked{*this, {"masked", 30, 1, "All messages wait until this is cleared"}};
    FieldOf<bool> enabled{*this, {"enabled", 31, 1, "Messages are sent, and INTA stays low"}};
  } msix{*this, 0x40, "MSIX", Access::read_write, varies, "MSI-X; without it 0, and so are the next two"};
  Register msix_table{*this, 0x44, "MSIX_TABLE", Access::read_only, varies, "The place of the table of vectors in BAR 0"};
  Register msix_pending{*this, 0x48, "MSIX_PENDING", Access::read_only, varies, "The place of the bits of waiting messages in BAR 0"};
  Register rest{*this, 0x4C, "REST", Access::read_only, 0, "What belongs to further capabilities", {}, 45};
  Register others{*this, 0x8000, "OTHERS", Access::read_only, absent, "The vendors of devices 1 to 31: none", {}, 31, 0x8000};
  // clang-format on

  PciFunctionRegisters(std::string device, std::string meaning, std::uint32_t identity, std::uint32_t kind)
      : RegisterBank(std::move(device), 1_MiB, std::move(meaning)),
        id(*this, 0x00, "ID", Access::read_only, identity, "The vendor, and in the upper half the device"),
        class_code(*this, 0x08, "CLASS", Access::read_only, kind, "The revision, and above it the class") {
    for (Register* each : {&id, static_cast<Register*>(&command), &class_code, &header, &bar0_low, &bar0_high,
                           &bars, &cis, &subsystem, &rom, &capabilities, &unused, &interrupt,
                           static_cast<Register*>(&msix), &msix_table, &msix_pending, &rest, &others})
      each->any_width();
  }
};

}  // namespace asterism
