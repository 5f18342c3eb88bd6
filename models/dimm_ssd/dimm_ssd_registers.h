// The registers of the DIMM-SSD. A command takes a request descriptor in memory (dimm_ssd/dimm_ssd.h).
//
// A command that is given while another is under way is not taken: STATUS.refused, until the next one that is. It does not
// end, and interrupts nobody.
//
// A checkpoint is handed over: its command ends, with INTERRUPT_STATUS.complete, as soon as software may go on,
// and the version is durable later, with INTERRUPT_STATUS.durable. A version that cannot become durable any
// more sets INTERRUPT_STATUS.failed and the FAILED registers, and all later versions of its name are given up
// with it. All other commands are done when they end. The interrupt line is the level of status and enable.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct DimmSsdRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x44535344, "\"DSSD\""};
  Register command{*this, 0x04, "COMMAND", Access::write_only, 0, "Starts an operation on the descriptor",
      {{"operation", 0, 3, "What to do",
          {{"checkpoint", 1}, {"find", 2}, {"restore", 3}, {"discard", 4}, {"abort", 5}}}}};
  Register status{*this, 0x08, "STATUS", Access::read_only, 0, "State of the command that was taken last",
      {{"busy", 0, 1, "It is under way"},
       {"refused", 1, 1, "The command given last was not taken: another was under way"},
       {"error", 8, 8, "How it ended",
          {{"none", 0}, {"bad_descriptor", 1}, {"bus_error", 2}, {"no_space", 3}, {"not_found", 4},
           {"uncorrectable", 5}, {"busy", 6}, {"aborted", 7}, {"worn_out", 8}}}}};
  Register interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened",
      {{"complete", 0, 1, "A command ended"},
       {"durable", 1, 1, "A version has become durable: DURABLE_VERSION"},
       {"failed", 2, 1, "Versions were given up: FAILED_VERSION and all after it"}}};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0, "What interrupts",
      {{"complete", 0, 1, "The end of a command"},
       {"durable", 1, 1, "A version that has become durable"},
       {"failed", 2, 1, "Versions that were given up"}}};
  Register descriptor_low{*this, 0x14, "DESCRIPTOR_LOW", Access::read_write, 0, "Physical address, bits 31:0"};
  Register descriptor_high{*this, 0x18, "DESCRIPTOR_HIGH", Access::read_write, 0, "Physical address, bits 63:32"};
  Register result_version_low{*this, 0x1c, "RESULT_VERSION_LOW", Access::read_only, 0, "Version found, bits 31:0"};
  Register result_version_high{*this, 0x20, "RESULT_VERSION_HIGH", Access::read_only, 0, "Version found, bits 63:32"};
  Register result_pages{*this, 0x24, "RESULT_PAGES", Access::read_only, 0, "4 KiB pages of the version found"};
  Register checkpoints{*this, 0x28, "CHECKPOINTS", Access::read_only, 0, "Complete checkpoints held"};
  Register durable_version_low{*this, 0x2c, "DURABLE_VERSION_LOW", Access::read_only, 0,
      "Newest durable version of the name that is tracked, bits 31:0; 0 when there is none"};
  Register durable_version_high{*this, 0x30, "DURABLE_VERSION_HIGH", Access::read_only, 0, "Bits 63:32 of it"};
  Register open{*this, 0x34, "OPEN", Access::read_only, 0, "Checkpoints handed over that are not durable yet"};
  Register method{*this, 0x38, "METHOD", Access::read_only, 0,
      "The method of the configuration, for descriptors that name none: 1 to 8 (dimm_ssd/checkpoint_method.h)"};
  Register bad_index{*this, 0x3c, "BAD_INDEX", Access::read_only, 0,
      "After bad_descriptor: index of the page that was refused; ~0 when it was another field"};
  Register failed_version_low{*this, 0x40, "FAILED_VERSION_LOW", Access::read_only, 0,
      "Oldest version of those that were given up last, bits 31:0"};
  Register failed_version_high{*this, 0x44, "FAILED_VERSION_HIGH", Access::read_only, 0, "Bits 63:32 of it"};
  Register failed_error{*this, 0x48, "FAILED_ERROR", Access::read_only, 0, "Why, as in STATUS.error"};
  Register shadow_low{*this, 0x4c, "SHADOW_LOW", Access::read_write, 0,
      "Memory that copy-on-write may use, 4 KiB aligned, none of the list's pages: physical address, bits 31:0"};
  Register shadow_high{*this, 0x50, "SHADOW_HIGH", Access::read_write, 0, "Bits 63:32 of it"};
  Register shadow_pages{*this, 0x54, "SHADOW_PAGES", Access::read_write, 0, "Its 4 KiB pages; 0: none"};
  Register writes_held{*this, 0x58, "WRITES_HELD", Access::read_only, 0,
      "Writes of cores that have waited for a page to be copied, since power-up"};
  Register lines_copied{*this, 0x5c, "LINES_COPIED", Access::read_only, 0,
      "Lines of 64 bytes that checkpoints have read from memory, since power-up"};
  Register flash_pages{*this, 0x60, "FLASH_PAGES", Access::read_only, 0, "Flash pages programmed, since power-up"};
  Register rated_low{*this, 0x64, "RATED_LOW", Access::read_only, 0,
      "Bytes that the flash is rated to have written to it over its life, bits 31:0; 0: not stated"};
  Register rated_high{*this, 0x68, "RATED_HIGH", Access::read_only, 0, "Bits 63:32 of it"};
  Register written_low{*this, 0x6c, "WRITTEN_LOW", Access::read_only, 0,
      "Bytes written to the flash in its life, what the device itself keeps there among them, bits 31:0"};
  Register written_high{*this, 0x70, "WRITTEN_HIGH", Access::read_only, 0, "Bits 63:32 of it"};
  // clang-format on

  DimmSsdRegisters() : RegisterBank("DIMM_SSD", Bytes(0x1000)) {}
};

}  // namespace asterism
