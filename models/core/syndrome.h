// ESR_EL1 in words (Arm DDI 0487, D17.2.37), for messages.
#pragma once

#include <cstdint>
#include <string>

namespace asterism {

// "data abort by a store: translation fault, level 2"; "SError: bus error"; "class 0x2c" for classes without
// words here. With `is_poisoned`, an external abort or a bus error is "poisoned data", which ESR_EL1 does not
// distinguish.
std::string describe_syndrome(std::uint64_t esr, bool is_poisoned = false);

}  // namespace asterism
