// Generates the C++ code around a Verilated model that makes it a library for rtl_library.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/rtl/block_config.h"
#include "platform/rtl/block_contract.h"

namespace asterism {

// The texts of models/cosim/rtl_abi.h and verilated_block.inc, which are compiled into this program.
std::string_view rtl_abi_text();
std::string_view verilated_block_text();

// One source file, which is compiled together with the model `Vblock` that has these ports.
std::string wrapper_text(const BlockConfig& config, const std::vector<BoundPort>& ports,
                         const std::string& digest);

}  // namespace asterism
