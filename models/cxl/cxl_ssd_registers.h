// The registers of a CXL SSD. The specification of CXL has no command by which a host makes the memory of a
// device durable, other than Global Persistent Flush, which a loss of power starts: these are this model's.
#pragma once

#include "tlm/register.h"

namespace asterism {

struct CxlSsdRegisters : RegisterBank {
  // clang-format off
  Register id{*this, 0x00, "ID", Access::read_only, 0x43535344, "\"CSSD\" in ASCII: the device is a CXL SSD"};
  Register window_low{*this, 0x04, "WINDOW_BASE_LOW", Access::read_only, varies, "The physical address at which its memory is decoded, bits 31:0"};
  Register window_high{*this, 0x08, "WINDOW_BASE_HIGH", Access::read_only, varies, "The physical address at which its memory is decoded, bits 63:32"};
  Register capacity{*this, 0x0c, "CAPACITY", Access::read_only, varies, "The size of the window, in MiB"};
  Register cache{*this, 0x10, "CACHE", Access::read_only, varies, "The size of the cache of flash pages, in KiB"};
  Register page{*this, 0x14, "PAGE", Access::read_only, varies, "The size of a flash page, in bytes"};
  struct Status : Register {
    using Register::Register;
    FieldOf<bool> ready{*this, {"ready", 0, 1, "The flash has been read back: accesses are answered. Until then they wait"}};
    FieldOf<bool> flushing{*this, {"flushing", 1, 1, "A flush is under way"}};
    FieldOf<bool> failed{*this, {"failed", 2, 1, "The last flush that has ended has left lines that are not durable"}};
    FieldOf<bool> read_only{*this, {"read_only", 3, 1, "Too few blocks of flash are left: writes are refused"}};
    FieldOf<bool> is_protected{*this, {"protected", 4, 1, "A reserve of energy saves the cache when the power fails: what has been stored is durable without a flush"}};
  } status{*this, 0x18, "STATUS", Access::read_only, varies, "The state of the device"};
  Register flush{*this, 0x1c, "FLUSH", Access::write_only, 0, "Starts a flush: what the device has been sent until now is durable when it has ended",
      {{"start", 0, 1, "Starts it"}}};
  struct Events : Register {
    using Register::Register;
    FieldOf<bool> flushed{*this, {"flushed", 0, 1, "All flushes have ended"}};
    FieldOf<bool> lost{*this, {"lost", 1, 1, "A page of flash could not be read: its lines are poisoned until they are written"}};
  } interrupt_status{*this, 0x20, "INTERRUPT_STATUS", Access::write_one_to_clear, 0, "The events since the bit was cleared"};
  Register interrupt_enable{*this, 0x24, "INTERRUPT_ENABLE", Access::read_write, 0, "The enabled interrupts: the line is high while a bit is set here and in INTERRUPT_STATUS",
      {{"flushed", 0, 1, "All flushes have ended"}, {"lost", 1, 1, "A page could not be read"}}};
  Register misses{*this, 0x28, "MISSES", Access::read_only, varies, "The number of accesses that made the device read a page from flash; a reset keeps it"};
  Register pages_written{*this, 0x2c, "PAGES_WRITTEN", Access::read_only, varies, "The number of flash pages that were programmed with what was written; a reset keeps it"};
  Register lines_written{*this, 0x30, "LINES_WRITTEN", Access::read_only, varies, "The number of modified lines in these pages; a reset keeps it"};
  Register modified{*this, 0x34, "MODIFIED", Access::read_only, varies, "The number of pages in the cache that have lines which are not in flash"};
  // clang-format on
  CxlSsdRegisters()
      : RegisterBank("CXL_SSD", 4_KiB,
                     "CXL SSD: flash behind a CXL link and a cache, as memory (docs/cxl.md)") {}
};

}  // namespace asterism
