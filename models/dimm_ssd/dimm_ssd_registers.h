// The registers of the DIMM-SSD. A command takes a request descriptor in memory (dimm_ssd/dimm_ssd.h); its
// end sets INTERRUPT_STATUS.complete, and the interrupt line is the level of status and enable.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct DimmSsdRegisters : RegisterBank {
  Register id{*this, 0x00, "ID", Access::read_only, 0x44535344, "\"DSSD\""};
  Register command{
      *this,
      0x04,
      "COMMAND",
      Access::write_only,
      0,
      "Starts an operation on the descriptor",
      {{"operation", 0, 3, "What to do", {{"checkpoint", 1}, {"find", 2}, {"restore", 3}, {"discard", 4}}}}};
  Register status{*this,
                  0x08,
                  "STATUS",
                  Access::read_only,
                  0,
                  "State of the command given last",
                  {{"busy", 0, 1, "It is under way"},
                   {"error",
                    8,
                    8,
                    "How it ended",
                    {{"none", 0},
                     {"bad_descriptor", 1},
                     {"bus_error", 2},
                     {"no_space", 3},
                     {"not_found", 4},
                     {"uncorrectable", 5},
                     {"busy", 6}}}}};
  Register interrupt_status{*this,
                            0x0c,
                            "INTERRUPT_STATUS",
                            Access::write_one_to_clear,
                            0,
                            "What happened",
                            {{"complete", 0, 1, "A command ended"}}};
  Register interrupt_enable{*this,
                            0x10,
                            "INTERRUPT_ENABLE",
                            Access::read_write,
                            0,
                            "What interrupts",
                            {{"complete", 0, 1, "The end of a command"}}};
  Register descriptor_low{
      *this, 0x14, "DESCRIPTOR_LOW", Access::read_write, 0, "Physical address, bits 31:0"};
  Register descriptor_high{
      *this, 0x18, "DESCRIPTOR_HIGH", Access::read_write, 0, "Physical address, bits 63:32"};
  Register result_version_low{
      *this, 0x1c, "RESULT_VERSION_LOW", Access::read_only, 0, "Version found, bits 31:0"};
  Register result_version_high{
      *this, 0x20, "RESULT_VERSION_HIGH", Access::read_only, 0, "Version found, bits 63:32"};
  Register result_pages{
      *this, 0x24, "RESULT_PAGES", Access::read_only, 0, "4 KiB pages of the version found"};
  Register checkpoints{*this, 0x28, "CHECKPOINTS", Access::read_only, 0, "Complete checkpoints held"};

  DimmSsdRegisters() : RegisterBank("DIMM_SSD", Bytes(0x1000)) {}
};

}  // namespace asterism
