// Reads a document into a config struct, following the description of the struct, and collects all errors.
#pragma once

#include "base/described_value.h"
#include "platform/config/config_document.h"
#include "platform/config/config_library.h"
#include "platform/config/diagnostics.h"

namespace asterism {

// Absent and wrong values keep their defaults in `object`. `library` resolves "use" and names of files; if it
// is nullptr, a "use" is an error and names are not looked up. The document keeps the merged tree for
// origin_of().
void read_object(ObjectValue& object, ConfigDocument& document, const ConfigLibrary* library,
                 Diagnostics& problems);

}  // namespace asterism
