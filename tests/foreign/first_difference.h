// Where two engines that run the same firmware part: for whoever looks for a bug in one of them.
//
// Both machines run from reset in strides; after each the registers are compared. From the last stride at
// whose end they agreed the search begins anew with shorter ones, until a stride is one block of the
// reference engine (which stops only at block boundaries; the other must stop at any count). Memory is not
// compared: a wrong store shows when it is loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "machine.h"
#include "session.h"

namespace asterism::foreign {

struct Difference {
  std::uint64_t agreed;             // instructions after which the registers were the same
  std::uint64_t found;              // and after which they were not
  std::uint64_t pc;                 // when they agreed
  std::vector<std::uint32_t> code;  // the instructions from there, as far as they stand in a row
  std::string text;                 // a line each: what differs, reference first
};

// Machines as they are before the first instruction.
using MakeMachine = std::function<std::unique_ptr<Machine>()>;

std::optional<Difference> first_difference(const MakeMachine& reference, const MakeMachine& other,
                                           const std::vector<UartScriptLine>& script, std::uint64_t stride,
                                           std::uint64_t limit = Machine::never);

}  // namespace asterism::foreign
