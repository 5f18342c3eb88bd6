// The C++ around a Verilated model, as text: what makes a library of it that rtl_library.h loads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/rtl/block_config.h"
#include "platform/rtl/block_contract.h"

namespace asterism {

// models/cosim/rtl_abi.h and verilated_block.inc, which this program carries.
std::string_view rtl_abi_text();
std::string_view verilated_block_text();

// One source file, to be compiled with the model `Vblock` of these ports.
std::string wrapper_text(const BlockConfig& config, const std::vector<BoundPort>& ports,
                         const std::string& digest);

}  // namespace asterism
