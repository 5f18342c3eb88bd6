#include "core/a64/decoder.h"

namespace asterism::a64 {

const std::uint32_t usual_translate_after = 0;

}  // namespace asterism::a64
