// CMSIS-SVD (schema version 1.3): the devices of a node, their registers and fields, for debuggers and the peripheral views
// of IDEs. Made from the address map and the register lists.
//
//   peripheral          a device of the map that has registers
//   interrupt           the GIC's id, 32 more than the SPI's number, as CMSIS-Core counts for Cortex-A
//   register array      `dim`, where all elements have the same reset value; else a register each, named as the elements
//   windows             a peripheral each, GPU0, GPU1 and so on, derived from the first; debuggers get clusters with `dim` wrong
//   resetMask 0         the value after a reset depends on the configuration, or on what outlives a reset
//   readAction modify   a read acts: a debugger leaves the register alone unless it is told
//
// Reserved fields are left out; fields that are not modelled say so.
#pragma once

#include <string>

#include "platform/address_map.h"
#include "platform/register_lists.h"

namespace asterism {

struct SvdDevice {
  std::string name;  // a C identifier
  std::string version;
  std::string description;
};

// `text` as a C identifier: what may not stand in one becomes an underscore.
std::string svd_identifier(std::string text);

std::string svd(const SvdDevice& device, const AddressMap& map, const RegisterLists& lists);

}  // namespace asterism
