// The loop in which secondary cores wait if PSCI does not start them: the protocol "spin-table" of Linux's
// Documentation/arm64/booting.rst and of the device tree (Devicetree Specification 0.4, 3.8.1). The boot ROM
// places the loop in DRAM, and all cores but the first execute it. A core reads its release address, a
// doubleword of its own that is 0 at first, and jumps to the address that it finds there with x0 to x3 = 0.
// Between reads it waits for an event; the software that writes the release address must execute SEV
// afterwards.
//
// The table takes one page, or two for more than 256 cores: the last of the 1 MiB at the base of DRAM that is
// set aside for the device tree. The memory reservations of the device tree name it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace asterism {

class SpinTable {
 public:
  // `dram` is the address range of the node's DRAM.
  SpinTable(AddressRange dram, unsigned cores);

  AddressRange range() const { return {entry_, size_}; }
  Address entry() const { return entry_; }  // the first instruction of the loop
  Address release_address(unsigned core) const;
  // The initial contents of range(): the loop, and all release addresses 0.
  std::vector<std::byte> contents() const;

 private:
  Bytes size_;
  Address entry_;
};

}  // namespace asterism
