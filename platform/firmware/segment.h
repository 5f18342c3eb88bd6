// A part of firmware as it lies in memory before the first instruction is executed.
#pragma once

#include <cstddef>
#include <span>

#include "base/units.h"

namespace asterism {

struct Segment {
  Address address;                      // physical
  std::span<const std::byte> contents;  // the part that the file holds
  Bytes size;                           // in memory; the bytes after the contents are zero
  bool is_writable, is_executable;

  AddressRange range() const { return {address, size}; }
};

}  // namespace asterism
