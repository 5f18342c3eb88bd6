#include "core/a64/decoder.h"

namespace asterism::a64 {

std::span<const Row> data_processing_register_rows() { return {}; }

}  // namespace asterism::a64
