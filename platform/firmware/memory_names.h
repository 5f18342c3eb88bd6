// What firmware has at which addresses of memory, for maps of it.
#pragma once

#include <vector>

#include "base/page_map.h"
#include "platform/firmware/firmware.h"

namespace asterism {

// The functions, variables and known stacks of an ELF file in the order of their addresses, each with a size;
// without symbols its segments. Of Linux the kernel and the initial file system.
std::vector<PageMap::Name> names_in_memory(const Firmware& firmware);

}  // namespace asterism
