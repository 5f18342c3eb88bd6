// Linked with the tests of the engine, this makes each of them a test of the translator and of the
// comparison.
#include "core/a64/decoder.h"

namespace asterism::a64 {

const Translation usual_translation{.after = 1, .is_checked = true};

}  // namespace asterism::a64
