// What a debugger does with one core: its state in words, its general registers, and memory as it sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/core_module.h"

namespace asterism {

// "running", "halted, waiting for an interrupt".
std::string state_of(const CoreModule& core);

// The general registers by their numbers in DebugTarget.
CoreRegister general_register(unsigned number);
// Returns false if the core waits for the bus within an instruction, or if it does not support the PSTATE.
bool write_general(CoreModule& core, unsigned number, std::uint64_t value);

enum class Addressing : std::uint8_t { translated, physical };  // by the core's tables; not at all

// Reads without side effects. Returns the number of bytes, from the first on, that exist.
std::size_t read_through(CoreModule& core, std::uint64_t address, Addressing how, std::span<std::byte> data);
// Writes memory, or registers of devices. Writes everything, or nothing if a part does not exist.
bool write_through(CoreModule& core, std::uint64_t address, Addressing how, std::span<const std::byte> data);

}  // namespace asterism
