#include "core/a64/decoder.h"

namespace asterism::a64 {

const Translation usual_translation{};

}  // namespace asterism::a64
