// The registers of a node's PCRAM. What a command does stands in pcram/pcram_copier.h.
//
// A command's arguments are the registers when it is written. One that is given while another is under way is not taken:
// STATUS.refused, until the next one that is. The interrupt line is the level of status and enable.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct PcramRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x5043524d, "\"PCRM\""};
  Register command{*this, 0x04, "COMMAND", Access::write_only, 0, "Copies pages",
      {{"operation", 0, 2, "Which way", {{"save", 1}, {"load", 2}}},
       {"incremental", 4, 1, "Of save: pages that are as they were saved there are left out"}}};
  Register status{*this, 0x08, "STATUS", Access::read_only, 0, "State of the command that was taken last",
      {{"busy", 0, 1, "It is under way"},
       {"refused", 1, 1, "The command given last was not taken: another was under way"},
       {"error", 8, 8, "How it ended",
          {{"none", 0}, {"bad_argument", 1}, {"bus_error", 2}, {"uncorrectable", 3}, {"worn_out", 4}}}}};
  Register interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened",
      {{"complete", 0, 1, "A command ended"}}};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts",
      {{"complete", 0, 1, "A command ended"}}};
  Register memory_low{*this, 0x14, "MEMORY_LOW", Access::read_write, 0, "Physical address of the first page, bits 31:0"};
  Register memory_high{*this, 0x18, "MEMORY_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register place{*this, 0x1c, "PLACE", Access::read_write, 0, "The first page of the PCRAM"};
  Register pages{*this, 0x20, "PAGES", Access::read_write, 0, "How many, of 4 KiB"};
  Register capacity{*this, 0x24, "CAPACITY", Access::read_only, 0, "Pages of the PCRAM"};
  Register layer{*this, 0x28, "LAYER", Access::read_only, 0,
      "Pages of a layer on top of memory: a page goes above itself, in any layer; 0: it goes anywhere"};
  Register bad_index{*this, 0x2c, "BAD_INDEX", Access::read_only, ~0u, "The first page that could not be copied; ~0: none"};
  Register copied{*this, 0x30, "COPIED", Access::read_only, 0, "Pages that the command has copied"};
  // clang-format on
  PcramRegisters() : RegisterBank("PCRAM", 4_KiB) {}
};

}  // namespace asterism
