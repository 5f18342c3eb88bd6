// What is between a host and the DRAM of a CXL.mem expander: the link, the ports at its ends, and the
// controller of the device. The values of real devices are in configs/cxl, each with its source.
#pragma once

#include <cstdint>

#include "base/enum_names.h"
#include "base/units.h"

namespace asterism {

class Fields;

enum class CxlFlit { bytes_68, bytes_256 };
constexpr auto enum_names(CxlFlit) {
  return std::to_array<EnumName<CxlFlit>>(
      {{CxlFlit::bytes_68, "68B",
        "68 bytes with 4 slots of 16 bytes, a protocol id and a CRC: CXL 1.1 and 2.0"},
       {CxlFlit::bytes_256, "256B",
        "256 bytes with 15 slots, a header, a CRC and a forward error correction: CXL 3.x"}});
}

struct CxlPart {
  std::uint32_t lanes = 16;
  Bandwidth lane = 4_GBps;  // in each direction, with the flits' overhead
  CxlFlit flit = CxlFlit::bytes_68;
  Picoseconds port_latency;        // of both ports and the wire, in one direction
  Picoseconds controller_latency;  // of the device, in one direction
  std::uint32_t queue = 48;        // requests that the device holds
};
void describe(Fields& f, CxlPart& part);

}  // namespace asterism
