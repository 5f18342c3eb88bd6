// The speed of dynarmic, a translator of A64 as a library, where it is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core_programs.h"

namespace asterism {

class DynarmicPeer {
 public:
  virtual ~DynarmicPeer() = default;
  virtual double mips(std::uint64_t instructions) = 0;  // 0: it does not execute this program
};

// nullptr: it is not installed.
std::unique_ptr<DynarmicPeer> make_dynarmic(const Program& program);

}  // namespace asterism
