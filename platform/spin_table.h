// Where secondary cores wait when they are not started by PSCI: the protocol "spin-table" of Linux's Documentation/arm64/booting.rst and
// of the device tree (Devicetree Specification 0.4, 3.8.1). The boot ROM's work: it leaves a loop in DRAM and lets all cores but the
// first run in it. A core looks at its release address, a doubleword of its own that is 0 at first, and goes to what it finds there with
// x0 to x3 = 0. Between looks it waits for an event; who writes the address follows it with SEV.
//
// One page, two where there are more than 256 cores: the last of the 1 MiB at the base of DRAM that the device tree has for
// itself, which the tree's memory reservation names.
#pragma once

#include <cstddef>
#include <vector>

#include "base/units.h"

namespace asterism {

class SpinTable {
 public:
  // dram: of the node.
  SpinTable(AddressRange dram, unsigned cores);

  AddressRange range() const { return {entry_, size_}; }
  Address entry() const { return entry_; }  // of the loop
  Address release_address(unsigned core) const;
  // Of the range: the loop, and all release addresses 0.
  std::vector<std::byte> contents() const;

 private:
  Bytes size_;
  Address entry_;
};

}  // namespace asterism
