// The fixture of tests of floating-point instructions, in which they are enabled and no vector register is 0.
#pragma once

#include "core/a64/a64_test.h"

namespace asterism::a64 {

struct FloatTest : A64Test {
  static constexpr std::uint64_t garbage = 0xdead'beef'cafe'f00d;
  State state = core->state();
  FloatTest() {
    state.system.cpacr = 3 << 20;
    for (Vector& v : state.v) v.d = {garbage, garbage};
  }
  // V2 after an instruction.
  Vector v2(std::uint32_t word) { return run({word}, state).v[2]; }
};

}  // namespace asterism::a64
