// Which target serves an address: the decoding table of an interconnect.
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

  // Throws std::invalid_argument that names both when the range overlaps one that is there.
  void add(AddressRange range, unsigned target, std::string name);

  // The entry that holds all of [address, address + length); nullptr for a hole or an access across a border.
  const Entry* decode(Address address, Bytes length) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;  // by address
};

}  // namespace asterism
