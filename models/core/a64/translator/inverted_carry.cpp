// A program that is linked with this and mutant.cpp computes wrong carries in translated code.
#include "core/a64/translator/mutant.h"

namespace asterism::a64 {

Bug bug = Bug::inverted_carry;

}  // namespace asterism::a64
