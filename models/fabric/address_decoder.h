// The decoding table of an interconnect: which target has an address.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

class AddressDecoder {
 public:
  struct Entry {
    AddressRange range;
    unsigned target;
    std::string name;
  };

  // Throws std::invalid_argument, which names both ranges, if the range overlaps an existing one.
  void add(AddressRange range, unsigned target, std::string name);

  // Returns the entry that contains all of [address, address + length); nullptr for a hole or an access
  // across a border.
  const Entry* decode(Address address, Bytes length) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;  // sorted by address
};

}  // namespace asterism
