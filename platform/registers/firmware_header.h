// asterism/platform.h: the address maps and the registers of nodes as C constants for firmware, generated
// from the register lists that the models themselves use.
//
//   #define DIMM_SSD_BASE 0x0b020000
//   #define DIMM_SSD_INTERRUPT 18
//   #define DIMM_SSD_COMMAND 0x4                    offset of a register, of the first element of an array
//   #define DIMM_SSD_COMMAND_OPERATION_SHIFT 0
//   #define DIMM_SSD_COMMAND_OPERATION_MASK 0x7     in its position in the register
//   #define DIMM_SSD_COMMAND_OPERATION_CHECKPOINT 1
#pragma once

#include <string>
#include <vector>

#include "platform/node/address_map.h"

namespace asterism {

// The devices of all maps, each once. There is at least one map; its places hold even if other maps have
// other ones. A device that is not in the first one, and in others at different places, has no BASE and no
// INTERRUPT.
std::string firmware_header(const std::vector<AddressMap>& maps,
                            const std::string& guard = "ASTERISM_PLATFORM_H");

}  // namespace asterism
