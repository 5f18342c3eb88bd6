// The registers of a CXL.mem expander. They have what firmware needs of the mailbox and the event log of a
// CXL device (CXL 3.1 sections 8.2.9.4 and 8.2.10), and not their layout: commands have their opcodes and
// return codes.
#pragma once

#include "cxl/poison_list.h"
#include "tlm/register.h"

namespace asterism {

enum class CxlCommand : std::uint16_t {
  get_poison_list = 0x4300,
  inject_poison = 0x4301,
  clear_poison = 0x4302
};
enum class CxlReturn : std::uint16_t { success = 0x0, unsupported = 0x3, retry = 0x5, invalid_address = 0xf };

struct CxlRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x43584c4d, "\"CXLM\" in ASCII: the device is a CXL.mem expander"};
  Register window_low{*this, 0x04, "WINDOW_BASE_LOW", Access::read_only, varies, "The physical address at which the expander's memory is decoded, bits 31:0"};
  Register window_high{*this, 0x08, "WINDOW_BASE_HIGH", Access::read_only, varies, "The physical address at which the expander's memory is decoded, bits 63:32"};
  Register capacity{*this, 0x0c, "CAPACITY", Access::read_only, varies, "The size of the window and of the memory, in MiB"};
  struct Link : Register {
    using Register::Register;
    FieldOf<std::uint32_t> lanes{*this, {"lanes", 0, 8, "The lanes of the link"}};
    FieldOf<bool> large_flits{*this, {"large_flits", 8, 1, "Flits have 256 bytes instead of 68"}};
    FieldOf<bool> own_supply{*this, {"own_supply", 9, 1, "The memory keeps its contents when the node loses its power"}};
  } link{*this, 0x10, "LINK", Access::read_only, varies, "The link, and what survives a loss of power"};
  Register command{*this, 0x14, "COMMAND", Access::write_only, 0, "Executes the command with this opcode at once, for the line at ADDRESS",
      {{"opcode", 0, 16, "0x4300: Get Poison List; 0x4301: Inject Poison; 0x4302: Clear Poison, which writes zeros to the line"}}};
  Register return_code{*this, 0x18, "RETURN_CODE", Access::read_only, 0, "The return code of the last command",
      {{"code", 0, 16, "0x0: success; 0x3: unsupported; 0x5: retry, as the line may not be written now; 0xf: invalid physical address"}}};
  Register address_low{*this, 0x1c, "ADDRESS_LOW", Access::read_write, 0, "The offset of a line in the expander's memory (its device physical address), bits 31:0"};
  Register address_high{*this, 0x20, "ADDRESS_HIGH", Access::read_write, 0, "The offset of a line in the expander's memory, bits 63:32"};
  struct Count : Register {
    using Register::Register;
    FieldOf<std::uint32_t> listed{*this, {"listed", 0, 16, "The lines in the list"}};
    FieldOf<bool> overflow{*this, {"overflow", 16, 1, "Further lines are poisoned"}};
  } poison_count{*this, 0x24, "POISON_COUNT", Access::read_only, 0, "The list of poisoned lines, as Get Poison List returns it"};
  Register poison_index{*this, 0x28, "POISON_INDEX", Access::read_write, 0, "Selects an entry of the list"};
  Register poison_low{*this, 0x2c, "POISON_ADDRESS_LOW", Access::read_only, 0, "The offset of the selected line, bits 31:6, and its source",
      {{"source", 0, 3, "Of the poison", {{"internal", 2, "an error of the media"}, {"injected", 3, "Inject Poison"}}}, {"address", 6, 26, "Bits 31:6 of the offset"}}};
  Register poison_high{*this, 0x30, "POISON_ADDRESS_HIGH", Access::read_only, 0, "The offset of the selected line, bits 63:32"};
  struct Events : Register {
    using Register::Register;
    FieldOf<bool> uncorrectable{*this, {"uncorrectable", 0, 1, "A line was poisoned by an error of the media"}};
    FieldOf<bool> corrected{*this, {"corrected", 1, 1, "An error of the media was corrected"}};
  } interrupt_status{*this, 0x34, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "The events since the bit was cleared"};
  Register interrupt_enable{*this, 0x38, "INTERRUPT_ENABLE", Access::read_write, 0, "The enabled interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"uncorrectable", 0, 1, "A line was poisoned by an error of the media; an injected one is no event"}, {"corrected", 1, 1, "An error of the media was corrected"}}};
  Register corrected{*this, 0x3c, "CORRECTED", Access::read_only, 0, "The number of errors of the media that were corrected"};
  Register poisoned{*this, 0x40, "POISONED", Access::read_only, 0, "The number of reads that were answered with poison"};
  // clang-format on
  CxlRegisters()
      : RegisterBank("CXL", 4_KiB,
                     "CXL.mem expander: memory behind a link, its poison list and its events "
                     "(docs/cxl.md). Commands end at once.") {}
};

}  // namespace asterism
