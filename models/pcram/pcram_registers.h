// The registers of a node's PCRAM. What a command does stands in pcram/pcram_copier.h.
//
// A command's arguments are the registers when it is written. One that is given while another is under way is not taken:
// STATUS.refused, until the next one that is. The interrupt line is the level of status and enable.
#pragma once

#include "pcram/pcram_copier.h"
#include "tlm/register.h"

namespace asterism {

struct PcramRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x5043524d, "\"PCRM\" in ASCII: the device is a PCRAM"};
  struct Command : Register {
    using Register::Register;
    FieldOf<std::uint32_t> operation{*this, {"operation", 0, 2, "Which way",
        {{"save", 1, "from memory to PCRAM"}, {"load", 2, "from PCRAM to memory"}}}};
    FieldOf<bool> incremental{*this, {"incremental", 4, 1,
        "For save, on a stack: pages that are as they were saved to this layer, or loaded from it, are left out"}};
  } command{*this, 0x04, "COMMAND", Access::write_only, 0, "Copies PAGES pages between MEMORY and PLACE"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 0, 1, "It is under way"}};
    FieldOf<bool> refused{*this, {"refused", 1, 1, "The command given last was not taken: another was under way"}};
    FieldOf<PcramCopier::Error> error{*this, {"error", 8, 8, "How it ended",
        {{"none", 0, "done, or still under way"},
         {"bad_argument", 1, "no operation, no pages, not aligned, beyond memory or PCRAM, on a stack not the place above"},
         {"bus_error", 2, "memory did not answer, or may not be written"},
         {"uncorrectable", 3, "cells cannot be read"}, {"worn_out", 4, "lines can no longer be written"}}}};
  } status{*this, 0x08, "STATUS", Access::read_only, 0, "State of the command that was taken last"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> complete{*this, {"complete", 0, 1, "A command ended: STATUS.error"}};
  } interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened since the bit was cleared"};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"complete", 0, 1, "A command ended"}}};
  Register memory_low{*this, 0x14, "MEMORY_LOW", Access::read_write, 0, "Physical address of the first page of memory, bits 31:0"};
  Register memory_high{*this, 0x18, "MEMORY_HIGH", Access::read_write, 0, "Physical address of the first page of memory, bits 63:32"};
  Register place{*this, 0x1c, "PLACE", Access::read_write, 0, "First page of the PCRAM; on a stack layer * LAYER + the page's number in memory"};
  Register pages{*this, 0x20, "PAGES", Access::read_write, 0, "How many pages of 4 KiB are copied"};
  Register capacity{*this, 0x24, "CAPACITY", Access::read_only, varies, "Pages of 4 KiB that the PCRAM has"};
  Register layer{*this, 0x28, "LAYER", Access::read_only, varies,
      "Pages of a layer of a stack on top of memory: a page goes above itself, in any layer; 0: modules, where it goes anywhere"};
  Register bad_index{*this, 0x2c, "BAD_INDEX", Access::read_only, ~0u, "Index of the first page that the last command could not copy; ~0: none"};
  Register copied{*this, 0x30, "COPIED", Access::read_only, 0, "Pages that the last command has copied"};
  // clang-format on
  PcramRegisters()
      : RegisterBank("PCRAM", 4_KiB,
                     "PCRAM: copies pages between memory and phase-change memory, which outlives a loss of "
                     "power (docs/pcram.md). One "
                     "command at a time.") {}
};

}  // namespace asterism
