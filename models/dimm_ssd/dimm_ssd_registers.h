// The registers of the DIMM-SSD. A command takes a request descriptor in memory (dimm_ssd/dimm_ssd.h).
//
// A command that is given while another is under way is refused: STATUS.refused is set until the next command
// that is accepted. A refused command does not end, and does not interrupt.
//
// A checkpoint is handed over: its command ends, with INTERRUPT_STATUS.complete, as soon as software may
// continue, and the version becomes durable later, with INTERRUPT_STATUS.durable. A version that can no
// longer become durable sets INTERRUPT_STATUS.failed and the FAILED registers, and all later versions of its
// name are abandoned with it. All other commands are complete when they end. The interrupt line is the level
// of status and enable.
#pragma once

#include "dimm_ssd/dimm_ssd.h"
#include "tlm/register.h"

namespace asterism {

struct DimmSsdRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x44535344, "\"DSSD\" in ASCII: the device is a DIMM-SSD"};
  struct Command : Register {
    using Register::Register;
    FieldOf<std::uint32_t> operation{*this, {"operation", 0, 3, "The operation",
        {{"checkpoint", 1, "saves the pages of the list as a version of the name"},
         {"find", 2, "finds the newest durable version of the name, not above the given one"},
         {"restore", 3, "writes a version back to the pages of the list"},
         {"discard", 4, "removes a version"},
         {"abort", 5, "abandons what is not durable, and ends the command under way; reads no request"}}}};
  } command{*this, 0x04, "COMMAND", Access::write_only, 0, "Starts an operation on the request at DESCRIPTOR"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 0, 1, "A command is under way"}};
    FieldOf<bool> refused{*this, {"refused", 1, 1, "The last command was refused: another was under way"}};
    FieldOf<DimmSsd::Error> error{*this, {"error", 8, 8, "The result of the command",
        {{"none", 0, "successful, or still under way"},
         {"bad_descriptor", 1, "no name, no or too many pages, a page that cannot be saved (BAD_INDEX), an unknown operation or method, or shadow "
                               "memory that does not fit"},
         {"bus_error", 2, "memory did not answer for the request or a page"},
         {"no_space", 3, "the flash is full of data that must be kept"},
         {"not_found", 4, "there is no durable version of this name and number"},
         {"uncorrectable", 5, "flash pages of the version cannot be read"},
         {"busy", 6, "another name or list was given while a version that was handed over is not durable"},
         {"aborted", 7, "ended by an abort"},
         {"worn_out", 8, "too few good blocks are left: the flash can be read, but no longer written"}}}};
  } status{*this, 0x08, "STATUS", Access::read_only, 0, "The state of the last command that was accepted"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> complete{*this, {"complete", 0, 1, "A command ended: STATUS.error"}};
    FieldOf<bool> durable{*this, {"durable", 1, 1, "A version that was handed over has become durable: DURABLE_VERSION"}};
    FieldOf<bool> failed{*this, {"failed", 2, 1, "Versions were abandoned: FAILED_VERSION and all after it"}};
  } interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "The events since a bit was cleared"};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0,
      "The enabled interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"complete", 0, 1, "The end of a command"},
       {"durable", 1, 1, "A version that has become durable"},
       {"failed", 2, 1, "Versions that were abandoned"}}};
  Register descriptor_low{*this, 0x14, "DESCRIPTOR_LOW", Access::read_write, 0,
      "The physical address of the request, 8-byte aligned, bits 31:0"};
  Register descriptor_high{*this, 0x18, "DESCRIPTOR_HIGH", Access::read_write, 0,
      "The physical address of the request, bits 63:32"};
  Register result_version_low{*this, 0x1c, "RESULT_VERSION_LOW", Access::read_only, 0, "The version that find has found, bits 31:0"};
  Register result_version_high{*this, 0x20, "RESULT_VERSION_HIGH", Access::read_only, 0, "The version that find has found, bits 63:32"};
  Register result_pages{*this, 0x24, "RESULT_PAGES", Access::read_only, 0,
      "The number of 4 KiB pages of the version that find has found"};
  Register checkpoints{*this, 0x28, "CHECKPOINTS", Access::read_only, varies, "The number of complete checkpoints in the flash, of all names"};
  Register durable_version_low{*this, 0x2c, "DURABLE_VERSION_LOW", Access::read_only, 0,
      "The newest durable version of the name that is tracked, bits 31:0; 0 if there is none"};
  Register durable_version_high{*this, 0x30, "DURABLE_VERSION_HIGH", Access::read_only, 0,
      "The newest durable version of the name that is tracked, bits 63:32"};
  Register open{*this, 0x34, "OPEN", Access::read_only, 0, "The number of checkpoints that were handed over and are not durable yet"};
  struct Method : Register {
    using Register::Register;
    FieldOf<CheckpointMethod> method{*this, {"method", 0, 4, "The checkpoint method (docs/firmware.md)",
        {{"stop_and_copy", 1}, {"stop_and_copy_hardware", 2}, {"copy_on_write", 3}, {"consolidate", 4}, {"early", 5},
         {"late", 6}, {"early_late", 7}, {"early_late_consolidate", 8}}}};
  } method{*this, 0x38, "METHOD", Access::read_only, varies,
      "The configured method (node.dimm_ssd.method), which is used for requests that name none"};
  Register bad_index{*this, 0x3c, "BAD_INDEX", Access::read_only, ~0u,
      "After bad_descriptor: the index of the page that was refused; ~0 if the error was another"};
  Register failed_version_low{*this, 0x40, "FAILED_VERSION_LOW", Access::read_only, 0,
      "The oldest of the versions that were abandoned last, bits 31:0"};
  Register failed_version_high{*this, 0x44, "FAILED_VERSION_HIGH", Access::read_only, 0,
      "The oldest of the versions that were abandoned last, bits 63:32"};
  Register failed_error{*this, 0x48, "FAILED_ERROR", Access::read_only, 0, "The reason for which versions were abandoned last, as in STATUS.error"};
  Register shadow_low{*this, 0x4c, "SHADOW_LOW", Access::read_write, 0,
      "The memory that copy-on-write may use, 4 KiB aligned and without pages of the list: physical address, bits 31:0"};
  Register shadow_high{*this, 0x50, "SHADOW_HIGH", Access::read_write, 0,
      "The memory that copy-on-write may use: physical address, bits 63:32"};
  Register shadow_pages{*this, 0x54, "SHADOW_PAGES", Access::read_write, 0,
      "The number of 4 KiB pages that copy-on-write may use; 0: none"};
  Register writes_held{*this, 0x58, "WRITES_HELD", Access::read_only, 0,
      "The number of writes of cores that have waited for a page to be copied, since power-up"};
  Register lines_copied{*this, 0x5c, "LINES_COPIED", Access::read_only, 0,
      "The number of 64-byte lines that checkpoints have read from memory, since power-up"};
  Register flash_pages{*this, 0x60, "FLASH_PAGES", Access::read_only, 0, "The number of flash pages programmed, since power-up"};
  Register rated_low{*this, 0x64, "RATED_LOW", Access::read_only, varies,
      "The bytes that may be written to the flash over its life by its rating (node.dimm_ssd.rated_writes), bits 31:0; 0: not stated"};
  Register rated_high{*this, 0x68, "RATED_HIGH", Access::read_only, varies,
      "The bytes that may be written to the flash over its life by its rating, bits 63:32"};
  Register written_low{*this, 0x6c, "WRITTEN_LOW", Access::read_only, varies,
      "The bytes written to the flash in its life, also in earlier runs (node.dimm_ssd.image) and by the device itself; a block "
      "counts as full when it is erased; bits 31:0"};
  Register written_high{*this, 0x70, "WRITTEN_HIGH", Access::read_only, varies,
      "The bytes written to the flash in its life, bits 63:32"};
  // clang-format on

  DimmSsdRegisters()
      : RegisterBank("DIMM_SSD", Bytes(0x1000),
                     "DIMM-SSD: saves checkpoints of pages of memory to flash, and restores them after a "
                     "power loss. A "
                     "command takes a request in memory (docs/firmware.md). One command runs at a time.") {}
};

}  // namespace asterism
