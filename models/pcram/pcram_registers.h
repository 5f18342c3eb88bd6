// The registers of a node's PCRAM. pcram/pcram_copier.h describes what a command does.
//
// The arguments of a command are the registers at the time at which COMMAND is written. A command that is
// given while another is under way is refused: STATUS.refused is set until the next command that is accepted.
// The interrupt line is the level of status and enable.
#pragma once

#include "pcram/pcram_copier.h"
#include "tlm/register.h"

namespace asterism {

struct PcramRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x5043524d, "\"PCRM\" in ASCII: the device is a PCRAM"};
  struct Command : Register {
    using Register::Register;
    FieldOf<std::uint32_t> operation{*this, {"operation", 0, 2, "The direction",
        {{"save", 1, "from memory to PCRAM"}, {"load", 2, "from PCRAM to memory"}}}};
    FieldOf<bool> incremental{*this, {"incremental", 4, 1,
        "For save, on a stack: pages that have not changed since they were saved to this layer, or loaded from it, are skipped"}};
  } command{*this, 0x04, "COMMAND", Access::write_only, 0, "Copies PAGES pages between MEMORY and PLACE"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 0, 1, "A command is under way"}};
    FieldOf<bool> refused{*this, {"refused", 1, 1, "The last command was refused: another was under way"}};
    FieldOf<PcramCopier::Error> error{*this, {"error", 8, 8, "The result of the command",
        {{"none", 0, "successful, or still under way"},
         {"bad_argument", 1, "no operation, no pages, not aligned, beyond memory or PCRAM, or, on a stack, not the place above"},
         {"bus_error", 2, "memory did not answer"},
         {"uncorrectable", 3, "cells cannot be read"}, {"worn_out", 4, "lines can no longer be written"}}}};
  } status{*this, 0x08, "STATUS", Access::read_only, 0, "The state of the last command that was accepted"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> complete{*this, {"complete", 0, 1, "A command ended: STATUS.error"}};
  } interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "The events since the bit was cleared"};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0, "The enabled interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"complete", 0, 1, "A command ended"}}};
  Register memory_low{*this, 0x14, "MEMORY_LOW", Access::read_write, 0, "The physical address of the first page of memory, bits 31:0"};
  Register memory_high{*this, 0x18, "MEMORY_HIGH", Access::read_write, 0, "The physical address of the first page of memory, bits 63:32"};
  Register place{*this, 0x1c, "PLACE", Access::read_write, 0, "The first page of the PCRAM; on a stack: layer * LAYER + the number of the page in memory"};
  Register pages{*this, 0x20, "PAGES", Access::read_write, 0, "The number of 4 KiB pages to copy"};
  Register capacity{*this, 0x24, "CAPACITY", Access::read_only, varies, "The number of 4 KiB pages of the PCRAM"};
  Register layer{*this, 0x28, "LAYER", Access::read_only, varies,
      "The number of pages per layer of a stack on memory, where a page can only be copied to its own place in a layer; 0: modules, where it can be copied anywhere"};
  Register bad_index{*this, 0x2c, "BAD_INDEX", Access::read_only, ~0u, "The index of the first page that the last command could not copy; ~0: none"};
  Register copied{*this, 0x30, "COPIED", Access::read_only, 0, "The number of pages that the last command has copied"};
  // clang-format on
  PcramRegisters()
      : RegisterBank("PCRAM", 4_KiB,
                     "PCRAM: copies pages between memory and phase-change memory, which keeps its contents "
                     "through a power "
                     "loss (docs/pcram.md). One command runs at a time.") {}
};

}  // namespace asterism
