// The registers of the DIMM-SSD. A command takes a request descriptor in memory (dimm_ssd/dimm_ssd.h).
//
// A command that is given while another is under way is not taken: STATUS.refused, until the next one that
// is. It does not end, and interrupts nobody.
//
// A checkpoint is handed over: its command ends, with INTERRUPT_STATUS.complete, as soon as software may go
// on, and the version is durable later, with INTERRUPT_STATUS.durable. A version that cannot become durable
// any more sets INTERRUPT_STATUS.failed and the FAILED registers, and all later versions of its name are
// given up with it. All other commands are done when they end. The interrupt line is the level of status and
// enable.
#pragma once

#include "dimm_ssd/dimm_ssd.h"
#include "tlm/register.h"

namespace asterism {

struct DimmSsdRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x44535344, "\"DSSD\" in ASCII: the device is a DIMM-SSD"};
  struct Command : Register {
    using Register::Register;
    FieldOf<std::uint32_t> operation{*this, {"operation", 0, 3, "What to do",
        {{"checkpoint", 1, "the pages of the list become a version of the name"},
         {"find", 2, "the newest durable version of the name, not above the given one"},
         {"restore", 3, "writes a version back to the pages of the list"},
         {"discard", 4, "forgets a version"},
         {"abort", 5, "gives up what is not durable, and ends the command under way; reads no request"}}}};
  } command{*this, 0x04, "COMMAND", Access::write_only, 0, "Starts an operation on the request at DESCRIPTOR"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> busy{*this, {"busy", 0, 1, "It is under way"}};
    FieldOf<bool> refused{*this, {"refused", 1, 1, "The command given last was not taken: another was under way"}};
    FieldOf<DimmSsd::Error> error{*this, {"error", 8, 8, "How it ended",
        {{"none", 0, "done, or still under way"},
         {"bad_descriptor", 1, "no name, no or too many pages, a page that cannot be saved (BAD_INDEX), no such operation or method, "
                               "shadow memory that does not fit"},
         {"bus_error", 2, "memory did not answer for the request or a page"},
         {"no_space", 3, "the flash is full of what must be kept"},
         {"not_found", 4, "no durable version of this name and number"},
         {"uncorrectable", 5, "flash pages of the version cannot be read"},
         {"busy", 6, "another name or list while a version handed over is not durable"},
         {"aborted", 7, "by an abort"},
         {"worn_out", 8, "too few good blocks: the flash can be read, and no longer written"}}}};
  } status{*this, 0x08, "STATUS", Access::read_only, 0, "State of the command that was taken last"};
  struct InterruptStatus : Register {
    using Register::Register;
    FieldOf<bool> complete{*this, {"complete", 0, 1, "A command ended: STATUS.error"}};
    FieldOf<bool> durable{*this, {"durable", 1, 1, "A version that was handed over has become durable: DURABLE_VERSION"}};
    FieldOf<bool> failed{*this, {"failed", 2, 1, "Versions were given up: FAILED_VERSION and all after it"}};
  } interrupt_status{*this, 0x0c, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "What happened since a bit was cleared"};
  Register interrupt_enable{*this, 0x10, "INTERRUPT_ENABLE", Access::read_write, 0,
      "What interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"complete", 0, 1, "The end of a command"},
       {"durable", 1, 1, "A version that has become durable"},
       {"failed", 2, 1, "Versions that were given up"}}};
  Register descriptor_low{*this, 0x14, "DESCRIPTOR_LOW", Access::read_write, 0,
      "Physical address of the request, 8-byte aligned, bits 31:0"};
  Register descriptor_high{*this, 0x18, "DESCRIPTOR_HIGH", Access::read_write, 0,
      "Physical address of the request, bits 63:32"};
  Register result_version_low{*this, 0x1c, "RESULT_VERSION_LOW", Access::read_only, 0, "Version that find found, bits 31:0"};
  Register result_version_high{*this, 0x20, "RESULT_VERSION_HIGH", Access::read_only, 0, "Version that find found, bits 63:32"};
  Register result_pages{*this, 0x24, "RESULT_PAGES", Access::read_only, 0,
      "4 KiB pages of the version that find found"};
  Register checkpoints{*this, 0x28, "CHECKPOINTS", Access::read_only, varies, "Complete checkpoints that the flash holds, of all names"};
  Register durable_version_low{*this, 0x2c, "DURABLE_VERSION_LOW", Access::read_only, 0,
      "Newest durable version of the name that is tracked, bits 31:0; 0 when there is none"};
  Register durable_version_high{*this, 0x30, "DURABLE_VERSION_HIGH", Access::read_only, 0,
      "Newest durable version of the name that is tracked, bits 63:32"};
  Register open{*this, 0x34, "OPEN", Access::read_only, 0, "Checkpoints handed over that are not durable yet"};
  struct Method : Register {
    using Register::Register;
    FieldOf<CheckpointMethod> method{*this, {"method", 0, 4, "What a checkpoint makes wait, and what it saves (docs/firmware.md)",
        {{"stop_and_copy", 1}, {"stop_and_copy_hardware", 2}, {"copy_on_write", 3}, {"consolidate", 4}, {"early", 5},
         {"late", 6}, {"early_late", 7}, {"early_late_consolidate", 8}}}};
  } method{*this, 0x38, "METHOD", Access::read_only, varies,
      "The configured method (node.dimm_ssd.method), for requests that name none"};
  Register bad_index{*this, 0x3c, "BAD_INDEX", Access::read_only, ~0u,
      "After bad_descriptor: index of the page that was refused; ~0 when it was something else"};
  Register failed_version_low{*this, 0x40, "FAILED_VERSION_LOW", Access::read_only, 0,
      "Oldest version of those that were given up last, bits 31:0"};
  Register failed_version_high{*this, 0x44, "FAILED_VERSION_HIGH", Access::read_only, 0,
      "Oldest version of those that were given up last, bits 63:32"};
  Register failed_error{*this, 0x48, "FAILED_ERROR", Access::read_only, 0, "Why versions were given up last, as in STATUS.error"};
  Register shadow_low{*this, 0x4c, "SHADOW_LOW", Access::read_write, 0,
      "Memory that copy-on-write may use, 4 KiB aligned, none of the list's pages: physical address, bits 31:0"};
  Register shadow_high{*this, 0x50, "SHADOW_HIGH", Access::read_write, 0,
      "Memory that copy-on-write may use: physical address, bits 63:32"};
  Register shadow_pages{*this, 0x54, "SHADOW_PAGES", Access::read_write, 0,
      "4 KiB pages of the memory that copy-on-write may use; 0: none"};
  Register writes_held{*this, 0x58, "WRITES_HELD", Access::read_only, 0,
      "Writes of cores that have waited for a page to be copied, since power-up"};
  Register lines_copied{*this, 0x5c, "LINES_COPIED", Access::read_only, 0,
      "Lines of 64 bytes that checkpoints have read from memory, since power-up"};
  Register flash_pages{*this, 0x60, "FLASH_PAGES", Access::read_only, 0, "Flash pages programmed, since power-up"};
  Register rated_low{*this, 0x64, "RATED_LOW", Access::read_only, varies,
      "Bytes that the flash is rated to have written to it over its life (node.dimm_ssd.rated_writes), bits 31:0; 0: not stated"};
  Register rated_high{*this, 0x68, "RATED_HIGH", Access::read_only, varies,
      "Bytes that the flash is rated to have written to it over its life, bits 63:32"};
  Register written_low{*this, 0x6c, "WRITTEN_LOW", Access::read_only, varies,
      "Bytes written to the flash in its life, in runs before too (node.dimm_ssd.image), what the device itself keeps there among "
      "them; a block counts as full when it is erased; bits 31:0"};
  Register written_high{*this, 0x70, "WRITTEN_HIGH", Access::read_only, varies,
      "Bytes written to the flash in its life, bits 63:32"};
  // clang-format on

  DimmSsdRegisters()
      : RegisterBank("DIMM_SSD", Bytes(0x1000),
                     "DIMM-SSD: takes checkpoints of pages of memory into flash, and gives them back after a "
                     "loss of power. A "
                     "command takes a request in memory (docs/firmware.md); one at a time.") {}
};

}  // namespace asterism
