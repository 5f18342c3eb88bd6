// The ports of a block's top module, as Verilator elaborates it with the block's parameters.
#pragma once

#include <filesystem>
#include <string>

#include "platform/rtl/child_processes.h"
#include "platform/rtl/loaded_block.h"
#include "platform/rtl/port_list.h"
#include "platform/rtl/toolchain.h"

namespace asterism {

// Works in `folder`. Throws ConfigError: at its key if block.json names no module or no parameter of that
// name, else in Verilator's words.
TopModule elaborated_top(const LoadedBlock& block, const Toolchain& tools,
                         const std::filesystem::path& folder, const BuildSignals& signals);

// Throws ConfigError about the whole block, with the messages of a program.
[[noreturn]] void refuse_with_log(const LoadedBlock& block, const std::string& what, std::string log);

}  // namespace asterism
