// The register lists of a node's devices without the devices: what tells others where registers are and what they mean is
// made from them. The firmware's header, CMSIS-SVD (svd.h) and docs/registers.md (register_page.h).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tlm/register.h"

namespace asterism {

// By the device's name in the address map; what has no registers (DRAM) is not among them.
using RegisterLists = std::map<std::string, std::shared_ptr<const RegisterBank>>;

// `gpus`: windows in the bank of the GPUs. Both interrupt controllers' are there.
RegisterLists register_lists(unsigned gpus);

}  // namespace asterism
