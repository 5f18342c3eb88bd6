// Linked with the tests of the engine, this makes each of them a test of the translator, too.
#include "core/a64/decoder.h"

namespace asterism::a64 {

const Translation usual_translation{.after = 1};

}  // namespace asterism::a64
