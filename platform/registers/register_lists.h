// The register lists of a node's devices, without the devices. The firmware's header, CMSIS-SVD (svd.h) and
// docs/registers.md (register_page.h) are generated from them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tlm/register.h"

namespace asterism {

// The key is the device's name in the address map. Entries without registers (DRAM) are omitted.
using RegisterLists = std::map<std::string, std::shared_ptr<const RegisterBank>>;

// `gpus` is the number of windows in the bank of the GPUs. The lists of both interrupt controllers are
// included.
RegisterLists register_lists(unsigned gpus);

}  // namespace asterism
