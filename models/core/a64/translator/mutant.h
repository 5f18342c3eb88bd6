// An emitter with a bug, which the translators of a program use that is linked with mutant.cpp.
#pragma once

namespace asterism::a64 {

enum class Bug { none, inverted_carry, stale_chain, lost_register };
extern Bug bug;

}  // namespace asterism::a64
