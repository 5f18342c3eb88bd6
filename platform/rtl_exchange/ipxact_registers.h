// The registers of an IP-XACT component as the `device` of a block.json.
#pragma once

#include <string>

#include "platform/rtl_exchange/described_block.h"
#include "platform/rtl_exchange/ipxact_file.h"

namespace asterism {

// Reads the memory map of this name, or the only one if the name is "". Says nothing if there is none.
void describe_registers(const IpxactFile& file, const std::string& memory_map, DescribedBlock& described);

}  // namespace asterism
