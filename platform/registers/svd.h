// CMSIS-SVD (schema version 1.3): the devices of a node with their registers and fields, for debuggers and
// the peripheral views of IDEs. It is generated from the address map and the register lists.
//
//   peripheral          a device of the map that has registers
//   interrupt           the id of the GIC: the SPI number plus 32, as CMSIS-Core counts for Cortex-A
//   register array      `dim`, if all elements have the same reset value; else one register for each element
//   windows             one peripheral each (GPU0, GPU1, ...), derived from the first, because debuggers
//                       misread clusters with `dim`
//   resetMask 0         the reset value depends on the configuration, or on state that survives a reset
//   readAction modify   a read has a side effect: a debugger reads the register only on request
//
// Reserved fields are omitted; fields that are not modelled are described as such.
#pragma once

#include <string>

#include "platform/node/address_map.h"

namespace asterism {

struct SvdDevice {
  std::string name;  // a C identifier
  std::string version;
  std::string description;
};

// `text` as a C identifier: each invalid character is replaced by an underscore.
std::string svd_identifier(std::string text);

std::string svd(const SvdDevice& device, const AddressMap& map);

}  // namespace asterism
