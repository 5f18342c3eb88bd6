// What translated code has done differently from the interpreter (a64/translator/lockstep.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace asterism {

struct TranslationMismatch {
  Address pc = {};                 // of the first instruction of the block that is wrong
  std::uint64_t instructions = 0;  // that the core has executed at the block's end
  std::vector<std::uint32_t> code = {};
  struct Difference {
    std::string what;  // "x3", "nzcv", "memory at 0x40001000"
    std::string translated, interpreted;
  };
  std::vector<Difference> differences = {};

  std::string text() const;  // one line
};

}  // namespace asterism
